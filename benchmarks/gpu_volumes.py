"""Whole runs on a GPU and in float64 on a CPU, from the same stored rows: ln v round by round.

    python -m benchmarks.gpu_volumes run FILE        # on the machine with the GPU; some seconds
    python -m benchmarks.gpu_volumes compare FILE    # anywhere with PyTorch; some minutes of a CPU

Rows come from NumPy's generator, so both machines draw the same ones, and a checksum of them is
kept to prove it. N = 2000, alpha = 3, N/100 labels a round up to n = 1.2. The GPU has the kernel;
the CPU has the readable form.
"""

from __future__ import annotations

import argparse
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.gpu_checks import PRECISIONS, in_double

from gardner.experiment.device.loop import run_on_device
from gardner.experiment.device.pool import DevicePool
from gardner.inference.device.stored import StoredRows

FEATURES, ALPHA, SEED = 2000, 3.0, 5
OPTIONS: dict[str, Any] = {"budget": 1.2, "batch_size": FEATURES // 100, "seed": SEED}
STRATEGIES = ("agnostic", "informed")
# How far ln v on the GPU may be from ln v in float64.
WANTED = 0.002


def stored(precision: str, device: str) -> tuple[DevicePool, int]:
    """The pool as a precision keeps it, its labels those of the kept rows, and the checksum of the
    kept rows.
    """
    rng = np.random.default_rng(SEED)
    drawn = rng.standard_normal((round(ALPHA * FEATURES), FEATURES)).astype(np.float32) / np.float32(FEATURES**0.5)
    teacher = torch.as_tensor(rng.standard_normal(FEATURES).astype(np.float32))
    entries = torch.as_tensor(drawn).to(getattr(torch, precision))
    exact = entries.double()
    labels = torch.where(exact @ teacher.double() > 0, 1.0, -1.0)
    parts = (entries, (exact * exact).sum(dim=1).float(), teacher, labels.float())
    there: list[Any] = [part.to(device) for part in parts]
    checksum = zlib.crc32(entries.view(torch.uint8).numpy().tobytes())
    return DevicePool(StoredRows(there[0], FEATURES, there[1]), there[2], there[3]), checksum


def run(file: Path) -> None:
    """Every precision and strategy by the kernel."""
    found = {}
    for precision in PRECISIONS:
        pool, checksum = stored(precision, "cuda")
        for name in STRATEGIES:
            done = run_on_device(pool, name, twin="kernel", **OPTIONS)
            found[f"{precision} {name}"] = {
                "rows": checksum,
                "volumes": [one.log_volume for one in done.rounds],
                "queried": done.queried.tolist(),
            }
            print(f"volumes: {precision} {name}: ln v = {done.rounds[-1].log_volume:.5f}", flush=True)
            file.write_text(json.dumps(found))


def compare(file: Path) -> None:
    """The same in float64 on the CPU."""
    found = json.loads(file.read_text())
    for precision in PRECISIONS:
        pool, checksum = stored(precision, "cpu")
        exact = in_double(pool)
        for name in STRATEGIES:
            mine = found[f"{precision} {name}"]
            if mine["rows"] != checksum:
                raise SystemExit(f"{precision}: this machine draws other rows: the runs cannot be compared")
            theirs = run_on_device(exact, name, twin="readable", **OPTIONS)
            volumes = np.array([one.log_volume for one in theirs.rounds])
            worst = float(np.abs(volumes - mine["volumes"]).max())
            same = len(set(mine["queried"]) & set(theirs.queried.tolist())) / theirs.queried.size
            print(
                f"volumes: {precision} {name}: ln v off by {worst:.1e} at most in {volumes.size} rounds "
                f"(wanted {WANTED:g}), {same:.1%} of the rows the same",
                flush=True,
            )


def main() -> None:
    """Run on a GPU, or compare anywhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "compare"))
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    {"run": run, "compare": compare}[given.what](given.file)


if __name__ == "__main__":
    main()
