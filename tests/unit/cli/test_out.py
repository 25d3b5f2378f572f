"""Files of answers: their endings, and places that cannot be written."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from gardner.cli.out import FIGURES, check_ending, check_place, is_figure, write
from gardner.errors import GardnerError, InvalidInputError


def test_the_ending_says_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame, drawn = pd.DataFrame({"x": [1.0, 2.5]}), list[Path]()
    places = [tmp_path / f"a{ending}" for ending in (".json", ".csv", ".parquet", ".SVG")]
    for place in places:
        write(place, lambda: {"x": float("nan")}, lambda: frame, drawn.append)
    assert json.loads(places[0].read_text()) == {"x": None}
    assert places[1].read_text() == "x\n1.0\n2.5\n"
    pd.testing.assert_frame_equal(pd.read_parquet(places[2]), frame)
    assert drawn == [places[3]]
    assert capsys.readouterr().err.splitlines() == [f"wrote {place}" for place in places]
    assert [is_figure(place) for place in (*places, None)] == [False, False, False, True, False]


def test_other_endings_and_places_are_refused(tmp_path: Path) -> None:
    check_ending(None)
    check_place(None)
    with pytest.raises(InvalidInputError, match=r"one of .csv, .html, .json, .parquet, .pdf, .png, .svg"):
        check_ending(Path("a.gif"))
    with pytest.raises(InvalidInputError, match=r"one of .html, .pdf, .png, .svg"):
        check_ending(Path("a.csv"), FIGURES)
    (tmp_path / "file").write_text("in the way of a folder")
    with pytest.raises(GardnerError, match=r"a\.csv"):
        check_place(tmp_path / "file" / "a.csv")
