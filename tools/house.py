"""Count what makes a house hard to enter, and compare it with the limits that a test keeps.

    python -m tools.house

prints each count with its limit and the places it was found in. The exit code is 1 where a limit is
exceeded. ``tests/contracts/test_house.py`` asks the same.

    models        tests for a concrete prior or channel outside of model/: ask the model what it can do
    any           per cent of the annotations in src/ in which Any, or another name for it, occurs
    long files    Python files above 350 lines
    functions     functions above 60 lines, the docstring not counted
    mirror        unit tests that do not stand where the module they test stands
    prose         lines of Markdown above 100 characters, outside of tables and code
    constants     numbers of a module without a sentence of their own above them
    options       texts outside of cli/ that name an option of the command line, in no whole command
    names         variables, parameters, functions and classes of src/ with a name that says nothing
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.annotations import Module, loose, nodes

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path("src/gardner")
CODE = ("src", "tests", "benchmarks", "tools", "docs")
MOST_LINES, MOST_FUNCTION_LINES, MOST_PROSE = 350, 60, 100
CONCRETE = frozenset(
    {"Gaussian", "Rademacher", "GaussBernoulli", "Laplace", "Spectrum"}
    | {"Sign", "Flip", "Probit", "Logistic", "Linear", "Absolute"}
)
MODEL_NAMES = frozenset(
    {"gaussian", "rademacher", "gauss-bernoulli", "laplace", "spectrum"}
    | {"sign", "flip", "probit", "logistic", "linear", "absolute"}
)
EMPTY_NAMES = frozenset({"told", "stuff", "tmp", "foo", "data2"})  # also behind an underscore, and in capitals
_ASKS = {"isinstance", "issubclass"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Count:
    """What was counted, as a number beside its limit, and where."""

    name: str
    value: float
    limit: float
    places: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Whether the limit is."""
        return self.value <= self.limit


def counts(root: Path = ROOT) -> list[Count]:
    """All counts of a working tree."""
    rules: dict[str, Callable[[Path], Iterator[str]]] = {
        "models": concrete_models,
        "long files": long_files,
        "functions": long_functions,
        "mirror": unmirrored_tests,
        "prose": long_prose,
        "constants": bare_constants,
        "options": options_in_the_library,
        "names": empty_names,
    }
    found = {name: tuple(rule(root)) for name, rule in rules.items()}
    loose, total = loose_annotations(root)
    share = Count("any", round(100.0 * len(loose) / total, 1), 5.0, tuple(loose))
    return [*(Count(name, len(places), 0, places) for name, places in found.items()), share]


def concrete_models(root: Path) -> Iterator[str]:
    """Tests for a concrete model outside of model/: by type, equality, pattern, table of classes,
    or by the name it is registered under.
    """
    for path in sorted((root / SOURCE).rglob("*.py")):
        if path.is_relative_to(root / SOURCE / "model"):
            continue
        for node in nodes(_tree(path)):
            if _asks_for_a_model(node):
                yield f"{path.relative_to(root)}:{getattr(node, 'lineno', 0)}"


def _asks_for_a_model(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[_, kinds]) if name in _ASKS:
            return _names_a_model(kinds)
        case ast.Call(func=ast.Attribute(attr="register"), args=[kind, *_]):  # functools.singledispatch
            return _names_a_model(kind)
        case ast.Compare(left=left, comparators=right):
            return any(_names_a_model(side) or _is_name_of_a_model(side) for side in (left, *right))
        case ast.Dict(keys=keys):
            return any(key is not None and _names_a_model(key) for key in keys)
        case ast.MatchClass(cls=kind):
            return _names_a_model(kind)
        case ast.MatchValue(value=value):
            return _is_name_of_a_model(value)
    return False


def _is_name_of_a_model(node: ast.expr) -> bool:
    """A registered name as a text, or several of them."""
    match node:
        case ast.Constant(value=str(text)):
            return text in MODEL_NAMES
        case ast.BinOp(left=left, right=right):
            return _is_name_of_a_model(left) or _is_name_of_a_model(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(map(_is_name_of_a_model, parts))
    return False


def _names_a_model(node: ast.expr) -> bool:
    """A class of the list, an object made of it, or several of them."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in CONCRETE
        case ast.Call(func=func):
            return _names_a_model(func)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(map(_names_a_model, parts))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _names_a_model(left) or _names_a_model(right)
    return False


def loose_annotations(root: Path) -> tuple[list[str], int]:
    """Annotations in which Any or an alias of it occurs, and how many there are in all."""
    paths = sorted((root / SOURCE).rglob("*.py"))
    return loose([Module(str(path.relative_to(root)), _module(root, path), _tree(path)) for path in paths])


def long_files(root: Path) -> Iterator[str]:
    """Python files above the limit."""
    for path in _python(root):
        lines = len(path.read_text("utf-8").splitlines())
        if lines > MOST_LINES:
            yield f"{path.relative_to(root)}: {lines} lines"


def long_functions(root: Path) -> Iterator[str]:
    """Functions above the limit."""
    for path in _python(root):
        for node in nodes(_tree(path)):
            if isinstance(node, _FUNCTIONS):
                documentation = 0 if ast.get_docstring(node) is None else _lines(node.body[0])
                lines = _lines(node) - documentation
                if lines > MOST_FUNCTION_LINES:
                    yield f"{path.relative_to(root)}:{node.lineno}: {node.name}, {lines} lines"


def _lines(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def unmirrored_tests(root: Path) -> Iterator[str]:
    """Unit tests that do not stand where the module stands that they test.

    The tests of src/gardner/FOLDER/MODULE.py are in tests/unit/FOLDER/test_MODULE.py, and in
    test_MODULE_TOPIC.py where one file would be too long. Those of a whole folder bear its name.
    """
    for path in sorted((root / "tests/unit").rglob("test_*.py")):
        place = path.relative_to(root / "tests/unit").parent
        folder = root / SOURCE / place
        modules = {module.stem for module in folder.glob("*.py")} | {folder.name}
        words = path.stem.removeprefix("test_").split("_")
        if not any("_".join(words[:count]) in modules for count in range(1, len(words) + 1)):
            yield f"{path.relative_to(root)}: no such module in {SOURCE / place}"


def long_prose(root: Path) -> Iterator[str]:
    """Lines of Markdown above the limit, except tables, code and what cannot be broken."""
    for path in _files(root, "md"):
        fenced = False
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            code = fenced or line.startswith("    ") or line.lstrip().startswith("|")
            whole = re.sub("`[^`]*`", lambda span: span[0].replace(" ", "_"), line)  # code is not broken
            breakable = " " in whole[:MOST_PROSE].lstrip(" -*>#")  # else it is one address, or one command
            if len(line) > MOST_PROSE and breakable and not code:
                yield f"{path.relative_to(root)}:{number}: {len(line)} characters"


def bare_constants(root: Path) -> Iterator[str]:
    """Numbers that a module names, without a sentence of their own above them.

    The sentence says what the number limits, its unit, and the evidence or the reason for it.
    """
    for path in sorted((root / SOURCE).rglob("*.py")):
        lines = path.read_text("utf-8").splitlines()
        for node in _tree(path).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _is_numeric(node.value):
                above = lines[node.lineno - 2] if node.lineno > 1 else ""
                if not re.fullmatch(r"# .*[.]", above):
                    yield f"{path.relative_to(root)}:{node.lineno}: {lines[node.lineno - 1]}"


def options_in_the_library(root: Path) -> Iterator[str]:
    """Texts that speak of an option to whoever called a function of Python.

    Docstrings may, and the fields of an experiment, where options are declared. A whole command
    (``gardner query --save``) helps either reader.
    """
    for path in sorted((root / SOURCE).rglob("*.py")):
        if path.is_relative_to(root / SOURCE / "cli"):
            continue
        tree = _tree(path)
        spared = {id(part) for node in nodes(tree) if _declares(node) for part in ast.walk(node)}
        for node in nodes(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spared:
                text = re.sub(r"gardner [^`;]*", "", node.value)
                if re.search(r"(?<![-\w])--[a-z]", text) and " " in text:  # one word is no message
                    yield f"{path.relative_to(root)}:{node.lineno}: {node.value}"


def empty_names(root: Path) -> Iterator[str]:
    """Names that say nothing, where they are given; what only uses them is not counted."""
    for path in sorted((root / SOURCE).rglob("*.py")):
        for node in nodes(_tree(path)):
            for name in _names_given(node):
                if name.strip("_").lower() in EMPTY_NAMES:
                    yield f"{path.relative_to(root)}:{getattr(node, 'lineno', 0)}: {name}"


def _names_given(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
            return (name,)
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return (name,)
    return ()


def _declares(node: ast.AST) -> bool:
    """A docstring, or the declaration of a field."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Call(func=ast.Name(id="Field")):
            return True
    return False


def _is_numeric(node: ast.expr) -> bool:
    """A number, a calculation with numbers, or several of them."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ast.UnaryOp(operand=inner):
            return _is_numeric(inner)
        case ast.BinOp(left=left, right=right):
            return _is_numeric(left) and _is_numeric(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return bool(parts) and all(map(_is_numeric, parts))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np")), args=[first, *_]):
            return _is_numeric(first)
    return False


def _python(root: Path) -> list[Path]:
    return _files(root, "py")


def _files(root: Path, ending: str) -> list[Path]:
    """Files in the folders that people write in. Git is not asked: a source archive has none."""
    found = [path for folder in CODE for path in (root / folder).rglob(f"*.{ending}")]
    return sorted([*found, *root.glob(f"*.{ending}")])


def _tree(path: Path) -> ast.Module:
    return _parsed(path.read_text("utf-8"))


@functools.cache  # each rule looks at the same files
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def _module(root: Path, path: Path) -> str:
    parts = path.relative_to(root / SOURCE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def main() -> int:
    """Print all counts; 1 where a limit is exceeded."""
    found = counts()
    for count in found:
        print(f"{count.name}: {count.value:g} (limit {count.limit:g}){'' if count.kept else ', which is exceeded'}")
        for place in () if count.kept else count.places:
            print(f"    {place}")
    return 0 if all(count.kept for count in found) else 1


if __name__ == "__main__":
    sys.exit(main())
