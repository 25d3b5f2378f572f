r"""
A strategy
==========

*How close does my strategy get?* For whoever has an idea which rows to ask for.

A strategy is asked once a round which rows to label next. It is a class with one method. This one
asks for rows whose label is least certain, but takes some of them at random.
"""

# %%
# Write it
# --------
# Save this as ``mine.py``.

from dataclasses import dataclass

import numpy as np

from gardner import Choice, View, choose


@dataclass(frozen=True)
class Explore:
    """Least certain first, with a share of each batch taken at random."""

    share: float = 0.2
    informed = False  # it reads no label that nobody asked for

    def query(self, view: View) -> Choice:
        """One score a row without a label; the largest are asked for."""
        mean, variance = view.fields
        score = -np.abs(mean[view.unlabelled]) / np.sqrt(variance[view.unlabelled])
        lucky = view.rng.random(score.size) < self.share * view.batch_size / score.size
        score[lucky] = np.inf
        return choose(view, score)


# %%
# ``view.fields`` has the mean and the variance of every row's field, given the labels so far. All
# randomness comes from ``view.rng``, so the same seed asks for the same rows.
#
# Run it
# ------
# A pool with 200 weights and three rows per weight, ten labels a round, up to one label per weight.
# Every strategy meets the same five pools.

import pandas as pd

import gardner

strategies = {
    "agnostic": gardner.make_strategy("agnostic"),
    "explore": Explore(),
    "random": gardner.make_strategy("random"),
}
rows = []
for seed in range(5):
    problem = gardner.draw_instance(features=200, pool_ratio=3.0, seed=seed)
    for name, strategy in strategies.items():
        run = gardner.run(problem, strategy, budget=1.0, batch_size=10, seed=seed)
        rows += [
            {
                "strategy": name,
                "seed": seed,
                "budget": one.budget,
                "log_volume": one.log_volume,
                "accuracy": one.accuracy,
                "converged": one.status == "converged",
            }
            for one in run.rounds
        ]
runs = pd.DataFrame(rows)
print(f"{len(runs)} rounds, converged in {runs['converged'].mean():.0%}")

# %%
# Compare it
# ----------
# The pools differ more than the strategies. So compare strategies on the same pool, and average the
# differences.

at = runs[np.isclose(runs["budget"], 0.6)].pivot_table(index="seed", columns="strategy", values="log_volume")
for other in ("agnostic", "random"):
    difference = at["explore"] - at[other]
    print(f"explore − {other}: {difference.mean():+.4f} ± {difference.sem():.4f} in ln v at n = 0.6")

# %%
# A smaller :math:`\ln v` is better. ``explore`` is ahead of random choice by several standard errors.
# From ``agnostic`` it differs by less than two of them, which five pools do not tell from chance: run
# more seeds. Now put them next to the bounds.

from pathlib import Path

from gardner.report.figures import save, strategies_chart

groups = runs.groupby(["strategy", "budget"])
means = groups[["log_volume", "accuracy"]].mean()
errors = groups[["log_volume", "accuracy"]].sem().add_suffix("_stderr")
curves = means.join(errors).assign(seeds=5, informed=False, converged=groups["converged"].mean()).reset_index()
bounds = pd.concat(
    [one.to_frame() for one in gardner.bounds_sweep(pool_ratio=3.0, budgets=[0.1, 0.2, 0.4, 0.6, 0.8, 1.0])]
)
chart = strategies_chart(curves, bounds, "Three strategies between the bounds")
save(chart, Path("strategies-between-the-bounds.svg"))

# %%
# Bands are one standard error. No strategy that sees a label only after asking for it passes the line
# *halving*, but for the spread of pools this small.
#
# From the shell
# --------------
# ``gardner bench`` does all this on every core, keeps what is finished, and goes on where it was
# stopped. It finds your strategy by its file:
#
# .. code-block:: console
#
#    $ gardner bench agnostic random mine.py:Explore -N 200 --alpha 3 --budget 1 --batch 10 --seeds 5 --out results
#    $ gardner results results --at 0.6
#    $ gardner report results --out page.html
#
# Where to go on: :doc:`/examples/README` has the strategies of other libraries, :doc:`/active-learning`
# the contract and the measurements, :doc:`/benchmarks-on-data` strategies on a labelled table.
