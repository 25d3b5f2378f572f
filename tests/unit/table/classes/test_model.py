"""The model file of many classes: read back it predicts the same; damaged or for other columns it
is one line.
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
from gardner.table.classes.model import ClassModel
from gardner.table.model import TableModel, load_model, model_of
from gardner.table.propose import Proposals, propose


def fitted(columns: int = 2) -> tuple[ClassModel, pd.DataFrame, Proposals]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, columns)), columns=[f"x{index}" for index in range(columns)])
    names = np.array(["ash", "birch", "cedar"])[np.digitize(frame["x0"] + frame["x1"], [-0.6, 0.6])]
    encoding = learn_encoding(frame, list(frame.columns))
    found = propose(encoding.matrix(frame), np.where(np.arange(60) < 25, names, ""), 1)
    model = model_of(found, encoding, ())
    assert isinstance(model, ClassModel)
    return model, frame, found


@pytest.mark.parametrize("columns", [2, 40])
def test_saved_and_read_back_it_predicts_the_same(tmp_path: Path, columns: int) -> None:
    model, frame, found = fitted(columns)
    model.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert again.classes == ("ash", "birch", "cedar")
    chances = again.predict_proba(frame)
    assert np.array_equal(chances, model.predict_proba(frame))
    assert np.array_equal(chances, again.predict_proba(frame.to_numpy()))
    assert chances.sum(axis=1) == pytest.approx(np.ones(60))
    assert chances[found.rows[0].row] == pytest.approx(found.rows[0].probabilities)


def test_other_columns_and_other_questions_are_refused() -> None:
    model, frame, found = fitted()
    with pytest.raises(InvalidInputError, match="columns = 'x1' is not valid"):
        model.predict_proba(frame[["x0"]])
    with pytest.raises(InvalidInputError, match="rows of 2 columns are wanted"):
        model.predict_proba(np.zeros((2, 3)))
    with pytest.raises(GardnerError, match="predict_proba gives their probabilities"):
        model.predict(frame)
    with pytest.raises(GardnerError, match="three classes or more"):
        TableModel.of(found, model.encoding, ())


def test_damaged_and_foreign_files_are_one_line(tmp_path: Path) -> None:
    model, _, _ = fitted()
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
        lambda: write(mean=parts["mean"][:2]),
        lambda: write(known=np.full_like(parts["known"], np.nan)),
        lambda: write(known=parts["known"][:, :1]),
        lambda: write(basis=np.zeros(3)),
        lambda: write(kept=parts["kept"] + 99),
        lambda: write(extra=np.zeros(3)),
        lambda: write(header=np.frombuffer(b"[]", dtype=np.uint8)),
        lambda: write(header=text(format="gardner table model 1")),
        lambda: write(header=text(classes=["ash", "ash", "cedar"])),
        lambda: write(header=text(classes=["ash", "cedar"])),
        lambda: write(header=text(channel="linear:0.1")),
        lambda: write(header=text(scaling="none")),
    ]
    for damage in cases:
        damage()
        with pytest.raises(InvalidInputError) as caught:
            load_model(path)
        assert "\n" not in str(caught.value)
