"""The paper's remark that the batch size hardly matters: agnostic AL-AMP at k from 1 to N/4."""

from __future__ import annotations

from gardner.experiment.spec import Spec, StrategySpec
from gardner.report.measured import batch_chart
from gardner.report.page import Figure, Section, Verdict
from gardner.reproduce.race import Race, race
from gardner.reproduce.recipe import Kitchen, Recipe, origin

ALPHA = 3.0
BUDGETS = (0.5, 1.0)  # multiples of the largest batch, N/4
SMALL = 0.05  # k/N up to which the remark is taken at its word


def _run(kitchen: Kitchen) -> Section:
    features, seeds = kitchen.sizes(2000)
    shares = (0.0025, 0.01, 0.025, 0.05, 0.125, 0.25)
    sizes = [1, *(max(1, round(share * features)) for share in shares)]
    spec = Spec([StrategySpec("agnostic")], [features], [ALPHA], [1.0], list(dict.fromkeys(sizes)), seeds)
    frame = kitchen.part(0.0, 0.9).bench([spec])
    found = race(frame, BUDGETS, kitchen.part(0.9, 1.0).progress)
    halving = found.bounds[found.bounds["kind"] == "halving"].set_index("budget")["log_volume"]
    table = found.curves.assign(halving=found.curves["budget"].map(halving))
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            "Agnostic AL-AMP asks for the k most uncertain rows at once. Uncertain rows overlap little in a random "
            "pool, so up to a few per cent of N nothing is lost; a quarter of N is chosen too blindly, the first batch "
            "(random in any case) included."
        ),
        figures=(
            Figure(
                batch_chart(table, f"Distance to halving against the batch size, α = {ALPHA:g}, N = {features}"),
                "Gap of agnostic AL-AMP to one bit a label against the batch size k: "
                + "; ".join(
                    f"k = {row.batch}, n = {row.budget:g}: {row.gap_to_halving:.4f}" for row in table.itertuples()
                ),
            ),
        ),
        verdicts=tuple(_verdict(found, budget, features) for budget in BUDGETS),
        table=table,
        provenance=f"{len(table)} means over seeds.",
        origin=origin(frame),
    )


def _verdict(found: Race, budget: float, features: int) -> Verdict:
    rows = [row for row in found.summary.rows if row["budget"] == budget]
    volume: dict[int, float] = {row["batch"]: row["log_volume"] for row in sorted(rows, key=lambda row: row["batch"])}
    small = [size for size in volume if size <= SMALL * features]
    spread = max(volume[size] for size in small) - min(volume[size] for size in small)
    allowed = 0.003 + 4.0 / features  # the second: what one bit more or less of luck amounts to
    return Verdict(
        spread <= allowed,
        f"at n = {budget:g} batches from 1 to {small[-1]} differ by {spread:.4f} in ln v (tolerance {allowed:.4f}); "
        f"k = {max(volume)} costs {volume[max(volume)] - volume[1]:.4f}",
    )


RECIPE = Recipe("batch", "Does the batch size matter?", _run)
