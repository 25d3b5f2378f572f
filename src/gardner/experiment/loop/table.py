"""Active learning on a real table, round by round: fit → measure → query → label.

The first batch is random and the same for all strategies on a seed, as are the rows held out.
Whatever a strategy uses to choose, it is measured by one model: standardised columns, an intercept,
and a noise that stays the same, by expectation propagation. So accuracy and log-loss compare the
labels asked for, not the learners.
"""

from __future__ import annotations

import functools

import numpy as np

from gardner.errors import InvalidInputError
from gardner.experiment.loop.pool import Clock, check_choice
from gardner.experiment.question.labelled_table import Floats, Integers, LabelledTable
from gardner.experiment.rounds import FIRST, Round, Run, Seconds
from gardner.model import Channel
from gardner.strategies import Strategy
from gardner.strategies.real_pool import RealPool, round_generator
from gardner.table.any_classes import AnyFit
from gardner.units import LN2


def run_on_table(
    table: LabelledTable,
    strategy: Strategy,
    *,
    labels: int,
    batch_size: int,
    seed: int,
    channel: Channel,
    test_share: float,
) -> Run:
    """Spend a number of labels on the rows that are not held out; places in ``queried`` are those
    among them.
    """
    inside, outside = table.split(test_share, seed)
    if not 1 <= labels <= inside.size:
        raise InvalidInputError("budget", labels, f"the pool has {inside.size} rows, the others are held out")
    pool = RealPool.of(table.features[inside], channel)
    count = len(table.classes)
    truth, held = (_values(table.codes[part], count) for part in (inside, outside))
    measured_on = (pool.design(table.features[outside]), held) if strategy.informed else None
    queried = np.random.default_rng([FIRST, seed]).permutation(inside.size)[: min(batch_size, labels)]
    clock, rounds, seconds = Clock(), list[Round](), list[Seconds]()
    while True:
        fit = clock.time("fitting", functools.partial(pool.fit, queried, truth[queried], count))
        rounds.append(_measure(fit, table, outside, queried.size, rounds[-1] if rounds else None))
        if queried.size >= labels:
            seconds.append(clock.read())
            break
        view = pool.view(
            queried, truth[queried], min(batch_size, labels - queried.size), round_generator(seed, queried.size),
            known=fit, hidden_labels=truth if strategy.informed else None, held_out=measured_on, classes=count,
        )  # fmt: skip
        choice = clock.time("querying", functools.partial(strategy.query, view))
        added, dropped = check_choice(choice, view, strategy)
        kept = queried if dropped is None else queried[~np.isin(queried, dropped)]
        queried = np.concatenate([kept, added])
        seconds.append(clock.read())
    return Run(rounds, queried, bool(strategy.informed), seconds)


def _values(codes: Integers, count: int) -> Floats:
    """Labels as strategies see them: two classes are −1 and +1, more are 0, 1, …."""
    return np.where(codes == 1, 1.0, -1.0) if count == 2 else codes.astype(np.float64)


def _measure(fit: AnyFit, table: LabelledTable, outside: Integers, labels: int, before: Round | None) -> Round:
    """What the labels are worth, on the rows held out."""
    if fit.found is None:
        raise InvalidInputError("classes", 1, "one class has nothing to learn")
    posterior, columns = fit.found.posterior, table.features.shape[1]
    chances, codes = fit.probabilities(table.features[outside]), table.codes[outside]
    chosen = np.maximum(chances[np.arange(codes.size), codes], np.finfo(np.float64).tiny)
    evidence, known = (0.0, 0) if before is None else (columns * before.log_volume, before.labels)
    bits = (evidence - posterior.log_evidence) / ((labels - known) * LN2)
    return Round(
        labels=labels,
        budget=labels / columns,
        log_volume=posterior.log_evidence / columns,
        overlap=None,
        self_overlap=None,
        accuracy=None,
        test_accuracy=float(np.mean(chances.argmax(axis=1) == codes)),
        bits_per_label=bits if len(table.classes) == 2 else None,
        iterations=posterior.iterations,
        residual=posterior.residual,
        damping=posterior.damping,
        status=posterior.status.value,
        log_loss=-float(np.mean(np.log(chosen))),
    )
