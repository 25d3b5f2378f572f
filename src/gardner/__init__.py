"""Gardner: how good can any pool-based active-learning strategy possibly be, and how close does yours get?

Everything public is importable from here and loaded on first use, so that ``import gardner`` stays fast.
``dir(gardner)`` lists it. A name that is added stands in three places: for type checkers, for the
loader, and in ``__all__``; ``tests/contracts/test_front.py`` holds them together.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gardner.errors import ConvergenceError, GardnerError, InvalidInputError
    from gardner.experiment import (
        Outcome,
        Progress,
        Round,
        Run,
        Spec,
        StrategySpec,
        Summary,
        SweepError,
        Task,
        read_results,
        read_spec,
        run,
        run_tasks,
        summarise,
    )
    from gardner.inference import (
        Posterior,
        Start,
        Status,
        SubsetVolumes,
        infer,
        random_subsets,
        sample_version_space,
        subset_log_volumes,
        warm_start,
    )
    from gardner.model import (
        GLM,
        PERCEPTRON,
        Absolute,
        Channel,
        Flip,
        GaussBernoulli,
        Gaussian,
        Instance,
        Laplace,
        Linear,
        Logistic,
        Prior,
        Probit,
        Rademacher,
        Sign,
        Spectrum,
        draw_instance,
        parse_channel,
        parse_prior,
    )
    from gardner.model.numeric import NumericChannel, NumericPrior
    from gardner.strategies import Choice, Strategy, StrategyError, View, choose, make_strategy, registered_strategies
    from gardner.table.forecast import Forecast, forecast
    from gardner.table.model import TableModel, load_model
    from gardner.table.propose import Proposal, Proposals, propose
    from gardner.theory import (
        Bounds,
        BudgetAnswer,
        Curve,
        End,
        EndStatus,
        Extremes,
        LearningCurve,
        Point,
        Solution,
        Typical,
        bounds,
        bounds_sweep,
        budget_for,
        capacity,
        complexity_at,
        complexity_curve,
        complexity_points,
        learning_curve,
        pool,
        typical,
    )

__version__ = "0.1.0"

_HOMES = {
    "gardner.errors": (
        "ConvergenceError",
        "GardnerError",
        "InvalidInputError",
    ),
    "gardner.experiment": (
        "Outcome",
        "Progress",
        "Round",
        "Run",
        "Spec",
        "StrategySpec",
        "Summary",
        "SweepError",
        "Task",
        "read_results",
        "read_spec",
        "run",
        "run_tasks",
        "summarise",
    ),
    "gardner.table.model": (
        "TableModel",
        "load_model",
    ),
    "gardner.table.propose": (
        "Proposal",
        "Proposals",
        "propose",
    ),
    "gardner.inference": (
        "Posterior",
        "Start",
        "Status",
        "SubsetVolumes",
        "infer",
        "random_subsets",
        "sample_version_space",
        "subset_log_volumes",
        "warm_start",
    ),
    "gardner.model": (
        "GLM",
        "PERCEPTRON",
        "Absolute",
        "Channel",
        "Flip",
        "GaussBernoulli",
        "Gaussian",
        "Instance",
        "Laplace",
        "Linear",
        "Logistic",
        "Prior",
        "Probit",
        "Rademacher",
        "Sign",
        "Spectrum",
        "draw_instance",
        "parse_channel",
        "parse_prior",
    ),
    "gardner.model.numeric": (
        "NumericChannel",
        "NumericPrior",
    ),
    "gardner.strategies": (
        "Choice",
        "Strategy",
        "StrategyError",
        "View",
        "choose",
        "make_strategy",
        "registered_strategies",
    ),
    "gardner.table.forecast": (
        "Forecast",
        "forecast",
    ),
    "gardner.theory": (
        "Bounds",
        "BudgetAnswer",
        "Curve",
        "End",
        "EndStatus",
        "Extremes",
        "LearningCurve",
        "Point",
        "Solution",
        "Typical",
        "bounds",
        "bounds_sweep",
        "budget_for",
        "capacity",
        "complexity_at",
        "complexity_curve",
        "complexity_points",
        "learning_curve",
        "pool",
        "typical",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "GLM",
    "PERCEPTRON",
    "Absolute",
    "Bounds",
    "BudgetAnswer",
    "Channel",
    "Choice",
    "ConvergenceError",
    "Curve",
    "End",
    "EndStatus",
    "Extremes",
    "Flip",
    "Forecast",
    "GardnerError",
    "GaussBernoulli",
    "Gaussian",
    "Instance",
    "InvalidInputError",
    "Laplace",
    "LearningCurve",
    "Linear",
    "Logistic",
    "NumericChannel",
    "NumericPrior",
    "Outcome",
    "Point",
    "Posterior",
    "Prior",
    "Probit",
    "Progress",
    "Proposal",
    "Proposals",
    "Rademacher",
    "Round",
    "Run",
    "Sign",
    "Solution",
    "Spec",
    "Spectrum",
    "Start",
    "Status",
    "Strategy",
    "StrategyError",
    "StrategySpec",
    "SubsetVolumes",
    "Summary",
    "SweepError",
    "TableModel",
    "Task",
    "Typical",
    "View",
    "bounds",
    "bounds_sweep",
    "budget_for",
    "capacity",
    "choose",
    "complexity_at",
    "complexity_curve",
    "complexity_points",
    "draw_instance",
    "forecast",
    "infer",
    "learning_curve",
    "load_model",
    "make_strategy",
    "parse_channel",
    "parse_prior",
    "pool",
    "propose",
    "random_subsets",
    "read_results",
    "read_spec",
    "registered_strategies",
    "run",
    "run_tasks",
    "sample_version_space",
    "subset_log_volumes",
    "summarise",
    "typical",
    "warm_start",
]


if not TYPE_CHECKING:  # a type checker knows the names from above, and so finds those that are misspelt

    def __getattr__(name: str) -> object:
        if name in _HOME_OF:
            return getattr(importlib.import_module(_HOME_OF[name]), name)
        raise AttributeError(f"module 'gardner' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__") and name.endswith("__"))})
