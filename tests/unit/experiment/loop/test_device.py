"""Tasks of a sweep on a device."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import pytest

from gardner.experiment import Spec, StrategySpec
from gardner.experiment.device.place import find_device
from gardner.experiment.loop.device import execute_on_device
from gardner.experiment.loop.task import execute
from gardner.model import PERCEPTRON

SIZES = {"features": 20, "pool_ratio": 3.0, "budget": 0.5, "batch_size": 5, "seeds": 1}
TORCH = importlib.util.find_spec("torch") is not None


@pytest.mark.skipif(not TORCH, reason="PyTorch is not installed")
def test_a_task_runs_there() -> None:
    task = Spec([StrategySpec("agnostic")], **SIZES).tasks()[0]
    run = execute_on_device(task, PERCEPTRON, PERCEPTRON)  # PyTorch on the CPU
    assert run.rounds[-1].labels == 10


@pytest.mark.skipif(TORCH and find_device("auto") == "cuda", reason="there is a GPU here")
def test_a_worker_without_a_gpu_says_so() -> None:
    task = replace(Spec([StrategySpec("agnostic")], **SIZES).tasks()[0], device="cuda")
    assert "PyTorch" in execute(task)["reason"]
