"""Priors and channels by name, with a parameter: ``gaussian:2``, ``flip:0.05``.

Here are the registered ones only, so any text may be parsed, also one that was read from a file of
results. Anyone's own, in a file or a module, are loaded by :mod:`gardner.model.external`, where the
user names them.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import sys
from typing import Any, cast

from gardner.errors import GardnerError, InvalidInputError
from gardner.loading import FROM_FILE, summary_of
from gardner.model.absolute import Absolute
from gardner.model.channel import Channel
from gardner.model.flip import Flip
from gardner.model.gauss_bernoulli import GaussBernoulli
from gardner.model.gaussian import Gaussian
from gardner.model.laplace import Laplace
from gardner.model.linear import Linear
from gardner.model.logistic import Logistic
from gardner.model.prior import Prior
from gardner.model.probit import Probit
from gardner.model.rademacher import Rademacher
from gardner.model.sign import Sign
from gardner.model.spectrum import Spectrum
from gardner.model.spectrum_text import NAME, is_spectrum, parse_spectrum, shorten, write_spectrum

PRIORS: dict[str, type] = {
    "gaussian": Gaussian,
    "rademacher": Rademacher,
    "gauss-bernoulli": GaussBernoulli,
    "laplace": Laplace,
}

LISTED: dict[str, type] = {NAME: Spectrum}  # priors given by a list of numbers, not by one

CHANNELS: dict[str, type] = {
    "sign": Sign,
    "flip": Flip,
    "probit": Probit,
    "logistic": Logistic,
    "linear": Linear,
    "absolute": Absolute,
}


def parse_prior(text: str) -> Prior:
    """A registered prior by name and parameter; no code is loaded.

    >>> parse_prior("gaussian:2"), parse_prior("rademacher")
    (Gaussian(variance=2.0), Rademacher())
    >>> parse_prior("spectrum:2,1,0")
    Spectrum(3 variances from 0 to 2)
    """
    return parse_spectrum(text) if is_spectrum(text) else cast(Prior, _parse("prior", text, PRIORS))


def parse_channel(text: str) -> Channel:
    """A registered channel by name and parameter; no code is loaded.

    >>> parse_channel("flip:0.05"), parse_channel("sign")
    (Flip(rho=0.05), Sign())
    """
    return cast(Channel, _parse("channel", text, CHANNELS))


def describe(part: Prior | Channel) -> str:
    """The text that :func:`parse_prior` or :func:`parse_channel` reads back; of one's own,
    ``load_`` instead.

    >>> describe(Flip(0.1)), describe(Gaussian())
    ('flip:0.1', 'gaussian')
    """
    if isinstance(part, Spectrum):
        return write_spectrum(part)
    names = {kind: name for register in (PRIORS, CHANNELS) for name, kind in register.items()}
    kind = type(part)
    home = kind.__module__
    if home.startswith(FROM_FILE):  # no other process could import it by that name
        home = str(sys.modules[home].__file__)
    name = names.get(kind, f"{home}:{kind.__qualname__}")
    parameters = list(getattr(part, "__dataclass_fields__", {}))
    if not parameters or part == Gaussian():  # the standard normal goes without its variance
        return name
    if len(parameters) > 1:
        return repr(part)
    value = getattr(part, parameters[0])
    return f"{name}:{value.item() if hasattr(value, 'item') else value!r}"  # NumPy's numbers say their type


def describe_briefly(part: Prior | Channel) -> str:
    """:func:`describe` for titles: a list of many numbers is not written out."""
    return shorten(describe(part))


def summaries(register: dict[str, type]) -> dict[str, str]:
    """Each name with its parameter, if any, and the first paragraph of its documentation."""
    lines = {}
    for name, kind in register.items():
        parameters = dataclasses.fields(kind)
        shown = f"{name}:{parameters[0].name.upper()}" if parameters else name
        shown = f"{name}:FILE" if name in LISTED else shown
        lines[shown] = summary_of(kind)
    return lines


def split(what: str, text: str) -> tuple[str, list[float]]:
    """The name and the number after the last colon, if it is one."""
    if is_spectrum(text):  # its numbers are no one's parameter
        return NAME, []
    head, colon, tail = text.rpartition(":")
    try:
        return (head, [float(tail)]) if colon else (text, [])
    except ValueError:
        if head in PRIORS or head in CHANNELS:
            raise InvalidInputError(what, text, f"{tail!r} is no number", hint=f"such as {head}:0.1") from None
        return text, []


def make(what: str, text: str, kind: type, values: list[float]) -> Any:
    """A prior or channel of a class, with its parameter."""
    try:
        accepted = list(inspect.signature(kind).parameters)
    except ValueError as error:
        raise InvalidInputError(what, text, f"it cannot be made: {error}") from None
    if len(values) > len(accepted):
        name = text.rpartition(":")[0]
        takes = f"{name}:{accepted[0]}" if accepted else f"{name}, without a parameter"
        raise InvalidInputError(what, text, f"write {takes}")
    try:
        return kind(*values)
    except GardnerError:
        raise
    except (Exception, SystemExit) as error:
        raise InvalidInputError(what, text, f"it cannot be made: {error}") from None


def _parse(what: str, text: str, register: dict[str, type]) -> Any:
    name, values = split(what, text)
    if name in register:
        return make(what, text, register[name], values)
    more = ", spectrum:FILE" if what == "prior" else ""
    near = difflib.get_close_matches(name, register, n=1)
    hint = f"did you mean {near[0]}?" if near else "`gardner models` lists them"
    raise InvalidInputError(what, text, f"it must be one of {', '.join(register)}{more}", hint=hint)
