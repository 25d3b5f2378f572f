"""The Python that README.md and docs/ show runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gardner.experiment.question.fields import declared
from gardner.experiment.question.task import Task
from gardner.strategies import registered_strategies

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _pages() -> list[str]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [str(page.relative_to(ROOT)) for page in pages if BLOCK.search(page.read_text("utf-8"))]


def test_readme_shows_python() -> None:
    assert "README.md" in _pages()


@pytest.mark.parametrize("page", _pages())
def test_python_of_a_page_runs(page: str) -> None:
    """Block after block, in one namespace: a later one may use what an earlier one made."""
    if page == "docs/examples/README.md":
        pytest.importorskip("skactiveml")
    text = (ROOT / page).read_text("utf-8")
    names: dict[str, object] = {"__name__": "readme"}
    for block in BLOCK.finditer(text):
        above = text.count("\n", 0, block.start(1))  # so that a traceback names the line of the page
        exec(compile("\n" * above + block[1], page, "exec"), names)  # noqa: S102


def test_docs_know_every_strategy_and_every_field() -> None:
    """The tables of docs/active-learning.md have what `gardner strategies` and `gardner bench
    --help` list.
    """
    text = (ROOT / "docs" / "active-learning.md").read_text("utf-8")
    named = set(re.findall(r"`([\w-]+)`", "".join(line for line in text.splitlines() if line.startswith("| `"))))
    assert set(registered_strategies()) <= named
    assert {one.given_as for one in declared(Task)} - {"strategy"} <= named
