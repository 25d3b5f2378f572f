"""Results from anybody: their texts are shown and never run, their numbers are looked at before
they are used.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from gardner.errors import GardnerError
from gardner.experiment.question.spec import Spec
from gardner.experiment.question.task import MODEL_NAMES, StrategySpec, Task
from gardner.experiment.stored.reading import parse_parameters, read_results
from gardner.experiment.stored.rows import SCHEMA, failure_table, read_rows, run_table
from gardner.experiment.stored.sources import code_version, stored_version
from gardner.records import Store


def rows(**columns: Any) -> dict[str, Any]:
    task = Task(StrategySpec("random"), 60, 3.0, 0.1, 6, 0)
    return {**task.columns("code"), "informed": False, **columns}


def a_round(**columns: Any) -> dict[str, Any]:
    found = {"labels": 6, "budget": 0.1, "log_volume": -0.06, "accuracy": 0.6, "status": "converged"}
    return {**found, **columns}


def write(folder: Path, *tables: tuple[str, Any]) -> Path:
    store = Store(folder)
    with store.writing():
        for key, table in tables:
            store.write(key, table)
    return folder


# --- texts
# ------------------------------------------------------------------------------------------------------------


def test_the_canary_would_sing(canary: Path) -> None:
    """What the user names is loaded, so the tests above can fail."""
    from gardner.model.external import load_prior

    load_prior("hostile.py:X")
    assert canary.exists()


def version(what: str, name: str) -> str | None:
    return stored_version((("strategy", "random"), (what, name)))


@pytest.mark.parametrize("what", ["strategy", "prior", "channel"])
def test_names_in_rows_are_not_imported(canary: Path, what: str) -> None:
    """Of a file of that name in this folder the syntax is looked at; anything else is not known."""
    here = version(what, "hostile.py:Z")
    assert here == code_version(((what, f"{canary.parent}/here/hostile.py:Z"),))
    for name in ("hostile:Z", "hostile.Z", f"{canary.parent}/here/hostile.py:Z", "nowhere.py:Z", f"{'n' * 5000}.py:Z"):
        assert version(what, name) is None
    assert version(what, "random") == code_version((("strategy", "random"),)) != here
    if what != "strategy":
        assert version(what, "hostile.py:Z:0.5") == here
        assert version(what, "gaussian:much") == version(what, "flip:0.5") == version(what, "random")
    assert not canary.exists()
    assert "hostile" not in sys.modules


@pytest.mark.parametrize("prior", ["hostile.py:X", "hostile:X"])
def test_a_task_loads_nothing(canary: Path, prior: str) -> None:
    """Naming a model in a task or a spec does not run it; running the task does."""
    sizes = (60, 3.0, 0.1, 6)
    task = Task(StrategySpec("random"), *sizes, 0, prior=prior)
    assert Spec([StrategySpec("random")], *sizes, [0], prior=prior).tasks() == [task]
    assert task.columns("code")["prior"] == prior
    assert task.key("code") == Task.from_json(task.to_json()).key("code")
    assert not canary.exists()


def test_links_in_a_folder_of_results_lead_nowhere(tmp_path: Path) -> None:
    """Somebody's folder must not make us write to a file of ours."""
    mine, store = tmp_path / "mine", Store(tmp_path / "results")
    mine.write_text("precious")
    write(store.folder)
    for link in (store.timings / "k.json", store.parts / "k.parquet"):
        link.symlink_to(mine)
    with store.writing():
        store.write("k", run_table(rows(key="k"), [a_round()]), {"seconds": 1.0})
    assert mine.read_text() == "precious"
    assert len(read_rows(store.folder)) == 1


# --- numbers
# ----------------------------------------------------------------------------------------------------------

HUGE = 10**18
TAMPERED: dict[str, dict[str, Any]] = {
    "no JSON": {"parameters": "{"},
    "JSON that is no object": {"parameters": "[1]"},
    "JSON with NaN": {"parameters": '{"a": NaN}'},
    "deep JSON": {"parameters": '{"a":' + "[" * 4000 + "]" * 4000 + "}"},
    "endless digits": {"parameters": '{"a":' + "9" * 9000 + "}"},
    "a long name": {"strategy": "x" * 10_000_000},
    "a long model": {"prior": "x" * 10_000_000},
    "a long status": {"status": "x" * 10_000_000},
    "negative N": {"features": -60},
    "no N": {"features": 0},
    "absurd N": {"features": HUGE},
    "absurd N and labels": {"features": HUGE, "labels": HUGE, "budget": 1.0, "run_budget": 1.0},
    "alpha NaN": {"pool_ratio": math.nan},
    "alpha infinite": {"pool_ratio": math.inf},
    "alpha negative": {"pool_ratio": -3.0},
    "alpha absurd": {"pool_ratio": 1e300},
    "budget NaN": {"run_budget": math.nan},
    "budget above the pool": {"run_budget": 4.0},
    "batch negative": {"batch_size": -1},
    "seed negative": {"seed": -1},
    "seed missing": {"seed": None},
    "rows of a test set": {"test_rows": -1},
    "labels negative": {"labels": -6},
    "labels missing": {"labels": None},
    "labels above the pool": {"labels": 600, "budget": 10.0},
    "labels that do not fit the budget": {"labels": 7},
    "a round's budget NaN": {"budget": math.nan},
    "variances": {"variances": "hostile.py:X"},
    "another key": {"key": "other"},
}


def tampered(folder: Path, change: dict[str, Any]) -> Path:
    row = {**rows(key="k"), **a_round(round=0), **change}
    good = run_table(rows(key="good"), [a_round()])
    return write(folder, ("good", good), ("k", pa.Table.from_pylist([row], schema=SCHEMA)))


@pytest.mark.parametrize("what", TAMPERED)
def test_tampered_rows_are_one_line(gardner: Any, tmp_path: Path, what: str) -> None:
    folder = tampered(tmp_path / "results", TAMPERED[what])
    for arguments in (["results", folder], ["report", folder, "-o", tmp_path / "page.html"]):
        code, out, err = gardner(*arguments)
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1
        assert len(err) < 2000
        assert "k.parquet" in err
        assert "remove that file" in err
    assert gardner("results", folder, "--verify")[:1] == (1,)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    "columns",
    [
        {"features": ["many"]},
        {"pool_ratio": [[1.0]]},
        {"parameters": [b"\xff\xfe"]},
        {"status": None},
        {"log_volume": ["low"]},
        {"round": [None]},
    ],
)
def test_columns_of_other_types_or_none(gardner: Any, tmp_path: Path, columns: dict[str, Any]) -> None:
    record = {name: [value] for name, value in {**rows(key="k"), **a_round(round=0)}.items()} | columns
    table = pa.table({name: values for name, values in record.items() if values is not None})
    code, out, err = gardner("results", write(tmp_path / "results", ("k", table)))
    assert (code, out) == (2, "")
    assert "k.parquet" in err
    assert len(err.splitlines()) == 1


def test_text_that_is_no_text(gardner: Any, tmp_path: Path) -> None:
    """Bytes that claim to be text."""
    record = {name: [value] for name, value in {**rows(key="k"), **a_round(round=0)}.items()}
    wrong = pa.array([b"\xff\xfe"], pa.binary()).view(pa.string())
    table = pa.table({**record, "strategy": wrong})
    code, out, err = gardner("results", write(tmp_path / "results", ("k", table)))
    assert (code, out) == (2, "")
    assert "k.parquet" in err


def test_rounds_are_those_of_one_run(tmp_path: Path) -> None:
    twice = pa.Table.from_pylist([{**rows(key="k"), **a_round(round=0)}] * 2, schema=SCHEMA)
    mixed = pa.concat_tables([run_table(rows(key="k"), [a_round()]), failure_table(rows(key="k"), "x")])
    for table in (twice, mixed, SCHEMA.empty_table()):
        with pytest.raises(GardnerError, match=r"k\.parquet"):
            read_results(write(tmp_path, ("k", table)))


def test_long_reasons_are_cut(gardner: Any, tmp_path: Path) -> None:
    """Ours when they are written, anybody's when they are read."""
    ours = failure_table(rows(key="ours"), "r" * 10_000_000, "h")
    theirs = pa.Table.from_pylist(
        [{**rows(key="theirs"), "status": "failed", "reason": "r" * 10_000_000}], schema=SCHEMA
    )
    folder = write(tmp_path / "results", ("ours", ours), ("theirs", theirs))
    assert (folder / "parts" / "ours.parquet").stat().st_size < 50_000
    frame = read_results(folder)
    assert frame["reason"].str.len().max() < 10_010
    assert frame["hint"].tolist() == ["h", ""]
    code, out, _ = gardner("results", folder, "--json")
    assert code == 0
    assert len(out) < 30_000
    assert gardner("results", folder)[0] == 0


def test_a_damaged_neighbour_does_not_disturb_a_sweep(tmp_path: Path) -> None:
    folder = tampered(tmp_path, {"features": -1})
    assert read_results(folder, ["good"])["key"].tolist() == ["good"]


def test_timings_are_anybodys(tmp_path: Path) -> None:
    store = Store(write(tmp_path))
    for text in ("[]", "[" * 9999, '"x"', '{"seconds": "soon"}', '{"rounds": 1}', '{"rounds": [1]}', "\udcff"):
        (store.timings / "k.json").write_bytes(text.encode("utf-8", "surrogateescape"))
        assert store.read_timings("k") == {}
    (store.timings / "folder.json").mkdir()
    assert store.read_timings("folder") == {}


def test_parameters() -> None:
    assert parse_parameters('{"a": [1, "x"]}') == {"a": [1, "x"]}
    with pytest.raises(GardnerError, match="it must be a JSON object"):
        parse_parameters("hostile.py:X")


def test_parameters_that_would_not_be_read_back_are_refused() -> None:
    with pytest.raises(GardnerError, match="at most 10000 letters"):
        StrategySpec("random", {"x": "y" * 10_000})


def test_frames_of_before_there_were_models(tmp_path: Path) -> None:
    old = run_table({name: value for name, value in rows(key="k").items() if name not in MODEL_NAMES}, [a_round()])
    frame: pd.DataFrame = read_results(write(tmp_path, ("k", old)))
    assert frame[list(MODEL_NAMES)].to_numpy().tolist() == [["gaussian", "sign"] * 2]
    assert read_results(tmp_path).equals(frame)
