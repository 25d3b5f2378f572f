"""NVIDIA's multi-process service, for as long as a benchmark lasts: processes use one GPU at the
same time by it.

Without it they take turns, and several are no faster than one (``python -m benchmarks.gpu
at-once``).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

PROGRAM = "nvidia-cuda-mps-control"
_FOLDERS = ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")


@contextmanager
def service() -> Iterator[bool]:
    """Start it and stop it; false where it is not installed. Only processes begun in between use
    it.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        print(f"{PROGRAM} is not installed: processes take turns", flush=True)
        yield False
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(dict.fromkeys(_FOLDERS, folder))
        subprocess.run([program, "-d"], check=True)  # noqa: S603
        try:
            yield True
        finally:
            subprocess.run([program], input="quit\n", text=True, check=True)  # noqa: S603
            for name in _FOLDERS:
                del os.environ[name]
