"""What may be asked of a device."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import pytest

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment import Spec, StrategySpec
from gardner.experiment.device.place import find_device
from gardner.experiment.question.device import can_run, settled

SIZES = {"features": 20, "pool_ratio": 3.0, "budget": 0.5, "batch_size": 5, "seeds": 1}
TORCH = importlib.util.find_spec("torch") is not None


def test_auto_is_what_there_is() -> None:
    task = Spec([StrategySpec("agnostic")], device="auto", **SIZES).tasks()[0]
    assert task.device == find_device("auto")


@pytest.mark.skipif(TORCH, reason="PyTorch is installed")
def test_cuda_without_pytorch_is_one_line() -> None:
    with pytest.raises(GardnerError, match="a device needs PyTorch"):
        Spec([StrategySpec("agnostic")], device="cuda", **SIZES)


def test_16_bits_are_for_a_gpu() -> None:
    with pytest.raises(InvalidInputError, match="it is for rows on a GPU"):
        Spec([StrategySpec("agnostic")], dtype="bfloat16", **SIZES)


def test_what_a_device_does_not_do_is_said_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gardner.experiment.question.device.find_device", lambda name: name)
    values: dict[str, list[object]] = {"device": ["cuda"], "dtype": ["float32"], "test_rows": [0]}
    assert settled(values, [("agnostic", {})]) == {"device": ["cuda"]}
    with pytest.raises(GardnerError, match="committee does not run on a device"):
        settled(values, [("committee", {})])
    with pytest.raises(InvalidInputError, match="test rows"):
        settled(values | {"test_rows": [10]}, [("agnostic", {})])
    with pytest.raises(InvalidInputError, match="rows are kept in one of"):
        settled(values | {"dtype": ["float64"]}, [("agnostic", {})])


def test_which_tasks_can_move() -> None:
    task = Spec([StrategySpec("agnostic")], **SIZES).tasks()[0]
    assert can_run(task)
    assert not can_run(replace(task, strategy=StrategySpec("committee")))
    assert not can_run(replace(task, test_rows=5))
    assert not can_run(replace(task, dtype="float64"))
