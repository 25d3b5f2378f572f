"""Active learning beyond the perceptron: queries by the model's own predictive distribution,
teacher ≠ student.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment import Round, run
from gardner.model import CHANNELS, GLM, PERCEPTRON, Flip, Gaussian, Linear, Probit, Sign, draw_instance, parse_channel
from gardner.strategies import make_registered


def last_round(student: GLM, teacher: GLM, name: str, seed: int = 0) -> Round:
    problem = draw_instance(200, 3.0, seed, teacher)
    options = {"model": student, "teacher": teacher}
    return run(problem, make_registered(name, {}), budget=0.8, batch_size=10, seed=seed, **options).rounds[-1]  # type: ignore[arg-type]


@pytest.mark.parametrize("channel", ["flip:0.05", "probit", "logistic:5", "linear"])
def test_agnostic_queries_tell_more_than_random_ones(channel: str) -> None:
    """By the evidence where labels are discrete, by the squared error of regression otherwise."""
    model = GLM(Gaussian(), parse_channel(channel))
    chosen, random = (last_round(model, model, name) for name in ("agnostic", "random"))
    assert chosen.status == "converged"
    if model.channel.labels:
        assert chosen.log_volume < random.log_volume - 0.02
        assert chosen.accuracy is not None
        assert 0.5 < chosen.accuracy < 1.0
    else:
        assert chosen.accuracy is None
        assert 0.0 < chosen.squared_error() < 1.0
        assert chosen.squared_error() == pytest.approx(1.0 - float(chosen.self_overlap or 0.0), abs=0.25)


@pytest.mark.parametrize("channel", CHANNELS)
def test_every_channel_runs_informed(channel: str) -> None:
    model = GLM(Gaussian(), parse_channel(channel))
    problem = draw_instance(40, 3.0, 0, model)
    for name in ("informed", "least-informative", "mixture", "swap"):
        strategy = make_registered(name, {"steps": 5} if name == "swap" else {})
        rounds = run(problem, strategy, budget=0.5, batch_size=5, seed=0, model=model, test_rows=20).rounds
        assert rounds[-1].labels == 20
        assert math.isfinite(rounds[-1].log_volume) or rounds[-1].status != "converged"


def test_flips_are_queried_like_the_sign() -> None:
    """I(y; h) falls with |ω|/√V at every flip rate: same posterior, same choice."""
    u = np.linspace(0.0, 4.0, 50)
    for channel in (Sign(), Flip(0.1)):
        assert np.all(np.diff(channel.information(u, 1.0)) < 0.0)
    wide, narrow = Probit(0.5).information(0.0, 2.0), Probit(0.5).information(0.0, 0.1)
    assert wide > narrow  # not so with noise before the sign: a field that is nearly known tells little


def test_a_student_may_be_wrong_about_the_noise() -> None:
    teacher = GLM(Gaussian(), Flip(0.1))
    right, wrong = (last_round(GLM(Gaussian(), channel), teacher, "random") for channel in (Flip(0.1), Flip(0.3)))
    assert right.log_volume > wrong.log_volume
    with pytest.raises(InvalidInputError, match=r"model\.channel"):
        last_round(PERCEPTRON, GLM(Gaussian(), Linear()), "random")
