"""How numbers are written for readers: a true minus, a dash for what is missing, an error beside its value."""

from __future__ import annotations

import math
import numbers

MISSING = "–"
_DIGITS, _MOST = 4, 6


def is_missing(value: object) -> bool:
    """None, NaN, NaT and pandas' NA, none of which equals itself or is known to."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or str(value) in ("NaT", "<NA>")


def is_number(value: object) -> bool:
    """A number a reader would sort by size; truth values are not."""
    return isinstance(value, numbers.Real) and type(value).__name__ not in ("bool", "bool_")


def fixed(value: float | None, decimals: int) -> str:
    """A number to so many decimals."""
    return MISSING if value is None or is_missing(value) else f"{value:.{decimals}f}".replace("-", "−")


def with_error(value: float | None, error: float | None, decimals: int = 4) -> str:
    """A number with its standard error, where it has one."""
    told = fixed(value, decimals)
    return told if told == MISSING or error is None or is_missing(error) else f"{told} ± {fixed(error, decimals)}"


def decimals_for(values: list[float], errors: list[float]) -> int | None:
    """Decimals for a column: four digits of its largest number, fewer if none is lost, more if an error needs them;
    None where powers of ten read better."""
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
