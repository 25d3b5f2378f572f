"""One door to the three methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from gardner.errors import InvalidInputError
from gardner.inference.ep import expectation_propagation
from gardner.inference.message_passing import amp
from gardner.inference.montecarlo import monte_carlo
from gardner.inference.posterior import Posterior
from gardner.model import GLM, PERCEPTRON

METHODS: dict[str, Callable[..., Posterior]] = {
    "amp": amp,
    "ep": expectation_propagation,
    "mc": monte_carlo,
}


def infer(
    rows: ArrayLike, labels: ArrayLike, model: GLM = PERCEPTRON, method: str = "amp", **options: Any
) -> Posterior:
    """Everything a student knows who saw these rows with these labels.

    ``method`` is ``amp`` (message passing: fast, for rows with independent entries, any array
    library), ``ep`` (expectation propagation with full covariance: correlated rows too, unless they
    nearly repeat each other; up to a few thousand features) or ``mc`` (Monte Carlo: no
    approximation, with a standard error). ``options`` go to :func:`amp`,
    :func:`expectation_propagation` or :func:`monte_carlo`.

    AMP and EP estimate their own error (``correction``). Where it is more than 3 % of the
    log-evidence the status is ``doubtful`` and ``doubt`` says why.

    >>> import numpy as np
    >>> posterior = infer(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0]), method="ep")
    >>> round(posterior.log_volume, 6), posterior.status.value
    (-0.693147, 'converged')
    >>> posterior.predict_proba(np.array([[1.0, 1.0], [1.0, -1.0]])).round(3)
    array([[0.5  , 0.5  ],
           [0.031, 0.969]])
    """
    if method not in METHODS:
        raise InvalidInputError("method", method, f"it must be one of {', '.join(METHODS)}")
    return METHODS[method](rows, labels, model, **options)
