"""Which estimate of a spectrum gives the right forecast where rows are few: accuracies against
those of the truth.

Normal rows, N = 200 columns with four known spectra, P rows. The accuracy of random choice at P/10,
P/4, P/2 and P labels is computed from the true variances and from those estimated by the sample
covariance, by Ledoit and Wolf's and the oracle approximating shrinkage (scikit-learn), and by the
equation of the population (gardner.table.forecast.deconvolution). Printed: mean absolute error of
the accuracy.

    python -m benchmarks.spectra            # about a minute
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage, oas

from gardner.model.arrays import Floats
from gardner.table.forecast.curves import Question, at_random
from gardner.table.forecast.deconvolution import population

COLUMNS = 200
RATIOS = (0.25, 0.5, 1.0, 2.0, 5.0)
SHARES = (0.1, 0.25, 0.5, 1.0)
SPECTRA = {
    "flat": np.ones(COLUMNS),
    "1/k": 1.0 / np.arange(1, COLUMNS + 1),
    "log-uniform": np.geomspace(0.01, 1.0, COLUMNS),
    "two-level": np.where(np.arange(COLUMNS) < COLUMNS // 10, 1.0, 0.05),
}


def estimates(table: Floats) -> dict[str, Floats]:
    """Variances by each method."""
    rows, columns = table.shape
    sample = np.maximum(np.linalg.eigvalsh(table.T @ table / rows), 0.0)
    shrunk = {
        "Ledoit-Wolf": float(ledoit_wolf_shrinkage(table, assume_centered=True)),
        "OAS": float(oas(table, assume_centered=True)[1]),
    }
    linear = {name: (1.0 - a) * sample + a * sample.mean() for name, a in shrunk.items()}
    return {"sample": sample, **linear, "population": population(np.asarray(sample), rows, columns)}


def main() -> None:
    """Print a table: spectra and numbers of rows down, methods across."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    worst: dict[str, float] = {}
    for name, c in SPECTRA.items():
        for ratio in RATIOS:
            rows = round(ratio * COLUMNS)
            labels = np.array([round(share * rows) for share in SHARES], dtype=np.float64)
            truth = at_random(Question(tuple((c / c.mean()).tolist()), rows), labels)
            off: dict[str, list[float]] = {}
            for seed in range(seeds):
                table = np.random.default_rng([seed, rows]).standard_normal((rows, COLUMNS)) * np.sqrt(c)
                for method, found in estimates(table).items():
                    told = at_random(Question(tuple((found / found.mean()).tolist()), rows), labels)
                    off.setdefault(method, []).append(float(np.mean(np.abs(told - truth))))
            means = {method: float(np.mean(values)) for method, values in off.items()}
            worst = {method: max(value, worst.get(method, 0.0)) for method, value in means.items()}
            cells = "  ".join(f"{method} {value:.4f}" for method, value in means.items())
            print(f"{name:11s} {rows:5d} rows: {cells}", flush=True)
    print("worst: " + "  ".join(f"{method} {value:.4f}" for method, value in worst.items()))


if __name__ == "__main__":
    main()
