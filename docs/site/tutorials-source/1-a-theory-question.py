r"""
A theory question
=================

*How few labels could be enough?* For whoever wants to know what is possible before running anything.

A pool has :math:`\alpha` rows per weight, and you may ask for the labels of :math:`n` of them per
weight. Which choice of rows tells the most, and how much is that? Here the pool has three rows per
weight, and labels are the sign of a linear function, without noise.
"""

# %%
# The bounds
# ----------
# Labels leave a share :math:`v` of all weight vectors. The smaller it is, the more they told.
# ``bounds`` computes the smallest, the typical and the largest :math:`\ln v` per weight of any subset.

import gardner

found = gardner.bounds(pool_ratio=3.0, budget=0.6)
found.to_frame()[["bound", "status", "log_volume", "accuracy", "stability"]].round(4)

# %%
# The row *typical* is what random rows reach: an accuracy of 0.694. The best subset there is reaches
# 0.838. But it takes somebody who knows all labels to find it. The row *halving* is for those who
# see a label only after asking for it: a label is worth one bit at most, so :math:`\ln v` stays above
# :math:`-n \ln 2`.
#
# How sure is this? Every answer has an error, and every row a status.

print(f"residual {found.residual:.0e}, error of ln v {found.quadrature_error:.0e}")

# %%
# In the rows of the minimum and of the maximum ``stability`` is above 1. There the theory is an
# approximation: replica symmetry is broken (:doc:`/stability`). One step of breaking comes closer.

better = gardner.bounds(pool_ratio=3.0, budget=0.6, rsb=1)
for name, end in better.broken.items():
    print(f"{name}: ln v = {end.log_volume:.4f}, {end.status.value}")

# %%
# All subsets at once
# -------------------
# How many subsets are that good? There are :math:`e^{N\Sigma}` of them, where :math:`\Sigma` is the
# complexity. Random subsets are at the top of the curve: almost all subsets are like them. At both
# ends :math:`\Sigma = 0`, and nothing is left.

from pathlib import Path

from gardner.report.figures import complexity_chart, save

curves = [gardner.complexity_curve(pool_ratio=3.0, budget=n, points=41).to_frame() for n in (0.3, 0.6, 1.2)]

import pandas as pd

chart = complexity_chart(pd.concat(curves), "How many subsets have which volume")
save(chart, Path("complexity-against-log-volume.svg"))

# %%
# ``save`` also writes PNG, PDF, and HTML that opens without a network, by the ending of the name.
# Dashes show where replica symmetry is broken.
#
# The question backwards
# ----------------------
# How many labels does an accuracy of 0.8 take?

answer = gardner.budget_for(pool_ratio=3.0, accuracy=0.8)
print(f"the best subset {answer.best:.3f}")
print(f"the least certain rows first {answer.agnostic:.3f}")
print(f"random rows {answer.random:.3f} labels per weight")

# %%
# So a strategy that may not see hidden labels saves a fifth of the labels of random choice. The
# second number is no simulation. It is the learning curve of a rule for many weights, computed
# exactly. Here is the whole of it, in small rounds.

rule = gardner.learning_curve("agnostic", pool_ratio=3.0, budget=2.0, batch_ratio=0.05).to_frame()
rule[["budget", "log_volume", "bits_per_label", "accuracy", "status"]].iloc[9::10].round(4)

# %%
# A label is worth nearly one bit as long as the pool has uncertain rows, and less when they are used
# up.
#
# From the shell
# --------------
# The same answers, as tables or as JSON:
#
# .. code-block:: console
#
#    $ gardner bounds --alpha 3 --budget 0.6
#    $ gardner budget --alpha 3 --accuracy 0.8 --json
#    $ gardner curve --alpha 3 --budget 0.6 --out curve.svg
#
# Where to go on: :doc:`/theory` has the formulas, :doc:`/models` other weights and noisy labels,
# :doc:`/learning-curves` the rules, and :doc:`/glossary` every symbol.
