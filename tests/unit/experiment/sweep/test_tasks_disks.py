"""Disks fill up, refuse or end in the middle of a file: the reason can be read and nothing is lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.sweeps import parts, tasks

from gardner.experiment.question.task import StrategySpec
from gardner.experiment.sweep.tasks import run_tasks
from gardner.records import StoreError


@contextmanager
def mounted(place: Path, options: str) -> Iterator[None]:
    """A small disk of its own, where whoever runs the tests may mount one."""
    place.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", options, "none", str(place)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:  # noqa: S603
        pytest.skip("no file system can be mounted here: needs root")
    try:
        yield
    finally:
        subprocess.run([shutil.which("umount") or "umount", "-l", str(place)], check=True)  # noqa: S603


def test_a_disk_that_fills_up(tmp_path: Path, two_workers: str) -> None:
    wanted, disk = tasks(StrategySpec("random"), seeds=5), tmp_path / "disk"
    out = disk / "full"
    with mounted(disk, "size=96k"):
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(56 * 1024))
        with pytest.raises(StoreError, match="No space left on device; what was finished is kept"):
            run_tasks(wanted, out, scheduler=two_workers)
        kept = parts(out)
        assert 1 <= len(kept) < 5
        assert not [name for place in ("parts", "timings") for name in (out / place).iterdir() if name.name[0] == "."]
        ballast.unlink()
        assert run_tasks(wanted, out, scheduler=two_workers).ran == 5 - len(kept)
        run_tasks(wanted, tmp_path / "undisturbed", scheduler=two_workers)
        assert parts(out) == parts(tmp_path / "undisturbed")


LIMITED = """
import resource, sys
from gardner.errors import GardnerError
from gardner.experiment import Spec, StrategySpec, run_tasks
out, limit = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # Python ignores the signal: a write fails with EFBIG
try:
    run_tasks(Spec([StrategySpec("random")], [60], [3.0], [0.3], [6], range(2)).tasks(), out, workers=1)
except GardnerError as error:
    print(error)
"""


@pytest.mark.parametrize(("limit", "place"), [(1024, "parts"), pytest.param(64, "timings", marks=pytest.mark.slow)])
def test_a_file_that_cannot_be_finished(tmp_path: Path, two_workers: str, limit: int, place: str) -> None:
    """The kernel takes the first bytes and refuses the rest; where it is the timings, the rows are
    not there either.
    """
    out = tmp_path / "limited"
    command = [sys.executable, "-c", LIMITED, str(out), str(limit)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout  # noqa: S603
    assert told.startswith(f"cannot write to {out / place}/")
    assert "File too large; what was finished is kept" in told
    assert parts(out) == {}
    assert not list((out / "timings").glob(".*"))
    wanted = tasks(StrategySpec("random"), seeds=2)
    assert run_tasks(wanted, out, scheduler=two_workers).ran == 2
    run_tasks(wanted, tmp_path / "undisturbed", scheduler=two_workers)
    assert parts(out) == parts(tmp_path / "undisturbed")


@pytest.mark.parametrize("place", ["", "parts", "timings"])
def test_output_that_cannot_be_written(tmp_path: Path, two_workers: str, place: str) -> None:
    """Permissions do not stop root; the kernel's own folders do."""
    out = tmp_path / "results"
    out.mkdir()
    if place:
        (out / place).symlink_to("/proc", target_is_directory=True)
    with pytest.raises(StoreError, match="cannot write to"):
        run_tasks(tasks(StrategySpec("random")), out if place else Path("/proc/results"), scheduler=two_workers)
    if place == "timings":
        assert parts(out) == {}


def test_a_disk_that_is_read_only(tmp_path: Path, gardner: Callable[..., tuple[int, str, str]]) -> None:
    with mounted(tmp_path / "disk", "ro"):
        sizes = ["-N60", "-a3", "-n0.3", "-k6", "-s1"]
        code, told, said = gardner("bench", "random", *sizes, "--out", tmp_path / "disk" / "results")
    assert (code, told) == (2, "")
    assert said.startswith("error: cannot write to ")
    assert "Read-only file system" in said
    assert len(said.splitlines()) == 1
