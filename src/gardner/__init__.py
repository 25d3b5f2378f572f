"""Gardner: how good can any pool-based active-learning strategy possibly be, and how close does yours get?

Everything public is importable from here and loaded on first use, so that ``import gardner`` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gardner.errors import ConvergenceError, GardnerError, InvalidInputError
    from gardner.inference import (
        Posterior,
        Status,
        infer,
        random_subsets,
        sample_version_space,
        subset_log_volumes,
        warm_start,
    )
    from gardner.model import GLM, PERCEPTRON, Gaussian, Instance, Sign, draw_instance
    from gardner.theory import (
        Bounds,
        BudgetAnswer,
        Curve,
        LearningCurve,
        Point,
        Typical,
        bounds,
        bounds_sweep,
        budget_for,
        complexity_at,
        complexity_curve,
        learning_curve,
        pool,
        typical,
    )

__version__ = "0.1.0"

_HOMES = {
    "gardner.errors": ("ConvergenceError", "GardnerError", "InvalidInputError"),
    "gardner.inference": (
        "Posterior",
        "Status",
        "infer",
        "random_subsets",
        "sample_version_space",
        "subset_log_volumes",
        "warm_start",
    ),
    "gardner.model": ("GLM", "PERCEPTRON", "Gaussian", "Instance", "Sign", "draw_instance"),
    "gardner.theory": (
        "Bounds",
        "BudgetAnswer",
        "Curve",
        "LearningCurve",
        "Point",
        "Typical",
        "bounds",
        "bounds_sweep",
        "budget_for",
        "complexity_at",
        "complexity_curve",
        "learning_curve",
        "pool",
        "typical",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "GLM",
    "PERCEPTRON",
    "Bounds",
    "BudgetAnswer",
    "ConvergenceError",
    "Curve",
    "GardnerError",
    "Gaussian",
    "Instance",
    "InvalidInputError",
    "LearningCurve",
    "Point",
    "Posterior",
    "Sign",
    "Status",
    "Typical",
    "bounds",
    "bounds_sweep",
    "budget_for",
    "complexity_at",
    "complexity_curve",
    "draw_instance",
    "infer",
    "learning_curve",
    "pool",
    "random_subsets",
    "sample_version_space",
    "subset_log_volumes",
    "typical",
    "warm_start",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'gardner' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
