"""Settings of others in the environment that would stop us, told or put right before they are read."""

from __future__ import annotations

import os

from gardner.errors import InvalidInputError

_THREADS = "NUMBA_NUM_THREADS"
_PLATFORMS = "JAX_PLATFORMS"
_WARNINGS = "PYTHONWARNINGS"
# where a process of Dask's ends at once, another one of Python's cleans up after it, and need not say so
_QUIET = "ignore:resource_tracker:UserWarning"


def check_environment() -> None:
    """Numba wants a number of threads, or nothing; the theory runs on the CPU, whatever else JAX is told to use."""
    threads = os.environ.get(_THREADS)
    if threads is not None and not (threads.strip().isdecimal() and int(threads) > 0):
        rule = "it must be a whole number of at least 1"
        raise InvalidInputError(_THREADS, threads, rule, hint="change this variable of the environment, or unset it")
    platforms = [name.strip() for name in os.environ.get(_PLATFORMS, "").split(",") if name.strip()]
    if platforms and "cpu" not in platforms:
        os.environ[_PLATFORMS] = ",".join([*platforms, "cpu"])
    os.environ[_WARNINGS] = ",".join([one for one in (os.environ.get(_WARNINGS), _QUIET) if one])
