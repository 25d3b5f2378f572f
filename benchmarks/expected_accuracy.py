"""How right the expected accuracy of ``gardner query`` is on real tables, and that of ``gardner forecast`` beside it.

    python -m benchmarks.pools fetch
    nice python -m benchmarks.expected_accuracy --seeds 3

Rows are chosen by the query in batches of ten, as in benchmarks/real_tables.py. At 10, 20, 50 and 100
labels, the accuracy that is expected on the rows without a label is compared with the true one of
the own predictor: as the model alone expects it, and with what its labelled rows say about it. The
forecast has several models, with another prior of the noise; it is compared at 20 and 50 labels.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from benchmarks.real_tables import TWO_CLASSES, Data, accuracy, asked, first_labels, load, own_probabilities

from gardner.table.forecast.estimate import table_spectrum
from gardner.table.forecast.labelled import likely_models
from gardner.table.outlook import likeliest
from gardner.table.propose import Proposals

MARKS, FORECAST_MARKS = (10, 20, 50, 100), (20, 50)


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


def at_mark(data: Data, known: list[int], found: Proposals) -> Iterator[Expected]:
    """All kinds, at one number of labels."""
    rest = np.setdiff1d(np.arange(data.labels.size), known)
    chances = own_probabilities(found, data.features[rest], np.unique(data.labels[known]), data.classes)
    truth = accuracy(chances, data.labels[rest])
    model = float(np.mean(likeliest(found.model.channel, *found.fit.fields(data.features[rest]))))
    yield Expected("model alone", len(known), model, truth)
    if found.outlook is not None:
        yield Expected("query", len(known), found.outlook.accuracy, truth)
    if len(known) in FORECAST_MARKS:
        yield Expected("forecast", len(known), by_forecast(data, known), truth)


def run(pool: str, seed: int) -> Iterator[Expected]:
    """Label round by round."""
    rng = np.random.default_rng([seed, 17])
    data = load(pool, rng)
    known = first_labels(data.labels, rng)
    while True:
        found = asked(data, known, 10)
        if len(known) in MARKS:
            yield from at_mark(data, known, found)
        if len(known) >= min(MARKS[-1], data.labels.size // 2):
            return
        known += [one.row for one in found.rows]


def main() -> None:
    """Print how far off every kind is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pools", nargs="*", default=TWO_CLASSES)
    given = parser.parse_args()
    found = [one for seed in range(given.seeds) for pool in given.pools for one in run(pool, seed)]
    print("| expected by | labels | cases | expected | true | mean absolute difference | nine in ten are within |")
    print("|---|---|---|---|---|---|---|")
    for kind in ("model alone", "query", "forecast"):
        for labels in MARKS:
            some = np.array([(one.value, one.truth) for one in found if (one.kind, one.labels) == (kind, labels)])
            if len(some):
                off = np.abs(some[:, 0] - some[:, 1])
                numbers = (*some.mean(axis=0), off.mean(), np.quantile(off, 0.9))
                print(f"| {kind} | {labels} | {len(some)} | " + " | ".join(f"{one:.3f}" for one in numbers) + " |")


if __name__ == "__main__":
    main()
