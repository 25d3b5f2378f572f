"""What a page holds: sections with figures, verdicts and tables, and the board of strategies. Plain
data, no markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import pandas as pd

from gardner.report.style import AnyChart


class VerdictKind(Enum):
    """What became of a statement. "Does not hold" is three things: a finding, an open question, a
    failure.
    """

    HOLDS = "holds"
    NEW = "new"  # holds, and nobody said so before
    FINDING = "finding"  # the data are against it
    OPEN = "undecided"  # the data are too few to tell
    FAILURE = "failure"  # something went wrong


@dataclass(frozen=True)
class Verdict:
    """A statement computed from the data, and whether it holds.

    ``otherwise`` says what it means that it does not hold. ``seeds`` is the number of pools behind
    it; none for a statement of theory alone. A statement that is ``beyond`` the paper is news where
    it holds.

    >>> Verdict(False, "theory and runs agree", VerdictKind.OPEN, seeds=4).outcome
    <VerdictKind.OPEN: 'undecided'>
    >>> Verdict(True, "theory and runs agree", VerdictKind.OPEN, seeds=4).outcome
    <VerdictKind.HOLDS: 'holds'>
    """

    holds: bool
    text: str
    otherwise: VerdictKind = VerdictKind.OPEN
    seeds: int | None = None
    beyond: bool = False

    @property
    def outcome(self) -> VerdictKind:
        """What a reader is told."""
        if self.holds:
            return VerdictKind.NEW if self.beyond else VerdictKind.HOLDS
        return self.otherwise


@dataclass(frozen=True)
class Figure:
    """A chart with the words for those who cannot see it."""

    chart: AnyChart
    alternative: str


@dataclass(frozen=True, eq=False)
class Pairs:
    """What readers may compare two strategies by, seed by seed, on demand.

    ``values``: rows (strategy, seed, and ``measures``), one a run; ``where`` says at how many
    labels.
    """

    values: pd.DataFrame
    measures: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class Section:
    """One result: figures, verdicts, the tables behind them and how they were made.

    ``provenance`` is a sentence; ``origin`` are lines such as command, sizes, seeds, convergence
    counts. ``tables`` are further tables to download, by file name without its ending. A ``shown``
    table stands on the page itself. Of ``pairs`` a reader chooses two strategies to compare.
    """

    name: str
    title: str
    text: str
    figures: tuple[Figure, ...]
    verdicts: tuple[Verdict, ...]
    table: pd.DataFrame
    provenance: str
    origin: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    shown: bool = False
    pairs: Pairs | None = None


@dataclass(frozen=True)
class Board:
    """A table that readers can sort. Its columns are the caller's; three kinds of names have a
    meaning.

    ``informed`` (bool) is not shown as a column: its rows are marked "reads hidden labels". ``X
    stderr`` is shown beside column ``X`` as ± error. ``way to its bound`` is a fraction, shown as
    per cent with a bar.
    """

    caption: str
    note: str
    rows: pd.DataFrame


@dataclass(frozen=True)
class Page:
    """The whole report. ``notice`` stands out near the top; ``failures`` are runs that did not come
    to an end, or groups of them with their number in a column ``runs``.

    ``picture`` names the section whose first figure stands at the head of the page, with the
    section's text and the ``explanation`` of its words; the notice is below it then.
    """

    title: str
    lead: str
    sections: tuple[Section, ...]
    board: Board | None = None
    headline: pd.DataFrame | None = None
    headline_caption: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict)
    notice: str = ""
    failures: pd.DataFrame | None = None
    picture: str = ""
    explanation: str = ""
