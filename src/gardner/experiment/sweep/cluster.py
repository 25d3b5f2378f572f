"""Who runs the tasks of a sweep: worker threads of this process, or a Dask scheduler somewhere
else.

On this machine nothing listens. Scheduler and worker are objects of this very process that talk
through memory (Dask's ``inproc://``), and the processes that compute are children on pipes. So
nobody else can connect, and there is no port, no certificate and no secret to look after.

A scheduler elsewhere is named by its address. It is asked who it is before any task is sent, with a
time limit.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment.sweep.worker import WORD
from gardner.processes import cores

# Seconds for a scheduler to answer and to have a worker; long beside a connection.
PATIENCE = 30.0
# Seconds without any sign of any worker, later on: a worker that is alive reports many times in
# between.
SILENCE = 60.0
# Seconds between two looks at the workers: small beside both waits, and nothing beside a task.
EVERY = 2.0
_KEPT = "everything finished is kept; the same command goes on from there"

_log = logging.getLogger("gardner")  # a warning is a line on stderr, unless somebody arranged for something else


class SweepError(GardnerError):
    """The machinery failed, not a task: what is finished is kept."""


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """Worker threads in this process, each with a child process; gives an address that only this
    process can use.
    """
    import dask
    import distributed

    if workers < 1:
        raise InvalidInputError("workers", workers, "it must be at least 1")
    untyped: Any = distributed
    _hush()

    class Deaf:  # Dask's servers open a port for HTTP whatever their options say
        def start_http_server(self, *_: Any, **__: Any) -> None: ...

    scheduler = {"cls": type("Scheduler", (Deaf, untyped.Scheduler), {})}
    worker = {"cls": type("Worker", (Deaf, untyped.Worker), {})}
    options: dict[str, Any] = {"protocol": "inproc://", "security": untyped.Security(require_encryption=False)}
    worker_options = options | {"nthreads": workers, "memory_limit": None}
    # workers only wait for their children: nothing to profile a hundred times a second, on cores
    # the children need
    settings = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "500ms"}
    with dask.config.set(settings):
        with _interrupts_held_back():
            cluster = untyped.SpecCluster(
                scheduler=scheduler | {"options": options | {"dashboard": False}},
                workers={0: worker | {"options": worker_options}},
                silence_logs=logging.CRITICAL,
            )
        try:
            yield str(cluster.scheduler_address)
        finally:
            cluster.close()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let the threads of the cluster start in peace, and keep Ctrl-C from them for good: it is the
    main thread's.

    Threads, and processes that they start, inherit the mask of the thread that makes them.
    """
    held: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, lambda number, _: held.append(number)) if main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if main:
            signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt


@contextmanager
def interrupts_noted() -> Iterator[threading.Event]:
    """Ctrl-C as ever, except while a destructor runs: Python would swallow it, so it is noted for
    the next answer.
    """
    noted = threading.Event()
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    if not main or before is not signal.default_int_handler:
        yield noted
        return

    def note(_: int, frame: FrameType | None) -> None:
        noted.set()
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def connected(workers: int | None, scheduler: str | None, tasks: int) -> Iterator[Any]:
    """A client of the scheduler named, or of a cluster made for it."""
    if scheduler is None:
        count = min(cores() if workers is None else workers, tasks)
        with local_cluster(count) as address, connected(None, address, tasks) as client:
            yield client
        return
    client = _connect(scheduler)
    client.subscribe_topic("gardner", lambda event: _log.warning(event[1]))
    try:
        yield client
    finally:
        client.close(timeout=2.0)


def _connect(scheduler: str) -> Any:
    import distributed

    untyped: Any = distributed
    _hush()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is wrong is raised as well
            untyped.comm.resolve_address(scheduler)
        if scheduler.startswith("inproc://"):
            _check_own(scheduler)
    except Exception as error:  # each protocol has its own ways to refuse
        reason = " ".join(str(error).split())
        raise InvalidInputError("scheduler", scheduler, reason, hint="an address is tcp://HOST:PORT") from None
    try:
        kind = _kind_at(scheduler)
        if kind != "Scheduler":
            raise OSError(f"it is a {kind}")
        return untyped.Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except Exception as error:  # also of something that answers, but not as a scheduler does
        reason = " ".join(str(error).split()) or type(error).__name__
        hint = "is it running? an address is tcp://HOST:PORT, and tls:// needs certificates"
        raise SweepError(f"no scheduler answers at {scheduler} ({reason})", hint=hint) from None


def _hush() -> None:
    """What matters is said here, on one line; Dask's loggers have levels and handlers of their own,
    one by one.
    """
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _check_own(scheduler: str) -> None:
    from distributed.comm.inproc import global_manager

    own: Any = global_manager
    if own.listeners.get(scheduler.removeprefix("inproc://")) is None:
        raise ValueError("inproc:// addresses are those of local_cluster, in the same process")


def _kind_at(scheduler: str) -> str:
    """What listens there; a client of Dask would ask for ever where nobody answers."""
    from distributed.utils import LoopRunner

    runner: Any = LoopRunner(asynchronous=False)
    runner.start()  # a loop of its own: a notebook runs another one in this thread
    try:
        return str(runner.run_sync(_identity, scheduler))
    finally:
        runner.stop()


async def _identity(scheduler: str) -> str:
    import distributed

    untyped: Any = distributed
    arguments = untyped.Security().get_connection_args("client")
    async with untyped.rpc(scheduler, timeout=PATIENCE, connection_args=arguments) as there:
        asking = asyncio.ensure_future(there.identity())
        await asyncio.wait({asking}, timeout=min(WORD, PATIENCE))
        if not asking.done() and PATIENCE > WORD:
            _log.warning(f"no scheduler has answered at {scheduler} for {WORD:g} s; {PATIENCE - WORD:g} s more")
            await asyncio.wait({asking}, timeout=PATIENCE - WORD)
        if not asking.done():
            asking.cancel()
            raise TimeoutError(f"not within {PATIENCE:g} s")
        return str(asking.result()["type"])


class Watch:
    """Looks now and then whether any worker is alive, says a word when none is, and gives up in the
    end.

    A worker is alive when it gave its scheduler a sign of life since the last look, which it does
    every few seconds. A task may take as long as its time limit says: that is no silence.
    """

    def __init__(self, client: Any) -> None:
        """The clock runs from now."""
        self.client = client
        self.looked = self.heard = time.monotonic()
        self.signs: dict[str, float] = {}
        self.ever = self.warned = False

    def look(self) -> None:
        """Call this often; it asks the scheduler now and then."""
        now = time.monotonic()
        if now - self.looked < EVERY:
            return
        answers, signs = True, self.signs
        try:
            found = self.client.sync(self.client.scheduler.identity, callback_timeout=0.5 * WORD)
            signs = {address: worker["last_seen"] for address, worker in found["workers"].items()}
        except Exception:  # a client that is between two connections has many ways to say so
            answers = False
        self.looked = time.monotonic()
        if signs != self.signs and any(self.signs.get(address) != seen for address, seen in signs.items()):
            self.heard, self.ever, self.warned = self.looked, True, False
        self.signs = signs
        self._judge(self.looked - self.heard, answers)

    def _judge(self, silence: float, answers: bool) -> None:
        limit = SILENCE if self.ever else PATIENCE
        where = self.client.scheduler.address if self.client.scheduler else "its address"
        who = "no worker has answered" if answers else f"the scheduler at {where} has not answered"
        if silence >= limit:
            if answers and not self.signs and not self.ever:
                raise SweepError(f"the scheduler at {where} has no workers", hint=f"start some: dask worker {where}")
            raise SweepError(f"{who} for {silence:.0f} s", hint=_KEPT)
        if silence >= WORD and not self.warned:
            self.warned = True
            _log.warning(f"{who} for {silence:.0f} s; it will be given up after {limit:.0f} s")
