"""The grid of the explorer as one file: a header of JSON, then numbers of single precision,
deflated.

A number that is not known is NaN. ln v is kept as ln(−ln v/n), an accuracy as ln cot(π(1 −
accuracy)/2): both are smooth over many decades. ``interpolate.js`` reads the file in the browser.
"""

from __future__ import annotations

import json
import math
import struct
import zlib

import numpy as np

from gardner.model.arrays import Floats
from gardner.report.explorer.axes import AXES, BATCHES, LEARNING_MOST, LEAST_BUDGET, MOST_SHARE, RULES, W_PLACES, Axes

# Words of an end of a complexity curve, by the number that the grid keeps.
STATUSES = ("zero", "bracketed", "imprecise", "unresolved", "frozen", "condensed")
# Effort of the compressor, the most there is: the file is written once.
_LEVEL = 9

Arrays = dict[str, Floats]
Tasks = dict[str, Arrays]


def stretched(accuracy: Floats) -> Floats:
    """ln cot(θ/2) of the angle θ = π(1 − accuracy): smooth also where students are nearly right.

    >>> stretched(np.array([0.5, 0.75])).round(4).tolist()
    [0.0, 0.8814]
    """
    return np.asarray(-np.log(np.tan(0.5 * np.pi * (1.0 - accuracy))))


def per_label(log_volume: Floats, budget: Floats) -> Floats:
    """ln(−ln v/n).

    >>> per_label(np.array([-1.0]), np.array([1.0])).tolist()
    [0.0]
    """
    return np.asarray(np.log(-log_volume / budget))


def _channel(axes: Axes, tasks: Tasks) -> tuple[dict[str, object], list[Floats]]:
    """What the header says of a channel, and its numbers in the order in which the page reads them."""
    numbers: list[Floats] = []
    for i in range(len(axes.noises)):
        chance = tasks[f"{i:02d}-random"]
        numbers += [per_label(chance["volume"], axes.random_budgets), chance["accuracy"]]
        for j, alpha in enumerate(axes.alphas):
            one = tasks[f"{i:02d}-{j:02d}"]
            numbers.append(per_label(one["volume"], axes.budgets(float(alpha))[:, None]))
            numbers += [one[name] for name in ("accuracy", "ratio", "ends", "error", "status")]
            for batch in BATCHES:
                rounds = math.floor(min(float(alpha), LEARNING_MOST) / batch + 1e-9)
                for rule in RULES:
                    rows = one[f"{rule} {batch:g}"]
                    budgets = np.arange(1.0, rounds + 1.0, dtype=np.float64) * batch
                    numbers += [per_label(rows[:, 0], budgets), stretched(rows[:, 1]), rows[:, 2]]
    return {
        "name": axes.name,
        "noises": [] if axes.noise is None else axes.noises.tolist(),
        "alphas": axes.alphas.tolist(),
        "shares": axes.shares,
        "random": axes.random_budgets.tolist(),
    }, numbers


def packed(found: dict[str, Tasks]) -> bytes:
    """The file, from the tasks of each channel."""
    parts = [_channel(AXES[name], tasks) for name, tasks in found.items()]
    header = {
        "channels": [description for description, _ in parts],
        "places": W_PLACES.tolist(),
        "batches": BATCHES,
        "rules": RULES,
        "statuses": STATUSES,
        "leastBudget": LEAST_BUDGET,
        "mostShare": MOST_SHARE,
        "learningMost": LEARNING_MOST,
    }
    text = json.dumps(header, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    values = np.concatenate([np.ravel(one) for _, numbers in parts for one in numbers]).astype("<f4")
    planes = values.view(np.uint8).reshape(-1, 4).T  # bytes of one weight together: they deflate better
    return zlib.compress(struct.pack("<II", len(text), len(values)) + text + planes.tobytes(), _LEVEL)


def header_of(content: bytes) -> list[str]:
    """The names of the channels in a file of :func:`packed`."""
    plain = zlib.decompress(content)
    (length,) = struct.unpack_from("<I", plain)
    return [str(channel["name"]) for channel in json.loads(plain[8 : 8 + length])["channels"]]
