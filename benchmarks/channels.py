"""What noise does to the gain of active learning: agnostic AL-AMP against its bounds, one figure a
channel.

    python -m benchmarks.channels [--features 400] [--seeds 6] [--out docs/figures]     about three minutes

For each channel: runs on the same pools of α = 3, the bounds at a few budgets, a figure of ln v and
one of accuracy (``channel-NAME-volume.svg``, ``channel-NAME-accuracy.svg``), and a line a budget:
how much of the distance between random choice and the label-agnostic bound AL-AMP makes, and what
that is worth in accuracy.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path
from typing import Any

from gardner.experiment import Spec, StrategySpec, run_tasks
from gardner.experiment.stored.reading import read_results
from gardner.numbers import MISSING, is_missing
from gardner.report.figures import save
from gardner.report.strategies import strategies_chart
from gardner.reproduce.comparison import Comparison, compare

ALPHA, LONGEST = 3.0, 1.8
BUDGETS = (0.3, 0.6, 1.2, 1.8)
CHANNELS = ("sign", "flip:0.05", "flip:0.2", "probit:0.1", "logistic:3", "linear:0.1")


def measure(channel: str, features: int, seeds: int, folder: Path) -> Comparison:
    """Runs of the channel, in a store of its own, next to its bounds."""
    strategies = [StrategySpec(name) for name in ("agnostic", "informed", "random")]
    batch = max(1, features // 100)
    spec = Spec(strategies, [features], [ALPHA], [LONGEST], [batch], range(seeds), channel=channel)
    outcome = run_tasks(spec.tasks(), folder)
    if outcome.failed:
        raise SystemExit(f"{channel}: {outcome.failed} runs failed, no figure")
    return compare(read_results(folder), BUDGETS, lambda _: None)


def told(found: Comparison, channel: str) -> list[str]:
    """A line a budget."""
    lines = []
    for budget in BUDGETS:
        rows: dict[str, Any] = {
            row["strategy"]: row for row in found.summary.rows if math.isclose(row["budget"], budget, abs_tol=1e-9)
        }
        bound = next(known for place, known in found.summary.bounds.items() if math.isclose(place[2], budget))
        agnostic, random = rows["agnostic"], rows["random"]
        gain, error = found.difference("agnostic", "random", budget)
        possible = bound.halving - bound.typical.log_volume
        known_accuracy = not any(is_missing(row["accuracy"]) for row in (agnostic, random))
        better = f"{agnostic['accuracy'] - random['accuracy']:+.4f}" if known_accuracy else MISSING
        lines.append(
            f"| {channel} | {budget:g} | {bound.typical.log_volume:.4f} | {random['log_volume']:.4f} | "
            f"{agnostic['log_volume']:.4f} ± {agnostic['log_volume_stderr']:.4f} | {bound.halving:.4f} | "
            f"{gain:+.4f} ± {error:.4f} of {possible:+.4f} | {better} | {agnostic['converged']:.0%} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--features", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--out", type=Path, default=Path("docs/figures"))
    parser.add_argument("--channel", action="append", help="one of several; all by default")
    given = parser.parse_args()
    print("| channel | n | typical ln v | random | agnostic AL-AMP | bound | gain over random | accuracy | converged |")
    print("|---|---|---|---|---|---|---|---|---|")
    for channel in given.channel or CHANNELS:
        with tempfile.TemporaryDirectory() as folder:
            found = measure(channel, given.features, given.seeds, Path(folder))
        print("\n".join(told(found, channel)), flush=True)
        name = channel.replace(":", "-")
        title = f"{channel}, α = {ALPHA:g}, N = {given.features}"
        save(strategies_chart(found.curves, found.bounds, title), given.out / f"channel-{name}-volume.svg")
        if found.curves["accuracy"].notna().all():
            chart = strategies_chart(found.curves, found.bounds, title, quantity="accuracy")
            save(chart, given.out / f"channel-{name}-accuracy.svg")


if __name__ == "__main__":
    main()
