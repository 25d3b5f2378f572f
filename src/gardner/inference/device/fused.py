"""Iterations of message passing on a GPU: each row is read once, and many iterations need no word
from the host.

`kernel.cu` has the text. PyTorch compiles it when it is first needed, by NVIDIA's run-time
compiler, which comes with it. Several iterations are recorded as one graph: what changes between
them, such as the number of labelled rows, lies on the device, and an iteration after the last one
needed returns at once.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from gardner.inference.device.stored import StoredRows
from gardner.inference.message_passing import Passage, Weights
from gardner.model import GLM
from gardner.model.arrays import ArrayObject, Integers
from gardner.model.special import MILLS, SCALE

# Threads of a block that compute; 32 more fetch rows (kernel.cu).
THREADS = 480
# Iterations recorded in one graph: between two looks at the residuals. Most rounds need about
# eight.
GROUP = 8
# Bytes of shared memory for rows, of 227 KB that a multiprocessor of compute capability 9.0 gives a
# block; the rest is for barriers and sums.
ROOM = 220_000
# Pieces of a row that a thread may have, by the size of a number: means and sums are in registers,
# 128 of them.
MOST_VECTORS = {4: 11, 2: 6}
# Sets of rows in shared memory, at most: more bring nothing (benchmarks/gpu.py, shapes).
MOST_STAGES = 3
# Multiprocessors that may share a row: a cluster has eight at most.
PARTS = (1, 2, 4, 8)
# Channels that the kernel knows, by the names of their compiled functions, and whether labels are
# flipped.
CHANNELS = {"sign": 0, "probit": 0, "flip": 1}
_STORED = {"float32": 0, "bfloat16": 1, "float16": 2}
# Places in the state (kernel.cu has the same list).
(
    COUNT, FEATURES, KEEP, TOLERANCE, PRIOR_VARIANCE, NOISE, SPREAD, USED_SPREAD, PRECISION, RESIDUAL, ITERATIONS,
    DONE, HISTORY,
) = range(13)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """How rows are laid out: the constants of the kernel (kernel.cu says what each is)."""

    stored: int
    vectors: int
    rows: int
    stages: int
    parts: int
    lag: int


def shape_of(precision: str, pitch: int) -> Shape | None:
    """The layout of rows of ``pitch`` columns; none where they are too wide for a cluster.

    >>> shape_of("float32", 20000)
    Shape(stored=0, vectors=11, rows=1, stages=2, parts=1, lag=0)
    """
    size = 4 if precision == "float32" else 2
    for parts in PARTS:
        wide = part_columns(pitch, parts, size)
        vectors = -(-wide * size // (16 * THREADS))
        if vectors <= MOST_VECTORS[size]:
            fit = ROOM // (wide * size)  # rows in shared memory
            rows = next(many for many in (8, 4, 2, 1) if many <= fit // 2)
            return Shape(_STORED[precision], vectors, rows, min(MOST_STAGES, fit // rows), parts, 0)
    return None


def part_columns(pitch: int, parts: int, size: int) -> int:
    """Columns that one multiprocessor of a cluster has, whole pieces of 16 bytes."""
    lanes = 16 // size
    share = (pitch + parts - 1) // parts
    return (share + lanes - 1) // lanes * lanes


def shared_bytes(shape: Shape, pitch: int) -> int:
    """Shared memory of a block: barriers and sums, then rows."""
    size, sides = (4, 2, 2)[shape.stored], 4
    sums = 4 * (2 * shape.rows * (THREADS // 32) + sides * shape.parts * shape.rows)
    head = 8 * (2 * shape.stages + sides) + sums
    return -(-head // 128) * 128 + shape.stages * shape.rows * part_columns(pitch, shape.parts, size) * size


def serves(rows: StoredRows, model: GLM) -> bool:
    """Whether the kernel can take these rows: on a GPU that has bulk copies, normal weights, labels
    of two classes.
    """
    if not hasattr(rows.entries, "is_cuda"):
        return False
    entries: Any = rows.entries
    if not entries.is_cuda:
        return False
    import torch

    able = torch.cuda.get_device_capability(entries.device)[0] >= 9 and hasattr(torch.cuda, "_compile_kernel")
    return _has_kernel(model) and able and shape_of(_name(entries.dtype), int(entries.shape[1])) is not None


def _has_kernel(model: GLM) -> bool:
    """Whether the text of the kernels has the model: normal weights of one variance, and a channel
    of the list.
    """
    channel = model.channel.compiled
    return model.prior.one_normal_law and channel is not None and channel.name in CHANNELS


def _name(dtype: object) -> str:
    return str(dtype).removeprefix("torch.")


def source(shape: Shape, flip: int) -> str:
    """The text for a layout."""
    constants = {
        "STORED": shape.stored, "VECTORS": shape.vectors, "ROWS": shape.rows, "STAGES": shape.stages,
        "PARTS": shape.parts, "LAG": shape.lag, "FLIP": flip, "SCALE": SCALE, "TERMS": len(MILLS),
        "MILLS": ", ".join(map(repr, MILLS)),
    }  # fmt: skip
    head = "".join(f"#define {name} {value}\n" for name, value in constants.items())
    return head + files("gardner.inference.device").joinpath("kernel.cu").read_text(encoding="utf-8")


@functools.lru_cache
def _compiled(shape: Shape, flip: int, pitch: int, device: int) -> tuple[Any, Any, Any, int]:
    """The kernels for a layout, and the multiprocessors there are."""
    import torch

    text = source(shape, flip)
    with torch.cuda.device(device):
        kernels = [torch.cuda._compile_kernel(text, name) for name in ("amp_pass", "amp_update", "pool_dots")]
        kernels[0].set_shared_memory_config(max(shared_bytes(shape, pitch), 49_152))
    many = int(torch.cuda.get_device_properties(device).multi_processor_count)
    return kernels[0], kernels[1], kernels[2], many


class FusedIteration:
    """The fast twin of :class:`~gardner.inference.device.iteration.PlainIteration`, for PyTorch on
    a GPU.
    """

    def __init__(self, rows: StoredRows, labels: ArrayObject, model: GLM, shape: Shape | None = None) -> None:
        """Buffers for all rows, and nothing labelled. Another ``shape`` than the usual one is for
        measurements.
        """
        import torch

        self.rows, self.model, self.torch = rows, model, torch
        entries: Any = rows.entries
        self.device, self.pitch = entries.device, int(entries.shape[1])
        channel: Any = model.channel.compiled
        shape = shape or shape_of(_name(entries.dtype), self.pitch)
        assert shape is not None  # noqa: S101 (`serves` was asked)
        self.shape, self.bytes = shape, shared_bytes(shape, self.pitch)
        kernels = _compiled(shape, CHANNELS[channel.name], self.pitch, entries.device.index or 0)
        self.pass_, self.update, self.product, self.many = kernels
        self.clusters, self.blocks = self.many // shape.parts, -(-rows.features // 32)
        single, double = (
            {"dtype": torch.float32, "device": self.device},
            {"dtype": torch.float64, "device": self.device},
        )
        self.all_labels: Any = labels
        self.g, self.omega = (torch.zeros(rows.count, **single) for _ in range(2))
        self.mean, self.b = (torch.zeros(self.pitch, **single) for _ in range(2))
        self.partial = torch.empty((self.clusters, self.pitch), **single)
        self.sums, self.moved = torch.empty((self.clusters, 2), **double), torch.empty(self.blocks, **double)
        self.ticket = torch.zeros(1, dtype=torch.int32, device=self.device)
        self.order = torch.zeros(rows.count, dtype=torch.int32, device=self.device)
        self.state = torch.zeros(HISTORY + GROUP, **double)
        self.count, self.settings = 0, (0.0, 0.0)
        self.graph: Any = None
        self.reset()

    def label(self, order: ArrayObject, count: int, fresh: slice | Integers) -> None:
        """Rows that are new begin without g; the graph reads where they stand, and their number."""
        if self.order.data_ptr() != order.data_ptr():  # type: ignore[attr-defined]
            self.order.copy_(order)
        self.count = count
        new = self.order[fresh] if isinstance(fresh, slice) else self.order[self.torch.as_tensor(fresh).to(self.device)]
        self.g.index_fill_(0, new.long(), 0.0)
        self.state[COUNT] = float(count)

    def reset(self) -> None:
        """The prior, and no row seen."""
        prior, channel = self.model.prior.second_moment, self.model.channel.compiled
        self.mean.zero_()
        self.g.zero_()
        values = [0.0] * HISTORY
        values[COUNT], values[FEATURES], values[PRIOR_VARIANCE] = float(self.count), float(self.rows.features), prior
        values[KEEP], values[TOLERANCE] = self.settings
        values[SPREAD], values[NOISE] = prior, channel.parameter if channel is not None else 0.0
        self.state[:HISTORY] = self.torch.tensor(values, dtype=self.torch.float64)

    def advance(self, keep: float, tolerance: float, most: int) -> list[float]:
        """A graph of iterations; one at a time where fewer are wanted."""
        if (keep, tolerance) != self.settings:
            self.settings = keep, tolerance
            self.state[KEEP], self.state[TOLERANCE] = keep, tolerance
        self.state[ITERATIONS : DONE + 1] = 0.0
        if most >= GROUP:
            self._recorded().replay()
        else:
            for _ in range(most):
                self._once()
        state = self.state.tolist()
        return [
            value if math.isfinite(value) else math.inf for value in state[HISTORY : HISTORY + int(state[ITERATIONS])]
        ]

    def _recorded(self) -> Any:
        if self.graph is None:
            torch = self.torch
            kept = [part.clone() for part in (self.state, self.mean, self.g, self.omega, self.b)]
            self._once()  # loads what must be there before recording
            torch.cuda.synchronize(self.device)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                for _ in range(GROUP):
                    self._once()
            for part, before in zip((self.state, self.mean, self.g, self.omega, self.b), kept, strict=True):
                part.copy_(before)
        return self.graph

    def _once(self) -> None:
        rows: Any = self.rows
        self.pass_(
            grid=(self.clusters * self.shape.parts, 1, 1), block=(THREADS + 32, 1, 1), shared_mem=self.bytes,
            args=[
                rows.entries, self.order, self.all_labels, rows.norms, self.mean, self.g, self.omega, self.partial,
                self.sums, self.state, self.pitch,
            ],
        )  # fmt: skip
        self.update(
            grid=(self.blocks, 1, 1), block=(1024, 1, 1),
            args=[
                self.partial, self.sums, self.mean, self.b, self.moved, self.ticket, self.state, self.clusters,
                self.pitch, GROUP,
            ],
        )  # fmt: skip

    def found(self) -> tuple[Passage, Weights]:
        """The messages of the last iteration."""
        torch: Any = self.torch
        labelled = self.order[: self.count].long()
        features = self.rows.features
        norms: Any = self.rows.norms
        V = norms[labelled] * self.state[USED_SPREAD].float()
        mean, b = self.mean[:features].clone(), self.b[:features].clone()
        precision = torch.zeros_like(mean) + self.state[PRECISION].float()
        variance = torch.zeros_like(mean) + self.state[SPREAD].float()
        force = b - precision * mean
        return Passage(self.omega[labelled], V, self.g[labelled], precision, force), Weights(b, mean, variance)

    def spread(self, order: ArrayObject) -> ArrayObject:
        """The variances of the fields of some rows, by the one variance of all weights."""
        norms: Any = self.rows.norms
        return norms[order] * self.state[SPREAD].float()  # type: ignore[no-any-return]

    def dots(self, order: ArrayObject, begin: int, end: int) -> ArrayObject:
        """The mean fields of some rows of an order, by a kernel of its own."""
        out: ArrayObject = self.torch.empty(end - begin, dtype=self.torch.float32, device=self.device)
        blocks = min(4 * self.many, -(-(end - begin) // 32))
        if end > begin:
            self.product(
                grid=(max(1, blocks), 1, 1), block=(512, 1, 1),
                args=[self.rows.entries, order, begin, end - begin, self.mean, out, self.pitch],
            )  # fmt: skip
        return out


# Bytes of shared memory for a block of `subset_volumes`; a warp keeps one subset there.
_SUBSET_ROOM = 96_000
# Warps of such a block, at most.
_SUBSET_WARPS = 8


def serves_subsets(rows: ArrayObject, size: int, model: GLM) -> int:
    """How many subsets of so many rows a block can hold, none where the kernel cannot take them."""
    tensor: Any = rows
    if not getattr(tensor, "is_cuda", False) or str(tensor.dtype) != "torch.float32":
        return 0
    if not _has_kernel(model):
        return 0
    import torch

    if torch.cuda.get_device_capability(tensor.device)[0] < 9 or not hasattr(torch.cuda, "_compile_kernel"):
        return 0
    return min(_SUBSET_WARPS, _SUBSET_ROOM // _subset_bytes(size, int(tensor.shape[1])))


def _subset_bytes(size: int, features: int) -> int:
    return 4 * (size * (features | 1) + 4 * features + 4 * size)


@functools.lru_cache
def _subset_kernel(flip: int, device: int) -> tuple[Any, int]:
    import torch

    shape = Shape(stored=0, vectors=1, rows=1, stages=2, parts=1, lag=0)  # of the other kernels in the text
    with torch.cuda.device(device):
        kernel = torch.cuda._compile_kernel(source(shape, flip), "subset_volumes")
        kernel.set_shared_memory_config(_SUBSET_ROOM)
    return kernel, int(torch.cuda.get_device_properties(device).multi_processor_count)


def subset_volumes(
    rows: ArrayObject, labels: ArrayObject, subsets: ArrayObject, model: GLM, tolerance: float, warps: int
) -> tuple[Any, Any]:
    """ln v of each subset and whether it converged, in one launch."""
    import torch

    tensor: Any = rows
    chosen: Any = subsets
    pool, answers = tensor.contiguous(), torch.as_tensor(labels, dtype=torch.float32, device=tensor.device)
    count, size, features = int(chosen.shape[0]), int(chosen.shape[1]), int(tensor.shape[1])
    channel: Any = model.channel.compiled
    kernel, many = _subset_kernel(CHANNELS[channel.name], tensor.device.index or 0)
    volumes = torch.empty(count, dtype=torch.float32, device=tensor.device)
    converged = torch.empty(count, dtype=torch.uint8, device=tensor.device)
    kernel(
        grid=(max(1, min(16 * many, -(-count // warps))), 1, 1), block=(32 * warps, 1, 1),
        shared_mem=warps * _subset_bytes(size, features),
        args=[
            pool, answers, chosen.to(torch.int32).contiguous(), volumes, converged, count, size, features,
            float(model.prior.second_moment), float(channel.parameter), float(tolerance),
        ],
    )  # fmt: skip
    return volumes, converged.bool()
