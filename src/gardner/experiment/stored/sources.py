"""The stamp of the code that makes a row: twelve letters that change when the code does something
else.

A stored result stays valid when a comment, a docstring or the formatting of a source changes. So
the stamp is of the syntax tree of each file and not of its bytes, in a normal form that is the same
on every version of Python that Gardner runs on:

- Fields that hold nothing (None, an empty list) are left out. Versions differ in those:
  ``type_params`` came with Python 3.12.
- ``type_comment`` (a comment), ``kind`` (the u of u"…") and ``ctx`` (which follows from the place)
  are left out.
- Statements that do nothing are left out: docstrings and other constants that stand alone, and
  ``pass``.
- The pieces of text in an f-string are joined, as versions cut them differently.
- Fields are in alphabetical order; texts are written in ASCII, since what is printable depends on
  Python's tables of Unicode; whole numbers are written in base 16, which has no limit of digits.

What cannot be parsed (a compiled module) counts with its bytes. Nothing is run, here or for rows
that are read back: a syntax tree is only looked at.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gardner
from gardner.loading import is_external, source_of

if TYPE_CHECKING:
    from gardner.experiment.question.task import Task

# Python 3.11 counts the depth of a syntax tree for all threads together: two at once raise a
# SystemError.
_PARSING = threading.Lock()

_SOURCES = (
    "checks.py",
    "experiment/loop/pool.py",
    "experiment/loop/training.py",
    "experiment/loop/device.py",
    "experiment/rounds.py",
    "experiment/device/*.py",
    "experiment/loop/table.py",
    "experiment/loop/task.py",
    "experiment/question/device.py",
    "experiment/question/table.py",
    "experiment/question/labelled_table.py",
    "records/encoding.py",
    "records/label_kind.py",
    "records/pool_file.py",
    "records/table_file.py",
    "records/user_file.py",
    "table/*.py",
    "table/classes/*.py",
    "strategies/*.py",
    "rules/*.py",
    "inference/*.py",
    "inference/device/*.*",
    "model/*.py",
    "units.py",
)
_LEFT_OUT = {"type_comment", "kind", "ctx", "type_ignores"}

Name = tuple[str, str]  # what it is, strategy, prior or channel, and the text that names it


def names_in(task: Task) -> tuple[Name, ...]:
    """The strategy and the models of a task, by name."""
    from gardner.experiment.question.task import MODELS

    models = dict.fromkeys((one.model, str(getattr(task, one.name))) for one in MODELS)
    return ("strategy", task.strategy.name), *models


def external_names(names: Iterable[Name]) -> list[str]:
    """Those names that are of a file or a module, models without their number, each once; nothing
    is loaded.
    """
    from gardner.model.external import external_name

    texts = (text if what == "strategy" and is_external(text) else external_name(what, text) for what, text in names)
    return list(dict.fromkeys(text for text in texts if text))


def code_version(names: tuple[Name, ...]) -> str:
    """A stamp of what makes a run: loop, strategies, inference, model, and the files of a strategy
    or a model not ours.

    A module that a name leads to is imported: for what the user names, not for stored rows. What
    such a file imports from elsewhere is not seen.
    """
    from gardner.model.external import model_source

    found = [source_of(what, text) if what == "strategy" else model_source(what, text) for what, text in names]
    return stamp(*_SOURCES, also=[file for file in dict.fromkeys(found) if file])


def stored_version(names: tuple[Name, ...]) -> str | None:
    """:func:`code_version` of names that were read from a row: nothing is imported.

    None where it is not known: a module would have to be run, or a file is not in this folder.
    """
    files = [Path(text.rpartition(":")[0]) for text in external_names(names)]  # rows hold them without folders
    try:
        known = all(file.suffix == ".py" and file.name == str(file) and file.is_file() for file in files)
        return stamp(*_SOURCES, also=list(dict.fromkeys(files))) if known else None
    except OSError:  # too long a name, or not ours to read
        return None


def stamp(*patterns: str, also: Sequence[Path] = ()) -> str:
    """A stamp of some of our sources, by patterns of their paths in the package, and of other
    files.
    """
    digest = hashlib.sha256(_stamp_ours(patterns))
    for path in also:
        digest.update(_stamped(path))
    return digest.hexdigest()[:12]


@functools.cache  # those of the package are what this process has loaded, whatever the disk holds later
def _stamp_ours(patterns: tuple[str, ...]) -> bytes:
    home = Path(inspect.getfile(gardner)).parent
    paths = [path for pattern in patterns for path in sorted(home.glob(pattern))]
    return b"".join(map(_stamped, paths))


def _stamped(path: Path) -> bytes:
    return path.name.encode() + b"\0" + hashlib.sha256(normal_form(path.read_bytes())).digest()


def normal_form(source: bytes) -> bytes:
    """What a source does, whatever it looks like; its bytes, where it is no source of Python.

    >>> one = b"def f(x):\\n    '''Double it.'''\\n    return 2*x"
    >>> normal_form(one) == normal_form(b"def f(x): return (2 * x)  # twice")
    True
    """
    try:
        with _PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that are none
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    written: list[str] = []
    waiting: list[Any] = [tree]  # a stack, since a sum of a thousand terms is a thousand deep
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Written):
            written.append(item)
        elif isinstance(item, ast.AST):
            written.append(f"{type(item).__name__}(")
            waiting.append(_Written(")"))
            for name, value in sorted(_telling_fields(item), reverse=True):
                waiting += [value, _Written(f" {name}=")]
        elif isinstance(item, list):
            written.append("[")
            waiting.append(_Written("]"))
            waiting += [one for one in reversed(item) if not _is_idle(one)]
        else:
            written.append(f" {item:x}" if type(item) is int else f" {item!a}")
    return "".join(written).encode()


class _Written(str):
    """A piece of the normal form, and not a text of the source."""


def _telling_fields(node: ast.AST) -> Iterator[tuple[str, object]]:
    """The fields of a node that say something about what it does."""
    for name, value in ast.iter_fields(node):
        if isinstance(node, ast.JoinedStr):
            value = _joined(value)
        if name not in _LEFT_OUT and value is not None and value != []:
            yield name, value


def _is_idle(node: object) -> bool:
    """Whether it is a statement that does nothing."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _joined(pieces: list[ast.expr]) -> list[Any]:
    """The pieces of an f-string, neighbouring texts as one, empty ones left out."""
    result: list[Any] = []
    for piece in pieces:
        text = piece.value if isinstance(piece, ast.Constant) else None
        if not isinstance(text, str):
            result.append(piece)
        elif result and isinstance(result[-1], str):
            result[-1] += text
        elif text:
            result.append(text)
    return result
