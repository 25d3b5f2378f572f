"""What around us would stop us, refused or put right before it does: limits of the shell, settings
of libraries.
"""

from __future__ import annotations

import os

from gardner.errors import GardnerError, InvalidInputError

_THREADS = "NUMBA_NUM_THREADS"
_WARNINGS = "PYTHONWARNINGS"
# where a process of Dask's ends at once, another one of Python's cleans up after it, and need not
# say so
_QUIET = "ignore:resource_tracker:UserWarning"
# Bytes of addresses that ulimit -v must leave; most are never used, but with less, libraries crash
# or hang.
_LEAST_MEMORY = 4 << 30
# Files open at once that ulimit -n must leave; a sweep with two workers was seen to need 48.
_LEAST_FILES = 64


def check_environment() -> None:
    """Numba wants a number of threads, or nothing; limits of the shell must leave room."""
    _check_limits()
    threads = os.environ.get(_THREADS)
    if threads is not None and not (threads.strip().isdecimal() and int(threads) > 0):
        rule = "it must be a whole number of at least 1"
        raise InvalidInputError(_THREADS, threads, rule, hint="change this variable of the environment, or unset it")
    os.environ[_WARNINGS] = ",".join([one for one in (os.environ.get(_WARNINGS), _QUIET) if one])


def _check_limits() -> None:
    """With too little, compiled libraries end the process themselves, and not by an exception."""
    try:
        import resource
    except ImportError:  # not POSIX
        return
    memory, _ = resource.getrlimit(resource.RLIMIT_AS)
    if memory != resource.RLIM_INFINITY and memory < _LEAST_MEMORY:
        what = f"ulimit -v allows {memory >> 10} kB of memory, {_LEAST_MEMORY >> 10} are needed"
        raise GardnerError(what, hint="raise it, or lift it: ulimit -v unlimited")
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < _LEAST_FILES:
        raise GardnerError(f"ulimit -n allows {files} open files, {_LEAST_FILES} are needed", hint="raise it")
