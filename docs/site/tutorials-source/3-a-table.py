r"""
A table
=======

*Which rows of my table should I label next?* For whoever has rows, and pays for labels.

The table here is scikit-learn's: 569 tumours, 30 columns, benign or malignant. All labels are known,
so that we can see how well it went. We hide all but the first twenty.
"""

# %%
# The table
# ---------

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

data = load_breast_cancer(as_frame=True)
order = np.random.default_rng(0).permutation(len(data.target))
features = data.data.iloc[order].reset_index(drop=True)
truth = np.where(data.target.iloc[order] == 1, "benign", "malignant")
labels = np.where(np.arange(len(truth)) < 20, truth, "")
print(f"{len(features)} rows, {features.shape[1]} columns, {np.sum(labels != '')} labels")

# %%
# Is it worth the trouble?
# ------------------------
# A forecast needs no label. It says how many labels a linear classifier will take on such a table.

import gardner

outlook = gardner.forecast(features.to_numpy(), accuracy=0.95)
for name in ("random", "agnostic"):
    needed = outlook.needed[name]
    print(f"{name}: {needed.labels:.0f} labels for 0.95, between {needed.low:.0f} and {needed.high:.0f}")

# %%
# Random rows will take about three times as many labels as the least certain rows first. The forecast
# assumes labels without noise; :doc:`/forecast` says how far off it was on real tables.
#
# Which rows?
# -----------
# A row is worth what its label is expected to tell about the labels of other rows.

found = gardner.propose(features.to_numpy(), labels, batch_size=5)
pd.DataFrame(
    [{"row": one.row, "bits": round(one.bits, 4), "P(malignant)": round(one.probability, 3)} for one in found.rows]
)

# %%
# The rows come in the order in which they should be asked for. Each takes into account what those
# before it will tell. The model says how well it expects to do, and whether it converged.

print(f"expected accuracy {found.outlook.accuracy:.3f}, right to {found.outlook.within:.2f} in nine of ten cases")
print(f"{found.posterior.status.value}, {found.model.channel}")

# %%
# Ask, label, repeat
# ------------------
# Four rounds of ten rows. After each, the classifier is measured on the rows without a label.
# Random choice starts from the same twenty labels.

from gardner.sklearn import GLMClassifier


def measured(labels):
    """Number of labels, and accuracy on all other rows."""
    known = labels != ""
    model = GLMClassifier().fit(features[known], labels[known])
    return int(known.sum()), model.score(features[~known], truth[~known])


rng = np.random.default_rng(1)
chosen, drawn = labels.copy(), labels.copy()
rows = [{"labels": 20, "chosen": measured(chosen)[1], "random": measured(drawn)[1]}]
for _ in range(4):
    asked = [one.row for one in gardner.propose(features.to_numpy(), chosen, batch_size=10).rows]
    chosen[asked] = truth[asked]
    lots = rng.choice(np.flatnonzero(drawn == ""), 10, replace=False)
    drawn[lots] = truth[lots]
    count, accuracy = measured(chosen)
    rows.append({"labels": count, "chosen": accuracy, "random": measured(drawn)[1]})
pd.DataFrame(rows).round(3)

# %%
# This is one split of one table. :doc:`/real-tables` has 27 tables and eleven seeds, with intervals.
#
# From the shell
# --------------
# Write the table to a file, with an empty cell where there is no label:

features.assign(diagnosis=labels, patient=[f"p{row:03d}" for row in range(len(labels))]).to_csv("pool.csv", index=False)

# %%
# .. code-block:: console
#
#    $ gardner forecast pool.csv --ignore diagnosis --id patient
#    $ gardner query pool.csv --label diagnosis --id patient --batch 5 --save model.npz
#    $ gardner predict pool.csv --model model.npz --id patient
#
# ``query`` saves the model that it fitted, and ``predict`` uses it. Where to go on:
# :doc:`/real-tables` has classes, numbers and gaps, :doc:`/estimators` the classifier for
# scikit-learn.
