"""What follows from a table that is given in place of drawn pools: its stamp, its sizes, and
budgets in its units.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gardner.errors import InvalidInputError
from gardner.experiment.question.labelled_table import TEST_SHARE, LabelledTable, read_labelled, stamped_name
from gardner.experiment.question.task import FIELDS
from gardner.model import parse_channel
from gardner.model.external import external_name
from gardner.strategies.real_pool import CHANNEL, RealPool

_FIELD = {one.name: one for one in FIELDS}


def known_from_data(given: Mapping[str, Any]) -> dict[str, Any]:
    """Values of fields by the names they are given as; a budget, which is a number of labels, is
    one per column.
    """
    for one in FIELDS:
        if (one.known_from or one.drawn) and given[one.given_as] not in (None, one.default):
            rule = "it is for pools that are drawn, and data is given"
            raise InvalidInputError(one.given_as, given[one.given_as], rule, hint="leave it out")
    name = stamped_name(_FIELD["data"].check(given["data"]))
    table = read_labelled(name, _FIELD["label_column"].check(given["label"]))
    share = _FIELD["test_share"].check(given["test_share"]) or TEST_SHARE
    rows, _ = table.sizes(share)
    columns = table.features.shape[1]
    channel = CHANNEL if given["channel"] == _FIELD["channel"].default else _FIELD["channel"].check(given["channel"])
    if not external_name("channel", channel):
        RealPool.of(table.features[:1], parse_channel(channel))  # refuses what knows other labels
    return {
        "data": name,
        "test_share": share,
        "features": columns,
        "pool_ratio": rows / columns,
        "budget": _budgets(given["budget"], table, rows),
        "channel": channel,
    }


def _budgets(given: object, table: LabelledTable, rows: int) -> list[float] | None:
    """Numbers of labels per column."""
    if given is None:
        return None
    found = []
    for budget in given if isinstance(given, list | tuple) else [given]:
        number = isinstance(budget, int | float) and not isinstance(budget, bool)
        if not number or budget not in range(1, rows + 1):
            rule = f"with data it is a number of labels, from 1 to {rows}"
            hint = f"{len(table.codes) - rows} of {len(table.codes)} rows are held out"
            raise InvalidInputError("budget", budget, rule, hint=hint)
        found.append(budget / table.features.shape[1])
    return found
