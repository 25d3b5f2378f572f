"""What the scripts of benchmarks/ printed, kept as files, so that numbers of docs/ can be held against them.

    python -m tools.printed                      # every script kept, with its command, commit and time
    python -m tools.printed keep agreement wall  # run these, and keep what they print in benchmarks/printed
    python -m tools.printed again agreement      # run it once more, and show the lines that differ

A file is named after its entry in :data:`ENTRIES`. Its first lines are the commands, the next one
says which commit ran (with a plus if there were changes to it) and how long it took, and the rest
is what was printed. An entry also says under which headings of docs/ its numbers are quoted.
``tests/contracts/test_printed.py`` looks at the tables and the blocks there. A line of a block of
text must stand in the file as it is. The numbers with a decimal point of a row of a table must
stand together in one line of the file, with their signs. Where docs/ arrange a table in another
way, each number must stand somewhere in the file. So a number that nobody printed fails the tests.
A line with seconds in it never comes out twice the same; ``again`` shows such lines too, and leaves
it to the reader.
"""

from __future__ import annotations

import argparse
import datetime
import re
import resource
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks" / "printed"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d+(?:e[-+]\d+)?")
HEADING = re.compile(r"^(#+) (.*)$")
# Blocks in these languages are what a reader types, not what a script printed.
TYPED = ("```python", "```yaml", "```bash", "```sh")


@dataclass(frozen=True)
class Section:
    """A part of a page, from a heading to the next one of its rank; ``rearranged`` where its tables
    have other rows than what was printed.
    """

    page: str
    heading: str
    rearranged: bool = False

    def lines(self) -> list[str]:
        """The lines below the heading."""
        chosen: list[str] = []
        rank, fenced = 0, False
        for line in (ROOT / "docs" / self.page).read_text("utf-8").splitlines():
            fenced ^= line.startswith("```")
            heading = None if fenced else HEADING.match(line)
            if heading and rank and len(heading[1]) <= rank:
                break
            if rank:
                chosen.append(line)
            elif heading and heading[2] == self.heading:
                rank = len(heading[1])
        if not rank:
            raise LookupError(f"docs/{self.page} has no heading {self.heading!r}")
        return chosen

    def quotes(self) -> Iterator[str]:
        """Its lines of tables and of blocks; what a reader types is left out."""
        yield from (line for _, line in self._marked())

    def verbatim(self) -> Iterator[str]:
        """Lines of blocks of text, which stand as they were printed."""
        yield from (line for fence, line in self._marked() if fence == "```text")

    def _marked(self) -> Iterator[tuple[str, str]]:
        fence = ""
        for line in self.lines():
            if line.startswith("```"):
                fence = "" if fence else line
            elif fence.startswith(TYPED) or (fence and line.startswith(("$ ", "python "))):
                continue
            elif fence or line.startswith("|"):
                yield fence, line


@dataclass(frozen=True)
class Entry:
    """Commands whose output is kept, one after the other, and where their numbers are quoted."""

    name: str
    commands: tuple[str, ...]
    sections: tuple[Section, ...] = ()

    @property
    def path(self) -> Path:
        """Where the output is kept."""
        return FOLDER / f"{self.name}.txt"

    @property
    def made(self) -> str:
        """Which commit printed it, when, and in which time."""
        return self.path.read_text("utf-8").splitlines()[len(self.commands)]

    def kept(self) -> list[str]:
        """What was printed, line by line."""
        return self.path.read_text("utf-8").splitlines()[len(self.commands) + 2 :]

    def run(self) -> list[str]:
        """What the commands print now, line by line."""
        lines: list[str] = []
        for command in self.commands:
            words = [sys.executable, *shlex.split(command)[1:]]
            printed = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout  # noqa: S603
            lines += [line.rstrip() for line in printed.splitlines()]
        return lines


def _script(name: str, *sections: Section, arguments: str = "") -> Entry:
    """An entry of one command, called as its script is."""
    return Entry(name, (f"python -m benchmarks.{name} {arguments}".strip(),), sections)


ENTRIES = (
    _script("agreement", Section("models.md", "AMP against theory")),
    _script("channels", Section("models.md", "What noise does to the gain of active learning")),
    _script("models", Section("models.md", "Time")),
    _script("answers", Section("theory.md", "5. Numerics")),
    _script("wall", Section("stability.md", "The wall")),
    _script("truths", Section("inference.md", "Where each may be believed: known volumes")),
    _script("trust", Section("inference.md", "Converged and wrong")),
    _script("witnesses", Section("inference.md", "Does AMP's volume hold on selected subsets?")),
    Entry(
        "learning_curves",
        (
            "python -m benchmarks.learning_curves --batch-ratios 0.25",
            "python -m benchmarks.learning_curves"
            " --channels sign --priors gaussian --pool-ratios 3 --batch-ratios 0.01",
        ),
        (Section("learning-curves.md", "What the runs say", rearranged=True),),
    ),
    _script(
        "finite_size",
        Section("learning-curves.md", "How fast do runs tend to the theory?"),
        arguments="--most 4000",
    ),
    _script("greedy", Section("learning-curves.md", "Is greedy optimal?")),
    _script("forecast", Section("forecast.md", "Predicted and measured", rearranged=True)),
    _script("spectra", Section("forecast.md", "How it works", rearranged=True)),
    Entry(
        "spectrum",
        tuple(f"python -m benchmarks.spectrum {part}" for part in ("flat", "determinants", "runs")),
        (Section("theory.md", "10. Pools with a covariance (`modes.py`, `mode_average.py`)"),),
    ),
    _script("target_sample", Section("real-tables.md", "How many target rows")),
    _script(
        "many_classes",
        Section("real-tables.md", "Three classes or more"),
        arguments="loss --pools wine digits satimage --seeds 3",
    ),
    _script(
        "query_speed",
        Section("real-tables.md", "Time and memory"),
        arguments="--parts batches scikit-activeml",
    ),
    _script("estimators", Section("estimators.md", "How good it is")),
    _script("swap", arguments="--seeds 3"),
    Entry(
        "search",
        ("python -m benchmarks.search run out/search 50:4 100:3", "python -m benchmarks.search print out/search"),
        (Section("ensemble.md", "In small pools"),),
    ),
    _script("transition", Section("ensemble.md", "The first-order transition in a large pool", rearranged=True)),
)


def numbers(line: str) -> Counter[str]:
    """The numbers with a decimal point in a line; minus signs as a program writes them, no plus."""
    return Counter(number.lstrip("+") for number in NUMBER.findall(line.replace("−", "-")))


def _sizes(lines: Iterable[str]) -> set[str]:
    return {number.lstrip("-") for line in lines for number in numbers(line)}


def not_printed(section: Section, entries: tuple[Entry, ...] | None = None) -> list[str]:
    """What a section quotes, and no entry that names the section has printed."""
    naming = [entry for entry in (ENTRIES if entries is None else entries) if section in entry.sections]
    kept = [line for entry in naming for line in entry.kept()]
    other = [line for line in section.verbatim() if line not in kept]
    if section.rearranged:
        return other + sorted(_sizes(section.quotes()) - _sizes(kept))
    printed = [numbers(line) for line in kept]
    return other + [line for line in section.quotes() if not any(numbers(line) <= one for one in printed)]


def _git(*words: str) -> str:
    return subprocess.run(  # noqa: S603
        ["git", "-C", str(ROOT), *words],  # noqa: S607
        check=True, stdout=subprocess.PIPE, text=True,
    ).stdout.strip()  # fmt: skip


def keep(entry: Entry) -> None:
    """Run it, and keep what it prints."""
    commit = _git("log", "-1", "--format=%h") + ("+" if _git("status", "--porcelain", "src", "benchmarks/*.py") else "")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = entry.run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    made = f"commit {commit}, {datetime.date.today():%Y-%m-%d}, {seconds:.0f} s of the processor"
    FOLDER.mkdir(exist_ok=True)
    entry.path.write_text("\n".join([*entry.commands, made, "", *lines]) + "\n", "utf-8")
    print(f"{entry.name}: {made}", flush=True)


def again(entry: Entry) -> bool:
    """Run it once more, show the lines that differ, and say whether there were any."""
    kept, now = entry.kept(), entry.run()
    gone, new = [line for line in kept if line not in now], [line for line in now if line not in kept]
    print(f"{entry.name}: {len(kept) - len(gone)} of {len(kept)} lines are the same")
    print("\n".join([*(f"- {line}" for line in gone), *(f"+ {line}" for line in new)]))
    return bool(gone or new)


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", nargs="?", choices=("list", "keep", "again"), default="list")
    parser.add_argument("names", nargs="*", metavar="NAME", help="entries; all that are kept by default")
    given = parser.parse_args()
    known = {entry.name: entry for entry in ENTRIES}
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"nothing is called {unknown[0]}; there are {', '.join(known)}")
    chosen = [known[name] for name in given.names] or [entry for entry in ENTRIES if entry.path.exists()]
    if given.action == "again":
        differing = [entry for entry in chosen if again(entry)]
        return int(bool(differing))
    for entry in chosen:
        if given.action == "keep":
            keep(entry)
        else:
            print(f"{entry.name}: {entry.made}\n    " + "\n    ".join(entry.commands))
    return 0


if __name__ == "__main__":
    sys.exit(main())
