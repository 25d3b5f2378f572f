"""The one loader of anybody's code, be it a strategy, a prior or a channel.

    package.module:Class, package.module.Class     importable
    path/to/mine.py:Class                          in a file

A file or a module that is named is imported, and so it is run. Only names that the user gave to
this very command may be loaded: options and arguments, and strategies in a spec file among them.
What is read back from results never is; a test of the sources holds this. What a thing must be
able to do is checked by who asks for it: ``gardner.strategies.contracts`` for strategies,
``gardner.model.external`` for priors and channels.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from gardner.errors import GardnerError, InvalidInputError

INSTALL = {
    "skactiveml": "pip install 'gardner[scikit-activeml]'",
    "modAL": "pip install modAL-python (the package called modAL is another project)",
}
FROM_FILE = "gardner_own_"  # how modules are named that were loaded from files
# Names in an error message, so that it stays a line or two.
_SHOWN = 12
_RAISED = (Exception, SystemExit, KeyboardInterrupt)  # by a file that is imported: whatever it is, it is the file's
_loaded: dict[Path, tuple[tuple[int, int], ModuleType]] = {}


class LoadError(GardnerError):
    """A file or a module that was named cannot be imported."""


@dataclass(frozen=True)
class Found:
    """What a name led to, the module it was found in, and whether that is a file that was named."""

    value: Any
    attribute: str
    module: ModuleType
    named_file: bool


def summary_of(kind: object) -> str:
    """The first paragraph of an object's documentation, in one line."""
    return " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())


def is_external(name: str) -> bool:
    """Whether a name is that of a file or of something in a module.

    >>> is_external("agnostic"), is_external("mine.py:Mine"), is_external("package.Class")
    (False, True, True)
    """
    return any(mark in name for mark in ".:/\\")


def load_named(what: str, name: str, likely: Callable[[object], bool]) -> Found:
    """Import what a name leads to. ``what`` it is to be, and which values are ``likely``, is for
    error messages.
    """
    module, attribute = _locate(what, name)
    found: Any = module
    for part in attribute.split(".") if attribute else []:
        if not hasattr(found, part):
            raise _not_there(what, name, module, attribute, f"there is no {attribute} in it", likely)
        found = getattr(found, part)
    if inspect.ismodule(found):
        says = "it leads to a module and does not say which object of it"
        raise _not_there(what, name, found, "", says, likely)
    return Found(found, attribute, module, module.__name__.startswith(FROM_FILE))


def base_name(what: str, name: str) -> str:
    """The name of something in a file, without the folder; other names as they are.

    >>> base_name("strategy", "deep/mine.py:Mine"), base_name("strategy", "package.module:Mine")
    ('mine.py:Mine', 'package.module:Mine')
    """
    if what == "data":
        return Path(name).name
    file, _, attribute = name.rpartition(":")
    return f"{Path(file).name}:{attribute}" if file.endswith(".py") else name


def full_name(what: str, name: str) -> str:
    """The name of something in a file, with the whole path, for processes that run in other
    folders.
    """
    if what == "data":
        return str(Path(name).absolute()) if name else ""
    split = _split_file(what, name) if is_external(name) else None
    return name if split is None else f"{_existing(what, split[0], name)}:{split[1]}".removesuffix(":")


def source_of(what: str, name: str) -> Path | None:
    """The file that defines what a name leads to; None for what is registered or compiled.

    A name that gives a file is not loaded; one that gives a module is, to see where it leads. What
    that file imports is not part of it.

    >>> source_of("strategy", "agnostic") is None
    True
    """
    if not is_external(name):
        return None
    split = _split_file(what, name)
    if split is not None:
        return _existing(what, split[0], name)
    found = load_named(what, name, callable)
    file: str | None = None
    if inspect.isclass(found.value) or inspect.isfunction(found.value):
        try:
            file = inspect.getsourcefile(inspect.unwrap(found.value))
        except TypeError:  # a class that was not read from a file
            file = None
    file = file or getattr(found.module, "__file__", None)
    return Path(file) if file is not None and Path(file).is_file() else None  # some modules are frozen into Python


def _split_file(what: str, name: str) -> tuple[str, str] | None:
    """File and attribute, where the name is that of a file."""
    if name.endswith(".py"):
        return name, ""
    path, _, attribute = name.rpartition(":")
    if path.endswith(".py"):
        return path, attribute
    if "/" in name or "\\" in name:
        raise InvalidInputError(what, name, "a file is named FILE.py:CLASS")
    return None


def _locate(what: str, name: str) -> tuple[ModuleType, str]:
    """The module and what to take from it."""
    split = _split_file(what, name)
    if split is not None:
        return _load(_existing(what, split[0], name)), split[1]
    if ":" in name:
        path, _, attribute = name.partition(":")
        module = _import(what, path, name)
        if module is not None:
            return module, attribute
    else:
        path, parts = name, list[str]()
        while "." in path:  # package.module.Class, or package.module.Class.Nested
            path, _, last = path.rpartition(".")
            parts.insert(0, last)
            module = _import(what, path, name)
            if module is not None:
                return module, ".".join(parts)
    raise _no_module(what, path, name)


def _no_module(what: str, path: str, name: str) -> InvalidInputError:
    file = Path(f"{path.replace('.', '/')}.py")
    hint = INSTALL.get(path.split(".")[0], "is it installed? a file is named FILE.py:CLASS")
    if file.exists():
        hint = f"for the file here write {file}:{name.replace(':', '.').rpartition('.')[2]}"
    return InvalidInputError(what, name, f"there is no module {path}", hint=hint)


def _import(what: str, path: str, name: str) -> ModuleType | None:
    """A module by its dotted path; None if there is none of that name."""
    if not all(part.isidentifier() for part in path.split(".")):
        raise InvalidInputError(what, name, "it is neither registered, nor PACKAGE.MODULE:CLASS, nor FILE.py:CLASS")
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{path}.".startswith(f"{error.name}."):
            return None
        raise _failed(path, error) from error
    except _RAISED as error:
        raise _failed(path, error) from error


def _existing(what: str, path: str, name: str) -> Path:
    try:
        file = Path(path).expanduser().resolve()
        there = file.is_file()
    except (OSError, RuntimeError, ValueError) as error:  # too long, no such home, letters that no file has
        raise InvalidInputError(what, name, f"no file can have that name ({error})") from None
    if not there:
        near = difflib.get_close_matches(file.name, [other.name for other in file.parent.glob("*.py")], n=1)
        hint = f"did you mean {near[0]}?" if near else "paths are relative to where the command runs"
        raise InvalidInputError(what, name, f"there is no file {file}", hint=hint)
    return file


class _Fresh(SourceFileLoader):
    """Compiles what the file holds now: bytecode kept beside it may be of an edit within the same
    second.
    """

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.get_filename(fullname)), self.path)


def _load(path: Path) -> ModuleType:
    """The module in a file; read again only if the file changed."""
    status = path.stat()
    stamp = (status.st_mtime_ns, status.st_size)
    if path in _loaded and _loaded[path][0] == stamp:
        return _loaded[path][1]
    name = f"{FROM_FILE}{path.stem}_{hashlib.blake2b(bytes(path), digest_size=4).hexdigest()}"
    spec = importlib.util.spec_from_loader(name, _Fresh(name, str(path)))
    if spec is None or spec.loader is None:  # cannot be, with a loader given
        raise LoadError(f"cannot import {path}")
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


def _failed(where: Path | str, error: BaseException) -> LoadError:
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
    return LoadError(
        f"cannot import {where}{place}: {' '.join(f'{type(error).__name__}: {reason}'.split())}",
        hint=INSTALL.get(missing, f"is {missing} installed?" if missing else "importing it must work on its own"),
    )


def _not_there(
    what: str, name: str, module: ModuleType, attribute: str, says: str, likely: Callable[[object], bool]
) -> InvalidInputError:
    there = _available(module, likely)
    near = difflib.get_close_matches(attribute, there, n=1)
    listed = ", ".join([*there[:_SHOWN], *(["…"] if len(there) > _SHOWN else [])]) or "nothing"
    where = getattr(module, "__file__", module.__name__)
    hint = f"did you mean {near[0]}?" if near else f"in {where} there is {listed}"
    return InvalidInputError(what, name, says, hint=hint)


def _available(module: ModuleType, likely: Callable[[object], bool]) -> list[str]:
    """Names in a module that could be meant, what it merely imported left out."""
    public = getattr(module, "__all__", None)
    named = {name: value for name, value in vars(module).items() if not name.startswith("_") and likely(value)}
    if public is not None:
        return sorted(name for name in named if name in public)
    plain = (name for name, value in named.items() if not (inspect.isclass(value) or inspect.isfunction(value)))
    own = (name for name, value in named.items() if getattr(value, "__module__", None) == module.__name__)
    return sorted({*plain, *own})
