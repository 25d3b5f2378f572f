"""A model that was saved predicts as before; what is damaged, foreign or for other columns is one
line.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gardner.errors import GardnerError, InvalidInputError
from gardner.records.encoding import learn_encoding
from gardner.table.model import TableModel, load_model
from gardner.table.propose import propose


def fitted(classes: tuple[str, ...] = ("no", "yes"), rows: int = 40) -> tuple[TableModel, pd.DataFrame]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.standard_normal(rows), "b": rng.standard_normal(rows) * 9.0, "c": ["x", "y"] * 20})
    frame.loc[3, "b"] = np.nan
    truth = frame["a"] + 0.1 * frame["b"].fillna(0.0)
    labels = np.where(truth > 0.0, 1.0, 0.0) if classes else 7.0 + 3.0 * truth.to_numpy()
    encoding = learn_encoding(frame, ["a", "b", "c"])
    found = propose(encoding.matrix(frame), np.where(np.arange(rows) < 25, labels, np.nan), 1)
    return TableModel.of(found, encoding, classes), frame


def test_saved_and_read_back_it_predicts_the_same(tmp_path: Path) -> None:
    model, frame = fitted()
    model.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert again.classes == ("no", "yes")
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert np.array_equal(again.predict_proba(model.encoding.matrix(frame)), model.predict_proba(frame))
    assert np.allclose(model.predict_proba(frame).sum(axis=1), 1.0)


def test_a_regression_predicts_in_the_units_of_its_labels(tmp_path: Path) -> None:
    model, frame = fitted(())
    model.save(tmp_path / "model.npz")
    mean, deviation = load_model(tmp_path / "model.npz").predict(frame)
    truth = 7.0 + 3.0 * (frame["a"] + 0.1 * frame["b"].fillna(0.0))
    assert np.abs(mean - truth).mean() < 0.5
    assert (deviation > 0.0).all()
    with pytest.raises(GardnerError, match="this model is a regression"):
        model.predict_proba(frame)


def test_other_columns_are_refused(tmp_path: Path) -> None:
    model, frame = fitted()
    with pytest.raises(InvalidInputError, match="columns = 'b' is not valid: the table lacks 1 of the 3"):
        model.predict_proba(frame[["a", "c"]])
    with pytest.raises(InvalidInputError, match="rows of 5 columns are wanted"):
        model.predict_proba(np.zeros((2, 3)))
    del tmp_path


def test_damaged_and_foreign_files_are_one_line(tmp_path: Path) -> None:
    model, _ = fitted()
    path = tmp_path / "model.npz"
    model.save(path)
    whole = path.read_bytes()
    with np.load(path) as archive:
        parts = {name: archive[name] for name in archive.files}
    header = json.loads(parts["header"].tobytes())

    def write(**changed: object) -> None:
        np.savez(path, **(parts | changed))

    def text(**changed: object) -> np.ndarray:
        return np.frombuffer(json.dumps(header | changed).encode(), dtype=np.uint8)

    cases: list[Callable[[], object]] = [
        lambda: path.write_bytes(whole[: len(whole) // 2]),
        lambda: path.write_text("no"),
        lambda: np.savez(path, X=np.zeros(3)),
        lambda: write(mean=np.zeros(2)),
        lambda: write(mean=np.full_like(parts["mean"], np.nan)),
        lambda: write(kept=parts["kept"] + 99),
        lambda: write(header=np.frombuffer(b"{", dtype=np.uint8)),
        lambda: write(header=text(format="another")),
        lambda: write(header=text(channel="mine.py:Mine")),
        lambda: write(header=text(scaling="none")),
        lambda: write(header=text(classes=["one"])),
        lambda: write(header=text(encoding=[{}])),
    ]
    for damage in cases:
        damage()
        with pytest.raises(InvalidInputError) as caught:
            load_model(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        load_model(tmp_path / "none.npz")
