"""What both estimators share: their parameters, the fit of a table, and what is reported of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference.posterior import Posterior
from gardner.model import GLM, Channel, Gaussian, describe, parse_channel
from gardner.table.classes.fit import ClassFit
from gardner.table.fit import Fit

# How scikit-learn hands us a table: numbers, row after row, so that a frame and an array give the
# same bits.
TABLE: dict[str, Any] = {"dtype": np.float64, "order": "C"}


class TableEstimator(BaseEstimator):  # type: ignore[misc]
    """A linear model with noisy labels, its scaling, intercept and noise by evidence.

    ``channel`` is how labels arise: a text such as ``probit:0.1`` or an object of
    :mod:`gardner.model`; by default its kind and its noise are searched for. ``scaling`` is that of
    the columns: ``standardised``, ``common`` or ``unit``, by default chosen by evidence. ``method``
    is ``ep`` (expectation propagation), ``amp`` (message passing), or ``auto``.
    """

    def __init__(
        self, *, channel: str | Channel | None = None, scaling: str | None = None, method: str = "auto"
    ) -> None:
        """Keep the parameters as they are; :meth:`fit` checks them."""
        self.channel = channel
        self.scaling = scaling
        self.method = method

    def _model(self, real: bool) -> GLM | None:
        """What is not to be searched for; labels are ``real`` numbers, or classes."""
        if self.channel is None:
            return None
        channel = parse_channel(self.channel) if isinstance(self.channel, str) else self.channel
        if real and channel.linear_noise is None:
            rule, hint = "labels that are numbers need a linear channel", "try linear:0.1"
            raise InvalidInputError("channel", describe(channel), rule, hint=hint)
        if not real and set(channel.labels) != {-1.0, 1.0}:
            rule, hint = "classes need a channel whose labels are -1 and +1", "try probit:0.1 or flip:0.05"
            raise InvalidInputError("channel", describe(channel), rule, hint=hint)
        return GLM(Gaussian(), channel)

    def _report(self, found: Fit | ClassFit | None) -> None:
        """Set what users may read, and warn where the answer is in doubt."""
        self.method_ = found.posterior.method if found else ""
        self.scaling_ = found.design.scaling.name if found else ""
        self.channel_ = describe(found.model.channel) if found else ""
        self.notes_ = found.notes if found else ()
        text = _doubt(found.posterior) if found else ""
        if text:
            warnings.warn(text, ConvergenceWarning, stacklevel=3)


def _doubt(posterior: Posterior) -> str:
    """What `gardner.infer` says of a posterior that is in doubt; empty where it is in none."""
    try:
        posterior.checked()
    except ConvergenceError as error:
        hint = "try method='ep'" if posterior.method == "amp" else "drop rows that repeat others"
        return f"{error.what}; {hint}"
    return ""
