"""Learning curves of models of one's own: weights of nonzero mean, three labels without a symmetry."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from gardner.model import GLM, NUMPY, Array, Gaussian, Library, Sign
from gardner.model.numeric import NumericChannel, NumericPrior
from gardner.theory import learning_curve, pool, typical


@dataclass(frozen=True)
class Positive(NumericPrior):
    """Uniform from 0 to √3: all rows begin with a mean of their own, N(0, 3/4)."""

    @property
    def support(self) -> tuple[float, float]:
        return (0.0, math.sqrt(3.0))

    def log_density(self, x: Array, library: Library = NUMPY) -> Array:
        del library
        return 0.0 * x - 0.5 * math.log(3.0)


@dataclass(frozen=True)
class Three(NumericChannel):
    """Labels 0, 1 and 2 with odds 1 : e^{1.5h + 0.3} : e^{2h − 0.5}."""

    @property
    def labels(self) -> tuple[float, ...]:
        return (0.0, 1.0, 2.0)

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        xp = library.xp
        one, two = 1.5 * h + 0.3, 2.0 * h - 0.5
        total = xp.logaddexp(xp.logaddexp(one, two), 0.0 * h)
        return xp.where(y == 1.0, one, xp.where(y == 2.0, two, 0.0 * h)) - total


@pytest.mark.parametrize(
    "model", [pytest.param(GLM(Positive(), Sign()), marks=pytest.mark.slow), GLM(Gaussian(), Three())]
)
def test_random_is_typical_and_all_is_the_pool(model: GLM) -> None:
    for rule, known in (("random", typical(model, budget=0.5)), ("agnostic", pool(model, pool_ratio=0.5))):
        question = {"pool_ratio": 0.5 if rule == "agnostic" else 2.0, "budget": 0.5, "batch_ratio": 0.25}
        point = learning_curve(rule, model, **question, cells=512).points[-1]  # type: ignore[arg-type]
        for name in ("log_volume", "information", "overlap"):
            assert getattr(point, name) == pytest.approx(getattr(known, name), abs=1e-7), (rule, name)
