"""The file of the explorer's grid holds what the tasks found, in the order that is said."""

from __future__ import annotations

import json
import math
import struct
import zlib

import numpy as np

from gardner.report.explorer.axes import AXES, BATCHES, LEARNING_MOST, RULES, W_PLACES
from gardner.report.explorer.packing import packed, per_label, stretched


def _tasks() -> dict[str, dict[str, np.ndarray]]:
    """A grid of made-up numbers; one cell is missing."""
    axes, rng = AXES["sign"], np.random.default_rng(0)
    shape = (axes.shares, len(W_PLACES))
    tasks: dict[str, dict[str, np.ndarray]] = {
        "00-random": {"volume": -axes.random_budgets / 2.0, "accuracy": rng.random(len(axes.random_budgets))}
    }
    for j, alpha in enumerate(axes.alphas):
        one = {"volume": -rng.random(shape), "accuracy": rng.random(shape), "ratio": rng.random(shape)}
        one["volume"][3] = np.nan
        one |= {"ends": np.ones((axes.shares, 2)), "error": np.zeros((axes.shares, 1)), "status": np.ones(shape)[:, :2]}
        for batch in BATCHES:
            rounds = math.floor(min(float(alpha), LEARNING_MOST) / batch + 1e-9)
            one |= {f"{rule} {batch:g}": np.full((rounds, 3), [-0.3, 0.7, 1e-5]) for rule in RULES}
        tasks[f"00-{j:02d}"] = one
    return tasks


def test_numbers_come_back_in_order() -> None:
    tasks, axes = _tasks(), AXES["sign"]
    content = zlib.decompress(packed({"sign": tasks}))
    length, count = struct.unpack_from("<II", content)
    header = json.loads(content[8 : 8 + length])
    assert header["channels"][0]["alphas"] == axes.alphas.tolist()
    planes = np.frombuffer(content, np.uint8, offset=8 + length).reshape(4, count)
    values = np.ascontiguousarray(planes.T).view("<f4").ravel()
    chance = len(axes.random_budgets)
    np.testing.assert_allclose(values[:chance], math.log(0.5), rtol=1e-6)
    cells = axes.shares * len(W_PLACES)
    first = values[2 * chance : 2 * chance + cells].reshape(axes.shares, -1)
    wanted = per_label(tasks["00-00"]["volume"], axes.budgets(0.5)[:, None])
    np.testing.assert_allclose(first, wanted, rtol=1e-5, atol=1e-6)
    assert np.isnan(first[3]).all()


def test_same_tasks_give_the_same_bytes() -> None:
    assert packed({"sign": _tasks()}) == packed({"sign": _tasks()})


def test_stretched_accuracy_can_be_undone() -> None:
    accuracy = np.array([0.3, 0.5, 0.9, 0.9999])
    np.testing.assert_allclose(1.0 - 2.0 / np.pi * np.arctan(np.exp(-stretched(accuracy))), accuracy, rtol=1e-12)
