"""A cluster of this machine; and a Dask scheduler with its workers, started from the shell."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gardner.experiment.sweep.cluster import local_cluster


@dataclass
class Elsewhere:
    """What was started, and the address of the scheduler."""

    folder: Path
    address: str = ""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, *words: str) -> None:
        common = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(self.folder / "scheduler.json")]
        command = [sys.executable, "-m", "dask", name, *words, *common]
        self.processes[name] = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL)  # noqa: S603

    def wait(self) -> None:
        """Until the scheduler has written its address."""
        file, deadline = self.folder / "scheduler.json", time.monotonic() + 300.0  # a busy machine takes a minute
        while not (file.exists() and file.read_text().rstrip().endswith("}")) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]


@pytest.fixture(scope="module")
def elsewhere(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., AbstractContextManager[Elsewhere]]:
    """A function that starts a scheduler and, where words for it are given, a worker."""

    @contextmanager
    def started(*worker: str) -> Iterator[Elsewhere]:
        there = Elsewhere(tmp_path_factory.mktemp("elsewhere"))
        try:
            there.start("scheduler", "--port", "0")
            if worker:
                there.start("worker", *worker)
            there.wait()
            yield there
        finally:
            for process in reversed(there.processes.values()):
                process.kill()
                process.wait()

    return started


@pytest.fixture(scope="module")
def two_workers() -> Iterator[str]:
    """The address of a scheduler with two workers."""
    with local_cluster(2) as address:
        yield address
