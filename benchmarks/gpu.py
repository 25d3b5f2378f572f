"""The device path on one GPU: is it right, how fast is it, and how far from what memory allows?

    python -m benchmarks.gpu                       # all but the last two: about five minutes on an H200
    python -m benchmarks.gpu check pass loop       # some of it
    python -m benchmarks.gpu --json FILE           # the same numbers, to be kept in benchmarks/results

    check    the kernel against the same equations in float64 on the CPU, on fresh random rows
    pass     one iteration of message passing, as a share of the bandwidth of a plain copy
    loop     whole runs of active learning: seconds, and ln v against float64 on the CPU
    rounds   in each round, from the same labelled rows: does the CPU choose the same ones?
    subsets  ten million subsets of a small pool
    tables   expectation propagation with its covariance
    at-once  several processes on one GPU, with and without NVIDIA's multi-process service
    shapes   layouts of rows in the kernel: which is the fastest for a number of columns

Times are medians, with the device synchronised before and after. It runs with NumPy, SciPy, PyTorch
and array-api-compat alone.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import multiprocessing
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.gpu_checks import MODELS, PRECISIONS, check, rounds
from benchmarks.gpu_service import service

from gardner.experiment.device.loop import run_on_device
from gardner.experiment.device.pool import draw_pool
from gardner.inference.device.ep import expectation_propagation_on
from gardner.inference.device.fused import FusedIteration, part_columns, shape_of
from gardner.inference.device.subsets import stacked_log_volumes
from gardner.model import PERCEPTRON


def seconds(function: Callable[[], object], repeats: int = 5, warm: int = 2) -> float:
    """The median time of a call."""
    times = []
    for turn in range(warm + repeats):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        function()
        torch.cuda.synchronize()
        if turn >= warm:
            times.append(time.perf_counter() - begin)
    return statistics.median(times)


def copy_bandwidth() -> float:
    """Bytes a second of a copy from the device to itself, read and written ones."""
    one = torch.randn(1 << 30, device="cuda")
    other = torch.empty_like(one)
    return float(2 * one.numel() * 4 / seconds(lambda: other.copy_(one), repeats=20))


def passes(bandwidth: float) -> dict[str, Any]:
    """One iteration at several sizes."""
    found = {}
    for features, labelled in ((2000, 4000), (20000, 40000), (50000, 40000), (100000, 40000)):
        for precision in PRECISIONS:
            pool = draw_pool(features, labelled / features, 1, device="cuda", dtype=precision)
            one = FusedIteration(pool.rows, pool.labels, PERCEPTRON)
            one.label(torch.arange(labelled, dtype=torch.int32, device="cuda"), labelled, slice(0, labelled))
            one.advance(0.3, 1e-30, 8)
            graph = one.graph

            def replay(one: FusedIteration = one, graph: Any = graph) -> None:
                one.state[10:12] = 0.0
                graph.replay()

            spent = seconds(replay, repeats=20) / 8
            size = pool.rows.entries.numel() * pool.rows.entries.element_size()  # type: ignore[attr-defined]
            dots = seconds(lambda one=one, n=labelled: one.dots(one.order, 0, n), repeats=20)  # type: ignore[misc]
            share = size / spent / bandwidth
            found[f"{features} {precision}"] = {"seconds": spent, "share": share, "dots": size / dots / bandwidth}
            print(
                f"pass: N = {features}, M = {labelled}, {precision}: {1e6 * spent:.0f} us, "
                f"one read of F at {share:.2f} of the copy bandwidth; "
                f"products alone {size / dots / bandwidth:.2f}; {shape_of(precision, one.pitch)}",
                flush=True,
            )
            del pool, one, graph
            torch.cuda.empty_cache()
    return found


def shapes(bandwidth: float) -> dict[str, Any]:
    """Layouts of rows: how many at once, how many sets in shared memory, with a lag or not."""
    found = {}
    for features, precision in (
        (2000, "float32"),
        (20000, "float32"),
        (20000, "bfloat16"),
        (40000, "bfloat16"),
        (100000, "bfloat16"),
    ):
        labelled = 40000 if features > 2000 else 4000
        pool = draw_pool(features, labelled / features, 1, device="cuda", dtype=precision)
        usual = shape_of(precision, features)
        if usual is None:
            raise SystemExit(f"{features} columns do not fit")
        size = 4 if precision == "float32" else 2
        fit = 220_000 // (part_columns(features, usual.parts, size) * size)
        for rows in (2, 4, 8) if size == 2 or features < 20000 else (1, 2):
            for stages in sorted({2, 3, 4}):
                for lag in (0, 1):
                    if not (2 + lag <= stages <= min(8, fit // rows)):
                        continue
                    shape = dataclasses.replace(usual, rows=rows, stages=stages, lag=lag)
                    one = FusedIteration(pool.rows, pool.labels, PERCEPTRON, shape)
                    one.label(torch.arange(labelled, dtype=torch.int32, device="cuda"), labelled, slice(0, labelled))
                    one.advance(0.3, 1e-30, 8)

                    def replay(one: FusedIteration = one) -> None:
                        one.state[10:12] = 0.0
                        one.graph.replay()

                    spent = seconds(replay, repeats=5) / 8
                    share = labelled * one.pitch * size / spent / bandwidth
                    found[f"{features} {precision} {rows} {stages} {lag}"] = share
                    mark = " (usual)" if shape == usual else ""
                    print(
                        f"shapes: {features} {precision} rows {rows} stages {stages} lag {lag}: "
                        f"{1e6 * spent:.0f} us, {share:.2f}{mark}",
                        flush=True,
                    )
        del pool, one
        torch.cuda.empty_cache()
    return found


def loops(sizes: tuple[tuple[int, str, float], ...]) -> dict[str, Any]:
    """Agnostic AL-AMP, alpha = 3, k = N/100, to n = 2."""
    found = {}
    for features, precision, limit in sizes:
        pool = draw_pool(features, 3.0, 0, device="cuda", dtype=precision)
        runs: list[Any] = []
        repeats = 3 if features <= 20000 else 1
        spent = seconds(
            lambda pool=pool, runs=runs, features=features: runs.append(  # type: ignore[misc]
                run_on_device(pool, "agnostic", budget=2.0, batch_size=features // 100, seed=0)
            ),
            repeats=repeats,
            warm=1 if features <= 20000 else 0,
        )
        last = runs[-1].rounds
        same = all([one.log_volume for one in run.rounds] == [one.log_volume for one in runs[0].rounds] for run in runs)
        iterations = statistics.mean(one.iterations for one in last)
        bad = sum(one.status != "converged" for one in last)
        volumes = {n: next(one.log_volume for one in last if abs(one.budget - n) < 1e-9) for n in (0.6, 1.2, 2.0)}
        found[f"{features} {precision}"] = {"seconds": spent, "volumes": volumes, "iterations": iterations}
        print(
            f"loop: N = {features}, {precision}: {spent:.3f} s (wanted {limit}), ln v {volumes}, "
            f"{iterations:.1f} iterations a round, "
            f"{bad} rounds not converged, same digits in all {len(runs)} runs: {same}",
            flush=True,
        )
        del pool
        torch.cuda.empty_cache()
    return found


def subsets(count: int = 10_000_000) -> dict[str, Any]:
    """Ten million subsets of 12 rows of a pool of 60, N = 20."""
    pool = draw_pool(20, 3.0, 0, device="cuda")
    entries: Any = pool.rows.entries
    labels: Any = pool.labels
    rows = entries[:, :20].contiguous()
    generator = torch.Generator(device="cuda").manual_seed(0)

    def draw(many: int) -> Any:
        keys = torch.rand((many, rows.shape[0]), generator=generator, device="cuda")
        return keys.topk(12, dim=1).indices

    def everything() -> Any:
        parts = [stacked_log_volumes(rows, labels, draw(1_000_000)) for _ in range(count // 1_000_000)]
        return torch.cat([part.log_volume for part in parts]), torch.cat([part.converged for part in parts])

    results: list[Any] = []
    spent = seconds(lambda: results.append(everything()), repeats=1, warm=1)
    volumes, converged = results[-1]
    some = draw(20_000)
    off = 0.0
    for model in MODELS.values():
        exact: Any = stacked_log_volumes(rows.cpu().double(), labels.cpu().double(), some.cpu(), model)
        single: Any = stacked_log_volumes(rows, labels, some, model)
        off = max(off, float((exact.log_volume - single.log_volume.cpu().double()).abs().max()))
    print(
        f"subsets: {count} subsets in {spent:.2f} s, drawing included (wanted 10), "
        f"{int((~converged).sum())} not converged, mean ln v {float(volumes.double().mean()):.6f}; "
        f"worst difference from float64 on the CPU {off:.1e} of 20000",
        flush=True,
    )
    return {"seconds": spent, "worst": off}


def tables() -> dict[str, Any]:
    """Expectation propagation in the covariance form, on rows of a low rank and some noise."""
    found = {}
    model = MODELS["probit:0.1"]
    for count, columns in ((500, 60), (20_000, 1000)):
        rng = np.random.default_rng(columns)
        rows = rng.normal(size=(count, columns // 5)) @ rng.normal(size=(columns // 5, columns)) / columns
        rows += 0.2 * rng.normal(size=(count, columns)) / np.sqrt(columns)
        labels = np.where(rows @ rng.normal(size=columns) + 0.3 * rng.normal(size=count) < 0.0, -1.0, 1.0)
        there: list[Any] = [torch.as_tensor(part, device="cuda") for part in (rows, labels)]
        results: list[Any] = []
        spent = seconds(functools.partial(_fit_table, there, results))
        rough = seconds(functools.partial(_fit_table, there, [], refine=False))
        begin = time.perf_counter()
        on_cpu = expectation_propagation_on(torch.as_tensor(rows), torch.as_tensor(labels), model)
        cpu = time.perf_counter() - begin
        off = abs(results[-1].log_evidence - on_cpu.log_evidence)
        pair: Any = (results[-1].mean, on_cpu.mean)
        means = float((pair[0].cpu() - pair[1]).norm() / pair[1].norm())
        name = f"{count} x {columns}"
        found[name] = {"seconds": spent, "single": rough, "cpu": cpu, "off": off}
        print(
            f"tables: {name}: {spent:.3f} s, {results[-1].iterations} iterations, {results[-1].status.value}; "
            f"single precision alone {rough:.3f} s; the CPU of this machine {cpu:.2f} s, ratio {cpu / spent:.0f}; "
            f"log-evidence {on_cpu.log_evidence:.6f}, off by {off:.1e}, means by {means:.1e}",
            flush=True,
        )
    return found


def _fit_table(there: list[Any], kept: list[Any], *, refine: bool = True) -> None:
    kept.append(expectation_propagation_on(there[0], there[1], MODELS["probit:0.1"], refine=refine))


def _runs_of_a_process(gate: Any, features: int, runs: int) -> float:
    """Seconds that so many runs take in this process, from when all processes are ready."""
    pool = draw_pool(features, 3.0, 0, device="cuda")
    options: dict[str, Any] = {"budget": 2.0, "batch_size": features // 100, "seed": 0}
    run_on_device(pool, "agnostic", **options)
    gate.wait()
    begin = time.perf_counter()
    for _ in range(runs):
        run_on_device(pool, "agnostic", **options)
    torch.cuda.synchronize()
    return time.perf_counter() - begin


def _throughput(processes: int, features: int = 2000, runs: int = 6) -> float:
    """Runs a second of several processes together."""
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(processes) as pool:
        gate = manager.Barrier(processes)
        waiting = [pool.apply_async(_runs_of_a_process, (gate, features, runs)) for _ in range(processes)]
        return processes * runs / max(one.get(timeout=200) for one in waiting)


def at_once() -> dict[str, Any]:
    """Runs of N = 2000 a second, by one process and by several: in turns, or at the same time."""
    found: dict[str, Any] = {}
    _measure_rates("in turns", found)
    with service() as there:
        if there:
            _measure_rates("service", found)
    return found


def _measure_rates(name: str, found: dict[str, Any]) -> None:
    for processes in (1, 4, 8):
        rate = found[f"{name} {processes}"] = _throughput(processes)
        ratio = rate / found["in turns 1"]
        print(f"at once: {processes} processes, {name}: {rate:.1f} runs a second, ratio {ratio:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["check", "pass", "loop", "rounds", "subsets", "tables"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--sizes", default="2000:float32:0.5,20000:float32:1.5,20000:bfloat16:1.5")
    given = parser.parse_args()
    found: dict[str, Any] = {"machine": torch.cuda.get_device_name(), "torch": torch.__version__}
    found["copy"] = bandwidth = copy_bandwidth()
    print(f"{found['machine']}, PyTorch {torch.__version__}, copy {bandwidth / 1e12:.2f} TB/s", flush=True)
    sizes = tuple((int(n), p, float(limit)) for n, p, limit in (one.split(":") for one in given.sizes.split(",")))
    tasks: dict[str, Callable[[], Any]] = {
        "check": check,
        "pass": lambda: passes(bandwidth),
        "loop": lambda: loops(sizes),
        "shapes": lambda: shapes(bandwidth),
    }
    tasks |= {"rounds": rounds, "subsets": subsets, "tables": tables, "at-once": at_once}
    for name in given.parts:
        found[name] = tasks[name]()
    if given.json:
        given.json.write_text(json.dumps(found, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
