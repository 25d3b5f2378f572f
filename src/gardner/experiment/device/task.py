"""Tasks of a sweep that run on a device: what they may ask for, and how they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment.device.place import check_precision, find_device

if TYPE_CHECKING:
    from gardner.experiment.rounds import Run
    from gardner.experiment.task import Task


def settled(
    values: Mapping[str, list[Any]], strategies: Sequence[tuple[str, Mapping[str, Any]]]
) -> dict[str, list[Any]]:
    """The devices of a sweep with ``auto`` replaced by what there is; what cannot run there is refused."""
    devices = list(dict.fromkeys(find_device(name) for name in values["device"]))
    for device in devices:
        for dtype in values["dtype"]:
            if device == "cuda":
                check_precision(dtype)
            elif dtype not in ("float32", "float64"):
                raise InvalidInputError("dtype", dtype, "it is for rows on a GPU", hint="device 'cuda' or 'auto'")
    if "cuda" in devices:
        if any(values["test_rows"]):
            problem = "test rows are measured on the CPU only"
            raise InvalidInputError("test_rows", max(values["test_rows"]), problem, hint="device 'cpu'")
        from gardner.experiment.device.choice import make_chooser

        for name, parameters in strategies:
            make_chooser(name, parameters)
    return {"device": devices}


def can_run(task: Task) -> bool:
    """Whether a task of the CPU can run on a device as it is."""
    from gardner.experiment.device.choice import make_chooser

    try:
        make_chooser(task.strategy.name, task.strategy.parameters)
        check_precision(task.dtype)
    except GardnerError:
        return False
    return not (task.data or task.test_rows)


def execute_on_device(task: Task) -> Run:
    """Draw the pool there and run the strategy on it."""
    from gardner.experiment.device.loop import run_on_device
    from gardner.experiment.device.pool import draw_pool
    from gardner.model import GLM
    from gardner.model.external import load_channel, load_prior

    student = GLM(load_prior(task.prior), load_channel(task.channel))
    teacher = GLM(load_prior(task.teacher_prior), load_channel(task.teacher_channel))
    pool = draw_pool(task.features, task.pool_ratio, task.seed, teacher, device=task.device, dtype=task.dtype)
    return run_on_device(
        pool, task.strategy.name, task.strategy.parameters, budget=task.budget, batch_size=task.batch_size,
        seed=task.seed, model=student, variances=task.variances,
    )  # fmt: skip
