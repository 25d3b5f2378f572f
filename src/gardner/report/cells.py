"""Frames to what a table on the page shows: text, sort key, bar; columns formatted as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from gardner.numbers import MISSING, decimals_for, fixed, is_missing, is_number, with_error
from gardner.report.style import typeset

INFORMED, SHARE, ERROR = "informed", "way to its bound", " stderr"


@dataclass(frozen=True)
class Column:
    """A head, and whether numbers stand below it."""

    name: str
    numeric: bool


@dataclass(frozen=True)
class Cell:
    """What is read, what is sorted by (empty: nothing, it goes last), and the length of the bar in
    per cent.
    """

    text: str
    key: str
    numeric: bool
    bar: float | None = None


@dataclass(frozen=True)
class Row:
    """Cells of one row, and whether it is marked as reading hidden labels."""

    cells: tuple[Cell, ...]
    informed: bool


@dataclass(frozen=True)
class Table:
    """A table ready for the template."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def tabulate(frame: pd.DataFrame) -> Table:
    """A frame as a table; the names with a meaning are listed at
    :class:`gardner.report.content.Board`.
    """
    columns = [(str(name), frame.iloc[:, index].tolist()) for index, name in enumerate(frame.columns)]
    named = dict(columns)
    shown = [
        (name, _cells(name, values, named.get(name + ERROR)))
        for name, values in columns
        if name != INFORMED and not (name.endswith(ERROR) and name.removesuffix(ERROR) in named)
    ]
    informed = named.get(INFORMED, [False] * len(frame))
    return Table(
        tuple(Column(name, all(cell.numeric for cell in cells)) for name, cells in shown),
        tuple(
            Row(tuple(cells[index] for _, cells in shown), not is_missing(flag) and bool(flag))
            for index, flag in enumerate(informed)
        ),
    )


def _cells(name: str, values: list[Any], errors: list[Any] | None) -> list[Cell]:
    known = [value for value in values if not is_missing(value)]
    numeric = bool(known) and all(is_number(value) for value in known)
    least = [float(error) for error in errors or () if not is_missing(error)]
    decimals = decimals_for([float(value) for value in known], least) if numeric else None
    result = []
    for index, value in enumerate(values):
        if is_missing(value):
            result.append(Cell(MISSING, "", numeric))
        elif numeric and name == SHARE:
            bar = min(max(100.0 * float(value), 0.0), 100.0)
            error = None if errors is None else errors[index]
            known_error = None if error is None or is_missing(error) else 100.0 * float(error)
            text = typeset(with_error(100.0 * float(value), known_error, 1))
            result.append(Cell(f"{text} %", repr(float(value)), numeric, round(bar, 2)))
        elif numeric:
            text = _number(value, decimals)
            error = None if errors is None else errors[index]
            if error is not None and not is_missing(error):
                text += f" ± {_number(error, decimals)}"
            result.append(Cell(text, repr(float(value)), numeric))
        else:
            text = _words(value)
            result.append(Cell(text, text, numeric=False))
    return result


def _number(value: float, decimals: int | None) -> str:
    return typeset(f"{value:.3g}" if decimals is None else fixed(value, decimals))


def _words(value: object) -> str:
    if type(value).__name__ in ("bool", "bool_"):
        return "yes" if value else "no"
    return typeset(f"{value:.6g}") if isinstance(value, float) else str(value)
