"""The text of a spectrum: its numbers, so that whoever reads the text back needs no file.

spectrum:2,1,0.5                three variances
spectrum:2x1.5,0.25             the same variance twice, then another
spectrum:2,1,0.5:0.3            with an alignment

A file of eigenvalues is read where the user names it
(:mod:`gardner.experiment.question.spectrum_file`). What is stored and sent to workers is the text
with the numbers.
"""

from __future__ import annotations

import hashlib
import itertools

from gardner.errors import InvalidInputError
from gardner.model.spectrum import Spectrum

NAME = "spectrum"
# Weights of a spectrum given as a text: more would be no text that anybody keeps.
MOST_WEIGHTS = 100_000
# Letters of a text that stands in tables as it is: two thirds of a line.
_LONGEST_SHOWN = 60


def is_spectrum(text: str) -> bool:
    """Whether a text names a spectrum.

    >>> is_spectrum("spectrum:2,1"), is_spectrum("gaussian:2")
    (True, False)
    """
    return text.partition(":")[0] == NAME


def write_spectrum(prior: Spectrum) -> str:
    """The text that :func:`parse_spectrum` reads back.

    >>> write_spectrum(Spectrum([1.5, 1.5, 0.25], alignment=0.3))
    'spectrum:2x1.5,0.25:0.3'
    """
    runs = [(value, len(list(same))) for value, same in itertools.groupby(prior.variances)]
    numbers = ",".join(f"{count}x{value!r}" if count > 1 else repr(value) for value, count in runs)
    return f"{NAME}:{numbers}" + (f":{prior.alignment!r}" if prior.alignment else "")


def parse_spectrum(text: str) -> Spectrum:
    """A spectrum from the numbers in a text; no file is read.

    >>> parse_spectrum("spectrum:2x1.5,0.25").variances
    (1.5, 1.5, 0.25)
    """
    _, _, given = text.partition(":")
    numbers, _, alignment = given.partition(":")
    variances = list[float]()
    for part in numbers.split(",") if numbers else []:
        count, value = _entry(text, part)
        if len(variances) + count > MOST_WEIGHTS:
            raise InvalidInputError("prior", shorten(text), f"a spectrum has at most {MOST_WEIGHTS} weights")
        variances += [value] * count
    if not variances:
        raise InvalidInputError("prior", text, "it must give variances", hint="spectrum:FILE, or spectrum:2,1,0.5")
    return Spectrum(tuple(variances), _number(text, alignment) if alignment else 0.0)


def shorten(text: str) -> str:
    """The text of a prior as tables and titles show it: of a long spectrum the size, and letters
    that tell it apart.

    >>> shorten("spectrum:2,1"), shorten("gaussian:2")
    ('spectrum:2,1', 'gaussian:2')
    """
    if len(text) <= _LONGEST_SHOWN or not is_spectrum(text):
        return text
    stamp = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{NAME}:{text.count(',') + 1} numbers, {stamp}"


def _entry(text: str, part: str) -> tuple[int, float]:
    """How often a variance is there, and the variance."""
    count, times, value = part.rpartition("x")
    if not times:
        return 1, _number(text, part)
    if not (count.isascii() and count.isdigit() and 0 < len(count) < 8 and int(count) > 0):
        raise InvalidInputError("prior", shorten(text), f"{part!r} is no COUNTxVARIANCE", hint="such as 3x0.5")
    return int(count), _number(text, value)


def _number(text: str, part: str) -> float:
    try:
        return float(part)
    except ValueError:
        hint = "write spectrum:2,1,0.5, or name a file of numbers where you type a command"
        raise InvalidInputError("prior", shorten(text), f"{part[:40]!r} is no number", hint=hint) from None
