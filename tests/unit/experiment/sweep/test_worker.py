"""The end of a task's child."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing import Pipe

ALONE = """
import threading
from gardner import processes
from gardner.experiment.sweep import worker
worker.execute = lambda task: None  # and it does not hear the end of the pipe:
processes.threading = type("Deaf", (), {{"Thread": lambda **_: threading.Thread(target=int)}})
worker.serve({descriptor})
"""


def test_a_child_whose_client_is_gone_says_nothing() -> None:
    """Also where it notices only when it has an answer to give."""
    ours, theirs = Pipe()
    ours.close()
    script = ALONE.format(descriptor=theirs.fileno())
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], capture_output=True, text=True, pass_fds=[theirs.fileno()], check=False
    )
    theirs.close()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
