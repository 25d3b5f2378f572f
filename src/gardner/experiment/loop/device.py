"""A task whose pool lives on a device: drawn there, and run there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gardner.experiment.device.loop import run_on_device
from gardner.experiment.device.pool import draw_pool

if TYPE_CHECKING:
    from gardner.experiment.question.task import Task
    from gardner.experiment.rounds import Run
    from gardner.model import GLM


def execute_on_device(task: Task, student: GLM, teacher: GLM) -> Run:
    """Draw the pool there and run the strategy on it."""
    pool = draw_pool(task.features, task.pool_ratio, task.seed, teacher, device=task.device, dtype=task.dtype)
    return run_on_device(
        pool, task.strategy.name, task.strategy.parameters, budget=task.budget, batch_size=task.batch_size,
        seed=task.seed, model=student, variances=task.variances,
    )  # fmt: skip
