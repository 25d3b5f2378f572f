"""``gardner predict``: the label of every row of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gardner.cli.arguments import CLASSES, REGRESSION, label_kind_of
from gardner.cli.console import JSON, to_json

if TYPE_CHECKING:
    import pandas as pd

    from gardner.table.classes.model import ClassModel
    from gardner.table.model import TableModel


def command(
    table: Path = typer.Argument(..., metavar="TABLE", help="CSV, TSV, Parquet or npz."),
    model: Path | None = typer.Option(None, "--model", metavar="FILE", help="What `gardner query --save` wrote."),
    label: str = typer.Option(None, "--label", "-y", metavar="COLUMN", help="Fit the labels of this column instead."),
    ignore: list[str] = typer.Option(None, "--ignore", metavar="COLUMN", help="Not a feature; repeatable."),
    identifier: str = typer.Option(None, "--id", metavar="COLUMN", help="A name for each row, printed beside it."),
    classes: bool = CLASSES,
    regression: bool = REGRESSION,
    json: bool = JSON,
) -> None:
    """Predict the label of every row: the probability of each class, or a number and its standard
    deviation.

    The model is that of `gardner query`, from a file or fitted to the rows that have a label.
    Printed is CSV, a line for each row in the order of the table.

    Examples:

        gardner query pool.csv --label diagnosis --save model.npz

        gardner predict new.csv --model model.npz > predictions.csv

        gardner predict pool.csv --label diagnosis --id patient
    """
    from gardner.errors import InvalidInputError
    from gardner.records.pool_file import read_ids, read_table
    from gardner.table.model import load_model

    if (model is None) == (label is None):
        raise InvalidInputError("--model", str(model), "give either a model or a column of labels (--label)")
    kind = label_kind_of(classes, regression)
    if model is not None and kind is not None:
        raise InvalidInputError(f"--{kind}", str(model), "a model knows what its labels are")
    fitted = load_model(model) if model is not None else _fit(table, label, ignore or [], identifier, kind)
    frame = read_table(table, array=fitted.array, identifier=identifier)
    answer = predictions(fitted, frame)
    if identifier:
        answer = {"id": list(read_ids(frame, identifier)), **answer}
    answer = {"row": list(range(len(frame))), **answer}
    if json:
        rows = [dict(zip(answer, values, strict=True)) for values in zip(*answer.values(), strict=True)]
        typer.echo(to_json({"classes": list(fitted.classes), "rows": rows}))
    else:
        import pandas as pd

        typer.echo(pd.DataFrame(answer).to_csv(index=False, float_format="%.6g"), nl=False)


def predictions(model: TableModel | ClassModel, frame: pd.DataFrame) -> dict[str, list[Any]]:
    """The columns that are written for the rows of a table."""
    if not model.classes:
        mean, deviation = model.predict(frame)
        return {"prediction": mean.tolist(), "deviation": deviation.tolist()}
    chances = model.predict_proba(frame)
    likeliest = [model.classes[index] for index in chances.argmax(axis=1).tolist()]
    columns = {f"P({name})": chances[:, index].tolist() for index, name in enumerate(model.classes)}
    return {"prediction": likeliest, **columns}


def _fit(
    table: Path, label: str, ignore: list[str], identifier: str | None, kind: str | None
) -> TableModel | ClassModel:
    from gardner.records.pool_file import read_pool
    from gardner.table.model import model_of
    from gardner.table.propose import propose

    pool = read_pool(table, label, ignore=ignore, identifier=identifier, kind=kind)
    proposals = propose(pool.features, pool.named_labels, 1, kind=kind or (pool.kind if pool.labelled.any() else None))
    return model_of(proposals, pool.encoding, pool.classes, pool.array)
