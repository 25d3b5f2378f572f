"""ψ with its derivatives, closed or tabulated, against automatic differentiation and against
probit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.jax_formula import JAX, double_precision

from gardner import bounds
from gardner.model import (
    GLM,
    Channel,
    Flip,
    GaussBernoulli,
    Gaussian,
    Laplace,
    Logistic,
    Prior,
    Probit,
    Rademacher,
    Sign,
)
from gardner.model.arrays import Array
from gardner.model.numeric import NumericChannel
from gardner.model.special import NUMPY, Library
from gardner.theory.formula.expansion import Table, channel_psi, channel_remainder, prior_psi
from gardner.theory.formula.taylor import Floats

FIELDS = np.array([-200.0, -30.0, -5.0, -1.0, -0.1, 0.05, 0.3, 2.0, 9.0, 40.0])


@dataclass(frozen=True)
class Doubled(NumericChannel):
    """The probit channel of noise 0.3, given by its formula alone."""

    @property
    def labels(self) -> tuple[float, ...]:
        return (-1.0, 1.0)

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        return library.log_ndtr(y * h / math.sqrt(0.3))


def six(function: Any) -> Any:
    """By automatic differentiation: ψ and its derivatives in field, time, both twice and mixed,
    compiled once.
    """

    def along(x: Any, t: Any, *label: Any) -> Any:
        """The sum's derivatives in all fields are those of its terms."""

        def values(x: Any, t: Any) -> Any:
            return function(x, t, *label)

        def total(x: Any, t: Any) -> Any:
            found = values(x, t)
            return found.sum(), found

        def slopes(x: Any, t: Any) -> Any:
            return jax.grad(total, has_aux=True)(x, t)[0], jax.jvp(lambda s: values(x, s), (t,), (1.0,))[1]

        ones = jnp.ones_like(x)
        first = slopes(x, t)
        in_field = jax.jvp(lambda s: slopes(s, t), (x,), (ones,))[1]
        in_time = jax.jvp(lambda s: slopes(x, s)[1], (t,), (1.0,))[1]
        return values(x, t), *first, *in_field, in_time

    compiled = jax.jit(along)

    def asked(fields: Floats, time: float, *label: float) -> list[Floats]:
        return [np.asarray(part) for part in compiled(jnp.asarray(fields), jnp.asarray(time), *map(jnp.asarray, label))]

    return asked


@pytest.mark.parametrize("channel", [Sign(), Probit(0.2), Flip(0.05), Flip(0.0), Logistic(3.0)], ids=str)
@double_precision
def test_channels(channel: Channel) -> None:
    table = isinstance(channel, Logistic)
    fields = FIELDS[np.abs(FIELDS) < 20.0] if table else FIELDS
    differentiated = six(lambda x, V, y: channel.log_partition(y, x, V, JAX))
    for y in (1.0, -1.0):
        ours = channel_psi(channel, y, 0.3).full(fields)
        for one, other in zip(ours, differentiated(fields, 0.3, y), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6 if table else 1e-9, atol=1e-6 if table else 1e-12)


@pytest.mark.parametrize("channel", [Sign(), Probit(0.2)], ids=str)
@double_precision
def test_what_is_left_without_the_gaussian_part(channel: Channel) -> None:
    noise, fields = float(getattr(channel, "noise", 0.0)), FIELDS[np.abs(FIELDS) < 10.0]
    ours = channel_remainder(channel, 1.0, 0.3).full(fields)

    def formula(x: Any, V: Any) -> Any:
        return channel.log_partition(1.0, x, V, JAX) + 0.5 * x * x / (V + noise)

    for one, other in zip(ours, six(formula)(fields, 0.3), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "prior",
    [Gaussian(1.7), GaussBernoulli(0.2), Rademacher(), Laplace(), pytest.param(Laplace(0.01), marks=pytest.mark.slow)],
    ids=str,
)
@double_precision
def test_priors(prior: Prior) -> None:
    differentiated = six(lambda b, A: prior.log_partition(A, b, JAX))
    for A in (0.2, 3.0):
        ours = prior_psi(prior, A).full(FIELDS)
        for one, other in zip(ours, differentiated(FIELDS, A), strict=True):
            np.testing.assert_allclose(one, other, rtol=3e-6, atol=1e-9)


def test_a_table_grows_and_keeps_its_digits() -> None:
    """Asked for more fields later, and with a feature far narrower than its range."""

    def formula(x: Floats) -> tuple[Floats, Floats, Floats]:
        t = np.tanh(50.0 * (x - 1.5))
        return t, 50.0 * (1.0 - t * t), -5000.0 * t * (1.0 - t * t)

    table = Table(formula, 1.0, 1.0)
    for reach in (2.0, 30.0):
        fields = np.linspace(-reach, reach, 5001)
        for one, other in zip(table.slopes(fields), formula(fields), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-6)


@pytest.mark.slow
def test_a_channel_of_ones_own_has_the_same_bounds() -> None:
    """Probit labels by their formula alone, without symmetry: tables stand for ψ and its
    derivatives.
    """
    ours, own = (
        bounds(GLM(channel=Probit(0.3)), pool_ratio=3.0, budget=0.6),
        bounds(GLM(channel=Doubled()), pool_ratio=3.0, budget=0.6),
    )
    for one, other in ((ours.minimum, own.minimum), (ours.maximum, own.maximum)):
        assert one.log_volume == pytest.approx(other.log_volume, abs=1e-7)
        assert one.point is not None
        assert other.point is not None
        assert one.point.accuracy == pytest.approx(other.point.accuracy, abs=1e-6)


def test_a_table_has_the_same_bits_whatever_was_asked_before() -> None:
    def formula(x: Floats) -> tuple[Floats, Floats, Floats]:
        t = np.tanh(x - 1.5)
        return t, 1.0 - t * t, -2.0 * t * (1.0 - t * t)

    near, far = np.linspace(-0.7, 2.9, 101), np.linspace(-90.0, 400.0, 99)
    one, other = Table(formula, 1.0, 0.3), Table(formula, 1.0, 0.3)
    first = one.full(near), one.full(far)
    last = other.full(far), other.full(near)
    for ours, theirs in zip((*first[0], *first[1]), (*last[1], *last[0]), strict=True):
        np.testing.assert_array_equal(ours, theirs)
