"""How long a forecast of a large table takes: 20,000 rows of 1,000 columns, at most 10 s.

    python -m benchmarks.forecast_time
    python -m benchmarks.forecast_time --rows 4000 --columns 300

The table is an npz file of normal rows with variances 1/k. `gardner forecast` is run as a user runs
it, in a process of its own: before any label, and with 200 labels of a linear rule. Both wall and
processor time are printed, since a machine may be busy; the ratio is that of the wall.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LIMIT = 10.0  # seconds
LABELS = 200


def write(path: Path, rows: int, columns: int) -> None:
    """A table of normal rows, and labels for some of them."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((rows, columns)) / np.sqrt(np.arange(1, columns + 1))
    labels = np.where(table @ rng.standard_normal(columns) < 0.0, -1.0, 1.0)
    labels[LABELS:] = np.nan
    np.savez(path, features=table, labels=labels)


def seconds(*arguments: str) -> tuple[float, float]:
    """Wall and processor time of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "gardner", *arguments], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Write the table, ask twice, print a line each and the ratio of the slower one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=1_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        write(path, options.rows, options.columns)
        walls = []
        for what, arguments in (("before any label", ()), (f"with {LABELS} labels", ("--label", "labels"))):
            wall, processor = seconds("forecast", str(path), *arguments)
            walls.append(wall)
            size = f"{options.rows} x {options.columns}"
            print(f"gardner forecast, {size}, {what}: {wall:.1f} s, processor {processor:.1f} s", flush=True)
        print(f"ratio to the limit of {LIMIT:g} s: {max(walls) / LIMIT:.2f}")


if __name__ == "__main__":
    main()
