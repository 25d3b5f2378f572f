"""Nothing waits for ever, and nothing listens: each wait has a limit, a word on the way and a clear
end.
"""

from __future__ import annotations

import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment.question.spec import Spec
from gardner.experiment.question.task import StrategySpec, Task
from gardner.experiment.sweep import cluster, worker
from gardner.experiment.sweep.cluster import SweepError, local_cluster
from gardner.experiment.sweep.tasks import Progress, run_tasks
from gardner.records import Store

NAP = """
import time
def nap(view):
    time.sleep(0.3)
    return view.unlabelled[: view.batch_size]
"""


def tasks(name: str = "random", seeds: int = 2) -> list[Task]:
    return Spec([StrategySpec(name)], [60], [3.0], [0.3], [6], range(seeds)).tasks()


@pytest.fixture
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same limits, a few seconds long."""
    monkeypatch.setattr(cluster, "PATIENCE", 2.0)
    monkeypatch.setattr(cluster, "SILENCE", 4.0)
    monkeypatch.setattr(cluster, "EVERY", 0.5)
    monkeypatch.setattr(cluster, "WORD", 1.0)
    monkeypatch.setattr(worker, "WORD", 1.0)
    monkeypatch.setattr(worker, "START_LIMIT", 3.0)


def listening() -> set[tuple[int, str]]:
    """Sockets of this process and its children on which somebody could knock: TCP and Unix ones."""
    unix = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    doors = {f"socket:[{words[6]}]" for words in unix if int(words[3], 16) & 0x10000}  # the flag of listen()
    found = set()
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        tcp = {str(one.laddr) for one in process.net_connections("inet") if one.status == psutil.CONN_LISTEN}
        links = {str(link.readlink()) for link in Path(f"/proc/{process.pid}/fd").iterdir() if link.is_symlink()}
        found |= {(process.pid, address) for address in tcp | (links & doors)}
    return found


@pytest.mark.skipif(not Path("/proc/net/unix").exists(), reason="reads Linux's list of sockets")
def test_nothing_of_a_local_sweep_listens(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as door:  # the test can fail
        door.bind(str(tmp_path / "door"))
        door.listen()
        assert listening()
    before, during = listening(), list[set[tuple[int, str]]]()
    run_tasks(tasks(), tmp_path, workers=1, progress=lambda _: during.append(listening()))
    assert len(during) == 3
    assert set().union(*during) == before


def test_its_address_is_of_no_use_to_another_process(tmp_path: Path) -> None:
    with local_cluster(1) as address:
        host, number = address.rpartition("/")[0].rpartition("/")[0], int(address.split("/")[-2]) + 1
        with pytest.raises(InvalidInputError, match="in the same process"):
            run_tasks(tasks(), tmp_path, scheduler=f"{host}/{number}/1")


@pytest.fixture
def door(request: pytest.FixtureRequest) -> Iterator[str]:
    """Somebody who accepts connections, and then says nothing, or the wrong thing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20.0)
        kept = []

        def answer() -> None:
            while True:
                try:
                    kept.append(server.accept()[0])
                    kept[-1].sendall(request.param)
                except OSError:
                    return

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for one in kept:
            one.close()


@pytest.mark.usefixtures("_hasty")
@pytest.mark.parametrize("door", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes(64)], indirect=True)
def test_somebody_who_is_no_scheduler(tmp_path: Path, door: str) -> None:
    begin = time.monotonic()
    with pytest.raises(SweepError, match="no scheduler answers at tcp://") as caught:
        run_tasks(tasks(), tmp_path, scheduler=door)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begin < 30.0


@pytest.mark.usefixtures("_hasty")
@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("tls://127.0.0.1:1", "no scheduler answers"),
        ("wss://127.0.0.1:1", "no scheduler answers"),
        ("ucx://127.0.0.1:1", "'ucx' protocol was removed"),
        ("inproc://x", "in the same process"),
        ("inproc://127.0.0.1/1/1", "in the same process"),
    ],
)
def test_an_address_where_nobody_is(tmp_path: Path, address: str, told: str) -> None:
    begin = time.monotonic()
    with pytest.raises(GardnerError, match=told) as caught:
        run_tasks(tasks(), tmp_path, scheduler=address)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begin < 30.0


@pytest.mark.usefixtures("_hasty")
def test_a_word_while_a_scheduler_does_not_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SweepError, match=r"no scheduler answers at tcp://127.0.0.1:1"):
        run_tasks(tasks(), tmp_path, scheduler="tcp://127.0.0.1:1")
    assert caplog.messages == ["no scheduler has answered at tcp://127.0.0.1:1 for 1 s; 1 s more"]


@pytest.mark.usefixtures("_hasty")
def test_a_scheduler_without_workers(
    tmp_path: Path, elsewhere: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 5.0)  # a busy machine's scheduler has time to answer
    monkeypatch.setattr(cluster, "WORD", 3.0)
    with elsewhere() as dask, pytest.raises(SweepError, match="has no workers; start some: dask worker tcp://"):
        run_tasks(tasks(), tmp_path, scheduler=dask.address)
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("no worker has answered for ")


slow = pytest.mark.slow


@pytest.mark.usefixtures("_hasty")
@pytest.mark.parametrize(
    ("who", "trouble", "told"),
    [
        ("worker", "kill", "no worker has answered for"),
        pytest.param("worker", "suspend", "no worker has answered for", marks=slow),
        pytest.param("scheduler", "suspend", "the scheduler at tcp://.* has not answered for", marks=slow),
    ],
)
def test_somebody_who_falls_silent(
    tmp_path: Path, elsewhere: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch,
    who: str, trouble: str, told: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(cluster, "PATIENCE", 60.0)  # for the worker to start
    (tmp_path / "nap.py").write_text(NAP)
    wanted, out = tasks(f"{tmp_path / 'nap.py'}:nap", seeds=40), tmp_path / "out"
    with elsewhere("--nthreads", "1", "--no-nanny") as dask:
        victim = psutil.Process(dask.processes[who].pid)

        def act(now: Progress) -> None:
            if now.done == 1:
                getattr(victim, trouble)()

        with pytest.raises(SweepError, match=told + r" \d+ s; everything finished is kept"):
            run_tasks(wanted, out, scheduler=dask.address, progress=act)
    assert 1 <= len(Store(out).keys()) < 40
    assert any(re.match(told, message) for message in caplog.messages)


@pytest.mark.usefixtures("_hasty")
def test_a_process_that_never_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(SweepError, match="processes do not start within 3 s"):
        run_tasks(tasks(), tmp_path / "out", workers=1)
    assert caplog.messages == ["a worker's process has not started for 1 s; it has 3 s"]
    assert not [one for one in psutil.Process().children(recursive=True) if "serve(" in str(one.cmdline())]
