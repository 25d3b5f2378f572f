"""Channels whose log-partition is itself an integral, tabulated: double integrals then cost what they cost for others.

Around a given V₀ the function ψ(ω, V) is p₀(ω) + p₁(ω)(V−V₀) + ½p₂(ω)(V−V₀)², each p a piecewise polynomial in
arsinh(ω/c): exact to rounding in the value and in the first two derivatives at V = V₀, which is all Newton asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gardner.theory.quadrature import slope_and_curvature

_PANELS, _ORDER = 96, 14
_UNIT = np.cos(np.pi * (np.arange(_ORDER) + 0.5) / _ORDER)
_TO_POWERS = np.linalg.inv(np.vander(_UNIT, increasing=True))


def tabulated(psi: Callable[[Any, Any], Any], V0: Any, reach: Any, width: Any) -> Callable[[Any, Any], Any]:
    """A table of ψ(ω, V), |ω| up to ``reach``, V near ``V0``; ``width`` is the scale on which ψ turns near ω = 0."""
    V0, reach, width = jax.lax.stop_gradient((V0, reach, width))
    end = jnp.arcsinh(reach / width)
    middles = end * (2.0 * np.arange(_PANELS) + 1.0 - _PANELS) / _PANELS
    nodes = width * jnp.sinh(middles[:, None] + end / _PANELS * _UNIT)
    one = jnp.ones_like(V0)

    def in_variance(V: Any) -> Any:
        return psi(nodes, V)

    def slope(V: Any) -> Any:
        return jax.jvp(in_variance, (V,), (one,))[1]

    first, second = jax.jvp(slope, (V0,), (one,))
    values = jnp.stack([in_variance(V0), first, 0.5 * second])
    coefficients = jnp.einsum("kn,apn->pak", _TO_POWERS, values)
    edges = jnp.stack([-reach, reach])
    edge_slopes, edge_curvatures = slope_and_curvature(lambda omega: psi(omega, V0), edges)

    def look_up(omega: Any, V: Any) -> Any:
        inside = jnp.clip(omega, -reach, reach)
        u = jnp.arcsinh(inside / width) / end * _PANELS  # from −panels to panels
        panel = jnp.clip(jnp.floor(0.5 * (jax.lax.stop_gradient(u) + _PANELS)).astype(int), 0, _PANELS - 1)
        x = u - (2.0 * panel + 1.0 - _PANELS)
        rows = coefficients[panel]
        total = rows[..., -1]
        for power in range(_ORDER - 2, -1, -1):
            total = total * x[..., None] + rows[..., power]
        change = V - V0
        value = total[..., 0] + change * (total[..., 1] + change * total[..., 2])
        side, beyond = (omega > 0.0).astype(int), omega - inside  # outside, ψ goes on as a parabola
        return value + beyond * (edge_slopes[side] + 0.5 * edge_curvatures[side] * beyond)

    return look_up
