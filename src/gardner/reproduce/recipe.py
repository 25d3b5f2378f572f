"""What a recipe is: a name, a title and a function from a workspace to a section of the page.

The workspace knows the scale (the paper's sizes, or smaller ones that take minutes), where runs are
kept, and who runs them. Everything that takes long goes through its store, so a recipe that was
stopped goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from gardner.errors import GardnerError
from gardner.report.page import Section, Verdict, VerdictKind

if TYPE_CHECKING:
    from gardner.experiment import Spec
    from gardner.experiment.question.task import Task
    from gardner.theory import Bounds

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Scale:
    """Sizes: the paper's N divided by ``shrink``, so many seeds, so many random subsets a budget."""

    name: str
    shrink: int
    seeds: int
    draws: int


QUICK = Scale("quick", 5, 4, 100_000)  # whole in a few minutes on two cores
FULL = Scale("full", 1, 10, 10_000_000)  # the paper's


class ReproductionError(GardnerError):
    """A result cannot be had, or several; ``sections`` are those of the page that was written all
    the same.
    """

    def __init__(self, what: str, *, hint: str = "", sections: Sequence[Section] = ()) -> None:
        """Keep what there is: an error must not cost the results that are fine."""
        super().__init__(what, hint=hint)
        self.sections = tuple(sections)


def _silent(_: float) -> None:
    """Progress nobody watches."""


@dataclass(frozen=True)
class Workspace:
    """Where and at which sizes recipes work.

    ``folder`` holds ``results`` (runs of strategies) and ``sampling`` (random subsets).
    """

    folder: Path
    scale: Scale = QUICK
    workers: int | None = None
    scheduler: str | None = None
    retry_failed: bool = False
    progress: Progress = _silent
    time_limit: float | None = None
    device: str = "cpu"

    def sizes(self, features: int) -> tuple[int, range]:
        """N and seeds of a recipe for which the paper took so many features."""
        return features // self.scale.shrink, range(self.scale.seeds)

    def part(self, start: float, stop: float) -> Workspace:
        """The same workspace, its progress squeezed into a part of the whole."""
        return replace(self, progress=lambda fraction: self.progress(start + fraction * (stop - start)))

    def _placed(self, task: Task) -> Task:
        """The task on the device, if it can run there."""
        from gardner.experiment.question.device import can_run

        return replace(task, device="cuda") if self.device == "cuda" and can_run(task) else task

    def bench(self, specs: Iterable[Spec]) -> pd.DataFrame:
        """The rows of all tasks of some specs, those run that are not in the store yet."""
        from gardner.experiment import run_tasks
        from gardner.experiment.stored.reading import read_results

        tasks = [self._placed(task) for spec in specs for task in spec.tasks()]
        folder = self.folder / "results"
        outcome = run_tasks(
            tasks, folder, workers=self.workers, scheduler=self.scheduler, retry_failed=self.retry_failed,
            **({} if self.time_limit is None else {"time_limit": self.time_limit}),
            progress=lambda now: self.progress(now.done / max(now.total, 1)),
        )  # fmt: skip
        frame = read_results(folder, outcome.keys)
        failed = frame[frame["status"] == "failed"]
        if len(failed):
            first = failed.iloc[0]
            raise ReproductionError(
                f"{len(failed)} of {len(tasks)} runs failed, first {first['strategy']}: {first['reason']}",
                hint=f"`gardner results {folder}` lists them; retry_failed=True runs them again",
            )
        return frame


@dataclass(frozen=True)
class Recipe:
    """One result of the paper."""

    name: str
    title: str
    run: Callable[[Workspace], Section]


def perceptron_bounds(case: tuple[float, float]) -> Bounds:
    """The bounds of a perceptron at (pool ratio, budget), as several processes can be asked for
    them.
    """
    from gardner.model import PERCEPTRON
    from gardner.theory import bounds

    pool_ratio, budget = case
    return bounds(PERCEPTRON, pool_ratio=pool_ratio, budget=budget)


def certificate(frame: pd.DataFrame) -> str:
    """The convergence figures of a frame of solved points, in a sentence."""
    worst = (
        f"worst residual {frame['residual'].max():.1e}, worst quadrature error {frame['quadrature_error'].max():.1e}"
    )
    return f"{len(frame)} solved points, {worst}."


def origin(frame: pd.DataFrame) -> dict[str, str]:
    """Where runs come from: sizes, seeds, versions of the code, and how many of their rounds AMP
    did not settle.
    """
    runs = frame.drop_duplicates("key")
    unsettled = int((frame["status"] != "converged").sum())
    return {
        "weights N": _listed(runs["features"]),
        "pool ratio": _listed(runs["pool_ratio"]),
        "batch": _listed(runs["batch_size"]),
        "seeds": f"{runs['seed'].min()} to {runs['seed'].max()}",
        "runs": str(len(runs)),
        "rounds": f"{len(frame)}, of which {unsettled} did not converge",
        "code": _listed(runs["code"]),
    }


def settled(frame: pd.DataFrame) -> Verdict:
    """Whether AMP converged wherever it was asked."""
    lost = frame[frame["status"] != "converged"]
    runs = f" in {lost['key'].nunique()} of {frame['key'].nunique()} runs" if len(lost) else ""
    text = f"AMP converged in every round: {len(lost)} of {len(frame)} did not{runs}"
    return Verdict(not len(lost), text, VerdictKind.FAILURE, seeds=seeds_of(frame))


def seeds_of(frame: pd.DataFrame) -> int:
    """How many pools of each kind the runs of a frame had."""
    return int(frame["seed"].nunique())


def _listed(values: pd.Series[float]) -> str:
    found: Sequence[object] = sorted(values.unique())
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in found)
