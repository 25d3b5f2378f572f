"""What a student knows after seeing rows and labels: AMP, with EP and Monte Carlo as witnesses.

Loaded on first use: message passing on a device runs where there is no Numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from gardner.inference.posterior import Posterior, Status

if TYPE_CHECKING:
    from gardner.inference.batched import SubsetVolumes, random_subsets, subset_log_volumes
    from gardner.inference.ep import expectation_propagation
    from gardner.inference.message_passing import Start, amp, warm_start
    from gardner.inference.methods import METHODS, infer
    from gardner.inference.montecarlo import monte_carlo, sample_version_space
    from gardner.inference.separable import Separation, VersionSpace, separate

_HOMES = {
    "batched": ("SubsetVolumes", "random_subsets", "subset_log_volumes"),
    "ep": ("expectation_propagation",),
    "message_passing": ("Start", "amp", "warm_start"),
    "methods": ("METHODS", "infer"),
    "montecarlo": ("monte_carlo", "sample_version_space"),
    "separable": ("Separation", "VersionSpace", "separate"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "METHODS",
    "Posterior",
    "Separation",
    "Start",
    "Status",
    "SubsetVolumes",
    "VersionSpace",
    "amp",
    "expectation_propagation",
    "infer",
    "monte_carlo",
    "random_subsets",
    "sample_version_space",
    "separate",
    "subset_log_volumes",
    "warm_start",
]


if not TYPE_CHECKING:  # a type checker knows the names from above, and so finds those that are misspelt

    def __getattr__(name: str) -> object:
        if name in _HOME_OF:
            return getattr(importlib.import_module(f"gardner.inference.{_HOME_OF[name]}"), name)
        raise AttributeError(f"module 'gardner.inference' has no attribute {name!r}")
