"""One case of the fuzzer: a command line, the files it meets, and the way it is run.

A case is plain data and goes to JSON and back, so that a case that failed can be kept in
``corpus/``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"
Recipe = dict[str, Any]  # {"make": a name of files.MAKERS, and its options}


@dataclass(frozen=True)
class Case:
    """A command line and its surroundings.

    ``files`` are made in an empty folder in which the command runs. ``process`` starts a process of
    its own, with the variables ``env``, the limits ``limits`` (names of :mod:`resource`, without
    ``RLIMIT_``) and standard output ``stdout``: "pipe", "closed", "full" (a full disk) or "shut" (a
    pipe that nobody reads). ``interrupt`` presses Ctrl-C after so many seconds, for commands that
    are meant to take long; it needs a process. ``slow`` keeps a case of the corpus out of ``make
    test``.
    """

    name: str
    argv: list[str]
    files: dict[str, Recipe] = field(default_factory=dict)
    process: bool = False
    env: dict[str, str] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    stdout: str = "pipe"
    interrupt: float | None = None
    slow: bool = False

    def to_record(self) -> dict[str, Any]:
        """What differs from the defaults."""
        bare = asdict(Case(self.name, []))
        kept = {key: value for key, value in asdict(self).items() if value != bare[key]}
        return {"name": self.name, "argv": self.argv, **kept}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Case:
        """The case of a record; a command may be one text, split at spaces."""
        argv = record["argv"]
        unknown = set(record) - {one.name for one in fields(cls)} - {"about"}
        if unknown:
            raise ValueError(f"{record['name']}: no such keys: {', '.join(sorted(unknown))}")
        known = {key: value for key, value in record.items() if key != "about"}
        return cls(**{**known, "argv": argv.split() if isinstance(argv, str) else argv})

    def __str__(self) -> str:
        """The case as its line in the corpus."""
        return json.dumps(self.to_record())


def read_corpus(folder: Path = CORPUS) -> list[Case]:
    """Every case of the corpus, in the order of files and lines."""
    records = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    return [Case.from_record(record) for page in records for record in page]


def write_cases(path: Path, cases: Iterable[Case]) -> None:
    """Cases as a file of the corpus, one a line."""
    path.write_text("[\n  " + ",\n  ".join(map(str, cases)) + "\n]\n")
