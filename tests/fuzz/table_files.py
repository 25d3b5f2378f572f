"""Tables: CSV, TSV and Parquet, with labels in the column y, some of them empty."""

from __future__ import annotations

import datetime
import decimal
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from tests.fuzz.archives import arrays


def _frame(rows: int, columns: int, labels: str, changes: list[list[Any]], seed: int) -> Any:
    """Features f0, f1, …, an identifier ``id`` and labels y; ``changes`` are [row, column, value]."""
    matrix, vector = arrays(rows, columns, seed)
    frame = pd.DataFrame(matrix.round(6), columns=[f"f{index}" for index in range(columns)])
    kinds: dict[str, Any] = {
        "two": pd.Series(vector).where(np.arange(rows) % 2 == 0),
        "texts": pd.Series(np.where(vector > 0, "yes", "no")).where(np.arange(rows) % 2 == 0),
        "real": pd.Series(matrix[:, 0] if columns else vector).where(np.arange(rows) % 2 == 0),
        "none": pd.Series([None] * rows, dtype=object),
        "one": pd.Series([1.0] * rows),
        "three": pd.Series([("a", "b", "c")[row % 3] for row in range(rows)]),
        "full": pd.Series(vector),
    }
    frame = frame.assign(id=[f"r{row}" for row in range(rows)], y=kinds[labels])
    for row, column, value in changes:
        name = frame.columns[column % len(frame.columns)]
        frame[name] = frame[name].astype(object)
        if rows:
            frame.loc[row % rows, name] = value
    return frame


def _csv(
    rows: int = 12,
    columns: int = 4,
    labels: str = "two",
    changes: list[list[Any]] = [],  # noqa: B006 - only read
    seed: int = 0,
    separator: str = ",",
    encoding: str = "utf-8",
) -> bytes:
    frame = _frame(rows, columns, labels, changes, seed)
    text: str = frame.to_csv(index=False, sep=separator)
    return text.encode(encoding, errors="replace")


def _parquet(
    rows: int = 12,
    columns: int = 4,
    labels: str = "two",
    extra: str = "",
    seed: int = 0,
    compression: str = "snappy",
) -> bytes:
    """A table; ``extra`` names a column of another kind that it has as well."""
    matrix, vector = arrays(rows, columns, seed)
    names = [f"f{index}" for index in range(columns)]
    data: list[Any] = [pa.array(matrix[:, index]) for index in range(columns)]
    label = _frame(rows, columns, labels, [], seed)["y"]
    data.append(pa.array([None if pd.isna(one) else one for one in label]))
    names.append("y")
    if extra == "twice":
        data, names = [*data, data[0]], [*names, "f0"]
    elif extra:
        data, names = [*data, _column(extra, rows)], [*names, "extra"]
    del vector
    sink = io.BytesIO()
    import pyarrow.parquet as parquet  # type: ignore[import-untyped]

    parquet.write_table(pa.Table.from_arrays(data, names=names), sink, compression=compression)
    return sink.getvalue()


def _column(kind: str, rows: int) -> Any:
    day = datetime.date(2020, 1, 1)
    values: dict[str, Any] = {
        "bytes": pa.array([b"\xff\x00"] * rows, pa.binary()),
        "lists": pa.array([[1, 2]] * rows),
        "maps": pa.array([{"a": 1}] * rows),
        "dates": pa.array([day] * rows),
        "decimals": pa.array([decimal.Decimal("1.5")] * rows),
        "durations": pa.array([datetime.timedelta(1)] * rows),
        "nulls": pa.nulls(rows),
        "kinds": pa.array(["a"] * rows).dictionary_encode(),
        "bools": pa.array([True] * rows),
        "uint64": pa.array([2**64 - 1] * rows, pa.uint64()),
        "half": pa.array(np.ones(rows, dtype="float16")),
        "nan": pa.array([float("nan")] * rows),
        "big": pa.array([1e308] * rows),
    }
    return values[kind]


_EXTRAS = "twice bytes lists maps dates decimals durations nulls kinds bools uint64 half nan big"
EXTRAS = _EXTRAS.split()
_LABELS = "two texts real none one three full"
LABELS = _LABELS.split()
TABLES: dict[str, Callable[..., bytes]] = {"csv": _csv, "parquet": _parquet}
