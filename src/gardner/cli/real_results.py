"""What was measured on real tables, printed; no bound stands beside it."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from gardner.cli.console import output
from gardner.cli.plain_table import make_table, plain
from gardner.numbers import fixed, percent, with_error

# Differences between strategies in a table, which fits a screen; --json has all of them.
_PAIRS_SHOWN = 15

_NO_BOUNDS = (
    "no bounds beside real tables: those of the theory are for Gaussian rows; table-swap, a search that reads labels, "
    "is the practical upper line"
)


def _place(row: dict[str, Any]) -> tuple[object, ...]:
    return row["data"], row["label_column"], row["channel"], row["test_share"], row["batch_size"]


def _title(place: tuple[object, ...]) -> str:
    data, label, channel, share, batch = place
    return f"{data}, label {label}, {channel}, {share:.0%} held out, batch {batch}"


def print_tables(rows: list[dict[str, Any]], pairs: list[dict[str, Any]]) -> None:
    """Means over seeds, and paired differences at the largest number of labels."""
    for place, some in groupby(rows, _place):
        table = make_table(
            _title(place), "labels", "strategy", "seeds", "accuracy", "log-loss", "area", "bits/label", "converged"
        )
        for labels, group in groupby(some, lambda row: int(row["labels"])):
            table.add_section()
            for row in group:
                table.add_row(
                    str(labels), plain(row["strategy"] + (" *" if row["informed"] else "")), str(row["seeds"]),
                    with_error(row["test_accuracy"], row["test_accuracy_stderr"]),
                    with_error(row["log_loss"], row["log_loss_stderr"]),
                    with_error(row["area"], row["area_stderr"]),
                    fixed(row["bits"], 3), f"{percent(row['converged'])}%",
                )  # fmt: skip
        output().print(table)
    if rows:
        output().print(_NO_BOUNDS, highlight=False)
    _print_pairs(pairs)


def _print_pairs(pairs: list[dict[str, Any]]) -> None:
    for place, some in groupby(pairs, _place):
        last = list(some)
        last = [row for row in last if row["labels"] == max(one["labels"] for one in last)]
        table = make_table(
            f"paired differences at {last[0]['labels']} labels, {_title(place)}",
            "strategy", "seeds", "accuracy", "log-loss", "area",
        )  # fmt: skip
        for row in last[:_PAIRS_SHOWN]:
            names = ("test_accuracy", "log_loss", "area")
            cells = [with_error(row[f"{name}_difference"], row[f"{name}_difference_stderr"]) for name in names]
            table.add_row(plain(f"{row['strategy']} - {row['versus']}"), str(row["seeds"]), *cells)
        output().print(table)
        if len(last) > _PAIRS_SHOWN:
            output().print(f"and {len(last) - _PAIRS_SHOWN} more: --json lists all", highlight=False)
