"""AMP: its twins agree on every array library, damping and restarts work, starts are honoured, bad
input is refused.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import time
import warnings
from typing import Any

import array_api_strict
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference import damping, infer
from gardner.inference.kernel import block_bounds
from gardner.inference.message_passing import Start, Variances, amp, warm_start
from gardner.inference.posterior import Posterior, Status
from gardner.inference.threads import run_all
from gardner.model import Instance, draw_instance

VARIANCES: tuple[Variances, ...] = ("vector", "scalar")
every_variance = pytest.mark.parametrize("variances", VARIANCES)


def sample(features: int = 150, ratio: float = 0.8, seed: int = 0, dtype: Any = np.float64) -> Instance:
    return draw_instance(features, ratio, seed, dtype=dtype)


def close(one: Posterior, other: Posterior, rtol: float) -> None:
    for name in ("mean", "variance", "omega", "V", "g"):
        first, second = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        # fields cancel to almost nothing where few rows are known: their unit is their width
        scale = float(np.sqrt(np.asarray(one.V).max()) if name == "omega" else np.abs(first).max())
        np.testing.assert_allclose(second / scale, first / scale, rtol=0, atol=rtol, err_msg=name)
    assert other.log_evidence == pytest.approx(one.log_evidence, rel=rtol)


@every_variance
@pytest.mark.parametrize(("dtype", "tolerance", "rtol"), [(np.float64, 1e-13, 1e-10), (np.float32, 5e-7, 1e-5)])
def test_kernel_equals_readable_version(variances: Variances, dtype: Any, tolerance: float, rtol: float) -> None:
    for rows in (1, 3, 4, 7, 8, 9, 120):  # with and without a remainder of the groups of rows
        problem = sample(dtype=dtype)
        given = (problem.rows[:rows], problem.labels[:rows])
        options: dict[str, Any] = {"variances": variances, "tolerance": tolerance, "max_iterations": 300}
        readable = amp(*given, twin="readable", **options)
        kernel = amp(*given, twin="kernel", **options)
        close(readable, kernel, rtol)
        assert kernel.mean.dtype == dtype


@every_variance
def test_same_on_array_api_strict(variances: Variances) -> None:
    problem = sample()
    numpy = amp(problem.rows, problem.labels, variances=variances, tolerance=1e-12)
    strict = amp(
        array_api_strict.asarray(problem.rows),
        array_api_strict.asarray(problem.labels),
        variances=variances,
        tolerance=1e-12,
    )
    assert type(strict.mean).__module__.startswith("array_api_strict")
    close(numpy, strict, 1e-10)
    new = sample(seed=1).rows
    np.testing.assert_allclose(
        np.asarray(strict.predict_proba(array_api_strict.asarray(new))), numpy.predict_proba(new), rtol=1e-9
    )


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
@every_variance
@pytest.mark.parametrize(("dtype", "rtol"), [("float64", 1e-10), ("float32", 1e-5)])
def test_same_on_torch(variances: Variances, dtype: str, rtol: float) -> None:
    import torch

    problem = sample(dtype=dtype)
    options: dict[str, Any] = {"variances": variances, "tolerance": 1e-12 if dtype == "float64" else 5e-7}
    numpy = amp(problem.rows, problem.labels, **options)
    tensor = amp(torch.from_numpy(problem.rows), torch.from_numpy(problem.labels), **options)
    assert isinstance(tensor.mean, torch.Tensor)
    close(numpy, tensor, rtol)


@every_variance
def test_threads_do_not_change_a_bit(variances: Variances) -> None:
    problem = draw_instance(700, 6.0, seed=0, dtype=np.float32)
    assert len(block_bounds(*problem.rows.shape)) > 2  # or there is nothing to share
    one, two = (amp(problem.rows, problem.labels, variances=variances, threads=count) for count in (1, 2))
    np.testing.assert_array_equal(one.mean, two.mean)
    assert one.log_evidence == two.log_evidence


@given(count=st.integers(0, 5000), features=st.integers(1, 5000))
def test_blocks_cover_the_rows_once(count: int, features: int) -> None:
    bounds = block_bounds(count, features)
    assert [a for a, _ in bounds[1:]] == [b for _, b in bounds[:-1]]
    assert sum(b - a for a, b in bounds) == count


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_invariances(seed: int) -> None:
    """Rows permuted, a row and its label flipped, rows rescaled: the sign channel does not feel it."""
    rng = np.random.default_rng(seed)
    problem = sample(60, 0.7, seed)
    before = amp(problem.rows, problem.labels)
    order = rng.permutation(len(problem.labels))
    flip = rng.choice([-1.0, 1.0], size=len(order))
    scale = rng.uniform(0.1, 10.0, size=len(order))
    after = amp((problem.rows * (flip * scale)[:, None])[order], (problem.labels * flip)[order])
    assert after.log_evidence == pytest.approx(before.log_evidence, abs=1e-6)
    np.testing.assert_allclose(after.mean, before.mean, atol=1e-6)
    np.testing.assert_allclose(after.cavity_margin, before.cavity_margin[order], atol=1e-5)


def test_fields_are_cavity_fields() -> None:
    """ω and V of a row, from the posterior with its label in, are what a fit without the row
    predicts for it.
    """
    problem = sample(1000, 0.8)
    full = amp(problem.rows, problem.labels)
    differences = []
    for row in range(20):
        rest = np.delete(np.arange(len(problem.labels)), row)
        without = amp(problem.rows[rest], problem.labels[rest])
        omega, V = without.fields(problem.rows[[row]])
        differences.append((full.omega[row] - omega[0]) / np.sqrt(V[0]))
        assert full.V[row] == pytest.approx(V[0], rel=0.02)
    assert np.sqrt(np.mean(np.square(differences))) < 0.03


def test_warm_start_saves_iterations_and_ends_in_the_same_place() -> None:
    problem = sample(400, 1.0)
    before = amp(problem.rows[:300], problem.labels[:300])
    keep = np.arange(5, 300)
    rows = np.concatenate([keep, np.arange(300, 310)])
    start = warm_start(before, keep=keep, added=10)
    for tolerance, saved in ((1e-4, 2), (1e-9, 0)):
        cold = amp(problem.rows[rows], problem.labels[rows], tolerance=tolerance)
        warm = amp(problem.rows[rows], problem.labels[rows], tolerance=tolerance, start=start)
        assert warm.iterations <= cold.iterations - saved
        close(cold, warm, 100 * tolerance)


def test_damping_comes_by_itself() -> None:
    """A common direction in all rows breaks AMP's assumption; without damping it runs away."""
    problem = sample(200, 1.0)
    rows = problem.rows + 0.03
    labels = np.where(rows @ problem.teacher < 0.0, -1.0, 1.0)
    posterior = amp(rows, labels)
    assert posterior.settled
    assert posterior.damping > 0.0
    assert np.isfinite(posterior.log_evidence)
    assert amp(problem.rows, problem.labels).damping == 0.0  # none where none is needed


@pytest.mark.parametrize(("features", "ratio", "seed"), [(100, 20.0, 0), (20, 20.0, 1)])
def test_slow_is_not_stalled(features: int, ratio: float, seed: int) -> None:
    """Many rows: the residual falls slowly but surely, and damping would only make it slower."""
    problem = draw_instance(features, ratio, seed)
    posterior = amp(problem.rows, problem.labels).checked()
    assert posterior.iterations > 300
    assert posterior.damping == 0.0


def test_giving_up_is_said() -> None:
    problem = sample()
    posterior = amp(problem.rows, problem.labels, max_iterations=3)
    assert posterior.status is Status.UNCONVERGED
    assert posterior.iterations == 3
    with pytest.raises(ConvergenceError, match="unconverged"):
        posterior.checked()
    assert amp(problem.rows, problem.labels).checked().converged


def test_running_away_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every residual counts as running away, each damping is tried from the start, then it is
    given up.
    """
    monkeypatch.setattr(damping, "RUNAWAY", 1e-3)
    problem = sample()
    posterior = amp(problem.rows, problem.labels)
    assert posterior.status is Status.DIVERGED
    assert posterior.iterations == len(damping.RUNGS)
    assert posterior.damping == damping.RUNGS[-1]


def test_no_rows_are_the_prior() -> None:
    posterior = amp(np.empty((0, 7)), np.empty(0))
    assert posterior.converged
    assert posterior.log_evidence == 0.0
    np.testing.assert_array_equal(posterior.mean, np.zeros(7))
    np.testing.assert_array_equal(posterior.variance, np.ones(7))
    np.testing.assert_allclose(posterior.predict_proba(np.ones((2, 7))), 0.5)


def test_contradicting_labels_leave_nothing() -> None:
    rows = np.concatenate([np.eye(4), np.eye(4)[:1]])
    posterior = amp(rows, np.array([1.0, 1.0, 1.0, 1.0, -1.0]))
    assert posterior.status is Status.EMPTY
    assert posterior.log_volume == -np.inf
    for name in ("mean", "variance", "omega", "V", "g"):
        assert not np.isnan(getattr(posterior, name)).any()
    with pytest.raises(ConvergenceError, match="no weights"):
        posterior.predict_proba(rows)


def test_predictions_are_calibrated() -> None:
    """Among rows given probability p, a share p has the label: the student is Bayes-optimal."""
    chances, hits = [], []
    for seed in range(10):
        problem = draw_instance(300, 4.0, seed)
        posterior = amp(problem.rows[:300], problem.labels[:300])
        chances.append(posterior.predict_proba(problem.rows[300:])[:, 1])
        hits.append(problem.labels[300:] > 0)
    p, y = np.concatenate(chances), np.concatenate(hits)
    for low in np.arange(0.0, 1.0, 0.2):
        inside = (p >= low) & (p < low + 0.2)
        spread = np.sqrt(np.mean(p[inside] * (1 - p[inside])) / inside.sum())
        assert y[inside].mean() == pytest.approx(p[inside].mean(), abs=4 * spread + 0.005)


ROWS = np.eye(3)
LABELS = np.ones(3)


@pytest.mark.parametrize(
    ("rows", "labels", "says"),
    [
        (ROWS * np.nan, LABELS, "row 0.*NaN"),
        (np.where(np.eye(3) > 0, np.inf, 0.0), LABELS, "NaN or infinity"),
        (ROWS, [1.0, 0.0, 1.0], r"labels\[1\].*-1 or \+1.*2\*y - 1"),
        (ROWS, [1.0, np.nan, 1.0], r"labels\[1\]"),
        (ROWS, [1.0, 1.0], "one label a row"),
        (ROWS, np.ones((3, 1)), "one label a row"),
        (np.ones(3), LABELS, "matrix"),
        (np.empty((3, 0)), LABELS, "matrix"),
        (ROWS * np.array([[1.0], [0.0], [1.0]]), LABELS, "row 1.*zeros"),
        (np.array([["a", "b"]]), [1.0], "numeric"),
        (np.array([[1.0 + 1j, 2.0]]), [1.0], "numeric"),
        ([[1.0], [1.0, 2.0]], [1.0, 1.0], "no array"),
        (np.ma.masked_greater(ROWS, 0.5), LABELS, "mask"),
        (1e-170 * ROWS, LABELS, "row 0.*rescale"),
        ((1e30 * ROWS).astype(np.float32), LABELS, "row 0.*rescale"),
    ],
)
def test_bad_input(rows: Any, labels: Any, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        amp(rows, labels)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"variances": "matrix"}, "variances"),
        ({"threads": 0}, "threads"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"tolerance": np.inf}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"damping": 1.0}, "damping"),
        ({"twin": "magic"}, "twin"),
        ({"start": Start(np.zeros(2), np.ones(3), np.zeros(3))}, "start.mean.*warm_start"),
    ],
)
def test_bad_options(options: Any, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        amp(ROWS, LABELS, **options)
    with pytest.raises(InvalidInputError, match="kernel needs NumPy"):
        amp(array_api_strict.asarray(ROWS), array_api_strict.asarray(LABELS), twin="kernel")


def test_bad_warm_starts() -> None:
    posterior = amp(ROWS, LABELS)
    for keep, says in ((np.array([True, False, True]), "indices"), (np.array([3]), "rows 0 to 2")):
        with pytest.raises(InvalidInputError, match=says):
            warm_start(posterior, keep=keep)
    with pytest.raises(InvalidInputError, match="added"):
        warm_start(posterior, added=-1)


def test_predictions_check_their_rows() -> None:
    for method in ("amp", "ep", "mc"):
        posterior = infer(ROWS, LABELS, method=method)
        with pytest.raises(InvalidInputError, match="NaN"):
            posterior.predict_proba([[np.nan, 0.0, 1.0]])
        np.testing.assert_array_equal(posterior.predict_proba(np.zeros((1, 3))), [[0.5, 0.5]])
        assert posterior.predict_proba(pd.DataFrame(np.eye(3))).shape == (3, 2)


def test_frames_and_labels_are_not_kept_by_reference() -> None:
    labels = np.array([1.0, -1.0, 1.0])
    posterior = amp(pd.DataFrame(ROWS), pd.Series(labels))
    again = amp(ROWS, labels)
    labels[0] = -1.0
    np.testing.assert_array_equal(posterior.labels, again.labels)


def test_threads_survive_a_fork_and_nesting() -> None:
    problem = draw_instance(400, 2.0, 0)
    amp(problem.rows, problem.labels, threads=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of forks with threads: that is what is tested
        child = multiprocessing.get_context("fork").Process(
            target=amp, args=(problem.rows, problem.labels), kwargs={"threads": 2}
        )
        child.start()
    child.join(30)
    assert child.exitcode == 0
    done: list[int] = []
    run_all(lambda k: run_all(done.append, [(k,), (k,)], 2), [(k,) for k in range(8)], 2)
    assert sorted(done) == sorted([*range(8), *range(8)])


def test_threads_stop_when_one_fails() -> None:
    seen: list[int] = []

    def task(k: int) -> None:
        if k == 0:
            raise KeyboardInterrupt
        time.sleep(0.001)
        seen.append(k)

    with pytest.raises(KeyboardInterrupt):
        run_all(task, [(k,) for k in range(2000)], 2)
    assert len(seen) < 1000


def test_whole_numbers_lists_and_one_feature() -> None:
    assert amp([[1, 2], [0, 1]], [1, -1]).mean.dtype == np.float64
    one = amp(np.array([[2.0], [-1.0]]), np.array([1.0, -1.0]))
    assert np.isfinite(one.log_evidence)
    with pytest.raises(InvalidInputError, match="new rows"):
        one.predict_proba(np.ones((1, 2)))
