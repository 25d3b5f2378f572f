"""Compiled formulas are kept between runs of the command line, so that only the first one waits for the compiler."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "GARDNER_CACHE"  # a folder, or "off"


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
    if folder is None or "JAX_COMPILATION_CACHE_DIR" in os.environ:
        return
    compiled = folder / "compiled"
    try:
        compiled.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    if not os.access(compiled, os.W_OK | os.X_OK):
        return
    os.environ["JAX_COMPILATION_CACHE_DIR"] = str(compiled)
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
