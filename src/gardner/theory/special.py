"""The normal distribution function in log space, for JAX, with derivatives that stay accurate in the far tail.

``jax.scipy.special.log_ndtr`` differentiates through exp(−u²/2 − ln Φ(u)), which loses u²·10⁻¹⁶ of its digits where the
branches of the large-deviation problem live (u down to −10⁴). Here everything rests on the inverse Mills ratio
ρ(u) = φ(u)/Φ(u): ln Φ = −u²/2 − ½ln 2π − ln ρ, (ln Φ)' = ρ, ρ' = −ρ(ρ + u).
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jax.scipy.special import erfc

from gardner.model.special import MILLS, SCALE, Library

_FAR = -8.0  # below, the continued fraction; its depth is what double precision needs from here on
_DEPTH = 16


@jax.custom_jvp
def inverse_mills(u: jax.Array) -> jax.Array:
    """ρ(u) = φ(u)/Φ(u); for u < −8 Laplace's continued fraction ρ(−x) = x + 1/(x + 2/(x + 3/(x + …)))."""
    x = jnp.maximum(-u, -_FAR)
    # a loop, not 16 lines unrolled: it compiles several times faster
    tail = jax.lax.fori_loop(0, _DEPTH, lambda i, rest: (_DEPTH - i) / (x + rest), jnp.zeros_like(x))
    near = jnp.maximum(u, _FAR)
    ratio = jnp.exp(-0.5 * near * near) * math.sqrt(2.0 / math.pi) / erfc(-near / math.sqrt(2.0))
    return jnp.where(u < _FAR, x + tail, ratio)


@inverse_mills.defjvp
def _inverse_mills_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    (u,), (du,) = primals, tangents
    rho = inverse_mills(u)
    return rho, -rho * (rho + u) * du


@jax.custom_jvp
def log_ndtr(u: jax.Array) -> jax.Array:
    """ln Φ(u), accurate to rounding for every u."""
    left = -0.5 * u * u - 0.5 * math.log(2.0 * math.pi) - jnp.log(inverse_mills(u))  # ρ(u) serves the derivatives too
    right = jnp.log1p(-0.5 * erfc(jnp.maximum(u, 0.0) / math.sqrt(2.0)))
    return jnp.where(u < 0.0, left, right)


@log_ndtr.defjvp
def _log_ndtr_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    (u,), (du,) = primals, tangents
    return log_ndtr(u), inverse_mills(u) * du


def mills(u: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The pair (ρ, ρ + u)."""
    rho = inverse_mills(u)
    return rho, rho + u


JAX = Library(jnp, log_ndtr, mills)


@jax.custom_jvp
def polynomial_mills(u: jax.Array) -> jax.Array:
    """ρ(u) by the polynomial of :mod:`gardner.model.special`: one fused kernel, for priors that need it everywhere."""
    x = jnp.abs(u)
    t = SCALE / (SCALE + x)
    value = jnp.full_like(t, MILLS[0])
    for coefficient in MILLS[1:]:
        value = value * (2.0 * t - 1.0) + coefficient
    tail = x + t * value  # ρ(−x)
    density = jnp.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    return jnp.where(u < 0.0, tail, density / (1.0 - density / tail))


@polynomial_mills.defjvp
def _polynomial_mills_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    (u,), (du,) = primals, tangents
    rho = polynomial_mills(u)
    return rho, -rho * (rho + u) * du


@jax.custom_jvp
def polynomial_log_ndtr(u: jax.Array) -> jax.Array:
    """ln Φ(u), likewise: Φ(x) = 1 − φ(x)/ρ(−x) for x > 0."""
    left = -0.5 * u * u - 0.5 * math.log(2.0 * math.pi) - jnp.log(polynomial_mills(jnp.minimum(u, 0.0)))
    x = jnp.maximum(u, 0.0)
    density = jnp.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    return jnp.where(u < 0.0, left, jnp.log1p(-density / polynomial_mills(-x)))


@polynomial_log_ndtr.defjvp
def _polynomial_log_ndtr_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    (u,), (du,) = primals, tangents
    return polynomial_log_ndtr(u), polynomial_mills(u) * du


def _polynomial_pair(u: jax.Array) -> tuple[jax.Array, jax.Array]:
    rho = polynomial_mills(u)
    return rho, rho + u


POLYNOMIAL = Library(jnp, polynomial_log_ndtr, _polynomial_pair)
