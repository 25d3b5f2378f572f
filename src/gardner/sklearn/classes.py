"""Classes of a table: one seam behind which two are one model, and more are models of one against the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gardner.model import GLM
from gardner.table.fit import Fit, fit
from gardner.table.scaling import Floats, spread_of


@dataclass(frozen=True, eq=False)
class ClassesFit:
    """Fits, one for two classes and else one a class, each of which says how probable its class is."""

    fits: tuple[Fit, ...]

    @property
    def log_evidence(self) -> float:
        """Of two classes, that of the labels; of more, that of all columns of yes and no, one a class."""
        return float(sum(one.posterior.log_evidence for one in self.fits))

    def probabilities(self, features: Floats) -> Floats:
        """Of the classes, one column each."""
        if not self.fits:
            return np.ones((len(features), 1))
        chances = [_chances(one, features) for one in self.fits]
        if len(chances) == 1:
            return chances[0]
        columns = np.stack([one[:, 1] for one in chances], axis=1)
        return np.asarray(columns / columns.sum(axis=1, keepdims=True))


def fit_classes(
    features: Floats, codes: NDArray[np.intp], count: int, *, model: GLM | None, scaling: str | None, method: str
) -> ClassesFit:
    """Fit rows whose classes are the numbers 0, 1, … below ``count``."""
    spread = spread_of(features)
    wanted = range(1, 2) if count == 2 else range(count if count > 2 else 0)
    signs = (np.where(codes == one, 1.0, -1.0) for one in wanted)
    return ClassesFit(tuple(fit(features, one, spread, model=model, scaling=scaling, method=method) for one in signs))


def _chances(fitted: Fit, features: Floats) -> Floats:
    """Probabilities of −1 and +1."""
    omega, V = fitted.fields(features)
    channel = fitted.model.channel
    columns = [np.exp(channel.log_partition(np.full_like(omega, label), omega, V)) for label in channel.labels]
    chances = np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))
