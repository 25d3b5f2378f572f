"""The paper's table of strategies, as run: what each estimates, what it asks for, what a round
costs and brings.
"""

from __future__ import annotations

import json

import pandas as pd

from gardner.experiment.question.task import label
from gardner.records import Store
from gardner.report.page import Section, Verdict, VerdictKind
from gardner.reproduce import bounds, heuristics
from gardner.reproduce.comparison import Comparison
from gardner.reproduce.deciding import against
from gardner.reproduce.recipe import Recipe, Workspace, origin

# The budget, in labels per weight, at which strategies are compared.
BUDGET = 1.0
# estimate and criterion of [cui2020, Table 1], and of what was added to it
CRITERIA = {
    "agnostic": ("AMP: mean ω and variance V of the field", "argmin |ω|/√V"),
    "informed": ("AMP, and the labels", "argmin yω/√V"),
    "least-informative": ("AMP, and the labels", "argmax yω/√V"),
    "swap": ("AMP with cavity fields, and the labels", "exchange rows by annealing in ln v"),
    "committee": ("K students trained by SGD", "argmin |Σ sign(F·x_k)|"),
    "logistic": ("logistic regression x", "argmin |F·x|"),
    "perceptron": ("perceptron x", "argmin |F·x|"),
    "random": ("none", "any"),
}


def _run(workspace: Workspace) -> Section:
    comparisons = [bounds.run_comparison(workspace.part(0.0, 0.5)), heuristics.run_comparison(workspace.part(0.5, 1.0))]
    store = Store(workspace.folder / "results")
    table = pd.concat([_rows(frame, found, store) for frame, found in comparisons], ignore_index=True)
    frame = pd.concat([frame for frame, _ in comparisons], ignore_index=True)
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            "Milliseconds of one core, per round: choosing (the strategy's own work and passes over the pool), "
            "and fitting AMP, which measures all strategies alike."
        ),
        figures=(),
        verdicts=(_verdict(table, comparisons[1][1]),),
        shown=True,
        table=table,
        provenance=f"At budget n = {BUDGET:g}; times are wall-clock times beside the runs, not part of the results.",
        origin=origin(frame),
    )


def _rows(frame: pd.DataFrame, found: Comparison, store: Store) -> pd.DataFrame:
    seconds: dict[str, list[dict[str, float]]] = {}
    for run in frame.drop_duplicates("key").to_dict("records"):
        name = label(run["strategy"], json.loads(run["parameters"]))
        seconds.setdefault(name, []).extend(store.read_timings(run["key"]).get("rounds", []))
    here = found.curves[(found.curves["budget"] - BUDGET).abs() < 1e-9]
    rows = []
    for row in here.to_dict("records"):
        spent = pd.DataFrame(seconds[row["strategy"]], columns=["querying", "scoring", "fitting"])  # NaN if lost
        estimate, criterion = CRITERIA[row["strategy"].partition("(")[0]]
        rows.append(
            {
                "strategy": row["strategy"],
                "informed": row["informed"],
                "estimate": estimate,
                "criterion": criterion,
                "pool_ratio": row["pool_ratio"],
                "features": row["features"],
                "batch_size": row["batch_size"],
                "ms choosing": 1e3 * float((spent["querying"] + spent["scoring"]).mean()),
                "ms fitting": 1e3 * float(spent["fitting"].mean()),
                "log_volume": row["log_volume"],
                "bits_per_label": row["bits_per_label"],
                "converged": row["converged"],
            }
        )
    return pd.DataFrame(rows)


def _verdict(table: pd.DataFrame, found: Comparison) -> Verdict:
    rows = {row["strategy"]: row for row in table.to_dict("records") if row["pool_ratio"] == heuristics.ALPHA}
    many = heuristics.committee(15).label
    ratio = rows[many]["ms choosing"] / rows["perceptron"]["ms choosing"]
    gap, error = found.difference("perceptron", many, BUDGET)
    return Verdict(
        bool(ratio > 1.0 and gap < -heuristics.SURE * error),
        f"a single perceptron is better and cheaper than a committee of 15 (paper: better performance, more "
        f"time-efficient): paired difference of ln v {gap:+.4f} ± {error:.4f} at n = {BUDGET:g}, the committee's "
        f"choice takes {ratio:.1f} times as long",
        VerdictKind.FINDING if ratio <= 1.0 else against([(gap, error)], found.seeds),
        found.seeds,
    )


RECIPE = Recipe("table", "The strategies as run", _run)
