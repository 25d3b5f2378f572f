"""Numbers for readers: only known digits, a dash for what is missing, nothing rounded up to all."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardner.numbers import fixed, general, known_digits, percent, rounded_down, significant, with_error


def test_missing_numbers_are_dashes() -> None:
    assert fixed(None, 2) == fixed(math.nan, 2) == with_error(None, 0.1) == general(math.inf) == "–"
    assert known_digits(math.inf, 0.0) == known_digits(1.0, math.nan) == significant(1.0, math.inf) == "–"
    assert with_error(-1.0, math.nan, 2) == "-1.00"
    assert fixed(-math.inf) == "-inf"


@given(st.floats(-100.0, 100.0), st.floats(0.0, 0.5))
def test_what_is_printed_is_known(value: float, error: float) -> None:
    """The printed number is off by no more than a rounding of the last digit shown."""
    text = known_digits(value, error)
    decimals = len(text.partition(".")[2])
    assert float(text) == pytest.approx(value, abs=0.5 * 10.0**-decimals + 1e-12)
    assert error <= 0.5 * 10.0**-decimals


@given(st.floats(0.0, 1.0), st.integers(1, 4))
def test_shares_are_rounded_down(share: float, decimals: int) -> None:
    shown = rounded_down(share, decimals)
    assert shown <= share + 1e-6
    assert share - shown < 10.0**-decimals
    assert (shown == 1.0) == (share == 1.0)


def test_per_cent() -> None:
    assert [percent(share) for share in (1.0, 0.9967, 0.999999, 0.57, 0.0)] == ["100", "99.6", "99.9", "57", "0"]
    assert percent(0.999999, 2) == "99.99"
