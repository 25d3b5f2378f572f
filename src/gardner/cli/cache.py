"""Compiled formulas are kept between runs of the command line, so that only the first one waits for the compiler."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

VARIABLE = "GARDNER_CACHE"  # a folder, or "off"
_JAX = "JAX_COMPILATION_CACHE_DIR"
_JUST_NOW = 2.0  # seconds


def cache_folder() -> Path | None:
    """Where compiled code is kept: $GARDNER_CACHE, else the user's cache folder; ``None`` when turned off."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() in {"off", "0", "no", "none"}:
        return None
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "gardner"
    except RuntimeError:  # a user without a home
        return None


def use_compilation_cache() -> None:
    """Tell JAX (not imported yet) through its environment; settings the user made are left alone.

    A folder that cannot be written is done without: the answer is the same, only later.
    """
    folder = cache_folder()
    if folder is None or _JAX in os.environ:
        return
    compiled = folder / "compiled"
    try:
        compiled.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    if not os.access(compiled, os.W_OK | os.X_OK):
        return
    os.environ[_JAX] = str(compiled)
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")


def remove_unfinished() -> None:
    """Forget what was compiled in the last moments: JAX writes no file whole, and half of one would stay for good."""
    folder = cache_folder()
    if folder is None or os.environ.get(_JAX) != str(folder / "compiled"):
        return
    for path in (folder / "compiled").iterdir():
        with suppress(OSError):
            if time.time() - path.stat().st_mtime < _JUST_NOW:
                path.unlink()
