"""``gardner strategies``: what there is to run."""

from __future__ import annotations

from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from gardner.cli.console import JSON, output, to_json


def command(json: bool = JSON) -> None:
    """List the strategies that come with Gardner, one line each, with their parameters.

    Those marked "informed" read labels that nobody asked for yet: they show what is possible, not
    what can be done. Your own runs under its dotted path, or under FILE.py:CLASS: naming a file or
    a module runs it.

    Examples:

        gardner strategies

        gardner strategies --json
    """
    records = [_record(name, text) for name, text in _registered().items()]
    if json:
        typer.echo(to_json(records))
        return
    table = Table(title="strategies", title_justify="left")
    for column in ("name", "reads hidden labels", "parameters", "what it asks for"):
        table.add_column(column)
    for record in records:
        parameters = ", ".join(f"{key}={value}" for key, value in record["parameters"].items())
        cells = (record["name"], "informed" if record["informed"] else "", parameters, record["description"])
        table.add_row(*(Text(cell) for cell in cells))  # words in brackets are no markup
    output().print(table)


def _registered() -> dict[str, str]:
    from gardner.strategies import registered_strategies

    return registered_strategies()


def _record(name: str, description: str) -> dict[str, Any]:
    from gardner.experiment.question.task import default_parameters
    from gardner.strategies import make_registered

    informed = bool(make_registered(name, {}).informed)
    return {
        "name": name,
        "informed": informed,
        "parameters": default_parameters(name),
        "description": description,
    }
