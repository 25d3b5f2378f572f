"""Weights of different variances: theory, message passing and matrices agree.
``benchmarks/spectrum.py`` has more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

from gardner.experiment import read_results, run
from gardner.inference import infer
from gardner.model import GLM, Gaussian, Linear, Prior, Spectrum, describe, draw_instance
from gardner.strategies import make_strategy
from gardner.theory import learning_curve, typical
from gardner.theory.formula.taylor import Floats

Run = Callable[..., tuple[int, str, str]]
NOISE = 0.1


def two_decades(count: int) -> Spectrum:
    c = np.geomspace(1.0, 0.01, count)
    return Spectrum(c / c.mean())


def zipf(count: int) -> Spectrum:
    c = 1.0 / np.arange(1, count + 1)
    return Spectrum(c / c.mean())


def two_level(count: int) -> Spectrum:
    c = np.where(np.arange(count) < count // 10, 10.0, 0.1)
    return Spectrum(c / c.mean())


def of_matrix(prior: Spectrum, teacher: Floats, rows: Floats) -> Floats:
    """ln Z, m and Q per weight of linear labels, averaged over teachers and noise, for given rows."""
    K = (rows * prior.second_moments) @ rows.T + NOISE * np.eye(len(rows))
    Y = (rows * teacher) @ rows.T + NOISE * np.eye(len(rows))
    factor = scipy.linalg.cho_factor(K)
    solved = scipy.linalg.cho_solve(factor, Y)  # K⁻¹Y
    gain = scipy.linalg.cho_solve(factor, rows * prior.second_moments).T  # C Fᵀ K⁻¹
    logs = 2.0 * float(np.sum(np.log(np.diag(factor[0])))) + len(rows) * math.log(2.0 * math.pi)
    evidence = -0.5 * (logs + float(np.trace(solved)))
    m = float(np.sum(teacher * np.einsum("ij,ji->i", gain, rows)))
    Q = float(np.einsum("ij,jk,ik->", gain, Y, gain, optimize=True))
    found: Floats = np.array([evidence, m, Q]) / rows.shape[1]
    return found


@pytest.mark.parametrize("shape", [two_decades, zipf, two_level])
@pytest.mark.parametrize("who", ["the same", "aligned", "flat"])
@pytest.mark.parametrize("size", [300, pytest.param(2000, marks=pytest.mark.slow)])
def test_linear_labels_are_determinants(shape: Callable[[int], Spectrum], who: str, size: int) -> None:
    """Evidence and overlaps of one matrix, within their fluctuation from matrix to matrix."""
    prior = shape(size)
    teachers: dict[str, Prior] = {"the same": prior, "aligned": Spectrum(prior.variances, 0.5), "flat": Gaussian()}
    teacher = teachers[who]
    at = typical(GLM(prior, Linear(NOISE)), budget=0.6, teacher=GLM(teacher, Linear(NOISE)))
    theory = np.array([at.log_volume, at.overlap, at.self_overlap])
    moments = np.broadcast_to(teacher.second_moments, (size,))
    generators = [np.random.default_rng([size, seed]) for seed in range(4)]
    rows = [rng.standard_normal((round(0.6 * size), size)) / math.sqrt(size) for rng in generators]
    found = np.array([of_matrix(prior, moments, one) for one in rows])
    assert np.all(np.abs(found.mean(axis=0) - theory) < 4.0 * found.std(axis=0, ddof=1) / 2.0 + 1.0 / size)


@pytest.mark.parametrize("method", ["amp", "ep"])
def test_inference_reaches_the_random_curve(method: str) -> None:
    """Six pools with a covariance: ln v and the overlap within what pools of that size differ by."""
    size, model = 300, GLM(two_decades(300))
    theory, found = typical(model, budget=0.8), []
    for seed in range(6):
        instance = draw_instance(size, 0.8, seed, model)
        posterior = infer(instance.rows, instance.labels, model, method=method).checked()
        found.append([posterior.log_volume, float(np.asarray(posterior.mean) @ instance.teacher) / size])
    mean, spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(len(found))
    distance = np.abs(mean - [theory.log_volume, theory.overlap])
    assert np.all(distance < 4.0 * spread + 1.0 / two_decades(size).effective_rank)
    flat = typical(budget=0.8)
    assert np.all(np.abs(mean - [flat.log_volume, flat.overlap]) > 3.0 * distance)  # a theory without it is far off


def test_runs_follow_the_learning_curve() -> None:
    model, size = GLM(two_decades(40)), 240  # six times as many weights: the spectrum is stretched
    curve = learning_curve("agnostic", model, pool_ratio=3.0, budget=0.6, batch_ratio=0.05)
    volumes = []
    for seed in range(4):
        instance = draw_instance(size, 3.0, seed, model)
        result = run(instance, make_strategy("agnostic"), budget=0.6, batch_size=12, seed=seed, model=model)
        volumes.append(result.rounds[-1].log_volume)
    spread = float(np.std(volumes, ddof=1)) / 2.0
    assert abs(np.mean(volumes) - curve.points[-1].log_volume) < 5.0 * spread + 0.01


@pytest.mark.slow
def test_bench_keeps_the_numbers_of_a_file(gardner: Run, tmp_path: Path) -> None:
    """A file of eigenvalues may go after the run: rows and their bounds need it no more."""
    file, prior = tmp_path / "eigenvalues.csv", two_decades(30)
    file.write_text("".join(f"{value!r}\n" for value in prior.variances))
    sizes = ("--features", "60", "--alpha", "3", "--budget", "0.4", "--batch", "12", "--seeds", "2")
    out = tmp_path / "runs"
    code, shown, err = gardner("bench", "random", *sizes, "--out", str(out), "--prior", f"spectrum:{file}")
    assert code == 0, err
    assert "spectrum:30 numbers" in shown
    file.unlink()
    assert set(read_results(out)["prior"]) == {describe(prior)}
    code, shown, err = gardner("results", str(out), "--json")
    assert code == 0, err
    last = json.loads(shown)["rows"][-1]
    assert last["gap_to_minimum"] > 0.1
    assert last["model"].startswith("spectrum:30 numbers")
