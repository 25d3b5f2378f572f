"""Run one case in a scratch folder, in this process or in one of its own, and note what it did."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.case import Case
from tests.fuzz.clock import Clock
from tests.fuzz.files import make
from tests.fuzz.texts import EVIL

ROOT = Path(__file__).parents[2]
LIMIT = 60.0  # seconds a command may take
PROMPT = 3.0  # seconds it may take to end after Ctrl-C
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)
_FOLDER = "case"  # the scratch folder's one fixed name: messages of the same case are the same


@dataclass(frozen=True)
class Entry:
    """What stands under a name: its kind, its length and a digest of what it holds."""

    kind: str
    size: int
    digest: str


@dataclass(frozen=True)
class Seen:
    """What a command did. A code below 0 is the signal that killed it; None: it was stopped."""

    case: Case
    folder: Path
    code: int | None
    out: str
    err: str
    before: dict[str, Entry] = field(default_factory=dict)
    after: dict[str, Entry] = field(default_factory=dict)
    seconds: float = 0.0


def entry_point() -> Callable[[], Any]:
    """The function behind the command ``gardner``, as the package declares it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["gardner"].partition(":")
    home = importlib.import_module(module)
    run = getattr(home, "run", None)  # the same without taking over the signals of the process
    if run is not None:
        return lambda: sys.exit(run(sys.argv[1:]))
    found: Callable[[], Any] = getattr(home, name)
    return found


@contextlib.contextmanager
def scratch(case: Case) -> Iterator[Path]:
    """A folder with the case's files in it; all of it is removed at the end, whatever its modes."""
    with tempfile.TemporaryDirectory(prefix="gardner-fuzz-", ignore_cleanup_errors=True) as made:
        folder = Path(made) / _FOLDER
        folder.mkdir()
        (folder / "evil.py").write_text(EVIL)
        for name, recipe in sorted(case.files.items()):
            make(folder / name, recipe)
        try:
            yield folder
        finally:
            for place, _, _ in os.walk(folder):
                Path(place).chmod(0o700)


def snapshot(folder: Path) -> dict[str, Entry]:
    """Everything in a folder, by path."""
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if one != "__pycache__"]
        for name in [*folders, *names]:
            path = Path(place, name)
            found[str(path.relative_to(folder))] = _entry(path)
    return found


def _entry(path: Path) -> Entry:
    mode = path.lstat().st_mode
    kind = stat.filemode(mode)[0]
    if kind == "l":
        return Entry(kind, 0, str(path.readlink()))
    if kind != "-":
        return Entry(kind, 0, "")
    if not mode & stat.S_IRUSR:
        return Entry(kind, path.stat().st_size, "unreadable")
    data = path.read_bytes()
    return Entry(kind, len(data), hashlib.sha256(data).hexdigest())


def run(case: Case, folder: Path, main: Callable[[], Any]) -> Seen:
    """The case in its folder; ``main`` is the command line, for cases that need no process."""
    before = snapshot(folder)
    begin = time.monotonic()
    code, out, err = run_process(case, folder) if case.process else run_inside(case, folder, main)
    seconds = time.monotonic() - begin
    return Seen(case, folder, code, out, err, before, snapshot(folder), seconds)


def run_process(case: Case, folder: Path) -> tuple[int | None, str, str]:
    """The command as a process of its own."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, _target(case, out) as target:
        code = _started(case, folder, target, err)
        return code, _read(out), _read(err)


# run in the child before the command: a fork with code of ours in it may hang where JAX has threads
_PRELUDE = """
import json, os, resource, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever started the tests in the background ignores Ctrl-C
limits, closed = json.loads(sys.argv[1])
for name, value in limits.items():
    resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
if closed:
    os.close(1)
os.execv(sys.executable, [sys.executable, "-m", "gardner", *sys.argv[2:]])
"""


def _started(case: Case, folder: Path, target: Any, err: Any) -> int | None:
    settings = json.dumps([case.limits, case.stdout == "closed"])
    source = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, source)])
    process = subprocess.Popen(  # noqa: S603 - our own command line
        [sys.executable, "-IS", "-c", _PRELUDE, settings, *case.argv],
        cwd=folder, env={**os.environ, "PYTHONPATH": path, **case.env}, stdin=subprocess.DEVNULL,
        stdout=target, stderr=err, start_new_session=True,
    )  # fmt: skip
    try:
        clock = Clock(process.pid)
        limit = LIMIT if case.interrupt is None else case.interrupt
        while clock.read() < limit:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(0.5)
        if case.interrupt is None:
            return None
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(PROMPT)
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and whatever it started
        process.wait()


@contextlib.contextmanager
def _target(case: Case, out: Any) -> Iterator[Any]:
    """Where the command's standard output goes."""
    if case.stdout == "full":
        with Path("/dev/full").open("wb") as full:
            yield full
    elif case.stdout == "shut":
        reader, writer = os.pipe()
        os.close(reader)
        try:
            yield writer
        finally:
            os.close(writer)
    else:
        yield out


def run_inside(case: Case, folder: Path, main: Callable[[], Any]) -> tuple[int, str, str]:
    """The command in this process: what a fresh interpreter would print, and its exit code."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with _captured(out, err), _isolated(folder, ["gardner", *case.argv]):
            code = _exit_code(main)
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(ValueError, OSError):
                    stream.flush()
        return code, _read(out), _read(err)


def _read(stream: Any) -> str:
    stream.seek(0)
    return bytes(stream.read()).decode(errors="replace")


def _exit_code(main: Callable[[], Any]) -> int:
    """The exit code of a process whose only work is ``main()``."""
    try:
        main()
    except SystemExit as stopped:
        if stopped.code is None or isinstance(stopped.code, int):
            return (stopped.code or 0) & 0xFF
        sys.stderr.write(f"{stopped.code}\n")
        return 1
    except BaseException:
        sys.stderr.write(traceback.format_exc())
        return 1
    return 0


@contextlib.contextmanager
def _captured(out: Any, err: Any) -> Iterator[None]:
    """Standard output and error as files, also for what writes to the descriptors themselves."""
    streams, kept = (sys.stdout, sys.stderr), (os.dup(1), os.dup(2))
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(  # noqa: SIM115
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
        for descriptor, saved in enumerate(kept, 1):
            os.dup2(saved, descriptor)
            os.close(saved)


@contextlib.contextmanager
def _isolated(folder: Path, argv: list[str]) -> Iterator[None]:
    """A working folder, arguments, variables, signals and modules that nobody inherits."""
    before = Path.cwd(), sys.argv, dict(os.environ), list(sys.path)
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    leave = os._exit
    os._exit = sys.exit  # type: ignore[assignment]
    os.chdir(folder)
    sys.argv, sys.path[:0] = argv, [""]
    try:
        yield
    finally:
        os._exit = leave
        os.chdir(before[0])
        sys.argv, sys.path[:] = before[1], before[3]
        os.environ.clear()
        os.environ.update(before[2])
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(str(folder.parent)):
                del sys.modules[name]
