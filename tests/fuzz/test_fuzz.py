"""The fuzzer itself: cases of the corpus, and cases drawn from a fixed seed, each with no rule
broken.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.fuzz.case import Case, read_corpus
from tests.fuzz.grammar import drawn
from tests.fuzz.pool import run_cases

SEED = 12


def assert_all_hold(cases: Sequence[Case]) -> None:
    failed = [result for result in run_cases(cases, 1) if result.wrong]
    assert not failed, f"{len(failed)} of {len(cases)} failed:\n" + "\n".join(map(str, failed))


def test_200_cases_and_the_cheap_part_of_the_corpus() -> None:
    """One worker for all of them: its imports are most of the cost."""
    assert_all_hold([*drawn(200, SEED, quick=True), *(case for case in read_corpus() if not case.slow)])


@pytest.mark.slow
def test_1000_cases() -> None:
    assert_all_hold(drawn(1000, SEED, quick=False))


@pytest.mark.slow
def test_the_rest_of_the_corpus() -> None:
    assert_all_hold([case for case in read_corpus() if case.slow])
