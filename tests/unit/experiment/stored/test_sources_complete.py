"""Everything that decides what a task's rows hold is part of the stamp of the code.

The imports of the package are followed through its sources, so that a module that a task comes to
use is found without running it.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import gardner
from gardner.experiment.ensemble import folder
from gardner.experiment.stored import sources

HOME = Path(inspect.getfile(gardner)).parent
QUESTION = "what it decides stands in the text of the task, which is in the key beside the code"
# what these alone lead to needs no word
NOT_STAMPED = {
    "gardner": "the front loads what is asked for; its version is a column of its own",
    "gardner.errors": "texts of errors",
    "gardner.experiment": "the front of the experiment loads what is asked for",
    "gardner.experiment.ensemble.reweighting": "a question counts its subsets with it, for the answer",
    "gardner.experiment.loop.memory": "memory is noted beside the rows",
    "gardner.experiment.loop.pace": "it stops a task that takes too long, and leaves the others alone",
    "gardner.experiment.question.fields": QUESTION,
    "gardner.experiment.question.task": QUESTION,
    "gardner.loading": "it finds somebody's file, which is stamped itself",
    "gardner.processes": "it says who works, and answers are the same whoever gives them",
    "gardner.records": "it loads what writes rows and reads them back",
}
# what runs: a task of `gardner bench`, and a block of rounds of `gardner sample`
TASKS = (["gardner.experiment.loop.task"], sources._SOURCES)
ENSEMBLES = (["gardner.experiment.ensemble.question", "gardner.experiment.ensemble.tempering"], folder._SOURCES)


def file_of(name: str) -> Path | None:
    """The source of a module or a package; none for a name that is neither."""
    place = HOME.parent.joinpath(*name.split("."))
    return next((one for one in (place.with_suffix(".py"), place / "__init__.py") if one.is_file()), None)


def imports(nodes: Iterable[ast.AST], for_types: bool = False) -> Iterator[tuple[str, str]]:
    """Modules with the name that is taken from them, anywhere in a source; or those that only a
    type checker sees.
    """
    for node in nodes:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from imports(node.body if for_types else node.orelse)
        elif isinstance(node, ast.Import):
            yield from ((one.name, "") for one in node.names if not for_types)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", one.name) for one in node.names if not for_types)
        else:
            yield from imports(ast.iter_child_nodes(node), for_types)


@functools.cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def modules_of(module: str, name: str) -> Iterator[str]:
    """What an import leads to: the packages above, the module, and the one that a name is of, where
    a package loads it on first use.
    """
    parts = module.split(".")
    yield from (".".join(parts[: count + 1]) for count in range(len(parts)))
    if name and file_of(f"{module}.{name}"):
        yield f"{module}.{name}"
    package = file_of(module)
    if package and package.name == "__init__.py":
        lazy = imports([parsed(package)], for_types=True)
        yield from (home for home, known in lazy if known == name)


def reached(begin: list[str]) -> dict[str, Path]:
    """The modules of the package that can be imported from there, with their files."""
    found: dict[str, Path] = {}
    waiting = [part for name in begin for part in modules_of(name, "")]
    while waiting:
        module = waiting.pop()
        file = file_of(module)
        if module in found or file is None or module.partition(".")[0] != "gardner":
            continue
        found[module] = file
        if module not in NOT_STAMPED:
            for one in imports([parsed(file)]):
                waiting += modules_of(*one)
    return {module: file for module, file in found.items() if not is_empty(file)}


def is_empty(file: Path) -> bool:
    """Whether a package has nothing but its docstring."""
    return sources.normal_form(file.read_bytes()) == sources.normal_form(b"pass")


@pytest.mark.parametrize(("begin", "patterns"), [TASKS, ENSEMBLES], ids=["tasks", "ensembles"])
def test_what_decides_a_row_is_stamped(begin: list[str], patterns: tuple[str, ...]) -> None:
    stamped = {file for pattern in patterns for file in HOME.glob(pattern)}
    missing = {module for module, file in reached(begin).items() if file not in stamped} - set(NOT_STAMPED)
    assert not missing, f"enter them in _SOURCES, or here with a reason: {', '.join(sorted(missing))}"


def test_exceptions_are_used_and_not_stamped() -> None:
    there, stamped = reached(TASKS[0] + ENSEMBLES[0]), {*TASKS[1], *ENSEMBLES[1]}
    files = {file for pattern in stamped for file in HOME.glob(pattern)}
    assert {module for module in NOT_STAMPED if module in there and there[module] not in files} == set(NOT_STAMPED)


def test_imports_are_found_wherever_they_stand() -> None:
    """In functions, through packages that load on first use, and never those for types alone."""
    there = reached(TASKS[0])
    assert {"gardner.records.pool_file", "gardner.strategies.committee", "gardner.inference.ep"} <= set(there)
    assert list(modules_of("gardner.inference", "amp")) == [
        "gardner", "gardner.inference", "gardner.inference.message_passing",
    ]  # fmt: skip
    source = "if TYPE_CHECKING:\n import a\nelse:\n import b\ndef f():\n from c import d"
    assert set(imports([ast.parse(source)])) == {("b", ""), ("c", "d")}
    assert set(imports([ast.parse(source)], for_types=True)) == {("a", "")}
