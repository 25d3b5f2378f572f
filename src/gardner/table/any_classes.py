"""Classes of a table, one, two or more, behind one seam."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model import GLM
from gardner.model.arrays import Floats
from gardner.table.classes.fit import ClassFit, fit_classes
from gardner.table.classes.largest import chances
from gardner.table.fit import Fit, fit
from gardner.table.scaling import Places, Spread


@dataclass(frozen=True, eq=False)
class AnyFit:
    """What is known of the classes of rows: nothing to learn with one, a field with two, a field a
    class with more.
    """

    found: Fit | ClassFit | None

    @property
    def log_evidence(self) -> float:
        """Of two classes, that of the labels; of more, that of all columns of yes and no, one a
        class.
        """
        return 0.0 if self.found is None else self.found.posterior.log_evidence

    def fields(self, features: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the fields of rows; with three classes or more, rows × classes."""
        if self.found is None:
            raise InvalidInputError("classes", 1, "one class has no field")
        return self.found.fields(features)

    def probabilities(self, features: Floats) -> Floats:
        """The probability of each class, one column each."""
        if self.found is None:
            return np.ones((len(features), 1))
        omega, V = self.found.fields(features)
        if isinstance(self.found, ClassFit):
            return chances(*self.found.noisy(omega, V))
        channel = self.found.model.channel
        columns = [np.exp(channel.log_partition(np.full_like(omega, label), omega, V)) for label in channel.labels]
        both = np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
        return np.asarray(both / both.sum(axis=1, keepdims=True))


def fit_any(
    features: Floats,
    codes: Places,
    count: int,
    spread: Spread,
    *,
    model: GLM | None = None,
    scaling: str | None = None,
    method: str = "ep",
) -> AnyFit:
    """Fit rows whose classes are the numbers 0, 1, … below ``count``; ``spread`` is that of all
    rows.
    """
    if count < 2:
        return AnyFit(None)
    if count == 2:
        signs = np.where(codes == 1, 1.0, -1.0)
        return AnyFit(fit(features, signs, spread, model=model, scaling=scaling, method=method))
    if method == "amp":
        rule = "three classes or more are fitted by expectation propagation"
        raise InvalidInputError("method", method, rule, hint="try method='ep'")
    return AnyFit(fit_classes(features, codes, count, spread, model=model, scaling=scaling))
