"""The field L(h) of a row on a uniform grid, L(h) = ln ∫Dζ exp(β ψ_Y(1, h + √D ζ, V)), with
derivatives.

Where β < 0 and the label is not expected (h < 0), the Gaussian part of ψ_Y is integrated by hand,
as in :mod:`gardner.theory.formula.free_entropy`:

    L(h) = ½ ln(V/W) − βh²/2W + ln ∫Dζ exp(β χ(hV/W + √(DV/W) ζ)),   W = V + βD.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model import Channel
from gardner.theory.formula.average import INNER_ORDER, Inner, Tilted
from gardner.theory.formula.expansion import channel_psi, channel_remainder
from gardner.theory.formula.taylor import Floats

# The label of all rows: the channel is odd, and rows of the other label are mirror images.
LABEL = 1.0


@dataclass(frozen=True)
class Fields:
    """L at the nodes h, and its derivatives in h (once and twice), D, V and β."""

    value: Floats
    slope: Floats
    curve: Floats
    by_D: Floats  # noqa: N815 - the symbols of the formula
    by_V: Floats  # noqa: N815
    by_beta: Floats


def tabulate(channel: Channel, h: Floats, D: float, V: float, beta: float, order: int = INNER_ORDER) -> Fields:
    """L at the nodes, which must rise; ``order`` counts the nodes of the average over ζ."""
    behind = int(np.searchsorted(h, 0.0)) if beta < 0.0 else 0
    parts = [_turned(channel, h[:behind], D, V, beta, order)] if behind else []
    if behind < len(h):
        parts.append(_plain(channel, h[behind:], D, V, beta, order))
    return Fields(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def values(channel: Channel, h: Floats, D: float, V: float, beta: float, order: int = INNER_ORDER) -> Floats:
    """L alone at the nodes, as :func:`tabulate` has it."""
    behind = int(np.searchsorted(h, 0.0)) if beta < 0.0 else 0
    found = np.empty_like(h)
    if behind < len(h):
        inner = Inner(channel_psi(channel, LABEL, V), beta, h[behind:], D)
        found[behind:] = inner.log_average(inner.locate(True), order)
    if behind:
        W, below = V + beta * D, h[:behind]
        inner = Inner(channel_remainder(channel, LABEL, V), beta, below * V / W, D * V / W)
        closed = 0.5 * math.log(V / W) - 0.5 * beta / W * below * below
        found[:behind] = closed + inner.log_average(inner.locate(True), order)
    return found


_Parts = tuple[Floats, Floats, Floats, Floats, Floats, Floats]


def _plain(channel: Channel, h: Floats, D: float, V: float, beta: float, order: int) -> _Parts:
    tilted = _tilted(Inner(channel_psi(channel, LABEL, V), beta, h, D), order)
    slope, by_D, by_V, by_beta = tilted.first
    return tilted.value, slope, tilted.second[0, 0], by_D, by_V, by_beta


def _turned(channel: Channel, h: Floats, D: float, V: float, beta: float, order: int) -> _Parts:
    """By the chain rule through c = hV/W, s = DV/W and the closed part; ∂W/∂(D, V, β) = (β, 1, D)."""
    W = V + beta * D
    tilted = _tilted(Inner(channel_remainder(channel, LABEL, V), beta, h * V / W, D * V / W), order)
    in_c, in_s, in_tau, by_beta = tilted.first
    square = h * h / (2.0 * W * W)
    return (
        0.5 * math.log(V / W) - beta * W * square + tilted.value,
        in_c * V / W - beta * h / W,
        tilted.second[0, 0] * (V / W) ** 2 - beta / W,
        -in_c * beta * h * V / W**2 + in_s * V**2 / W**2 - 0.5 * beta / W + beta**2 * square,
        in_tau + beta * (in_c * h * D + in_s * D**2) / W**2 + 0.5 * (1.0 / V - 1.0 / W) + beta * square,
        by_beta - D * V * (in_c * h + in_s * D) / W**2 - 0.5 * D / W - V * square,
    )


def _tilted(inner: Inner, order: int) -> Tilted:
    return inner.tilted(inner.locate(True), order)
