"""benchmarks/README.md, docs/ and the scripts of benchmarks/ know each other. Sources are read,
nothing is run.
"""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
SOURCES = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "benchmarks").glob("*.py"))}
DOCS = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
TEXTS = {"benchmarks/README.md": PAGE} | {f"docs/{name}": text for name, text in DOCS.items()}
TEXTS |= {name: (ROOT / name).read_text("utf-8") for name in ("README.md", "CONTRIBUTING.md")}
TEXTS |= {f"benchmarks/{name}": ast.get_docstring(ast.parse(text)) or "" for name, text in SOURCES.items()}
# a row has five cells: script, question, command, how long, pages of docs; an entry of the last
# list has a script
ROWS = {name: rest.split(" | ") for name, rest in re.findall(r"^\| `(\w+\.py)` \| (.+) \|$", PAGE, re.MULTILINE)}
PARTS = re.findall(r"^- `(\w+\.py)`: ", PAGE, re.MULTILINE)
NAMED = re.compile(r"\bbenchmarks(?:\.|/)(\w+)")
COMMAND = re.compile(r"python -m benchmarks\.(\w+)([^`#\n]*(?:\n(?=[^`\n]*`)[^`#\n]*)?)")
OTHER_FORM = re.compile(r"python\s+benchmarks/\w+\.py")
# The map of the source names scripts, and has no numbers.
NO_NUMBERS = "architecture.md"


@functools.cache
def calls(source: str) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]


def called(function: str, source: str) -> list[ast.Call]:
    """Calls of a method, by its name."""
    return [one for one in calls(source) if getattr(one.func, "attr", None) == function]


def is_command(source: str) -> bool:
    return 'if __name__ == "__main__":' in source


def mentioned(text: str) -> set[str]:
    """Scripts that a text names."""
    return {f"{name}.py" for name in NAMED.findall(text) if name not in ("results", "printed", "README")}


def test_the_page_has_every_script_once_and_no_other() -> None:
    assert sorted([*ROWS, *PARTS]) == sorted(SOURCES)
    assert len(re.findall(r"^\| `\w+\.py`", PAGE, re.MULTILINE)) == len(ROWS)
    spoken_of = set(re.findall(r"`(\w+\.py)`", PAGE))
    assert spoken_of == set(SOURCES)


def test_commands_have_rows_and_parts_do_not() -> None:
    assert {name for name, source in SOURCES.items() if is_command(source)} == set(ROWS)
    for name in PARTS:
        module = name.removesuffix(".py")
        others = "".join(source for other, source in SOURCES.items() if other != name)
        assert re.search(rf"from benchmarks\.{module} import|from benchmarks import {module}\b", others), name


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_whole(name: str) -> None:
    question, command, long, pages = ROWS[name]
    assert question.count("?") == 1
    assert command.startswith(f"`python -m benchmarks.{name.removesuffix('.py')}")
    assert long
    links = re.findall(r"\[([\w-]+\.md)\]\(\.\./docs/([\w-]+\.md)\)", pages)
    assert pages == (", ".join(f"[{shown}](../docs/{page})" for shown, page in links) or "–")
    found = {page for page, text in DOCS.items() if page != NO_NUMBERS and name in mentioned(text)}
    assert {page for _, page in links} == found, "the row and docs/ must name each other"
    assert all(shown == page for shown, page in links)


@pytest.mark.parametrize("name", ROWS)
def test_help_prints_the_docstring(name: str) -> None:
    source = SOURCES[name]
    descriptions = [
        ast.unparse(word.value)
        for call in called("ArgumentParser", source)
        for word in call.keywords
        if word.arg == "description"
    ]
    assert descriptions == ["__doc__"]
    assert called("parse_args", source)
    text = TEXTS[f"benchmarks/{name}"]
    assert f"python -m benchmarks.{name.removesuffix('.py')}" in text
    assert "%(" not in text  # argparse would fill it in


def test_what_pages_name_is_there() -> None:
    gone = {page: mentioned(text) - set(SOURCES) for page, text in TEXTS.items()}
    assert not {page: names for page, names in gone.items() if names}


def test_there_is_one_form_of_command() -> None:
    others = {page: OTHER_FORM.findall(text) for page, text in TEXTS.items()}
    assert not {page: found for page, found in others.items() if found}, "python -m benchmarks.NAME works for all"


def test_options_of_commands_are_known() -> None:
    for page, text in TEXTS.items():
        for module, rest in COMMAND.findall(text):
            source = SOURCES[f"{module}.py"]
            options = {ast.unparse(one.args[0]).strip("'") for one in called("add_argument", source) if one.args}
            assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", rest)) - {"--help"} <= options, (page, module, rest)


def test_a_script_that_is_not_there_is_seen() -> None:
    assert mentioned("`python -m benchmarks.gone run` and benchmarks/away.py; benchmarks/results/gpu.json") == {
        "gone.py",
        "away.py",
    }
    assert OTHER_FORM.search("by `python\nbenchmarks/wall.py`")
