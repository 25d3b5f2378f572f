"""Anyone's strategy by name: a registered one, a dotted path, or an object in a file.

    agnostic                                    registered
    skactiveml.pool.UncertaintySampling         dotted; package.module:Class is the same
    path/to/my_strategy.py:MyStrategy           a file

What the name leads to may follow our contract, scikit-activeml's or modAL's: ``recognise`` says how it is told.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from gardner.errors import InvalidInputError
from gardner.strategies.base import Strategy, StrategyError, make_registered
from gardner.strategies.recognise import adapt, strategy_like

INSTALL = {
    "skactiveml": "pip install 'gardner[scikit-activeml]'",
    "modAL": "pip install modAL-python (the package called modAL is another project)",
}
_SHOWN = 12  # names in an error message
_RAISED = (Exception, SystemExit, KeyboardInterrupt)  # by a file that is imported: whatever it is, it is the file's
_loaded: dict[Path, tuple[tuple[int, int], ModuleType]] = {}


def make_strategy(name: str, parameters: dict[str, Any]) -> Strategy:
    """A fresh strategy: parameters are keywords of a class, or of a function at each call.

    >>> make_strategy("mixture", {"fraction": 0.2})
    Mixture(fraction=0.2, rest='random')
    """
    if not _is_external(name):
        return make_registered(name, parameters)
    module, attribute = _locate(name)
    found = _attribute(module, attribute, name)
    return adapt(found, attribute.rpartition(".")[2], parameters)


def source_of(name: str) -> Path | None:
    """The file whose bytes define an external strategy; None for those of the package and for compiled ones.

    What that file imports is not part of it.

    >>> source_of("agnostic") is None
    True
    """
    if not _is_external(name):
        return None
    split = _split_file(name)
    if split is not None:
        return _existing(split[0], name)
    module, attribute = _locate(name)
    found = _attribute(module, attribute, name)
    file: str | None = None
    if inspect.isclass(found) or inspect.isfunction(found):
        try:
            file = inspect.getsourcefile(inspect.unwrap(found))
        except TypeError:  # a class that was not read from a file
            file = None
    file = file or getattr(module, "__file__", None)
    return Path(file) if file is not None and Path(file).is_file() else None  # some modules are frozen into Python


def _is_external(name: str) -> bool:
    return any(mark in name for mark in ".:/\\")


def _split_file(name: str) -> tuple[str, str] | None:
    """File and attribute, where the name is that of a file."""
    if name.endswith(".py"):
        return name, ""
    path, _, attribute = name.rpartition(":")
    if path.endswith(".py"):
        return path, attribute
    if "/" in name or "\\" in name:
        raise InvalidInputError("strategy", name, "a file is named FILE.py:CLASS")
    return None


def _locate(name: str) -> tuple[ModuleType, str]:
    """The module and what to take from it."""
    split = _split_file(name)
    if split is not None:
        return _load(_existing(split[0], name)), split[1]
    if ":" in name:
        path, _, attribute = name.partition(":")
        module = _import(path, name)
        if module is not None:
            return module, attribute
    else:
        path, parts = name, list[str]()
        while "." in path:  # package.module.Class, or package.module.Class.Nested
            path, _, last = path.rpartition(".")
            parts.insert(0, last)
            module = _import(path, name)
            if module is not None:
                return module, ".".join(parts)
    raise _no_module(path, name)


def _no_module(path: str, name: str) -> InvalidInputError:
    file = Path(f"{path.replace('.', '/')}.py")
    hint = INSTALL.get(path.split(".")[0], "is it installed? a file is named FILE.py:CLASS")
    if file.exists():
        hint = f"for the file here write {file}:{name.replace(':', '.').rpartition('.')[2]}"
    return InvalidInputError("strategy", name, f"there is no module {path}", hint=hint)


def _import(path: str, name: str) -> ModuleType | None:
    """A module by its dotted path; None if there is none of that name."""
    if not all(part.isidentifier() for part in path.split(".")):
        raise InvalidInputError(
            "strategy", name, "it is neither registered, nor PACKAGE.MODULE:CLASS, nor FILE.py:CLASS"
        )
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{path}.".startswith(f"{error.name}."):
            return None
        raise _failed(path, error) from error
    except _RAISED as error:
        raise _failed(path, error) from error


def _existing(path: str, name: str) -> Path:
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        near = difflib.get_close_matches(file.name, [other.name for other in file.parent.glob("*.py")], n=1)
        hint = f"did you mean {near[0]}?" if near else "paths are relative to where the command runs"
        raise InvalidInputError("strategy", name, f"there is no file {file}", hint=hint)
    return file


class _Fresh(SourceFileLoader):
    """Compiles what the file holds now: bytecode kept beside it may be of an edit within the same second."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.get_filename(fullname)), self.path)


def _load(path: Path) -> ModuleType:
    """The module in a file; read again only if the file changed."""
    status = path.stat()
    stamp = (status.st_mtime_ns, status.st_size)
    if path in _loaded and _loaded[path][0] == stamp:
        return _loaded[path][1]
    name = f"gardner_strategy_{path.stem}_{hashlib.blake2b(bytes(path), digest_size=4).hexdigest()}"
    spec = importlib.util.spec_from_loader(name, _Fresh(name, str(path)))
    if spec is None or spec.loader is None:  # cannot be, with a loader given
        raise StrategyError(f"cannot import {path}")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module  # where dataclasses and pickle look for it
    try:
        with _beside(path.parent):
            spec.loader.exec_module(module)
    except _RAISED as error:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
        raise _failed(path, error) from error
    _loaded[path] = (stamp, module)
    return module


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Let a file import its neighbours, as if it were run; afterwards they are forgotten.

    Another folder's ``helper.py`` must not meet this one's.
    """
    before = set(sys.modules)
    importlib.invalidate_caches()
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(folder) and "site-packages" not in Path(file).parts:
                del sys.modules[name]


def _failed(where: Path | str, error: BaseException) -> StrategyError:
    """An import that raised, on one line: file, line, reason."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<frozen")]
    own = [frame for frame in frames if frame.filename == str(where)]
    place = ""
    if isinstance(error, SyntaxError) and error.filename:
        place = f" ({error.filename}, line {error.lineno})"
    elif own:
        place = f" (line {own[-1].lineno})"
    elif isinstance(where, str) and frames and frames[-1].filename != __file__:
        place = f" ({frames[-1].filename}, line {frames[-1].lineno})"
    reason = error.msg if isinstance(error, SyntaxError) else str(error)
    missing = (error.name or "").split(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    return StrategyError(
        f"cannot import {where}{place}: {' '.join(f'{type(error).__name__}: {reason}'.split())}",
        hint=INSTALL.get(missing, f"is {missing} installed?" if missing else "importing it must work on its own"),
    )


def _attribute(module: ModuleType, attribute: str, name: str) -> Any:
    found: Any = module
    for part in attribute.split(".") if attribute else []:
        if not hasattr(found, part):
            raise _not_there(module, attribute, name, f"there is no {attribute} in it")
        found = getattr(found, part)
    if inspect.ismodule(found):
        raise _not_there(found, "", name, "it leads to a module and does not say which object of it")
    return found


def _not_there(module: ModuleType, attribute: str, name: str, says: str) -> InvalidInputError:
    there = _available(module)
    near = difflib.get_close_matches(attribute, there, n=1)
    listed = ", ".join([*there[:_SHOWN], *(["…"] if len(there) > _SHOWN else [])]) or "nothing"
    hint = (
        f"did you mean {near[0]}?" if near else f"in {getattr(module, '__file__', module.__name__)} there is {listed}"
    )
    return InvalidInputError("strategy", name, says, hint=hint)


def _available(module: ModuleType) -> list[str]:
    """Names in a module that could be strategies, what it merely imported left out."""
    public = getattr(module, "__all__", None)
    named = {name: value for name, value in vars(module).items() if not name.startswith("_") and strategy_like(value)}
    if public is not None:
        return sorted(name for name in named if name in public)
    plain = (name for name, value in named.items() if not (inspect.isclass(value) or inspect.isfunction(value)))
    own = (name for name, value in named.items() if getattr(value, "__module__", None) == module.__name__)
    return sorted({*plain, *own})
