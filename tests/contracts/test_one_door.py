"""What the sources may not do, held by reading them: text that is read back never becomes code, one
writer writes.

Each rule names the few files that may. Whoever wants to add one should ask first where the text
comes from.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

import gardner

HOME = Path(gardner.__file__).parent
COMMAND_LINE = {path.relative_to(HOME).as_posix() for path in HOME.glob("cli/*.py")}

# a name, and the files it may stand in
RULES: dict[str, tuple[set[str], set[str]]] = {
    "code is loaded in one place": (
        {"import_module", "exec_module", "module_from_spec", "spec_from_loader", "spec_from_file_location"}
        | {"load_module", "run_path", "run_module", "__import__", "exec", "eval", "compile", "marshal"},
        {"loading.py"} | {"__init__.py", "experiment/__init__.py", "inference/__init__.py"},  # ours, when first used
    ),
    "objects are pickled between a process and the children it started, on their own pipe": (
        {"pickle"},
        {"theory/parallel.py"},
    ),
    "the one loader is called where a contract is checked": (
        {"load_named"},
        {"loading.py", "model/external.py", "rules/external.py", "strategies/external.py"},
    ),
    "rules of one's own are loaded by the command line": (
        {"load_rule"},
        {"rules/external.py", "rules/__init__.py"} | COMMAND_LINE,
    ),
    "models of one's own are loaded by the command line, and for tasks that the user asked for": (
        {"load_prior", "load_channel"},
        {"model/external.py", "experiment/sweep/tasks.py", "experiment/loop/task.py"} | COMMAND_LINE,
    ),
    "strategies are loaded for tasks that the user asked for": (
        {"make_strategy"},
        {"strategies/external.py", "experiment/sweep/tasks.py", "experiment/loop/task.py"}
        | {"__init__.py", "strategies/__init__.py"},  # these two pass it on
    ),
    "sources of names are looked for where tasks are run": (
        {"source_of", "model_source", "code_version"},
        {
            "loading.py",
            "model/external.py",
            "experiment/stored/sources.py",
            "experiment/sweep/tasks.py",
            "experiment/sweep/worker.py",
        },
    ),
    "stored rows are looked at before they are used": (
        {"read_all", "read_rows"},
        {"records/store.py", "experiment/stored/rows.py", "experiment/stored/reading.py"},
    ),
    "files are written in one place": (
        {"write_text", "write_bytes", "tempfile", "rename", "touch", "fdopen", "mkstemp", "savefig", "shutil"},
        {"records/files.py"},
    ),
}
FRAMES = {
    "report/measured.py",
    "report/strategies.py",
    "report/tables.py",
    "reproduce/comparison.py",
}  # they rename columns


@functools.cache
def used(file: str) -> frozenset[str]:
    """Names that a file calls, imports or mentions as attributes, in its code and not in its texts."""

    def names(node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases):
                yield from (module or "", *(alias.name for alias in aliases))

    tree = ast.parse((HOME / file).read_text(encoding="utf-8"))
    # re.compile makes no code
    attributes = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_regex(node.func)}
    return frozenset(name for node in ast.walk(tree) if id(node) not in attributes for name in names(node))


def _is_regex(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"


FILES = sorted(path.relative_to(HOME).as_posix() for path in HOME.rglob("*.py"))


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_is_kept(rule: str) -> None:
    forbidden, allowed = RULES[rule]
    others = [file for file in FILES if file not in allowed | (FRAMES if "rename" in forbidden else set())]
    broken = {file: found for file in others if (found := sorted(used(file) & forbidden))}
    assert not broken


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_says_something(rule: str) -> None:
    """The names are those that the allowed files use: a rule about names that nobody has would
    always be kept.
    """
    forbidden, allowed = RULES[rule]
    assert any(used(file) & forbidden for file in allowed)
    assert allowed <= set(FILES)


def test_files_are_opened_for_reading_only() -> None:
    """Also where a mode is given to open()."""
    for file in FILES:
        for node in ast.walk(ast.parse((HOME / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "open":
                words = [*node.args, *(word.value for word in node.keywords)]
                given = [one.value for one in words if isinstance(one, ast.Constant)]
                if given and isinstance(given[0], int):  # a stream that is open already, by its number
                    continue
                modes = [mode for mode in given if isinstance(mode, str) and set(mode) <= set("rwaxbt+")]
                assert all(not set(mode) & set("wax+") for mode in modes), f"{file}:{node.lineno}"
