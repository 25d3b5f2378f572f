"""The ensemble of subsets at finite size, by one call: what ``gardner sample`` prints."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from gardner.experiment.ensemble.answer import Ensemble, summarise_chains
from gardner.experiment.ensemble.folder import sample
from gardner.experiment.ensemble.question import POOLS, ROUNDS, Question
from gardner.records.files import passing_folder


def sample_ensemble(
    features: int,
    pool_ratio: float,
    budget: float,
    *,
    seed: int = Question.seed,
    lowest: float = Question.lowest,
    highest: float = Question.highest,
    pools: int = POOLS,
    rounds: int = ROUNDS,
    out: Path | str | None = None,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Ensemble:
    """Sample the subsets of ``budget``·N rows of finite pools, from the smallest volume to the
    largest, and count them.

    Markov chains between the inverse temperatures ``lowest`` (below 0, small volumes) and
    ``highest`` (above 0, large ones) walk from subset to subset, in ``pools`` pools of their own,
    for so many ``rounds``. The answer has Σ against ln v with errors, and ``warnings`` where chains
    did not mix. What is sampled is kept in the folder ``out``: a run that was stopped goes on
    there, to the same bytes. Without a folder nothing is kept.

    >>> found = sample_ensemble(10, 3.0, 0.6, lowest=-3.0, highest=5.0, pools=2, rounds=100)
    >>> top = found.curve.loc[found.curve["complexity"].idxmax()]
    >>> float(top["beta"]), bool(found.range[0] < top["log_volume"] < found.range[1])
    (0.0, True)
    """
    question = Question(features, pool_ratio, budget, lowest, highest, seed)
    with passing_folder() if out is None else nullcontext(out) as folder:
        runs = sample(question, folder, pools=pools, rounds=rounds, threads=threads, progress=progress)
        return summarise_chains(question, runs)
