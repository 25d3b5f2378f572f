"""How many annotations say nothing: those in which Any occurs, or another name for it.

Another name is one that is set to Any, to a type in which Any is, or to such a name, in this module
or in one that it is imported from.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Module(NamedTuple):
    """A module: its place in the working tree, its name, and its syntax."""

    place: str
    name: str
    tree: ast.Module


@functools.cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All parts of a module, kept since several counts go through them."""
    return tuple(ast.walk(tree))


def loose(modules: Sequence[Module]) -> tuple[list[str], int]:
    """Annotations in which Any or an alias of it occurs, and how many there are in all."""
    aliases = _aliases({module.name: module.tree for module in modules})
    places: list[str] = []
    total = 0
    for module in modules:
        for annotation in _annotations(module.tree):
            total += 1
            if _mentions_any(annotation, aliases[module.name]):
                places.append(f"{module.place}:{annotation.lineno}: {ast.unparse(annotation)}")
    return places, total


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            yield from (one.annotation for one in named if one is not None and one.annotation is not None)
            if node.returns is not None:
                yield node.returns
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation


def _mentions_any(annotation: ast.expr, words: set[str]) -> bool:
    match annotation:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in words
        case ast.Constant(value=str(text)):
            return _mentions_any(_quoted(text), words)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _mentions_any(left, words) or _mentions_any(right, words)
        case ast.Subscript(value=outer, slice=inside):  # a container of anything
            return _mentions_any(outer, words) or _mentions_any(inside, words)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):  # several parameters, or the arguments of a Callable
            return any(_mentions_any(part, words) for part in parts)
    return False


def _quoted(text: str) -> ast.expr:
    """A type in quotation marks; a text that is none, such as the key of a dictionary, mentions
    nothing.
    """
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return ast.Constant(None)


def _aliases(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """The words for Any in each module: itself, names set to a type in which it is, and such names
    imported. (Python 3.11 has no statement ``type X = ...``, so the source has none.)
    """
    words = {module: {"Any"} for module in trees}
    kinds = (ast.Assign, ast.AnnAssign, ast.ImportFrom)
    statements = {module: [node for node in nodes(tree) if isinstance(node, kinds)] for module, tree in trees.items()}
    size = -1
    while size != (size := sum(map(len, words.values()))):  # an alias may be of an alias elsewhere
        for module, of_module in statements.items():
            for node in of_module:
                words[module] |= _new_words(node, words, module)
    return words


def _new_words(node: ast.AST, words: dict[str, set[str]], module: str) -> set[str]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=meaning) if _mentions_any(meaning, words[module]):
            return {name}
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as meaning) if _mentions_any(
            meaning, words[module]
        ):
            return {name}
        case ast.ImportFrom(module=str(source), names=names) if source in words:
            return {alias.asname or alias.name for alias in names if alias.name in words[source]}
    return set()
