"""How numbers become text: a dash for what is missing, and only the digits that are known.

Commands and pages both write numbers with these functions. They write a minus as ``-``, which can
be copied into a program; a page replaces it (:func:`gardner.report.style.typeset`).
"""

from __future__ import annotations

import math
import numbers

MISSING = "–"
# Digits of the largest number of a column.
_DIGITS = 4
# Decimals at most: what the theory promises.
_MOST = 6


def is_missing(value: object) -> bool:
    """None, NaN, NaT and pandas' NA, none of which equals itself or is known to."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or str(value) in ("NaT", "<NA>")


def is_number(value: object) -> bool:
    """A number a reader would sort by size; truth values are not."""
    return isinstance(value, numbers.Real) and type(value).__name__ not in ("bool", "bool_")


def fixed(value: float | None, decimals: int = 6) -> str:
    """A number to so many decimals; an infinity is written out.

    >>> fixed(-0.5, 2), fixed(None), fixed(float("-inf"))
    ('-0.50', '–', '-inf')
    """
    return MISSING if value is None or is_missing(value) else f"{value:.{decimals}f}"


def general(value: float | None, digits: int = 6) -> str:
    """A finite number to so many digits, with a power of ten where that is shorter.

    >>> general(1.5e-12, 2), general(0.25), general(float("inf"))
    ('1.5e-12', '0.25', '–')
    """
    return MISSING if value is None or not math.isfinite(value) else f"{value:.{digits}g}"


def with_error(value: float | None, error: float | None, decimals: int = 4) -> str:
    """A number with its standard error, where it has one.

    >>> with_error(-0.4153, 0.0003), with_error(-0.4153, None)
    ('-0.4153 ± 0.0003', '-0.4153')
    """
    text = fixed(value, decimals)
    return text if text == MISSING or error is None or is_missing(error) else f"{text} ± {fixed(error, decimals)}"


def known_digits(value: float | None, error: float, decimals: int = 6) -> str:
    """A finite number with those decimals that its error leaves: half a unit of the last one is no
    less than the error.

    >>> known_digits(-5.781883, 1e-9), known_digits(-5.781883, 1.1e-3), known_digits(-5.781883, 40.0)
    ('-5.781883', '-5.78', '–')
    """
    while decimals > 0 and not error <= 0.5 * 10.0**-decimals:
        decimals -= 1
    return fixed(value if value is not None and math.isfinite(value) and error <= 0.5 else None, decimals)


def significant(value: float | None, relative_error: float, digits: int = 6) -> str:
    """A finite number with those leading digits that its relative error leaves.

    >>> significant(-12.792665, 1e-9), significant(-12.792665, 2e-3)
    ('-12.7927', '-12.8')
    """
    while digits > 1 and not relative_error <= 0.5 * 10.0 ** (1 - digits):
        digits -= 1
    return general(value if relative_error <= 0.5 else None, digits)


def rounded_down(share: float, decimals: int = 3) -> float:
    """A share of at most 1, never rounded up: 1 means all.

    >>> rounded_down(0.9967), rounded_down(0.99999), rounded_down(0.57), rounded_down(1.0)
    (0.996, 0.999, 0.57, 1.0)
    """
    unit = 10**decimals
    return 1.0 if share >= 1.0 else min(math.floor(round(unit * share, 6)), unit - 1) / unit


def percent(share: float, decimals: int = 1) -> str:
    """A share in per cent, rounded down: 100 is all.

    >>> percent(0.9967), percent(0.99999), percent(0.57), percent(1.0), percent(0.99999, 2)
    ('99.6', '99.9', '57', '100', '99.99')
    """
    return f"{100.0 * rounded_down(share, decimals + 2):g}"


def decimals_for(values: list[float], errors: list[float]) -> int | None:
    """Decimals for a column: four digits of its largest number, fewer if none is lost, more if an
    error needs them; None where powers of ten read better.
    """
    finite = [abs(value) for value in values if math.isfinite(value)]
    largest = max(finite, default=0.0)
    if largest == 0.0:
        return 0
    if not 1e-3 <= largest < 1e7:
        return None
    most = max(_DIGITS - 1 - math.floor(math.log10(largest)), 0)
    seen = [error for error in errors if math.isfinite(error) and error > 0.0]
    if seen:
        return min(max(most, -math.floor(math.log10(min(seen)))), _MOST)
    most = min(most, _MOST)
    enough = (n for n in range(most) if all(math.isclose(round(v, n), v, rel_tol=1e-12) for v in finite))
    return next(enough, most)
