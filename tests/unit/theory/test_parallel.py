"""Several questions at once: the same answers, whoever gives them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from gardner.errors import InvalidInputError
from gardner.model import GLM, PERCEPTRON, Gaussian, Sign
from gardner.theory import bounds, bounds_sweep
from gardner.theory.parallel import answers

BUDGETS = [0.3, 0.5, 0.7, 0.9]


@dataclass(frozen=True)
class Nameless(Sign):
    """A channel that another process cannot import: it is not found under its name."""


Nameless.__qualname__ = "nobody.knows"


def test_the_same_bits_from_any_number_of_processes() -> None:
    alone = [bounds(PERCEPTRON, pool_ratio=3.0, budget=budget) for budget in BUDGETS]
    assert bounds_sweep(PERCEPTRON, pool_ratio=3.0, budgets=BUDGETS, workers=2) == alone


def test_answers_come_in_order_from_two_processes() -> None:
    told: list[float] = []
    questions = [float(k) for k in range(400)]
    found = answers(abs, questions, workers=3, progress=told.append)
    assert found == questions
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_an_error_is_raised_as_it_would_be_here() -> None:
    with pytest.raises(InvalidInputError, match="budget"):
        bounds_sweep(PERCEPTRON, pool_ratio=3.0, budgets=[0.3, 0.5, 0.7, 3.5], workers=2)


def test_what_cannot_be_sent_is_answered_here() -> None:
    model = GLM(Gaussian(), Nameless())
    found = bounds_sweep(model, pool_ratio=3.0, budgets=BUDGETS, workers=2)
    assert [one.minimum.log_volume for one in found] == [
        one.minimum.log_volume for one in bounds_sweep(PERCEPTRON, pool_ratio=3.0, budgets=BUDGETS)
    ]


def test_children_share_the_work_and_give_errors_back(tmp_path: Path) -> None:
    (tmp_path / "asked.py").write_text(
        textwrap.dedent(
            """
            import os, time
            from gardner.errors import InvalidInputError
            def who(_): time.sleep(0.05); return os.getpid()
            def refuse(number):
                if number == 3: raise InvalidInputError("number", number, "three is refused")
                time.sleep(0.05)
                return number
            """
        )
    )
    script = """
import sys
from gardner.theory.parallel import answers
from gardner.errors import InvalidInputError
import asked
print(len(set(answers(asked.who, range(60), workers=2))))
try:
    answers(asked.refuse, range(6), workers=2)
except InvalidInputError as error:
    print(error.what)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    first, second = done.stdout.splitlines()
    assert first == "2"
    assert "three is refused" in second
    assert done.stderr == ""
