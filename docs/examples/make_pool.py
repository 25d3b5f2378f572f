"""Write ``pool.csv``: scikit-learn's breast cancer table, ten features a patient, the first
twenty-four diagnosed.

    python docs/examples/make_pool.py

The other diagnoses go to ``pool_truth.csv``, which no strategy reads.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

LABELLED, ROWS = 24, 300


def main() -> None:
    """Write both files beside this one."""
    found = load_breast_cancer()
    order = np.random.default_rng(0).permutation(len(found.target))[:ROWS]
    table = pd.DataFrame(
        found.data[order, :10], columns=[str(name).replace(" ", "_") for name in found.feature_names[:10]]
    )
    table.insert(0, "patient", [f"p{index:03d}" for index in range(ROWS)])
    truth = np.where(found.target[order] == 1, "benign", "malignant")
    here = Path(__file__).parent
    known = np.arange(ROWS) < LABELLED
    table.assign(diagnosis=np.where(known, truth, "")).to_csv(here / "pool.csv", index=False)
    pd.DataFrame({"patient": table["patient"], "diagnosis": truth}).to_csv(here / "pool_truth.csv", index=False)


if __name__ == "__main__":
    main()
