"""The same question gives the same bits, whatever was asked before."""

from __future__ import annotations

import functools
import importlib
import pkgutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gardner.theory
from gardner.model import GLM, PERCEPTRON, Gaussian, Logistic, Probit
from gardner.theory import bounds
from gardner.theory.as_json import Record
from gardner.theory.formula import expansion

QUESTIONS = (
    (PERCEPTRON, 3.0, 0.6),
    (PERCEPTRON, 3.0, 0.61),
    (GLM(Gaussian(), Probit(0.2)), 3.0, 0.6),
    (GLM(Gaussian(), Logistic(3.0)), 2.0, 0.4),
    (GLM(Gaussian(), Logistic(3.0)), 2.0, 0.9),
)


def forget_answers() -> None:
    """Everything that is remembered, but for tables of ψ: those could tell what was asked before."""
    for found in pkgutil.walk_packages(gardner.theory.__path__, "gardner.theory."):
        module = importlib.import_module(found.name)
        if module is not expansion:
            for thing in vars(module).values():
                if hasattr(thing, "cache_clear"):
                    thing.cache_clear()


def answer(index: int) -> Record:
    model, pool_ratio, budget = QUESTIONS[index]
    return bounds(model, pool_ratio=pool_ratio, budget=budget).to_json()


def test_the_order_of_questions_changes_no_bit() -> None:
    expected = {}
    for index in range(len(QUESTIONS)):
        forget_answers()
        expected[index] = answer(index)
    rng = np.random.default_rng(0)
    forget_answers()
    for index in rng.permutation(len(QUESTIONS)):
        assert answer(int(index)) == expected[int(index)]


@functools.cache
def alone(pool_ratio: float, budget: float) -> Record:
    """The answer to a question that is the first one."""
    forget_answers()
    return bounds(pool_ratio=pool_ratio, budget=budget).to_json()


@pytest.mark.slow
@settings(max_examples=3, deadline=None)
@given(st.permutations([(3.0, 0.3), (3.0, 0.31), (10.0, 0.3)]))
def test_nor_for_perceptrons(order: list[tuple[float, float]]) -> None:
    expected = [alone(*place) for place in order]
    forget_answers()
    assert [bounds(pool_ratio=place[0], budget=place[1]).to_json() for place in order] == expected
