"""Anyone's strategy by name: every kind goes through the loop; a wrong name says what to try."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.anyones import PROBLEM, check_run, play, view_of

from gardner.errors import GardnerError, InvalidInputError
from gardner.loading import LoadError, source_of
from gardner.strategies.external import make_strategy

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "my_strategy.py"


@pytest.mark.parametrize(
    ("attribute", "parameters"),
    [
        ("Mine", {}),
        ("Mine", {"sign": 1.0}),
        ("factory", {"sign": 1.0}),
        ("Counting", {}),
        ("counting", {}),
        ("Duck", {}),
        ("Callable", {"power": 2.0}),
        ("function_factory", {"power": 2.0}),
        ("modal", {}),
        ("modal", {"power": 2.0}),
        ("modal_with_rows", {}),
        ("modal_with_rows", {"anything": 1}),
        ("modal_single", {}),
        ("modal_seeded", {}),
        ("plain", {}),
        ("plain", {"last": True}),
        ("plain_choice", {}),
    ],
)
def test_every_kind_runs(mine: Path, attribute: str, parameters: dict[str, Any]) -> None:
    check_run(f"{mine}:{attribute}", parameters)


def test_same_choice_by_every_door(mine: Path) -> None:
    """AMP's margins from a class and a factory; logistic margins from modAL's door and the
    registered strategy.
    """
    np.testing.assert_array_equal(play(f"{mine}:Mine", {}).queried, play(f"{mine}:factory", {}).queried)
    ours, modal = play("logistic", {}), play(f"{mine}:modal", {})
    assert set(ours.queried.tolist()) == set(modal.queried.tolist())


def test_informed_is_what_the_contract_says(mine: Path) -> None:
    result = play(f"{mine}:Cheat", {})
    assert result.informed
    assert (PROBLEM.labels[result.queried[3:]] == 1.0).all()


def test_runs_share_no_object(mine: Path) -> None:
    one: Any = make_strategy(f"{mine}:counting", {})
    one.query(view_of([0], 2))
    two: Any = make_strategy(f"{mine}:counting", {})
    assert (one.asked, two.asked) == (1, 0)


def test_the_example() -> None:
    name = f"{EXAMPLE}:Explore"
    check_run(name, {"share": 0.3})
    assert source_of("strategy", name) == EXAMPLE
    np.testing.assert_array_equal(play(name, {"share": 0.0}).queried, play("agnostic", {}).queried)
    with pytest.raises(InvalidInputError, match=r"Explore\.share"):
        make_strategy(name, {"share": 2.0})


def test_dotted_paths_and_registered_names() -> None:
    for name in ("gardner.strategies.uniform:Random", "gardner.strategies.uniform.Random", "random"):
        assert type(make_strategy(name, {})).__name__ == "Random"
    assert source_of("strategy", "random") is None
    uniform = source_of("strategy", "gardner.strategies.uniform.Random")
    assert uniform is not None
    assert uniform.name == "uniform.py"
    through = source_of("strategy", "gardner.strategies:choose")  # where it is defined, not where it is passed on
    assert through is not None
    assert through.name == "base.py"


def test_files_leave_no_trace_and_are_read_again_when_they_change(tmp_path: Path) -> None:
    path, before = tmp_path / "changing.py", list(sys.path)
    text = "from near import value\nclass S:\n    informed = False\n    number = {}\n    def query(self, view): ...\n"
    (tmp_path / "near.py").write_text("value = 1")
    path.write_text(text.format(1))
    one: Any = make_strategy(f"{path}:S", {})
    again: Any = make_strategy(f"{path}:S", {})
    assert again.__class__ is one.__class__
    path.write_text(text.format(2))  # within the second, of the same size
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1))
    two: Any = make_strategy(f"{path}:S", {})
    assert (one.number, two.number) == (1, 2)
    assert sys.path == before
    assert "near" not in sys.modules
    assert not list(tmp_path.glob("__pycache__/changing*"))


def test_neighbours_of_two_folders_do_not_meet(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "near.py").write_text(f"value = {number}")
        (folder / "mine.py").write_text("from near import value\ndef plain(view): return value\n")
        assert make_strategy(f"{folder / 'mine.py'}:plain", {}).query(view_of([0], 1)).indices == number


def test_relative_to_where_the_command_runs(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    assert source_of("strategy", "mine.py:Mine") == mine.resolve()
    assert type(make_strategy("./mine.py:Mine", {})).__name__ == "Mine"
    with pytest.raises(InvalidInputError, match=r"write mine\.py:Mine"):
        make_strategy("mine:Mine", {})


BROKEN = {
    "syntax.py": ("x = 1\nclass S(:\n", r"syntax\.py, line 2\): SyntaxError"),
    "raises.py": ("x = 1\n\nraise RuntimeError('two\\nlines')\n", r"raises\.py \(line 3\): RuntimeError: two lines"),
    "exits.py": ("import sys\nsys.exit(2)\n", r"exits\.py \(line 2\): SystemExit: 2"),
    "stops.py": ("raise KeyboardInterrupt\n", r"stops\.py \(line 1\): KeyboardInterrupt"),
    "needs.py": ("import no_such_thing\n", r"needs\.py \(line 1\): ModuleNotFoundError.*is no_such_thing installed"),
}


@pytest.mark.parametrize("file", BROKEN)
def test_import_errors_say_file_and_line_on_one_line(tmp_path: Path, file: str) -> None:
    text, message = BROKEN[file]
    (tmp_path / file).write_text(text)
    with pytest.raises(LoadError, match=message) as caught:
        make_strategy(f"{tmp_path / file}:S", {})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("agnostik", {}, "did you mean agnostic"),
        ("{folder}/absent.py:Mine", {}, "there is no file"),
        ("{folder}/minne.py:Mine", {}, r"did you mean mine\.py"),
        ("{folder}/mine.txt:Mine", {}, r"FILE\.py:CLASS"),
        ("{mine}:Other", {}, "no Other in it; .*Callable, Cheat, Counting, Duck, Mine, counting, factory"),
        ("{mine}:Mime", {}, "did you mean Mine"),
        ("{mine}", {}, "which object of it; .*Mine"),
        ("{mine}:np", {}, "leads to a module"),
        ("{mine}:View", {}, "without query"),
        ("{mine}:Mine", {"sing": 1.0}, r"Mine\.sing = 1\.0 .*parameters of Mine: sign"),
        ("{mine}:modal", {"power": 1.0, "pover": 1.0}, r"modal\.pover .*parameters of modal: power$"),
        ("{mine}:modal", {"n_instances": 2}, "given by the loop"),
        ("{mine}:counting", {"a": 1}, "made already; name its class"),
        ("{mine}:plain", {"view": 1}, "given by the loop"),
        ("no_such_package.module:S", {}, r"no module no_such_package\.module; is it installed"),
        ("no_such_package.module.S", {}, "there is no module no_such_package"),
        ("gardner.strategies.uniform:Randon", {}, "did you mean Random"),
        ("gardner.strategies.uniform", {}, r"which object of it; in .*uniform\.py there is Random$"),
        ("not a name:S", {}, "neither registered"),
        ("a..b", {}, "neither registered"),
        ("builtins:max", {}, "built into Python"),
        ("collections:OrderedDict", {}, "without query"),
    ],
)
def test_wrong_names_and_parameters(mine: Path, name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(GardnerError, match=message) as caught:
        make_strategy(name.format(mine=mine, folder=mine.parent), parameters)
    assert "\n" not in str(caught.value)


def test_what_is_frozen_into_python_has_no_source() -> None:
    assert source_of("strategy", "os.path.join") is None


def test_a_missing_extra_is_named(mine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "skactiveml", None)
    monkeypatch.setitem(sys.modules, "skactiveml.pool", None)
    (tmp_path / "extra.py").write_text("from skactiveml.pool import RandomSampling")
    (tmp_path / "duck.py").write_text("class S:\n    def query(self, X, y, clf, batch_size=1): ...")
    for name in ("skactiveml.pool:RandomSampling", f"{tmp_path}/extra.py:RandomSampling", f"{tmp_path}/duck.py:S"):
        with pytest.raises(GardnerError, match=r"pip install 'gardner\[scikit-activeml\]'"):
            make_strategy(name, {})
    check_run(f"{mine}:Duck", {})  # wants nothing of it


def test_importing_needs_neither_library() -> None:
    code = "import sys, gardner.strategies.external as e; e.make_strategy('agnostic', {}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    assert not {"skactiveml", "modAL", "sklearn"} & set(loaded)
