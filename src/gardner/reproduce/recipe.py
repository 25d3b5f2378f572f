"""What a recipe is: a name, a title and a function from progress to a section of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from gardner.report.page import Section

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Recipe:
    """One result of the paper."""

    name: str
    title: str
    run: Callable[[Progress], Section]


def certificate(frame: pd.DataFrame) -> str:
    """The convergence figures of a frame of solved points, in a sentence."""
    worst = (
        f"worst residual {frame['residual'].max():.1e}, worst quadrature error {frame['quadrature_error'].max():.1e}"
    )
    return f"{len(frame)} solved points, {worst}."
