"""Results of the paper, and learning curves beyond it, one recipe each: theory and runs → frames →
figures and a verdict; :func:`reproduce_results` makes the page of them, :func:`report_results` that
of anybody's own runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from gardner.errors import GardnerError, InvalidInputError
from gardner.numbers import with_error
from gardner.report.page import Board, Page, Section, Verdict, VerdictKind
from gardner.reproduce import (
    batch,
    bounds,
    complexity,
    ensemble,
    heuristics,
    learning_curves,
    magnetization,
    passive_sampling,
    pool_size,
    scaling,
    strategy_table,
)
from gardner.reproduce.comparison import board
from gardner.reproduce.pages import FORMATS, check_target, provenance, write_page
from gardner.reproduce.recipe import (
    FULL,
    QUICK,
    Progress,
    Recipe,
    ReproductionError,
    Scale,
    Workspace,
    perceptron_bounds,
)
from gardner.reproduce.results_page import report_results
from gardner.units import LN2

if TYPE_CHECKING:
    from gardner.theory import Bounds

__all__ = [
    "FORMATS",
    "FULL",
    "QUICK",
    "RECIPES",
    "Recipe",
    "ReproductionError",
    "Scale",
    "Workspace",
    "report_results",
    "reproduce_results",
]

_ALL = (
    complexity.ALPHA_3,
    complexity.ALPHA_10,
    pool_size.RECIPE,
    bounds.RECIPE,
    heuristics.RECIPE,
    passive_sampling.RECIPE,
    ensemble.RECIPE,
    magnetization.RECIPE,
    batch.RECIPE,
    scaling.RECIPE,
    strategy_table.RECIPE,
    learning_curves.RECIPE,
)
RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in _ALL}
# The budget, in labels per weight, at which the board compares strategies.
BOARD_BUDGET = 1.0
# The pool ratios of the table at the head of the page: those of the paper's figures.
HEADLINE_POOLS = (3.0, 10.0, 100.0)
# The budgets of that table, in labels per weight: from where curves part to where they bend.
HEADLINE_BUDGETS = (0.3, 0.6, 1.2)


def reproduce_results(
    names: Sequence[str] | None = None,
    out: Path = Path("out"),
    *,
    scale: Scale = QUICK,
    figures: str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    retry_failed: bool = False,
    time_limit: float | None = None,
    progress: Progress | None = None,
    device: str = "cpu",
) -> list[Section]:
    """Run recipes (all by default), write ``out/report.html``, tables and figures, and return their
    sections.

    Runs are kept in ``out/results`` and ``out/sampling``: stopped at any time, the same call goes
    on from there. A result that could not be had becomes a section that says why; when the page is
    written, one error with all sections and all reasons is raised. ``time_limit`` is in seconds a
    run. ``device`` is ``cpu``, ``cuda`` or ``auto``: runs of strategies that a GPU can take are
    made there.
    """
    chosen = list(names) if names else list(RECIPES)
    for name in chosen:
        if name not in RECIPES:
            raise InvalidInputError("result", name, f"it must be one of {', '.join(RECIPES)}")
    if device != "cpu":
        from gardner.experiment.device.place import find_device

        device = find_device(device)
    check_target(out / "report.html", figures)
    out.mkdir(parents=True, exist_ok=True)  # what cannot be written is refused before the work
    workspace = Workspace(
        out, scale, workers, scheduler, retry_failed, progress or (lambda _: None), time_limit, device
    )
    steps = len(chosen) + 1
    failures: dict[str, str] = {}
    sections = [
        _section(RECIPES[name], workspace.part(index / steps, (index + 1) / steps), failures)
        for index, name in enumerate(chosen)
    ]
    headline = _headline(workspace.part(len(chosen) / steps, 1.0))
    command = " ".join(["gardner reproduce", *(names or ()), *(["--full"] if scale is FULL else [])])
    write_page(_page(headline, tuple(sections), command, scale), out / "report.html", figures)
    if failures:
        raise ReproductionError("; ".join(f"{name}: {why}" for name, why in failures.items()), sections=sections)
    return sections


def _section(recipe: Recipe, workspace: Workspace, failures: dict[str, str]) -> Section:
    """The section of a recipe; one that failed, for whatever reason, must not cost the page of the
    others.
    """
    try:
        return recipe.run(workspace)
    except InvalidInputError:  # the same for all of them
        raise
    except Exception as error:
        why = str(error) if isinstance(error, GardnerError) else f"{type(error).__name__}: {error}"
        failures[recipe.name] = why
        nothing = "This result could not be had."
        return Section(
            recipe.name, recipe.title, nothing, (), (Verdict(False, why, VerdictKind.FAILURE),), pd.DataFrame(), ""
        )


def _headline(workspace: Workspace) -> pd.DataFrame:
    """Bits per label of the best subset, a label-agnostic strategy at its best, random choice and
    the worst subset.
    """
    from gardner.theory.parallel import answers

    rows = []
    cases = [(alpha, budget) for alpha in HEADLINE_POOLS for budget in HEADLINE_BUDGETS]
    results = answers(perceptron_bounds, cases, workspace.workers, workspace.progress)
    for (alpha, budget), result in zip(cases, results, strict=True):
        per_label = -1.0 / (LN2 * budget)
        rows.append(
            {
                "pool ratio α": alpha,
                "budget n": budget,
                "best subset": result.minimum.log_volume * per_label,
                "label-agnostic": result.halving * per_label,
                "random": result.typical.log_volume * per_label,
                "worst subset": result.maximum.log_volume * per_label,
                "Σ at both ends": f"{result.minimum.status.value} / {result.maximum.status.value}",
                "replica symmetry": _stable(result),
            }
        )
    return pd.DataFrame(rows)


def _stable(result: Bounds) -> str:
    """Whether the replica-symmetric values of both ends can be trusted beyond replica symmetry."""
    ends = {"best": result.minimum.stability, "worst": result.maximum.stability}
    broken = [name for name, ratio in ends.items() if ratio > 1.0]
    unknown = [name for name, ratio in ends.items() if math.isnan(ratio)]
    found = {"broken": broken, "not known": unknown}
    words = [f"{word} at the {' and the '.join(names)}" for word, names in found.items() if names]
    return ", ".join(words) or "stable"


def _board(sections: tuple[Section, ...]) -> Board | None:
    compared = [section.table for section in sections if section.name in (bounds.RECIPE.name, heuristics.RECIPE.name)]
    compared = [curves for curves in compared if len(curves)]
    if not compared:
        return None
    caption = f"How close each strategy gets at n = {BOARD_BUDGET:g} (labels per weight)"
    return board(pd.concat(compared, ignore_index=True), BOARD_BUDGET, caption)


def _answer(sections: tuple[Section, ...]) -> str:
    """The answer in a sentence, from the runs of the picture; empty without them."""
    compared = [section.table for section in sections if section.name == bounds.RECIPE.name and len(section.table)]
    if not compared:
        return ""
    here = compared[0][(compared[0]["budget"] - BOARD_BUDGET).abs() < 1e-9].set_index("strategy")
    per_label = -1.0 / (LN2 * BOARD_BUDGET)
    bits = {
        name: with_error(here["log_volume"][name] * per_label, -here["log_volume_stderr"][name] * per_label, 3)
        for name in ("random", "agnostic", "informed")
        if name in here.index
    }
    if len(bits) < 3:
        return ""
    return (
        f"With {BOARD_BUDGET:g} label per weight, from {bounds.ALPHA:g} rows per weight, random choice learns "
        f"{bits['random']} bits a label. A strategy that sees a label only after asking for it can learn 1 at most, "
        f"and agnostic AL-AMP learns {bits['agnostic']}. One that reads the labels first learns {bits['informed']}."
    )


def _page(headline: pd.DataFrame, sections: tuple[Section, ...], command: str, scale: Scale) -> Page:
    return Page(
        title="How good can active learning be?",
        lead=_answer(sections) or "Bounds on what any choice of rows can teach, and how close strategies get.",
        explanation=(
            "The pool holds α rows per weight of a perceptron, and a strategy may ask for the labels of n rows per "
            "weight. The large-deviation theory of Cui, Saglietti and Zdeborová counts the subsets of each Gardner "
            "volume, the share of weight vectors that the labels still allow, and so tells what no strategy can beat."
        ),
        notice=_notice(sections) if scale is not FULL else "",
        board=_board(sections),
        headline=headline,
        headline_caption=(
            "Bits of information per label, by replica-symmetric theory at large N: the best and the worst subset, the "
            "most without reading labels first, and a random subset (click a column to sort)"
        ),
        sections=sections,
        picture=bounds.RECIPE.name,
        provenance=provenance(command),
    )


def _notice(sections: tuple[Section, ...]) -> str:
    counted = passive_sampling.RECIPE.name  # at the paper's own N
    simulated = [section for section in sections if section.name != counted]
    sizes = sorted({int(size) for section in simulated for size in section.table.get("features", ())})
    if not sizes:
        return ""
    listed = ", ".join(map(str, sizes))
    return (
        f"Quick version: simulations at N = {listed} with few seeds. The command gardner reproduce --full runs the "
        "paper's sizes (N = 2000, 10 seeds, ten million subsets); docs/reproduction has the outcome."
    )
