"""Numbers in tables and blocks of docs/ stand in what a script of benchmarks/ printed and was kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools import printed
from tools.printed import ENTRIES, ROOT, Entry, Section

SECTIONS = sorted({section for entry in ENTRIES for section in entry.sections}, key=str)
BENCHMARKS = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
PAGE = """# Page
1.50 in prose
## Part
| 0.25 | −0.50 |
| 0.25 | 0.75 |
```
0.75 s
$ run --at 0.9
```
```text
0 of 9 missed
0 of 8 missed
```
```python
run(at=0.8)
```
## Next
| 9.99 |
"""


@pytest.mark.parametrize("section", SECTIONS, ids=lambda one: f"{one.page}: {one.heading}")
def test_numbers_of_a_section_were_printed(section: Section) -> None:
    assert any(printed.numbers(line) for line in section.quotes()), "a section without numbers holds nothing"
    assert not printed.not_printed(section)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda one: one.name)
def test_what_is_kept_says_what_made_it(entry: Entry) -> None:
    lines = entry.path.read_text("utf-8").splitlines()
    assert lines[: len(entry.commands)] == list(entry.commands)
    assert re.fullmatch(r"commit [0-9a-f]{7,}\+?, \d{4}-\d\d-\d\d, \d+ s of the processor", entry.made)
    assert not lines[len(entry.commands) + 1]
    assert any(entry.kept())
    assert {re.match(r"python -m benchmarks\.(\w+)", one)[1] for one in entry.commands} <= BENCHMARKS  # type: ignore[index]


def test_nothing_is_kept_that_no_entry_names() -> None:
    assert {path.stem for path in printed.FOLDER.glob("*.txt")} == {entry.name for entry in ENTRIES}


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A page and what was printed for it."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(PAGE, "utf-8")
    (tmp_path / "script.txt").write_text(
        "python -m benchmarks.script\ncommit 0\n\n| +0.250 | -0.50 |\n0.25 0.50\n0.75 s\n0 of 8 missed\n", "utf-8"
    )
    monkeypatch.setattr(printed, "ROOT", tmp_path)
    monkeypatch.setattr(printed, "FOLDER", tmp_path)
    return "page.md"


@pytest.mark.parametrize(
    ("rearranged", "missing"),
    [
        # 0.250 has other digits, 0.50 another sign, and 0.25 and 0.75 stand in two lines
        (False, ["0 of 9 missed", "| 0.25 | −0.50 |", "| 0.25 | 0.75 |"]),
        (True, ["0 of 9 missed"]),
    ],
)
def test_a_number_that_nobody_printed_is_seen(page: str, rearranged: bool, missing: list[str]) -> None:
    section = Section(page, "Part", rearranged)
    entry = Entry("script", ("python -m benchmarks.script",), (section,))
    assert printed.not_printed(section, (entry,)) == missing
    other = Section(page, "Next", rearranged)
    assert printed.not_printed(other, (Entry("script", entry.commands, (other,)),)) == (
        ["9.99"] if rearranged else ["| 9.99 |"]
    )


def test_a_heading_that_is_gone_is_an_error(page: str) -> None:
    with pytest.raises(LookupError, match="no heading"):
        list(Section(page, "Elsewhere").quotes())
