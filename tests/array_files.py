"""One problem, rows and labels, in every format that people hand in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from gardner.model import draw_instance

PROBLEM = draw_instance(features=40, pool_ratio=0.8, seed=0)


def written(folder: Path) -> Path:
    """The folder, with the files."""
    rows, labels = PROBLEM.rows, PROBLEM.labels
    np.save(folder / "F.npy", rows)
    np.save(folder / "y.npy", labels)
    np.savez(folder / "both.npz", rows=rows, labels=labels, other=rows)
    np.savez(folder / "one.npz", anything=rows)
    frame = pd.DataFrame(rows, columns=[f"x{i}" for i in range(40)])
    frame.to_csv(folder / "F.csv", index=False)
    frame.to_csv(folder / "F.TSV", index=False, sep="\t")
    np.savetxt(folder / "plain.csv", rows, delimiter=",")
    frame.to_parquet(folder / "F.parquet")
    pd.DataFrame({"x": rows[:, 0], "label": labels.astype(int)}).to_csv(folder / "y.csv", index=False)
    return folder
