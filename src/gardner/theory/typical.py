"""The typical subset (β = 0): what random choice reaches, and where every branch starts.

A random subset of ratio n is an ordinary Bayes-optimal problem, so its overlap Q extremises the one-parameter free
entropy

    ln v = extr_Q { ½[ln(1−Q) + Q] + n Σ_y ∫Dη e^{ψ_Y(y, √Q η, 1−Q)} ψ_Y(y, √Q η, 1−Q) }      [barbier2019]

(Gaussian prior). The overlap q = m² + t of two *different* random subsets appears first at order β² of Φ: with p =
n/α and K(t) = Σ_y ∫Dη Z⁰_Y(y, η) [∫Dζ ψ_Y(y, √q η + √D ζ, V)]² at fixed m = Q and V, that order is stationary where t
= α p² V² dK/dt. Both derivatives are automatic.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import brentq

from gardner.model import GLM, PERCEPTRON
from gardner.theory.free_entropy import Theta, teacher_log_weight
from gardner.theory.inputs import check_budget, check_model, check_pool_ratio
from gardner.theory.precision import double_precision
from gardner.theory.quadrature import Grid, stretched_grid
from gardner.theory.special import JAX

if TYPE_CHECKING:
    import pandas as pd

_HERMITE = np.polynomial.hermite_e.hermegauss(80)


@dataclass(frozen=True)
class Typical:
    """A random subset of ``budget``·N rows: log-volume per weight, overlap m = Q, accuracies, and their proof.

    ``accuracy`` is that of the posterior mean (Bayes), ``gibbs_accuracy`` that of one student drawn from the posterior.
    """

    budget: float
    log_volume: float
    overlap: float
    accuracy: float
    gibbs_accuracy: float
    residual: float
    quadrature_error: float

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        import pandas as pd  # here, so that the solver starts without it

        return pd.DataFrame([vars(self)])


@double_precision
def typical(model: GLM = PERCEPTRON, budget: float = 1.0) -> Typical:
    """What a random subset of ratio ``budget`` reaches; it does not depend on the pool.

    >>> round(typical(budget=2.0).log_volume, 6)
    -1.031038
    """
    check_model(model)
    return _typical(model, check_budget(budget))


@double_precision
def pool(model: GLM = PERCEPTRON, pool_ratio: float = 3.0) -> Typical:
    """What all labels of a pool of ratio ``pool_ratio`` together give: no strategy can do better."""
    check_model(model)
    return _typical(model, check_pool_ratio(pool_ratio))


def _mismatch(model: GLM, budget: float, logit: float) -> float:
    """Log-ratio of the two sides of Q/(1−Q) = 2n dΨ/dQ, in the variable logit Q."""
    ((eta, weights),) = _information_grid(logit).chunks()
    slope = float(_information(model, logit, eta, weights)[1])
    return math.log(2.0 * budget * slope) - logit + _softplus(logit) + _softplus(-logit)


@functools.lru_cache(maxsize=256)
def _overlap_logit(model: GLM, budget: float) -> float:
    """Logit of the Bayes-optimal overlap (the overlap itself would lose 1−Q to rounding at large budgets)."""
    return float(brentq(lambda x: _mismatch(model, budget, x), -25.0, 40.0, xtol=1e-14, rtol=1e-14))


@functools.lru_cache(maxsize=256)
def _typical(model: GLM, budget: float) -> Typical:
    logit = _overlap_logit(model, budget)
    Q, V = _sigmoid(logit), _sigmoid(-logit)
    grid = _information_grid(logit)
    coarse, fine = (
        sum(float(_information(model, logit, *nodes)[0]) for nodes in rule.chunks()) for rule in (grid, grid.bisected())
    )
    return Typical(
        budget=budget,
        log_volume=0.5 * (Q - _softplus(logit)) + budget * coarse,
        overlap=Q,
        accuracy=1.0 - math.atan2(math.sqrt(V), math.sqrt(Q)) / math.pi,
        gibbs_accuracy=1.0 - math.atan2(math.sqrt(V * (1.0 + Q)), Q) / math.pi,
        residual=abs(_mismatch(model, budget, logit)),
        quadrature_error=budget * abs(fine - coarse),
    )


@functools.lru_cache(maxsize=256)
def typical_theta(model: GLM, pool_ratio: float, budget: float) -> tuple[float, ...]:
    """θ at β = 0, including the overlap q of two different subsets; call it under :func:`double_precision`."""
    logit = _overlap_logit(model, budget)
    fraction = budget / pool_ratio
    phi = math.log(fraction) - math.log1p(-fraction)
    Q, V = _sigmoid(logit), _sigmoid(-logit)
    amplitude = pool_ratio * fraction**2 * V**2

    def parts(s: float) -> tuple[float, float]:
        return Q * V * _sigmoid(s), Q * V * _sigmoid(-s)  # t and D = QV − t

    def mismatch(s: float) -> float:
        t, D = parts(s)
        scale = min(math.sqrt(V / (Q * Q + t)), math.sqrt(t) / Q)
        ((eta, weights),) = stretched_grid(scale).chunks()
        slope = float(_subset_correlation_slope(model, np.array([Q, t, D, V]), eta, weights))
        return math.log(amplitude * slope) - math.log(t)

    return Q, *parts(_root(mismatch, start=phi)), V, phi, 0.0


def _root(function: Callable[[float], float], start: float) -> float:
    """A root of a decreasing function, bracketed outwards from ``start``."""
    low = high = start
    step = 1.0
    while function(low) < 0.0 and step < 1e3:
        low, step = low - step, 2.0 * step
    step = 1.0
    while function(high) > 0.0 and step < 1e3:
        high, step = high + step, 2.0 * step
    return float(brentq(function, low, high, xtol=1e-13, rtol=1e-13)) if low < high else start


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _information_grid(logit: float) -> Grid:
    return stretched_grid(math.exp(-0.5 * logit))  # the label turns certain on the scale √(V/Q)


@functools.partial(jax.jit, static_argnums=0)
def _information(model: GLM, logit: float, eta: jax.Array, weights: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Σ_y ∫Dη e^ψ ψ, minus the entropy of a label given the field of overlap Q, and its slope in logit Q."""

    def information(x: Any) -> Any:
        Q, V = jax.nn.sigmoid(x), jax.nn.sigmoid(-x)
        total = jnp.zeros(())
        for y, count in model.channel.label_classes:
            psi = model.channel.log_partition(y, jnp.sqrt(Q) * eta, V, JAX)
            total += count * jnp.sum(weights * jnp.exp(psi) * psi)
        return total

    return jax.value_and_grad(information)(logit)


@functools.partial(jax.jit, static_argnums=0)
def _subset_correlation_slope(model: GLM, overlaps: jax.Array, eta: jax.Array, weights: jax.Array) -> Any:
    """The derivative dK/dt at fixed m, Q and V (see the module's docstring)."""
    m, t0, D0, V = overlaps
    zeta, zeta_weights = (jnp.asarray(part) for part in _HERMITE)

    def correlation(t: Any) -> Any:
        theta = Theta(m, t, D0 + t0 - t, V, 0.0, 0.0)
        total = jnp.zeros(())
        for y, count in model.channel.label_classes:
            fields = jnp.sqrt(theta.q) * eta[:, None] + jnp.sqrt(theta.D) * zeta
            mean = model.channel.log_partition(y, fields, V, JAX) @ (zeta_weights / math.sqrt(2.0 * math.pi))
            total += count * jnp.sum(weights * jnp.exp(teacher_log_weight(model, y, theta, eta)) * mean**2)
        return total

    return jax.grad(correlation)(t0)
