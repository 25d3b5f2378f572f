"""A run on a device is the run of the CPU, on the same rows."""

from __future__ import annotations

import subprocess
import sys

import array_api_strict
import numpy as np
import pytest

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment import run
from gardner.experiment.device.loop import run_on_device
from gardner.experiment.device.pool import stored_pool
from gardner.inference.message_passing import Variances
from gardner.model import GLM, Flip, Gaussian, Probit, draw_instance
from gardner.strategies import make_strategy


@pytest.mark.parametrize("name", ["agnostic", "informed", "least-informative", "random"])
@pytest.mark.parametrize("variances", ["scalar", "vector"])
@pytest.mark.parametrize("library", ["numpy", "strict"])
def test_same_rows_and_volumes_as_on_the_cpu(name: str, variances: Variances, library: str) -> None:
    problem = draw_instance(60, 3.0, 2, dtype=np.float32)
    pool = stored_pool(problem, None if library == "numpy" else array_api_strict.zeros(1))
    options = {"budget": 0.5, "batch_size": 5, "seed": 2}
    mine = run_on_device(pool, name, variances=variances, **options)  # type: ignore[arg-type]
    theirs = run(problem, make_strategy(name), variances=variances, **options)  # type: ignore[arg-type]
    assert set(mine.queried.tolist()) == set(theirs.queried.tolist())
    assert mine.informed == theirs.informed
    for one, other in zip(mine.rounds, theirs.rounds, strict=True):
        assert one.labels == other.labels
        assert one.log_volume == pytest.approx(other.log_volume, abs=2e-6)
        assert one.accuracy == pytest.approx(other.accuracy, abs=1e-4)


@pytest.mark.parametrize("model", [GLM(Gaussian(), Probit(0.1)), GLM(Gaussian(), Flip(0.05))], ids=str)
def test_other_channels(model: GLM) -> None:
    problem = draw_instance(60, 3.0, 0, model, dtype=np.float32)
    options = {"budget": 0.5, "batch_size": 6, "seed": 0}
    mine = run_on_device(stored_pool(problem), "agnostic", model=model, **options)  # type: ignore[arg-type]
    theirs = run(problem, make_strategy("agnostic"), model=model, variances="scalar", **options)  # type: ignore[arg-type]
    assert mine.rounds[-1].log_volume == pytest.approx(theirs.rounds[-1].log_volume, abs=1e-4)


def test_same_seed_same_digits() -> None:
    pool = stored_pool(draw_instance(50, 3.0, 0))
    runs = [
        run_on_device(pool, "posterior-committee", {"members": 5}, budget=0.4, batch_size=5, seed=7) for _ in range(2)
    ]
    assert [one.log_volume for one in runs[0].rounds] == [one.log_volume for one in runs[1].rounds]


@pytest.mark.parametrize("name", ["committee", "pruning", "nobody"])
def test_a_strategy_of_the_cpu_is_refused(name: str) -> None:
    pool = stored_pool(draw_instance(20, 3.0, 0))
    with pytest.raises(GardnerError, match=f"{name} does not run on a device") as refused:
        run_on_device(pool, name, budget=0.4, batch_size=5, seed=0)
    there = "agnostic, informed, least-informative, posterior-committee, random, swap, target-margin"
    assert refused.value.hint.endswith(f"on a device: {there}")
    with pytest.raises(InvalidInputError, match="the pool has only 3 rows per weight"):
        run_on_device(pool, "agnostic", budget=4.0, batch_size=5, seed=0)


def test_it_needs_no_numba() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('numba', 'dask', 'distributed', 'typer', 'rich', 'sklearn')))\n"
        "from gardner.model import draw_instance\n"
        "from gardner.experiment.device.loop import run_on_device\n"
        "from gardner.experiment.device.pool import stored_pool\n"
        "from gardner.inference.device import ep, subsets\n"
        "pool = stored_pool(draw_instance(30, 3.0, 0))\n"
        "run = run_on_device(pool, 'swap', {'steps': 5}, budget=0.4, batch_size=6, seed=0)\n"
        "print(run.rounds[-1].labels)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.stdout.strip(), done.returncode) == ("12", 0), done.stderr
