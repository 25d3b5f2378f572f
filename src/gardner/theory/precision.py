"""Double precision on the CPU for everything under ``theory``, without touching JAX's global settings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import jax

P = ParamSpec("P")
T = TypeVar("T")


def double_precision(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function with 64-bit JAX on the CPU; the caller's own JAX settings come back on return."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        with jax.enable_x64(True), jax.default_device(jax.local_devices(backend="cpu")[0]):
            return function(*args, **kwargs)

    return wrapped
