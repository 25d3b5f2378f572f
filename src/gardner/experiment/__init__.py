"""Experiments: what to run, the loop, and many of them at once.

Loaded on first use: a worker that only hands tasks on, or a command that only reads a spec, needs
no numerics.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gardner.experiment.loop.pool import run
    from gardner.experiment.question.spec import Spec, read_spec
    from gardner.experiment.question.task import StrategySpec, Task
    from gardner.experiment.results.summary import Summary, summarise
    from gardner.experiment.rounds import Round, Run, Seconds
    from gardner.experiment.stored.reading import read_results
    from gardner.experiment.sweep.cluster import SweepError, local_cluster
    from gardner.experiment.sweep.tasks import Outcome, Progress, run_tasks

_HOMES = {
    "rounds": ("Round", "Run", "Seconds"),
    "question.task": ("StrategySpec", "Task"),
    "question.spec": ("Spec", "read_spec"),
    "loop.pool": ("run",),
    "stored.reading": ("read_results",),
    "sweep.tasks": ("Outcome", "Progress", "run_tasks"),
    "sweep.cluster": ("SweepError", "local_cluster"),
    "results.summary": ("Summary", "summarise"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Outcome",
    "Progress",
    "Round",
    "Run",
    "Seconds",
    "Spec",
    "StrategySpec",
    "Summary",
    "SweepError",
    "Task",
    "local_cluster",
    "read_results",
    "read_spec",
    "run",
    "run_tasks",
    "summarise",
]


if not TYPE_CHECKING:  # a type checker knows the names from above, and so finds those that are misspelt

    def __getattr__(name: str) -> object:
        if name in _HOME_OF:
            return getattr(importlib.import_module(f"gardner.experiment.{_HOME_OF[name]}"), name)
        raise AttributeError(f"module 'gardner.experiment' has no attribute {name!r}")
