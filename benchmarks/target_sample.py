"""How many target rows the query needs: batches chosen with small samples, valued by what they tell
about all rows.

    python -m benchmarks.pools fetch
    python -m benchmarks.target_sample

Fifty random labels of a table are fitted once. A batch of ten is chosen with a random sample of
target rows, and its bits are counted again with all rows without a label as targets. Beside it
stands the batch that was chosen with all rows as targets. A table's line has the mean of the ratio
over ten samples; the last lines have the mean and the worst over all tables.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import argparse
import time

import numpy as np
from benchmarks.real_tables import Data, asked, load
from numpy.typing import NDArray

from gardner.table.batch import Batch, choose_rows
from gardner.table.fit import Fit
from gardner.table.propose import Proposals

POOLS = ("digits-odd", "mnist-8-rare", "spambase", "magic", "twonorm", "chess", "letter-halves", "phoneme")
SIZES = (50, 100, 200, 400, 800)
SAMPLES, LABELS, BATCH = 10, 50, 10


def choose(data: Data, found: Proposals, places: NDArray[np.intp], targets: NDArray[np.intp]) -> Batch:
    """A batch of the rows at ``places``, for the targets."""
    fit = found.fit
    if not isinstance(fit, Fit):
        raise TypeError("these tables have two classes")
    return choose_rows(
        data.features, places, BATCH,
        design=fit.design, weights=fit.weights, channel=fit.model.channel, targets=targets,
    )  # fmt: skip


def bits(batch: Batch) -> float:
    """Of all rows of a batch together."""
    return sum(one.nats for one in batch.choices)


def main() -> None:
    """Print the ratios."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    ratios: dict[int, list[float]] = {size: [] for size in SIZES}
    print("| table | rows | " + " | ".join(map(str, SIZES)) + " |\n|---|---|" + "---|" * len(SIZES))
    for pool in POOLS:
        rng = np.random.default_rng(17)
        data = load(pool, rng)
        known = [int(row) for row in rng.choice(data.labels.size, LABELS, replace=False)]
        found = asked(data, known, 1)
        free = np.setdiff1d(np.arange(data.labels.size), known)
        best = bits(choose(data, found, free, free))
        cells = []
        for size in SIZES:
            some = []
            for _ in range(SAMPLES):
                batch = choose(data, found, free, np.sort(rng.choice(free, size, replace=False)))
                chosen = np.sort([one.place for one in batch.choices])
                some.append(bits(choose(data, found, chosen, free)) / best)
            ratios[size] += some
            cells.append(f"{np.mean(some):.3f}")
        print(f"| {pool} | {free.size} | " + " | ".join(cells) + " |", flush=True)
    for size, some in ratios.items():
        print(f"{size} targets: mean {np.mean(some):.4f}, worst {np.min(some):.3f} of what all rows as targets give")


if __name__ == "__main__":
    started = time.process_time()
    main()
    print(f"{time.process_time() - started:.0f} s of processor")
