"""Compile ahead: while one thread starts on a problem, another compiles the functions it will need next.

Compilation is most of a first answer's time and releases Python's lock, so two cores halve it. Nothing depends on
this: a function that is not ready yet is compiled where it is called.
"""

from __future__ import annotations

import threading

import numpy as np

from gardner.model import GLM, PERCEPTRON
from gardner.theory.inputs import check_model
from gardner.theory.jets import compile_energetic
from gardner.theory.pair import Pair
from gardner.theory.precision import double_precision
from gardner.theory.quadrature import CHUNK
from gardner.theory.stability import compile_ratios


def warm_up(model: GLM = PERCEPTRON, teacher: GLM | None = None) -> threading.Thread:
    """Start compiling what every bound needs, in the background, in the order in which it is needed."""
    thread = threading.Thread(
        target=_compile, args=(check_model(model, teacher),), name="gardner-warm-up"
    )  # not a daemon: never killed mid-compile
    thread.start()
    return thread


@double_precision
def _compile(pair: Pair) -> None:
    theta = np.array([0.3, 0.04, 0.2, 0.6, -1.0, -1.0])  # any point will do
    nodes = np.linspace(-1.0, 1.0, CHUNK)
    compile_energetic(pair, theta, nodes)
    compile_ratios(pair, theta, nodes)
