"""Spectra as texts: they hold their numbers, and reading one back reads no file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardner.errors import InvalidInputError
from gardner.model import GLM, Spectrum, describe, parse_prior
from gardner.model.external import external_name, load_prior, model_source, rename_model, spell_model
from gardner.model.registry import describe_briefly
from gardner.model.spectrum_text import shorten

variances = st.lists(st.floats(0.0, 1e6), min_size=2, max_size=20).filter(lambda values: max(values) > 0.0)


@given(variances, st.floats(-5.0, 5.0))
def test_the_text_is_read_back(numbers: list[float], alignment: float) -> None:
    spectrum = Spectrum(numbers, alignment)
    assert parse_prior(describe(spectrum)) == spectrum


def test_texts() -> None:
    assert parse_prior("spectrum:2x1.5,.25:0.3") == Spectrum([1.5, 1.5, 0.25], 0.3)
    assert spell_model("prior", "spectrum:1,1,3") == "spectrum:2x1.0,3.0"
    assert load_prior("spectrum:2,1") == Spectrum([2.0, 1.0])
    for text in ("spectrum:2,1", "spectrum:2.5,1:0.5"):  # no file, no module, no code
        assert external_name("prior", text) == ""
        assert model_source("prior", text) is None
        assert rename_model("prior", text, lambda *_: "other") == text


def test_titles_do_not_write_out_thousands_of_numbers() -> None:
    long, other = Spectrum(np.geomspace(0.01, 1.0, 500)), Spectrum(np.geomspace(0.02, 1.0, 500))
    assert describe_briefly(long).startswith("spectrum:500 numbers, ")
    assert describe_briefly(long) != describe_briefly(other)
    assert shorten("spectrum:2,1") == "spectrum:2,1"
    assert len(str(GLM(long))) < 150


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spectrum", "it must give variances"),
        ("spectrum:", "it must give variances"),
        ("spectrum:2", "use gaussian:2"),
        ("spectrum:2,", "'' is no number"),
        ("spectrum:2,one", "'one' is no number"),
        ("spectrum:0x1,2", "no COUNTxVARIANCE"),
        ("spectrum:-3x1,2", "no COUNTxVARIANCE"),
        ("spectrum:1,2:much", "'much' is no number"),
        ("spectrum:nan,1", "finite"),
        ("spectrum:-1,1", "not negative"),
        ("spectrum:9999999x1", "at most 100000 weights"),
        ("spectrum:9999999999999x1", "no COUNTxVARIANCE"),
    ],
)
def test_refusals_are_one_line(text: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message) as caught:
        parse_prior(text)
    assert "\n" not in str(caught.value)


def test_reading_back_opens_no_file(tmp_path: Path) -> None:
    file = tmp_path / "eigenvalues.csv"
    file.write_text("2\n1\n")
    with pytest.raises(InvalidInputError, match="is no number"):
        parse_prior(f"spectrum:{file}")
