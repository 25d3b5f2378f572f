"""Tables of results on the terminal: texts as they are, numbers to the right."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text


def plain(text: str, style: str = "") -> Text:
    """A text as it is: no markup, nothing that drives a terminal. Labels and reasons are anybody's
    words.
    """
    from gardner.records import printable

    return Text(printable(text), style=style)


def make_table(title: str, *columns: str) -> Table:
    """An empty table."""
    table = Table(title=plain(title), title_justify="left")
    for column in columns:
        table.add_column(column, justify="left" if column in {"strategy", "reason", "hint"} else "right")
    return table
