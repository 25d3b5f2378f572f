"""Priors and channels by name, with a parameter: ``gaussian:2``, ``flip:0.05``; or anyone's own.

gauss-bernoulli:0.1                 registered, with its first parameter
package.module:Class                importable; :0.1 may follow
path/to/my_model.py:Class           in a file; :0.1 may follow
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import importlib.util
import inspect
import sys
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from gardner.errors import GardnerError, InvalidInputError
from gardner.model.absolute import Absolute
from gardner.model.channel import Channel, Sign
from gardner.model.flip import Flip
from gardner.model.gauss_bernoulli import GaussBernoulli
from gardner.model.laplace import Laplace
from gardner.model.linear import Linear
from gardner.model.logistic import Logistic
from gardner.model.prior import Gaussian, Prior
from gardner.model.probit import Probit
from gardner.model.rademacher import Rademacher

_FROM_FILE = "gardner_model_"  # how modules of files are named

PRIORS: dict[str, type] = {
    "gaussian": Gaussian,
    "rademacher": Rademacher,
    "gauss-bernoulli": GaussBernoulli,
    "laplace": Laplace,
}

CHANNELS: dict[str, type] = {
    "sign": Sign,
    "flip": Flip,
    "probit": Probit,
    "logistic": Logistic,
    "linear": Linear,
    "absolute": Absolute,
}


def parse_prior(text: str) -> Prior:
    """A prior by name and parameter.

    >>> parse_prior("gaussian:2"), parse_prior("rademacher")
    (Gaussian(variance=2.0), Rademacher())
    """
    return cast(Prior, _parse("prior", text, PRIORS, Prior))


def parse_channel(text: str) -> Channel:
    """A channel by name and parameter.

    >>> parse_channel("flip:0.05"), parse_channel("sign")
    (Flip(rho=0.05), Sign())
    """
    return cast(Channel, _parse("channel", text, CHANNELS, Channel))


def describe(part: Prior | Channel) -> str:
    """The text that :func:`parse_prior` or :func:`parse_channel` reads back.

    >>> describe(Flip(0.1)), describe(Gaussian())
    ('flip:0.1', 'gaussian')
    """
    names = {kind: name for register in (PRIORS, CHANNELS) for name, kind in register.items()}
    kind = type(part)
    home = kind.__module__
    if home.startswith(_FROM_FILE):  # no other process could import it by that name
        home = str(sys.modules[home].__file__)
    name = names.get(kind, f"{home}:{kind.__qualname__}")
    parameters = list(getattr(part, "__dataclass_fields__", {}))
    if not parameters or part == Gaussian():  # the standard normal goes without its variance
        return name
    if len(parameters) > 1:
        return repr(part)
    value = getattr(part, parameters[0])
    return f"{name}:{value.item() if hasattr(value, 'item') else value!r}"  # NumPy's numbers say their type


def summaries(register: dict[str, type]) -> dict[str, str]:
    """Each name with its parameter, if any, and the first line of its documentation."""
    lines = {}
    for name, kind in register.items():
        parameters = dataclasses.fields(kind)
        shown = f"{name}:{parameters[0].name.upper()}" if parameters else name
        lines[shown] = (inspect.getdoc(kind) or "").split("\n")[0]
    return lines


def _parse(what: str, text: str, register: dict[str, type], protocol: Any) -> Any:
    name, values = _split(what, text)
    kind = register.get(name) if name in register else _own(what, name, register)
    if not isinstance(kind, type):
        raise InvalidInputError(what, text, f"it is no class but {type(kind).__name__}", hint="write FILE.py:CLASS")
    try:
        accepted = list(inspect.signature(kind).parameters)
    except ValueError as error:
        raise InvalidInputError(what, text, f"it cannot be made: {error}") from None
    if len(values) > len(accepted):
        takes = f"{name}:{accepted[0]}" if accepted else f"{name}, without a parameter"
        raise InvalidInputError(what, text, f"write {takes}")
    try:
        made = kind(*values)
        alike = hash(made) == hash(kind(*values)) and made == kind(*values)
    except GardnerError:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidInputError(what, text, f"it cannot be made: {error}") from None
    if not isinstance(made, protocol):
        missing = sorted(part for part in _members(protocol) if not hasattr(made, part))
        raise InvalidInputError(what, text, f"it lacks {', '.join(missing)}", hint=f"gardner.model.{protocol.__name__}")
    if not alike:
        raise InvalidInputError(
            what, text, "two of it are never equal, so a student could not know the teacher's model",
            hint="make the class a frozen dataclass",
        )  # fmt: skip
    return made


def _members(protocol: type) -> list[str]:
    return [name for name in vars(protocol) if not name.startswith("_")]


def _split(what: str, text: str) -> tuple[str, list[float]]:
    """The name and the number after the last colon, if it is one."""
    head, colon, tail = text.rpartition(":")
    try:
        return (head, [float(tail)]) if colon else (text, [])
    except ValueError:
        if head in PRIORS or head in CHANNELS:
            raise InvalidInputError(what, text, f"{tail!r} is no number", hint=f"such as {head}:0.1") from None
        return text, []


def _own(what: str, name: str, register: dict[str, type]) -> Any:
    """A class of someone else's."""
    if not any(mark in name for mark in ".:/\\"):
        near = difflib.get_close_matches(name, register, n=1)
        hint = f"did you mean {near[0]}?" if near else "your own is named FILE.py:CLASS"
        raise InvalidInputError(what, name, f"it must be one of {', '.join(register)}", hint=hint)
    path, colon, attribute = name.rpartition(":")
    if not colon:
        path, _, attribute = name.rpartition(".")
    module = _from_file(what, path) if path.endswith(".py") else _from_package(what, path, name)
    if not hasattr(module, attribute):
        raise InvalidInputError(what, name, f"there is no {attribute!r} in {path}", hint="write FILE.py:CLASS")
    return getattr(module, attribute)


def _from_package(what: str, path: str, name: str) -> ModuleType:
    if not path or not all(part.isidentifier() for part in path.split(".")):
        raise InvalidInputError(what, name, "it is neither registered, nor PACKAGE.MODULE:CLASS, nor FILE.py:CLASS")
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        raise InvalidInputError(what, name, f"there is no module {error.name}", hint="is it installed?") from None


def _from_file(what: str, path: str) -> ModuleType:
    """The module in a file, kept under a name of its own so that its classes can be pickled and hashed."""
    file = Path(path).resolve()
    if not file.is_file():
        raise InvalidInputError(what, path, "there is no such file")
    name = f"{_FROM_FILE}{file.stem}_{zlib.crc32(bytes(file)):08x}"
    if name not in sys.modules:
        spec = cast(Any, importlib.util.spec_from_file_location(name, file))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[name]
            raise InvalidInputError(what, path, f"it does not run: {type(error).__name__}: {error}") from error
    return sys.modules[name]
