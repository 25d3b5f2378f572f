"""What tests of other people's strategies share: a small problem, a run of it that is checked, a
view.
"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gardner.experiment import Run, run
from gardner.inference import Posterior
from gardner.model import PERCEPTRON, Instance, draw_instance
from gardner.strategies import View
from gardner.strategies.external import make_strategy

PROBLEM = draw_instance(30, 3.0, seed=0)

EXTRA = importlib.util.find_spec("skactiveml") is not None

needs_extra = pytest.mark.skipif(not EXTRA, reason="needs scikit-activeml: pip install 'gardner[scikit-activeml]'")


def play(name: str, parameters: dict[str, Any], problem: Instance = PROBLEM, seed: int = 0) -> Run:
    return run(problem, make_strategy(name, parameters), budget=0.5, batch_size=3, seed=seed)


def check_run(name: str, parameters: dict[str, Any], problem: Instance = PROBLEM) -> Run:
    """Valid, reproducible, and blind to the labels that nobody asked for."""
    first = play(name, parameters, problem)
    assert [one.labels for one in first.rounds] == list(range(3, problem.rows.shape[1] // 2 + 1, 3))
    assert np.unique(first.queried).size == first.queried.size
    np.testing.assert_array_equal(play(name, parameters, problem).queried, first.queried)
    hidden = np.setdiff1d(np.arange(len(problem.labels)), first.queried)
    labels = problem.labels.copy()
    labels[hidden] *= -1.0
    np.testing.assert_array_equal(play(name, parameters, replace(problem, labels=labels)).queried, first.queried)
    assert not first.informed
    return first


def view_of(queried: list[int], batch_size: int, seed: int = 0) -> View:
    def no_posterior() -> Posterior:
        raise AssertionError("nobody needs it here")

    chosen = np.array(queried, dtype=np.int64)
    rng = np.random.default_rng(seed)
    return View(
        PROBLEM.rows, chosen, PROBLEM.labels[chosen], batch_size, rng, no_posterior,
        lambda: (np.empty(0), np.empty(0)), PERCEPTRON,
    )  # fmt: skip
