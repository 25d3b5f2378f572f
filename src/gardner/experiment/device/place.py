"""Which device, in which precision, and whether a pool fits."""

from __future__ import annotations

import math
from typing import Any

from gardner.errors import GardnerError, InvalidInputError
from gardner.inference.device.stored import LANES, PIECE

# Names of the precisions in which rows may be kept, with their bytes. Vectors and sums are always
# in single precision: means rounded to 16 bits keep an iteration from coming to rest.
PRECISIONS = {"float32": 4, "bfloat16": 2, "float16": 2}
DEVICES = ("auto", "cpu", "cuda")
# Arrays of single numbers that a pool needs beside its rows, in bytes a row: length, label, g,
# field, order, scores and what sorting them takes.
_BESIDE = 96
# Bytes kept free for the libraries' own buffers: cuBLAS, the context, the graph.
_SPARE = 1 << 30


def torch_module() -> Any:
    """PyTorch, or an error that names the extra."""
    try:
        import torch
    except ImportError:
        raise GardnerError("a device needs PyTorch", hint="pip install 'gardner[cuda]'") from None
    return torch


def find_device(name: str) -> str:
    """``cuda`` or ``cpu``: ``auto`` is the first where there is a GPU that PyTorch can use."""
    if name not in DEVICES:
        raise InvalidInputError("device", name, f"it must be {', '.join(DEVICES[:-1])} or {DEVICES[-1]}")
    if name == "cpu":
        return name
    try:
        there = bool(torch_module().cuda.is_available())
    except GardnerError:
        if name == "cuda":
            raise
        there = False
    if name == "cuda" and not there:
        raise GardnerError("PyTorch finds no GPU here", hint="device 'cpu' runs everywhere, 'auto' takes what there is")
    return "cuda" if there else "cpu"


def bytes_needed(features: int, pool_ratio: float, precision: str) -> int:
    """Memory for a pool and a run on it."""
    rows, pitch = round(pool_ratio * features), features + -features % LANES
    return rows * pitch * PRECISIONS[precision] + rows * _BESIDE + 600 * pitch + 3 * 4 * PIECE + _SPARE


def check_memory(features: int, pool_ratio: float, precision: str, free: int) -> None:
    """Refuse what does not fit, before anything is allocated, and say what would."""
    needed = bytes_needed(features, pool_ratio, precision)
    if needed <= free:
        return
    largest = largest_features(pool_ratio, precision, free)
    narrow = "" if PRECISIONS[precision] == 2 else ", with rows in bfloat16 {}"
    hint = f"the largest N that fits is {largest}" + narrow.format(largest_features(pool_ratio, "bfloat16", free))
    sizes = f"needs {needed / 1e9:.3g} GB, {free / 1e9:.3g} are free"
    what = f"N = {features} at alpha = {pool_ratio:g} in {precision} {sizes}"
    raise GardnerError(what, hint=hint)


def largest_features(pool_ratio: float, precision: str, free: int) -> int:
    """The largest N that fits, a multiple of ``LANES``."""
    low, high = 0, int(math.sqrt(max(free, 1) / pool_ratio)) // LANES + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bytes_needed(middle * LANES, pool_ratio, precision) <= free else (low, middle)
    return low * LANES


def check_precision(precision: str) -> None:
    """Refuse a precision in which rows cannot be kept."""
    if precision not in PRECISIONS:
        known = ", ".join(PRECISIONS)
        raise InvalidInputError("dtype", precision, f"on a device rows are kept in one of {known}")
