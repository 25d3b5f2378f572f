"""CONTRIBUTING.md is followed to the letter: its examples work in a copy of the tree."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
FILES = re.compile(r"`(src/gardner/[\w/]+\.py)`:\n\n```python\n(.*?)```", re.DOTALL)
CHANGES = re.compile(r"```diff\n\+\+\+ (\S+)\n(.*?)```", re.DOTALL)
NEW = {
    "src/gardner/strategies/widest.py",
    "src/gardner/model/raised_cosine.py",
    "src/gardner/model/heavy_tailed.py",
}


def applied(text: str, change: str) -> str:
    """A text with the hunks of a change in it, each of which fits in one place."""
    for hunk in re.split(r"^@@\n", change, flags=re.MULTILINE)[1:]:
        lines = hunk.splitlines(keepends=True)
        old, new = ("".join(line[1:] for line in lines if line[0] in signs) for signs in (" -", " +"))
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        text = text.replace(old, new)
    return text


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with the examples, and with what is compiled already."""
    home = tmp_path_factory.mktemp("scratch")
    half_written = shutil.ignore_patterns("*.pyc.*", "*.tmp.*")  # other tests compile meanwhile
    for folder in ("src", "tests", "docs/examples"):
        shutil.copytree(ROOT / folder, home / folder, ignore=half_written)
    shutil.copy(ROOT / "pyproject.toml", home)
    for path, code in FILES.findall(TEXT):
        assert not (home / path).exists(), path
        (home / path).write_text(code, "utf-8")
    for path, change in CHANGES.findall(TEXT):
        (home / path).write_text(applied((home / path).read_text("utf-8"), change), "utf-8")
    return home


def run(scratch: Path, *command: str) -> str:
    """What Python prints in the copy."""
    env = {**os.environ, "PYTHONPATH": str(scratch / "src")}
    done = subprocess.run(  # noqa: S603 - our own
        [sys.executable, *command], cwd=scratch, env=env, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_examples_are_there() -> None:
    assert {path for path, _ in FILES.findall(TEXT)} == NEW
    assert len(CHANGES.findall(TEXT)) == 3


@pytest.mark.slow
def test_the_examples_have_the_form_of_the_house(scratch: Path) -> None:
    """ruff, mypy in strict mode and the import rules, as `make check` asks."""
    paths = [*NEW, *(path for path, _ in CHANGES.findall(TEXT))]
    run(scratch, "-m", "ruff", "check", "--no-cache", *paths)
    run(scratch, "-m", "ruff", "format", "--no-cache", "--check", *paths)
    run(scratch, "-m", "mypy", "--no-incremental", "--follow-imports=silent", *sorted(NEW))


@pytest.mark.parametrize("libraries", [" and not jax", pytest.param("", marks=pytest.mark.slow)])
def test_the_contract_tests_find_them_by_themselves(scratch: Path, libraries: str) -> None:
    """Those of JAX, which compiles for seconds, among the slow tests."""
    names = ("RaisedCosine", "HeavyTailed", "widest")
    files = [f"tests/contracts/test_{kind}.py" for kind in ("priors", "models", "strategies")]
    options = ("-p", "no:cacheprovider", "-v", "-rN", "-m", "not slow", "-k", f"({' or '.join(names)}){libraries}")
    printed = run(scratch, "-m", "pytest", *options, *files)
    for name in names:
        assert len(re.findall(rf"\[.*{name}.* PASSED", printed)) >= 5, name


def test_the_commands_know_them(scratch: Path) -> None:
    listed = json.loads(run(scratch, "-m", "gardner", "models", "--json"))
    assert "raised-cosine:REACH" in [one["name"] for one in listed["priors"]]
    assert "heavy-tailed:WIDTH" in [one["name"] for one in listed["channels"]]
    table = "docs/examples/pool.csv", "--label", "diagnosis", "--id", "patient", "--channel", "heavy-tailed:1.5"
    proposed = json.loads(run(scratch, "-m", "gardner", "query", *table, "--json"))
    assert proposed["status"] == "converged"
    assert proposed["model"]["channel"] == "heavy-tailed:1.5"
    check_bench(scratch)


@pytest.mark.slow
def test_theory_and_workers_know_the_models(scratch: Path) -> None:
    model = "--prior", "raised-cosine", "--channel", "heavy-tailed:1.5"
    bounds = json.loads(run(scratch, "-m", "gardner", "bounds", "-a", "3", "-n", "0.6", "--json", *model))
    volume = bounds["log_volume"]
    assert volume["minimum"] < volume["typical"] < volume["maximum"] < 0.0
    check_bench(scratch, *model, "--out", "of-models")


def check_bench(scratch: Path, *options: str) -> None:
    """Workers run the new strategy."""
    sizes = ["-N", "40", "-a", "3", "-n", "0.5", "-k", "4", "-s", "2", "-w", "1", "--json"]
    results = json.loads(run(scratch, "-m", "gardner", "bench", "widest", "random", *sizes, *options))
    assert {row["strategy"] for row in results["rows"]} == {"widest", "random"}
    assert not results["failures"]


def test_the_map_knows_every_folder_and_no_other_file() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    source = ROOT / "src/gardner"
    folders = {path.parent.relative_to(source).as_posix() for path in source.glob("*/*.py")}
    paragraphs = dict(re.findall(r"^\*\*`(\w+)/`\.\*\* (.*?)(?=\n\n)", text, re.DOTALL | re.MULTILINE))
    assert set(paragraphs) == folders
    for folder, paragraph in paragraphs.items():
        named = re.findall(r"`(\w+\.py)`", paragraph)
        missing = [name for name in named if not list((source / folder).rglob(name))]
        assert not missing, f"{folder}: {missing}"
