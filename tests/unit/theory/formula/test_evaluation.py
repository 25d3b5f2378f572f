"""What a walker remembers, and that nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.model import GLM, PERCEPTRON, Gaussian, Probit, Rademacher, Sign
from gardner.theory.curve.branch import begin
from gardner.theory.curve.equations import Problem
from gardner.theory.formula.evaluation import Derivatives, Peaks, derivatives, make_mesh
from gardner.theory.formula.free_entropy import BETA


def numbers(found: Derivatives) -> list[float]:
    return [found.value, *found.gradient.tolist(), *found.hessian.ravel().tolist()]


@pytest.mark.parametrize(
    "model", [PERCEPTRON, GLM(Gaussian(), Probit(0.1)), GLM(Rademacher(), Sign())], ids=["sign", "probit", "binary"]
)
def test_only_peaks_that_are_handed_in_are_remembered(model: GLM) -> None:
    problem = Problem(model, 3.0, 0.6)
    here = begin(problem)
    here[BETA] = np.arcsinh(-0.5)
    there = here + 0.01 * np.cos(np.arange(len(here)))
    mesh = make_mesh(problem.pair, here)

    def at(z: np.ndarray, peaks: Peaks | None = None) -> list[float]:
        return numbers(derivatives(problem.pair, 3.0, z, mesh, peaks=peaks))

    first = at(there)
    at(here)
    assert at(there) == first  # the same bits, whatever was asked of the mesh before
    walker = Peaks()
    at(here, walker)
    np.testing.assert_allclose(at(there, walker), first, rtol=1e-9, atol=1e-9)
