"""What tasks that run on a device may ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment.device.place import check_precision, find_device

if TYPE_CHECKING:
    from gardner.experiment.question.task import Task


def settled(
    values: Mapping[str, list[Any]], strategies: Sequence[tuple[str, Mapping[str, Any]]]
) -> dict[str, list[Any]]:
    """The devices of a sweep with ``auto`` replaced by what there is; what cannot run there is
    refused.
    """
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
