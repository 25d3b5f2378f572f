"""Version spaces in a plane are angles, drawn from directly."""

from __future__ import annotations

import numpy as np
import scipy.stats
from tests.known_rows import rotation, wedges

from gardner.inference.montecarlo import sample_version_space


def test_samples_of_a_wedge() -> None:
    """Uniform angles, lengths of a Gaussian; outside the plane a free Gaussian; all labels right."""
    turned, opening = rotation(5, seed=2), 0.4
    points = sample_version_space(wedges(opening) @ turned[:2], np.ones(2), 4000, seed=1)
    assert float((points @ (wedges(opening) @ turned[:2]).T).min()) > 0.0
    x, y, *others = (points @ turned.T).T
    angles = np.arctan2(y, x) / opening
    assert scipy.stats.kstest(angles, "uniform").pvalue > 1e-3
    assert scipy.stats.kstest(0.5 * (x * x + y * y), "expon").pvalue > 1e-3
    assert scipy.stats.kstest(np.concatenate(others), "norm").pvalue > 1e-3
    half = sample_version_space(np.array([[-2.0]]), [1.0], 4000, seed=1)
    assert scipy.stats.kstest(-half[:, 0], "halfnorm").pvalue > 1e-3
