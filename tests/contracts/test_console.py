"""What README.md and docs/ show of a command is what the command prints, number by number, to the
digits shown.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from gardner import draw_instance

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROUNDING = 1e-8  # a number below this is a proof, not an answer: only its smallness is compared


class Shown(NamedTuple):
    """A command of a page with what stands below it."""

    page: str
    command: str
    output: str

    @property
    def name(self) -> str:
        """For the names of tests."""
        return f"{self.page}: {self.command}"


def shown(page: Path) -> Iterator[Shown]:
    """The commands of a page that are shown with what they print."""
    for block in BLOCK.finditer(page.read_text("utf-8")):
        for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            if output.strip():
                yield Shown(str(page.relative_to(ROOT)), command, output)


def words(text: str) -> list[list[str]]:
    """The words of each line; frames of tables and their widths left out."""
    lines = [re.sub("[━─┏┓┗┛┡┩└┘┳╇┴│┃]+", " ", line).split() for line in text.splitlines()]
    return [line for line in lines if line]


def small(word: str) -> bool:
    """A number that says how well something is solved."""
    try:
        return abs(float(word.rstrip(",;"))) < ROUNDING
    except ValueError:
        return False


def same(one: list[str], two: list[str]) -> bool:
    """Whether two lines say the same."""
    return len(one) == len(two) and all(a == b or (small(a) and small(b)) for a, b in zip(one, two, strict=True))


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL = [one for page in PAGES for one in shown(page)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the commands of README.md read."""
    problem = draw_instance(features=200, pool_ratio=1.2, seed=0)
    np.save(tmp_path / "F.npy", problem.rows)
    np.save(tmp_path / "y.npy", problem.labels)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
@pytest.mark.usefixtures("place")
def test_a_command_prints_what_is_shown(one: Shown, gardner: Callable[..., tuple[int, str, str]]) -> None:
    program, *arguments = shlex.split(one.command, comments=True)
    assert program == "gardner"
    code, out, err = gardner(*arguments)
    assert code == 0, err
    printed, wanted = words(out), words(one.output)
    assert len(printed) == len(wanted), out
    for here, there in zip(printed, wanted, strict=True):
        assert same(here, there), f"shown {' '.join(there)}, printed {' '.join(here)}"


def test_the_commands_of_the_front_page_are_held() -> None:
    assert {one.command.split()[1] for one in ALL if one.page == "README.md"} >= {"bounds", "query"}
    assert {one.command.split()[1] for one in ALL} >= {"bounds", "budget", "query", "volume"}


def test_the_front_page_stays_short() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 120


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ("│ best │ 0.894 │", "┃ best ┃   0.894 ┃", True),
        ("residual 2.5e-13, error 6.6e-13", "residual 1.0e-14, error 2.0e-13", True),
        ("residual 2.5e-13", "residual 2.5e-03", False),
        ("│ best │ 0.894 │", "│ best │ 0.895 │", False),
        ("│ best │ 0.894 │", "│ best │ 0.894 │ 1 │", False),
    ],
)
def test_lines_are_compared_by_what_they_say(one: str, two: str, equal: bool) -> None:
    assert same(*words(one), *words(two)) is equal
