"""One typed door to Numba.

Compiled functions release the interpreter lock. Those called from Python are kept on disk between
runs, under a name that holds a stamp of the sources they are made of: Numba itself looks only at
the file of the function it compiles, and would go on with old scalar functions after an edit.
"""

from __future__ import annotations

import hashlib
import inspect
import types
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

import gardner.model.logistic
import gardner.model.special

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be taken in any order and multiply-adds fused, so that loops become vector instructions.
# Nothing is assumed about NaN and infinities: they must stay visible.
_FAST = {"reassoc", "contract", "arcp", "nsz"}


def _options(fast: bool) -> dict[str, Any]:
    # 1/0 is infinity, as in NumPy: a check for an exception would keep loops from becoming vector
    # instructions
    return {"nogil": True, "error_model": "numpy", "fastmath": set(_FAST) if fast else False}


def inlined(function: Function) -> Function:
    """Decorator: a scalar function, written into whatever calls it, because no loop vectorises over
    a call.

    LLVM writes it there. Numba could as well (``inline="always"``), but then infers the types of
    every copy: the machine code is as fast, and takes longer to make where formulas are long.
    """
    return cast(Function, njit(forceinline=True, **_options(fast=True))(function))


def kept(*, fast: bool = False) -> Callable[[Function], Function]:
    """Decorator: a function called from Python, compiled on first call and kept on disk."""

    def decorate(function: Function) -> Function:
        return specialised(function, fast=fast)

    return decorate


def specialised(function: Function, name: str = "", *, fast: bool = False, **constants: Any) -> Function:
    """Compile a module-level function with other values for some of the globals it uses, and keep
    it on disk.

    A closure would do the same, but Numba finds no closure over compiled functions again in its
    store.
    """
    copy = types.FunctionType(function.__code__, {**function.__globals__, **constants}, function.__name__)
    copy.__module__, copy.__doc__ = function.__module__, function.__doc__
    copy.__qualname__ = "_".join(part for part in (function.__qualname__, name, _stamp()) if part)
    return cast(Function, njit(cache=True, **_options(fast))(copy))


@lru_cache
def _stamp() -> str:
    """What the compiled functions are made of, in eight letters."""
    here = Path(__file__)
    models = [Path(inspect.getfile(module)) for module in (gardner.model.special, gardner.model.logistic)]
    sources = [here, here.with_name("scalars.py"), here.with_name("noisy_scalars.py"), *models]
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:8]


def polynomial(coefficients: Sequence[float]) -> Callable[[float], float]:
    """Horner's rule, highest coefficient first, without a loop: the compiler vectorises no loop
    inside a loop.
    """
    padded = [0.0] * (-(len(coefficients) - 1) % 4) + list(coefficients)
    function = _constant(padded[0])
    for start in range(1, len(padded), 4):
        function = _four_more(function, *padded[start : start + 4])
    return function


def _constant(value: float) -> Callable[[float], float]:
    @inlined
    def constant(_: float) -> float:
        return value

    return constant


def _four_more(function: Callable[[float], float], a: float, b: float, c: float, d: float) -> Callable[[float], float]:
    @inlined
    def more(x: float) -> float:
        return (((function(x) * x + a) * x + b) * x + c) * x + d

    return more
