"""Σ(ln v) from the chains of several pools.

What is the same for all pools of a size is ln Ξ(β), not Ξ: so ln Ξ is averaged over pools, and
Legendre's transform follows,

    Φ(β) = ⟨ln Ξ(β)⟩/N,      ln v = dΦ/dβ,      Σ = Φ − β ln v.

Errors are one standard error of the mean over pools at a β, in which the noise of the chains is
contained; of one pool alone they are not known. The noise of the chains alone, in Φ, is found by
leaving out an eighth of the rounds at a time.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from gardner.experiment.ensemble.chain import Floats
from gardner.experiment.ensemble.folder import PoolRun
from gardner.experiment.ensemble.mixing import Mixing, autocorrelation_time, returns
from gardner.experiment.ensemble.question import Question
from gardner.experiment.ensemble.reweighting import Reweighting, reweight
from gardner.inference import expectation_propagation

# The share of the rounds that is left out at the start.
SETTLING = 0.2
# Rounds that are put together at most; more are thinned, as neighbours in time say the same.
MOST = 600
# Parts of the rounds of which one at a time is left out.
PARTS = 8
# Points of the curve on each side of β = 0.
POINTS = 60
# The scale of β at which the points of the curve change from even to logarithmic spacing.
SCALE = 2.0
# Subsets a pool on which EP is asked as well.
WITNESSED = 8


@dataclass(frozen=True)
class Witness:
    """EP beside AMP on subsets at which chains ended: ln v of both."""

    pool: int
    beta: float
    amp: float
    ep: float
    converged: bool


@dataclass(frozen=True)
class Ensemble:
    """The sampled ensemble: the curve as a frame, and how well the chains mixed, pool by pool.

    ``pools`` is the curve of each pool: rows (pool, beta, log_partition, log_volume).
    """

    question: Question
    rounds: int
    curve: pd.DataFrame
    pools: pd.DataFrame
    mixing: list[Mixing]
    witnesses: list[Witness]
    seconds: float

    @property
    def warnings(self) -> list[str]:
        """What is in the way of believing it, in one line each."""
        lines = []
        for index, one in enumerate(self.mixing):
            if one.troubles:
                lines.append(f"the chains of pool {self.question.seed + index} did not mix: {'; '.join(one.troubles)}")
        if any(not one.converged for one in self.witnesses):
            lines.append("EP did not converge on some of the subsets")
        return lines

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest mean ln v."""
        return float(self.curve["log_volume"].min()), float(self.curve["log_volume"].max())

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "question": self.question.to_json(),
            "pools": len(self.mixing),
            "rounds": self.rounds,
            "status": "not mixed" if any(one.troubles for one in self.mixing) else "mixed",
            "warnings": self.warnings,
            "range": list(self.range),
            "curve": self.curve.to_dict("records"),
            "chains": [_plain(one) for one in self.mixing],
            "witnesses": [asdict(one) for one in self.witnesses],
            "cpu_seconds": self.seconds,
        }


def _plain(one: Mixing) -> dict[str, Any]:
    found = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in asdict(one).items()}
    return {**found, "troubles": one.troubles}


def summarise_chains(question: Question, runs: list[PoolRun]) -> Ensemble:
    """Put the pools' chains together.

    >>> import tempfile
    >>> from gardner.experiment.ensemble.folder import sample
    >>> question = Question(10, 3.0, 0.6, lowest=-3.0, highest=5.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     answer = summarise_chains(question, sample(question, folder, pools=2, rounds=200))
    >>> top = answer.curve.loc[answer.curve["complexity"].idxmax()]
    >>> bool(abs(top["complexity"] - question.log_count / 10) < 1e-9), float(top["beta"])
    (True, 0.0)
    """
    betas = beta_grid(question)
    per_pool = [_of_pool(question, run, betas) for run in runs]
    partition, volume, chain_error = (np.array(part) / question.features for part in zip(*per_pool, strict=True))
    count = len(runs)
    complexity = partition - betas * volume
    errors = [_standard_error(part) for part in (partition, volume, complexity)]
    noise = np.sqrt((chain_error**2).mean(axis=0) / count)
    curve = pd.DataFrame(
        {
            "beta": betas,
            "log_volume": volume.mean(axis=0),
            "log_volume_stderr": errors[1],
            "complexity": complexity.mean(axis=0),
            "complexity_stderr": errors[2],
            "log_partition": partition.mean(axis=0),
            "log_partition_stderr": errors[0],
            "chain_stderr": noise,
        }
    )
    pools = pd.DataFrame(
        {
            "pool": np.repeat([question.seed + run.index for run in runs], betas.size),
            "beta": np.tile(betas, count),
            "log_partition": partition.ravel(),
            "log_volume": volume.ravel(),
        }
    )
    witnesses = [one for run in runs for one in _witness(question, run)]
    seconds, mixing = sum(run.seconds for run in runs), [mixing_of(run) for run in runs]
    return Ensemble(question, runs[0].log_evidence.shape[0], curve, pools, mixing, witnesses, seconds)


def _standard_error(of_pools: Floats) -> Floats:
    """Of the mean over pools; not known of one alone."""
    count = of_pools.shape[0]
    if count == 1:
        return np.full(of_pools.shape[1], np.nan)
    return np.asarray(of_pools.std(axis=0, ddof=1) / math.sqrt(count))


def beta_grid(question: Question) -> Floats:
    """The β of the curve: even near 0, logarithmic beyond, the ends of the ladder included."""
    sides = []
    for end in (question.lowest, question.highest):
        sides.append(SCALE * np.sinh(np.linspace(0.0, math.asinh(end / SCALE), POINTS + 1)))
    sides[0][-1], sides[1][-1] = question.lowest, question.highest
    return np.concatenate([sides[0][:0:-1], sides[1]])


def kept_rounds(run: PoolRun) -> Floats:
    """The rounds of a pool that count, thinned."""
    series = run.log_evidence[math.ceil(SETTLING * run.log_evidence.shape[0]) :]
    return series[:: -(-series.shape[0] // MOST)]


def reweighted(question: Question, run: PoolRun) -> Reweighting:
    """All rounds of a pool that count, put together."""
    return reweight(run.betas, kept_rounds(run), question.log_count)


def _of_pool(question: Question, run: PoolRun, betas: Floats) -> tuple[Floats, Floats, Floats]:
    """ln Ξ and the mean of ln Z of one pool, and the error of ln Ξ by leaving out parts of the
    rounds.
    """
    samples = kept_rounds(run)
    whole = reweighted(question, run)
    partition, mean, _ = whole.log_partition(betas)
    parts = np.array_split(np.arange(samples.shape[0]), PARTS)
    others = []
    for part in parts:
        left = np.delete(samples, part, axis=0)
        others.append(reweight(run.betas, left, question.log_count, whole.rungs).log_partition(betas)[0])
    spread = np.array(others) - np.mean(others, axis=0)
    return partition, mean, np.sqrt((PARTS - 1) / PARTS * (spread**2).sum(axis=0))


def mixing_of(run: PoolRun) -> Mixing:
    """How well the chains of a pool mixed."""
    first = math.ceil(SETTLING * run.log_evidence.shape[0])
    series = run.log_evidence[first:]
    time = np.array([autocorrelation_time(column) for column in series.T])
    zero = int(np.flatnonzero(run.betas == 0.0)[0])
    trips = returns(run.walker[first:], zero)
    return Mixing(time, series.shape[0] / (2.0 * time), run.exchange, run.accepted, run.lost, trips)


def _witness(question: Question, run: PoolRun) -> list[Witness]:
    """EP on the last subsets of some of the chains, ends included."""
    rows, labels = question.pool(run.index)
    found = []
    for rung in np.unique(np.linspace(0, run.betas.size - 1, WITNESSED).round().astype(int)):
        chosen = run.order[rung, : question.size]
        ep = expectation_propagation(rows[chosen], labels[chosen])
        amp = float(run.log_evidence[-1, rung]) / question.features
        found.append(Witness(run.index, float(run.betas[rung]), amp, float(ep.log_volume), bool(ep.converged)))
    return found
