"""Results of the paper, one recipe each: theory → frames → figures and a verdict; :func:`reproduce` makes the page."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from gardner import __version__
from gardner.errors import InvalidInputError
from gardner.report.figures import save
from gardner.report.page import Page, Section, render
from gardner.reproduce import complexity, pool_size, scaling
from gardner.reproduce.recipe import Progress, Recipe

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe for recipe in (complexity.ALPHA_3, complexity.ALPHA_10, pool_size.RECIPE, scaling.RECIPE)
}
FORMATS = ("svg", "png", "pdf")
HEADLINE_POOLS = (3.0, 10.0, 100.0)
HEADLINE_BUDGETS = (0.3, 0.6, 1.2)


def reproduce(
    names: Sequence[str] | None = None,
    out: Path = Path("out"),
    *,
    figures: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Section]:
    """Run recipes (all by default), write ``out/report.html`` and ``out/tables``, and return their sections."""
    chosen = list(names) if names else list(RECIPES)
    for name in chosen:
        if name not in RECIPES:
            raise InvalidInputError("result", name, f"it must be one of {', '.join(RECIPES)}")
    if figures is not None and figures not in FORMATS:
        raise InvalidInputError("figure format", figures, f"it must be one of {', '.join(FORMATS)}")
    steps = len(chosen) + 1
    sections = [
        RECIPES[name].run(_part(progress, index / steps, (index + 1) / steps)) for index, name in enumerate(chosen)
    ]
    headline = _headline(_part(progress, len(chosen) / steps, 1.0))
    for section in sections:
        _write_table(section.table, out / "tables" / f"{section.name}.csv")
        for index, figure in enumerate(section.figures if figures else ()):
            save(figure.chart, out / "figures" / f"{section.name}-{index}.{figures}")
    _write_text(render(_page(headline, tuple(sections), chosen)), out / "report.html")
    return sections


def _part(progress: Progress | None, start: float, stop: float) -> Progress:
    if progress is None:
        return lambda _: None
    return lambda fraction: progress(start + fraction * (stop - start))


def _headline(progress: Progress) -> pd.DataFrame:
    """Bits per label that the best subset, a label-agnostic strategy and random choice gain at most."""
    from gardner.model import PERCEPTRON
    from gardner.theory import bounds
    from gardner.theory.bounds import LN2

    rows = []
    cases = [(alpha, budget) for alpha in HEADLINE_POOLS for budget in HEADLINE_BUDGETS]
    for index, (alpha, budget) in enumerate(cases):
        result = bounds(PERCEPTRON, alpha, budget)
        per_label = -1.0 / (LN2 * budget)
        rows.append(
            {
                "pool ratio α": alpha,
                "budget n": budget,
                "best subset": result.minimum.log_volume * per_label,
                "label-agnostic": result.halving * per_label,
                "random": result.typical.log_volume * per_label,
                "worst subset": result.maximum.log_volume * per_label,
                "status": f"{result.minimum.status.value} / {result.maximum.status.value}",
            }
        )
        progress((index + 1) / len(cases))
    return pd.DataFrame(rows)


def _page(headline: pd.DataFrame, sections: tuple[Section, ...], names: list[str]) -> Page:
    return Page(
        title="How good can active learning be?",
        lead=(
            "A pool holds α rows per weight of a perceptron; a strategy may ask for the labels of n rows per weight. "
            "The large-deviation theory of Cui, Saglietti and Zdeborová counts the subsets of each Gardner volume, "
            "the share of weight vectors that the labels still allow, and so tells what no strategy can beat. "
            "Below: those bounds, and how sure each of them is."
        ),
        headline=headline,
        headline_caption="Bits of information gained per label, at most (click a column to sort)",
        sections=sections,
        provenance={
            "command": " ".join(["gardner reproduce", *names]),
            "gardner": __version__,
            "python": platform.python_version(),
            **{package: importlib.metadata.version(package) for package in ("jax", "numpy", "scipy", "altair")},
        },
    )


def _write_table(frame: pd.DataFrame, path: Path) -> None:
    _write_text(frame.to_csv(index=False), path)


def _write_text(text: str, path: Path) -> None:
    """Write under a temporary name, then rename: a killed run leaves the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
