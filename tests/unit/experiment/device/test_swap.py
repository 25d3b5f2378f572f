"""The search on a device finds what that of the CPU finds."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment import run
from gardner.experiment.device.loop import run_on_device
from gardner.experiment.device.pool import stored_pool
from gardner.experiment.device.swap import Swap
from gardner.inference import amp
from gardner.model import draw_instance
from gardner.strategies import make_strategy


@pytest.mark.parametrize("direction", ["min", "max"])
def test_as_far_as_on_the_cpu(direction: str) -> None:
    sign = 1.0 if direction == "min" else -1.0
    options = {"budget": 0.3, "batch_size": 10, "seed": 0}
    mine, theirs, plain = [], [], []
    for seed in range(3):
        problem = draw_instance(100, 3.0, seed, dtype=np.float32)
        parameters = {"direction": direction, "steps": 100}
        found = run_on_device(stored_pool(problem), "swap", parameters, **options)  # type: ignore[arg-type]
        last = found.rounds[-1]
        assert last.status == "converged"
        assert len(set(found.queried.tolist())) == last.labels == 30
        there = amp(problem.rows[found.queried], problem.labels[found.queried], variances="scalar")
        assert last.log_volume == pytest.approx(there.log_volume, abs=1e-4)  # of the rows that it says it chose
        mine.append(last.log_volume)
        other = run(problem, make_strategy("swap", parameters), variances="scalar", **options)  # type: ignore[arg-type]
        theirs.append(other.rounds[-1].log_volume)
        grown = {"direction": direction, "steps": 0}
        plain.append(run_on_device(stored_pool(problem), "swap", grown, **options).rounds[-1].log_volume)  # type: ignore[arg-type]
    assert sign * np.mean(mine) < sign * np.mean(plain)
    gain = abs(np.mean(theirs) - np.mean(plain))
    assert abs(np.mean(mine) - np.mean(theirs)) < 0.4 * gain


def test_parameters_are_checked() -> None:
    for wrong in ({"direction": "up"}, {"steps": -1}, {"heat": 2.0}):
        with pytest.raises(InvalidInputError, match="swap"):
            Swap(**wrong)
