"""Nothing outside ``gardner.model`` asks which class a prior or channel is: it asks what the model
says of itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import gardner
from gardner.model import CHANNELS, PRIORS
from gardner.model.registry import LISTED

HOME = Path(gardner.__file__).parent
CONCRETE = {kind.__name__ for kind in (*PRIORS.values(), *CHANNELS.values())} | {"PERCEPTRON", "RealLabels"}
CONCRETE |= {"BinaryLabels", "NumericPrior", "NumericChannel"}
NAMES = {*PRIORS, *CHANNELS, *LISTED}
TESTS = {"isinstance", "issubclass"}
PROBES = {"getattr", "hasattr", "type"}
MODELS = {"prior", "channel"}


def questions(source: str) -> Iterator[tuple[int, str]]:
    """Lines that test for a concrete model: by its class, by equality with one, by what attributes
    it has, or by its name.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names = {name for part in node.args for name in _names(part)}
            wanted = CONCRETE if node.func.id in TESTS else MODELS if node.func.id in PROBES else set()
            if names & wanted:
                yield node.lineno, ast.unparse(node)
        if isinstance(node, ast.Compare | ast.MatchClass):
            parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node.cls]
            if CONCRETE & {name for part in parts for name in _names(part)} or NAMES & set().union(*map(_texts, parts)):
                yield getattr(node, "lineno", 0), ast.unparse(node)


def _names(tree: ast.AST) -> set[str]:
    nodes = list(ast.walk(tree))
    return {node.id for node in nodes if isinstance(node, ast.Name)} | {
        node.attr for node in nodes if isinstance(node, ast.Attribute)
    }


def _texts(tree: ast.AST) -> set[str]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_no_concrete_model_is_asked_for() -> None:
    files = [path for path in HOME.rglob("*.py") if HOME / "model" not in path.parents]
    found = [f"{path.relative_to(HOME)}:{line}: {text}" for path in files for line, text in questions(path.read_text())]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(model.channel, Sign | Flip)",
        "type(channel) in KNOWN",
        "type(model.channel) is type(other)",
        "getattr(pair.student.channel, 'noise', 0.0)",
        "hasattr(prior, 'expansion')",
        "part == Flip(0.0)",
        "student == teacher == PERCEPTRON",
        "issubclass(kind, RealLabels)",
        "prior.name != 'gaussian'",
        "channel.compiled.name in ('sign', 'flip')",
    ],
)
def test_such_questions_are_seen(line: str) -> None:
    assert list(questions(line))
