"""The logistic function and its integral, for plain numbers and for arrays.

A row whose field is f joins the subset with probability 1/(1 + e^−f); ln(1 + e^f) is what it adds
to the free entropy. Both are written so that neither e^x nor e^−x can overflow.
"""

from __future__ import annotations

from typing import overload

import numpy as np

from gardner.model.arrays import Floats


@overload
def sigmoid(x: float) -> float: ...
@overload
def sigmoid(x: Floats) -> Floats: ...
def sigmoid(x: float | Floats) -> float | Floats:
    """1/(1 + e^−x).

    >>> sigmoid(0.0), sigmoid(-800.0), sigmoid(800.0)
    (0.5, 0.0, 1.0)
    """
    small = np.exp(-np.abs(x))
    share: Floats = np.where(x > 0.0, 1.0, small) / (1.0 + small)
    return float(share) if isinstance(x, float) else share


@overload
def softplus(x: float) -> float: ...
@overload
def softplus(x: Floats) -> Floats: ...
def softplus(x: float | Floats) -> float | Floats:
    """ln(1 + e^x).

    >>> round(softplus(0.0), 6), softplus(-800.0), softplus(800.0)
    (0.693147, 0.0, 800.0)
    """
    value: Floats = np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))
    return float(value) if isinstance(x, float) else value
