"""How right the expected accuracy and gain of ``gardner query`` are on real tables, with ``gardner
forecast`` beside.

    python -m benchmarks.pools fetch
    nice python -m benchmarks.expected_accuracy run --seeds 3    # goes on where it stopped
    python -m benchmarks.expected_accuracy table

Rows are chosen by the query in batches of ten, as in benchmarks/real_tables.py. At 10, 20, 50 and
100 labels, the accuracy that is expected on the rows without a label is compared with the true one
of the own predictor: as the model alone expects it, and with what its labelled rows say about it.
What the next batch is expected to add is compared with what it added. The forecast has several
models, with another prior of the noise; it is compared on tables of two classes, at 20 and 50
labels. Each table and seed is a file of out/expected_accuracy (or --out).
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from benchmarks.real_tables import (
    GROUPS,
    Data,
    Floats,
    accuracy,
    asked,
    first_labels,
    load,
    own_probabilities,
)

from gardner.records.files import write_file
from gardner.table.classes.fit import ClassFit
from gardner.table.forecast.estimate import table_spectrum
from gardner.table.forecast.labelled import likely_models
from gardner.table.propose import Proposals

FOLDER = Path(__file__).resolve().parents[1] / "out" / "expected_accuracy"
MARKS, FORECAST_MARKS = (10, 20, 50, 100), (20, 50)
KINDS = ("model alone", "query", "forecast")


@dataclass(frozen=True)
class Expected:
    """An expectation of one kind beside the truth."""

    kind: str
    labels: int
    value: float
    truth: float


def by_forecast(data: Data, known: list[int]) -> float:
    """The accuracy by now, as ``gardner forecast`` says it."""
    labels = np.full(data.labels.size, np.nan)
    labels[known] = np.where(data.labels[known] > 0.0, 1.0, -1.0)
    spectrum = table_spectrum(data.features, scaling="standardised", keep=~np.isnan(labels), seed=0)
    models = likely_models(spectrum, data.features, labels)
    weights = np.array([one.weight for one in models])
    return float(weights @ [1.0 - one.surprise * (1.0 - one.expected) for one in models] / weights.sum())


def on_the_rest(data: Data, known: list[int], found: Proposals) -> tuple[Floats, float]:
    """Probabilities of the rows without a label, and how many of the likeliest classes are right."""
    rest = np.setdiff1d(np.arange(data.labels.size), known)
    chances = own_probabilities(found, data.features[rest], np.unique(data.labels[known]), data.classes)
    return chances, accuracy(chances, data.labels[rest])


def run(pool: str, seed: int) -> Iterator[Expected]:
    """Label round by round."""
    rng = np.random.default_rng([seed, 17])
    data = load(pool, rng)
    known = first_labels(data.labels, rng)
    gain: tuple[int, float, float] | None = None
    while True:
        found, labels = asked(data, known, 10), len(known)
        last = labels >= min(MARKS[-1], data.labels.size // 2)
        if labels in MARKS or gain is not None:
            chances, truth = on_the_rest(data, known, found)
            if gain is not None:
                yield Expected("gain", gain[0], gain[1], truth - gain[2])
            gain = None
        if labels in MARKS and found.outlook is not None:
            yield Expected("model alone", labels, float(np.mean(chances.max(axis=1))), truth)
            yield Expected("query", labels, found.outlook.accuracy, truth)
            if found.outlook.gain is not None and not last:
                gain = labels, found.outlook.gain, truth
            if labels in FORECAST_MARKS and not isinstance(found.fit, ClassFit):
                yield Expected("forecast", labels, by_forecast(data, known), truth)
        if last:
            return
        known += [one.row for one in found.rows]


def print_tables(folder: Path, group: str) -> None:
    """How far off every kind is, and what batches were expected to add and added."""
    found = [
        Expected(**one)
        for pool in GROUPS[group]
        for path in sorted((folder / pool).glob("*.json"))
        for one in json.loads(path.read_bytes())
    ]
    print(f"tables: {group}")
    print("| expected by | labels | cases | expected | true | mean absolute difference | nine in ten are within |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for labels in MARKS:
            some = _pairs(found, kind, labels)
            if len(some):
                off = np.abs(some[:, 0] - some[:, 1])
                numbers = (*some.mean(axis=0), off.mean(), np.quantile(off, 0.9))
                print(f"| {kind} | {labels} | {len(some)} | " + " | ".join(f"{one:.3f}" for one in numbers) + " |")
    print("| labels before a batch | cases | expected to add | added | nine in ten are within |")
    print("|---|---|---|---|---|")
    for labels in MARKS:
        some = _pairs(found, "gain", labels)
        if len(some) > 1:
            expected, added = some.mean(axis=0)
            error, off = some[:, 1].std(ddof=1) / np.sqrt(len(some)), np.abs(some[:, 0] - some[:, 1])
            cells = f"{expected:.3f} | {added:.3f} ± {error:.3f} | {np.quantile(off, 0.9):.3f}"
            print(f"| {labels} | {len(some)} | {cells} |")
    gains = np.concatenate([_pairs(found, "gain", labels) for labels in MARKS if _pairs(found, "gain", labels).size])
    print(f"added over expected, all batches together: {gains[:, 1].sum() / gains[:, 0].sum():.2f}")


def _pairs(found: list[Expected], kind: str, labels: int) -> Floats:
    return np.array([(one.value, one.truth) for one in found if (one.kind, one.labels) == (kind, labels)])


def main() -> None:
    """Run what is missing, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--group", choices=list(GROUPS), default="all")
    parser.add_argument("--pools", nargs="*")
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args()
    if given.what == "table":
        return print_tables(given.out, given.group)
    for seed in range(given.seeds):
        for pool in given.pools or GROUPS[given.group]:
            path = given.out / pool / f"{seed}.json"
            if not path.exists():
                write_file(path, json.dumps([asdict(one) for one in run(pool, seed)]).encode())
                print(pool, seed, flush=True)
    return None


if __name__ == "__main__":
    main()
