"""One task, here and now: the pool, the strategy and the loop, with whatever goes wrong as an
answer.

The answer is plain data, so that it can go from a process to the one that asked.
"""

from __future__ import annotations

import math
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gardner.errors import GardnerError
from gardner.experiment.loop.memory import Peak
from gardner.experiment.loop.pace import TooSlowError, paced
from gardner.experiment.question.task import Task
from gardner.experiment.rounds import Run, Versions

# "versions", "informed", "rounds" and "timings"; or "reason", "hint" and perhaps the first two; or
# "version" of other code, or "changed" and "hint" of a table that is another by now
Answer = dict[str, Any]


def execute(task: Task, limit: float | None = None) -> Answer:
    """Run one task here and now; whatever goes wrong is the answer. Memory is noted beside the
    time.

    ``limit`` is in seconds of the processor: a task that will not be done by then stops when that
    is clear.
    """
    begin = time.process_time()
    with Peak() as peak:
        answer = _executed(task, math.inf if limit is None else limit)
    if "timings" in answer:
        answer["timings"] |= {**peak.record(), "processor_seconds": time.process_time() - begin}
    return answer


def _executed(task: Task, limit: float) -> Answer:
    from gardner.experiment.loop.pool import run
    from gardner.model import GLM, draw_instance
    from gardner.model.external import load_channel, load_prior
    from gardner.strategies.external import make_strategy

    begin, known = time.perf_counter(), Answer(versions=asdict(_versions()))
    options: dict[str, Any] = {"budget": task.budget, "batch_size": task.batch_size, "seed": task.seed, "threads": 1}
    options |= {"variances": task.variances, "test_rows": task.test_rows}
    try:
        if task.data:
            return _execute_on_table(task, known, begin, limit)
        student = GLM(load_prior(task.prior), load_channel(task.channel))
        teacher = GLM(load_prior(task.teacher_prior), load_channel(task.teacher_channel))
        if task.device == "cuda":
            from gardner.experiment.loop.device import execute_on_device

            return _answer(known, execute_on_device(task, student, teacher), begin)
        strategy = paced(make_strategy(task.strategy.name, dict(task.strategy.parameters)), task, limit)
        known["informed"] = bool(strategy.informed)
        pool = draw_instance(task.features, task.pool_ratio, task.seed, teacher, task.dtype)
        curve = run(pool, strategy, model=student, teacher=teacher, **options)
    except TooSlowError as error:
        return {**known, "reason": f"TimeLimit: {error.what}", "hint": error.hint}
    except GardnerError as error:
        return {**known, "reason": f"{type(error).__name__}: {error.what}", "hint": error.hint}
    except BaseException as error:  # sys.exit() in a strategy too
        last = traceback.extract_tb(error.__traceback__)[-1]
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return {**known, "reason": reason, "hint": f"raised at {Path(last.filename).name}:{last.lineno}"}
    return _answer(known, curve, begin)


def _execute_on_table(task: Task, known: Answer, begin: float, limit: float) -> Answer:
    """Run a task whose pool is a file."""
    from gardner.experiment.loop.table import run_on_table
    from gardner.experiment.question.labelled_table import ChangedFileError, read_labelled
    from gardner.model.external import load_channel
    from gardner.strategies.external import make_strategy

    try:
        table = read_labelled(task.data, task.label_column)
    except ChangedFileError as error:
        return {"changed": error.what, "hint": error.hint}
    strategy = paced(make_strategy(task.strategy.name, dict(task.strategy.parameters)), task, limit)
    known["informed"] = bool(strategy.informed)
    curve = run_on_table(
        table, strategy, labels=task.labels, batch_size=task.batch_size, seed=task.seed,
        channel=load_channel(task.channel), test_share=task.test_share,
    )  # fmt: skip
    return _answer(known, curve, begin)


def _answer(known: Answer, curve: Run, begin: float) -> Answer:
    rounds = [asdict(one) for one in curve.rounds]
    seconds = {"seconds": time.perf_counter() - begin, "rounds": [asdict(one) for one in curve.seconds]}
    return {**known, "informed": curve.informed, "rounds": rounds, "timings": seconds}


def _versions() -> Versions:
    import numba
    import numpy as np

    import gardner

    return Versions(gardner.__version__, np.__version__, numba.__version__)
