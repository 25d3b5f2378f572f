"""Forecasts against runs, table by table: real rows with random linear labels, and with their real
ones.

1. ``linear``: labels of 20 random linear teachers on real rows. Accuracy at five numbers of labels,
   for random choice and for the least certain rows first (batches of 10), as the table's spectrum
   alone predicts it and as measured.
2. ``before``: real labels of tables with two classes, predicted before any label.
3. ``after``: real labels, predicted from 50 random labels on, for 100 and 200.

    python -m benchmarks.pools fetch
    python -m benchmarks.forecast                      # all of it: about a quarter of an hour of one core
    python -m benchmarks.forecast --only linear
    python -m benchmarks.forecast --tables sonar wine --teachers 5 --seeds 2

What was run is kept in out/forecast, a file a table, and not run again. The last lines are the
constants that ``gardner forecast`` quotes: nine in ten forecasts were off by less.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np
from benchmarks import pools
from benchmarks.forecast_runs import linear_labels, pool_size, split, with_real_labels, with_teacher

from gardner.model.arrays import Floats
from gardner.records.encoding import learn_encoding
from gardner.table.forecast.answer import forecast
from gardner.table.forecast.curves import Question, at_random, by_rule
from gardner.table.forecast.estimate import table_spectrum, unit_rows
from gardner.table.scaling import make_scaling, spread_of

BUDGETS = (10, 20, 50, 100, 200)
START, AFTER = 50, (100, 200)
BATCH = 10
CHOICES = ("random", "agnostic")
LINEAR = (
    "breast-cancer", "wine", "digits", "mnist-4-9", "mnist", "spambase", "magic", "twonorm", "ring", "phoneme",
    "banana", "chess", "splice", "german", "ionosphere", "sonar", "optdigits", "segment", "vehicle", "satimage",
    "letter-halves", "page-blocks",
)  # fmt: skip
REAL = (
    "breast-cancer", "digits-odd", "digits-3-8", "mnist-4-9", "mnist-3-5", "mnist-odd", "spambase", "magic", "twonorm",
    "ring", "phoneme", "chess", "german", "ionosphere", "letter-halves", "page-blocks",
)  # fmt: skip
FOLDER = pools.FOLDER.parent / "forecast"
WANTED = 0.03

Record = dict[str, list[list[float]]]


def table(name: str) -> tuple[Floats, Floats]:
    """The numbers of a table, and its labels as ±1: the most frequent class against the rest."""
    frame, labels, _ = pools.load(name)
    features = learn_encoding(frame, [str(column) for column in frame.columns]).matrix(frame)
    return features, np.where(labels.to_numpy() == labels.value_counts().index[0], 1.0, -1.0)


def linear(name: str, teachers: int) -> Record:
    """Predicted and measured accuracies at the budgets, [random, agnostic]; measured ones as means
    and errors.
    """
    features, _ = table(name)
    spectrum = table_spectrum(features)
    rows = make_scaling("standardised", spread_of(features)).rows(features)
    pool = pool_size(len(rows))
    budgets = [budget for budget in BUDGETS if budget <= pool // 2]
    question = Question(tuple(spectrum.variances.tolist()), pool)
    labels = np.array(budgets, dtype=np.float64)
    predicted = [at_random(question, labels), by_rule(question, labels, BATCH, 0.0).accuracy]
    runs = []
    for seed in range(teachers):
        rng = np.random.default_rng([seed, len(rows)])
        data = split(rows, linear_labels(rows, rng), rng)
        runs.append([with_teacher(data, budgets, BATCH, active=active) for active in (False, True)])
    return _record(budgets, predicted, np.array(runs))


def covariance(name: str, record: Record) -> Record:
    """The same as ``linear`` with the eigenvalues of the covariance of the rows as they are, for
    comparison.
    """
    features, _ = table(name)
    rows = make_scaling("standardised", spread_of(features)).rows(features)
    variances = np.maximum(np.linalg.eigvalsh(rows.T @ rows), 0.0)
    question = Question(tuple((variances / variances.mean()).tolist()), pool_size(len(rows)))
    labels = np.array(record["budgets"][0], dtype=np.float64)
    predicted = [at_random(question, labels), by_rule(question, labels, BATCH, 0.0).accuracy]
    return {**record, "predicted": [list(map(float, one)) for one in predicted]}


def before(name: str, seeds: int) -> Record:
    """Real labels: what is said before any label, at random and actively, against a logistic
    regression.
    """
    features, labels = table(name)
    spectrum, rows = table_spectrum(features), _unit(features)
    pool = pool_size(len(rows))
    budgets = [budget for budget in (START, *AFTER) if budget <= pool // 2]
    question = Question(tuple(spectrum.variances.tolist()), pool)
    counts = np.array(budgets, dtype=np.float64)
    predicted = [at_random(question, counts), by_rule(question, counts, BATCH, START).accuracy]
    return _record(budgets, predicted, np.array(_real_runs(rows, labels, budgets, seeds)))


def after(name: str, seeds: int) -> Record:
    """Real labels: what 50 random labels say of the next ones, run by run; with the ends of the
    intervals.
    """
    features, labels = table(name)
    rows = _unit(features)
    pool = pool_size(len(rows))
    budgets = [budget for budget in AFTER if budget <= pool // 2]
    runs = np.array(_real_runs(rows, labels, budgets, seeds))
    told = np.array([_told(features, labels, budgets, seed) for seed in range(seeds)])  # seeds × 2 × 3 × budgets
    record = _record(budgets, told[:, :, 0].mean(axis=0), runs)
    return {**record, "runs": runs.reshape(seeds, -1).tolist(), "told": told.reshape(seeds, -1).tolist()}


def _unit(features: Floats) -> Floats:
    return unit_rows(make_scaling("standardised", spread_of(features)), features)


def _real_runs(rows: Floats, labels: Floats, budgets: Sequence[int], seeds: int) -> list[list[list[float]]]:
    runs = []
    for seed in range(seeds):
        data = split(rows, labels, np.random.default_rng([seed, len(rows)]))
        runs.append([with_real_labels(data, START, budgets, BATCH, active=active) for active in (False, True)])
    return runs


def _told(features: Floats, labels: Floats, budgets: Sequence[int], seed: int) -> list[list[list[float]]]:
    """[random, agnostic] × [forecast, low, high] × budgets, from the labels that the runs of this
    seed start with.
    """
    data = split(features, labels, np.random.default_rng([seed, len(features)]))
    known = np.where(np.arange(len(data.pool)) < START, data.pool_labels, np.nan)
    found = forecast(data.pool, known, most_labels=budgets[-1], batch_size=BATCH, best=False, seed=seed)
    at = {point.labels: point for point in found.points}
    names = [[f"{one}{end}" for end in ("", "_low", "_high")] for one in ("random", "agnostic")]
    return [[[float(getattr(at[budget], name)) for budget in budgets] for name in three] for three in names]


def _record(budgets: Sequence[int], predicted: Sequence[Floats], runs: Floats) -> Record:
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.zeros(runs.shape[1:])
    return {
        "budgets": [list(budgets)],
        "predicted": [list(map(float, one)) for one in predicted],
        "measured": runs.mean(axis=0).tolist(),
        "error": error.tolist(),
    }


def kept(kind: str, name: str, count: int) -> Record:
    """A record from the folder, made where it is missing."""
    path = FOLDER / f"{kind}-{name}-{count}.json"
    if path.exists():
        found: Record = json.loads(path.read_text())
        return found
    record = {"linear": linear, "before": before, "after": after}[kind](name, count)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(record))
    part.replace(path)
    return record


def show(kind: str, name: str, record: Record) -> None:
    """A line a way of choosing: mean absolute error, then predicted/measured(standard error in
    thousandths).
    """
    for index, choice in enumerate(CHOICES):
        cells = " ".join(
            f"{p:.3f}/{m:.3f}({1000 * e:.0f})"
            for p, m, e in zip(*(record[key][index] for key in ("predicted", "measured", "error")), strict=True)
        )
        counts = ",".join(f"{budget:.0f}" for budget in record["budgets"][0])
        print(f"{kind:7s} {name:14s} {choice:9s} {off(record, index):.3f}  at {counts}: {cells}", flush=True)


def off(record: Record, index: int) -> float:
    """Mean absolute error of the accuracy over the budgets."""
    return float(np.mean(np.abs(np.array(record["predicted"][index]) - np.array(record["measured"][index]))))


def verdict(records: Sequence[Record]) -> str:
    """Mean and worst of the errors of all tables."""
    errors = {choice: [off(record, index) for record in records] for index, choice in enumerate(CHOICES)}
    told = [f"{choice} mean {np.mean(values):.4f} worst {max(values):.4f}" for choice, values in errors.items()]
    return f"mean absolute error {', '.join(told)}"


def off_by(records: Sequence[Record]) -> float:
    """|ln(share wrong/share wrong measured)| that nine in ten forecasts keep."""
    ratios = []
    for record in records:
        wrong = [1.0 - np.array(record[key], dtype=np.float64) for key in ("predicted", "measured")]
        ratios += np.abs(np.log(np.maximum(wrong[0], 1e-3) / np.maximum(wrong[1], 1e-3))).ravel().tolist()
    return float(np.quantile(ratios, 0.9))


def coverage(records: Sequence[Record]) -> str:
    """How often single runs lie in the interval told from their own first labels."""
    inside, total = 0, 0
    for record in records:
        runs, count = np.array(record["runs"]), len(record["budgets"][0])
        told = np.array(record["told"]).reshape(len(runs), 2, 3, count)
        real = runs.reshape(len(runs), 2, count)
        inside += int(np.sum((told[:, :, 1] <= real) & (real <= told[:, :, 2])))
        total += real.size
    return f"{inside} of {total} runs in the interval, {inside / total:.2f}"


def main() -> None:
    """Run what is missing and print all of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["linear", "before", "after"])
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--teachers", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    for kind, names, count in (
        ("linear", LINEAR, options.teachers), ("before", REAL, options.seeds), ("after", REAL, options.seeds)
    ):  # fmt: skip
        if options.only not in (None, kind):
            continue
        chosen = [name for name in names if not options.tables or name in options.tables]
        records = [kept(kind, name, count) for name in chosen]
        for name, record in zip(chosen, records, strict=True):
            show(kind, name, record)
        print(f"{kind}: {len(chosen)} tables, {count} runs each: {verdict(records)}; wanted {WANTED}")
        print(f"{kind}: nine in ten are off by less than {off_by(records):.2f} in ln(share wrong)")
        if kind == "linear":
            plain = [covariance(name, record) for name, record in zip(chosen, records, strict=True)]
            print(f"{kind}, by the covariance of the rows as they are: {verdict(plain)}")
        if kind == "after":
            print(f"{kind}: {coverage(records)}")


if __name__ == "__main__":
    main()
