"""A pool on a device: drawn there, or brought there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gardner.errors import InvalidInputError
from gardner.experiment.device.place import check_memory, check_precision, find_device, torch_module
from gardner.inference.device.stored import LANES, PIECE, StoredRows, device_of
from gardner.model import GLM, PERCEPTRON, Instance, library_of
from gardner.model.arrays import ArrayObject
from gardner.model.instance import check_sizes, streams


@dataclass(frozen=True, eq=False)
class DevicePool:
    """Rows as they are stored, the teacher's weights, and the labels it gives to the rows as
    stored.
    """

    rows: StoredRows
    teacher: ArrayObject
    labels: ArrayObject


def draw_pool(
    features: int,
    pool_ratio: float,
    seed: int,
    model: GLM = PERCEPTRON,
    *,
    device: str = "auto",
    dtype: str = "float32",
) -> DevicePool:
    """A random problem, drawn by PyTorch where it is to be used.

    The same seed on the same kind of device gives the same digits. The teacher and the noise of the
    labels are those of :func:`gardner.draw_instance`; the rows are others.
    """
    check_precision(dtype)
    count = check_sizes(features, pool_ratio, seed)
    torch, place = torch_module(), find_device(device)
    if place == "cuda":
        torch.cuda.empty_cache()
        check_memory(features, pool_ratio, dtype, torch.cuda.mem_get_info()[0])
    for_teacher, for_rows, for_labels = streams(seed)
    teacher = torch.as_tensor(model.prior.sample(features, for_teacher), dtype=torch.float32, device=place)
    generator = torch.Generator(device=place).manual_seed(int(for_rows.integers(1 << 62)))
    entries, norms, fields = _empty(torch, count, features, dtype, place)
    size = max(1, PIECE // features)
    for start in range(0, count, size):
        part = slice(start, min(start + size, count))
        drawn = torch.randn((part.stop - start, features), generator=generator, device=place, dtype=torch.float32)
        entries[part, :features] = drawn / math.sqrt(features)
        stored = entries[part, :features].float()
        norms[part], fields[part] = (stored * stored).sum(dim=1), stored @ teacher
    labels = model.channel.sample(fields.cpu().numpy(), for_labels)
    return DevicePool(StoredRows(entries, features, norms), teacher, torch.as_tensor(labels, device=place))


def _empty(torch: Any, count: int, features: int, dtype: str, place: str) -> tuple[Any, Any, Any]:
    pitch = features + -features % LANES
    entries = torch.empty((count, pitch), dtype=getattr(torch, dtype), device=place)
    entries[:, features:] = 0.0
    return entries, *(torch.empty(count, dtype=torch.float32, device=place) for _ in range(2))


def stored_pool(instance: Instance, like: ArrayObject | None = None) -> DevicePool:
    """A pool that is there already, in single precision, with the library and on the device of
    ``like`` (NumPy).
    """
    if instance.rows.dtype not in (np.float32, np.float64):
        raise InvalidInputError("instance.rows", instance.rows.dtype, "rows must be floating numbers")
    features = instance.rows.shape[1]
    padded = np.zeros((len(instance.rows), features + -features % LANES), dtype=np.float32)
    padded[:, :features] = instance.rows
    norms = np.einsum("ij,ij->i", padded, padded, dtype=np.float64).astype(np.float32)
    parts: list[Any] = [padded, norms, instance.teacher.astype(np.float32), instance.labels.astype(np.float32)]
    if like is not None:
        xp, device = library_of(like).xp, device_of(like)
        parts = [xp.asarray(part, device=device) for part in parts]
    entries, lengths, teacher, labels = parts
    return DevicePool(StoredRows(entries, features, lengths), teacher, labels)
