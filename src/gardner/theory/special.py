"""The normal distribution function in log space, for JAX, with derivatives that stay accurate in the far tail.

``jax.scipy.special.log_ndtr`` differentiates through exp(−u²/2 − ln Φ(u)), which loses u²·10⁻¹⁶ of its digits where the
branches of the large-deviation problem live (u down to −10⁴). Here everything rests on the inverse Mills ratio
ρ(u) = φ(u)/Φ(u): ln Φ = −u²/2 − ½ln 2π − ln ρ, (ln Φ)' = ρ, ρ' = −ρ(ρ + u).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.scipy.special import erfc

from gardner.model.special import MILLS, SCALE, Library

_FAR = -8.0  # below, the continued fraction; its depth is what double precision needs from here on
_DEPTH = 16


Function = Callable[[jax.Array], jax.Array]


def _fraction_mills(u: jax.Array) -> jax.Array:
    """ρ(u) = φ(u)/Φ(u); for u < −8 Laplace's continued fraction ρ(−x) = x + 1/(x + 2/(x + 3/(x + …)))."""
    x = jnp.maximum(-u, -_FAR)
    # a loop, not 16 lines unrolled: it compiles several times faster
    tail = jax.lax.fori_loop(0, _DEPTH, lambda i, rest: (_DEPTH - i) / (x + rest), jnp.zeros_like(x))
    near = jnp.maximum(u, _FAR)
    ratio = jnp.exp(-0.5 * near * near) * math.sqrt(2.0 / math.pi) / erfc(-near / math.sqrt(2.0))
    return jnp.where(u < _FAR, x + tail, ratio)


def _polynomial_mills(u: jax.Array) -> jax.Array:
    """ρ(u) by the polynomial of :mod:`gardner.model.special`: one fused kernel, for priors that need it everywhere."""
    x = jnp.abs(u)
    t = SCALE / (SCALE + x)
    value = jnp.full_like(t, MILLS[0])
    for coefficient in MILLS[1:]:
        value = value * (2.0 * t - 1.0) + coefficient
    tail = x + t * value  # ρ(−x)
    return jnp.where(u < 0.0, tail, _density(x) / (1.0 - _density(x) / tail))


def _density(x: jax.Array) -> jax.Array:
    return jnp.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def _with_derivatives(ratio: Function, upper_tail: Function) -> tuple[Function, Function]:
    """ρ and ln Φ that differentiate through ρ; ``upper_tail`` gives 1 − Φ(x) for x ≥ 0, ``ratio`` the rest."""

    @jax.custom_jvp
    def mills(u: jax.Array) -> jax.Array:
        return ratio(u)

    @jax.custom_jvp
    def log_phi(u: jax.Array) -> jax.Array:
        left = -0.5 * u * u - 0.5 * math.log(2.0 * math.pi) - jnp.log(mills(u))  # ρ(u) serves the derivatives too
        return jnp.where(u < 0.0, left, jnp.log1p(-upper_tail(jnp.maximum(u, 0.0))))

    @mills.defjvp
    def _mills_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
        (u,), (du,) = primals, tangents
        rho = mills(u)
        return rho, -rho * (rho + u) * du

    @log_phi.defjvp
    def _log_phi_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
        (u,), (du,) = primals, tangents
        return log_phi(u), mills(u) * du

    return mills, log_phi


def _library(ratio: Function, log_phi: Function) -> Library:
    def pair(u: jax.Array) -> tuple[jax.Array, jax.Array]:
        rho = ratio(u)
        return rho, rho + u

    return Library(jnp, log_phi, pair)


inverse_mills, log_ndtr = _with_derivatives(_fraction_mills, lambda x: 0.5 * erfc(x / math.sqrt(2.0)))
JAX = _library(inverse_mills, log_ndtr)
POLYNOMIAL = _library(*_with_derivatives(_polynomial_mills, lambda x: _density(x) / _polynomial_mills(-x)))
