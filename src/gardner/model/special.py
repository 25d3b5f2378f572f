"""Array libraries: a namespace with the special functions our models need.

A prior or channel is written once, over a :class:`Library`. NumPy and any array-API library get theirs from
:func:`library_of`; :mod:`gardner.theory` hands in JAX's (so that JAX stays under ``theory``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special

Array = Any  # whatever array the library in use works on


@dataclass(frozen=True)
class Library:
    """An array namespace ``xp`` and ``log_ndtr``, the logarithm of the normal distribution function."""

    xp: Any
    log_ndtr: Callable[[Array], Array]


NUMPY = Library(np, scipy.special.log_ndtr)


def library_of(array: Array) -> Library:
    """Return the library an array belongs to (plain numbers count as NumPy)."""
    if isinstance(array, np.ndarray | np.generic | float | int):
        return NUMPY
    xp = array.__array_namespace__()

    def log_ndtr(x: Array) -> Array:
        return xp.asarray(scipy.special.log_ndtr(np.asarray(x)), dtype=x.dtype)

    return Library(xp, log_ndtr)
