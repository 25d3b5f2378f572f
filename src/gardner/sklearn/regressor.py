"""``GLMRegressor``: numbers with normal noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from gardner.model.arrays import Floats
from gardner.sklearn.base import TABLE, TableEstimator
from gardner.table.fit import fit
from gardner.table.scaling import spread_of, standardised_labels

if TYPE_CHECKING:
    import pandas as pd


class GLMRegressor(RegressorMixin, TableEstimator):  # type: ignore[misc]
    """Numbers of a linear model with normal noise, averaged over all weights: ridge regression,
    tuned by evidence.

    Parameters are those of :class:`gardner.sklearn.base.TableEstimator`; a ``channel`` is linear,
    such as ``linear:0.1``, and its noise is in units of the variance of the labels. After a fit:
    ``log_evidence_``, ``method_``, ``scaling_``, ``channel_``, ``notes_``, ``n_features_in_`` and
    ``feature_names_in_``.

    >>> model = GLMRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [0.1, 1.0, 2.1, 2.9])
    >>> mean, deviation = model.predict([[1.5]], return_std=True)
    >>> bool(abs(mean[0] - 1.5) < 0.1), bool(0.0 < deviation[0] < 1.0)
    (True, True)
    """

    def fit(self, X: pd.DataFrame | ArrayLike, y: ArrayLike) -> Self:
        """Fit rows of features and their numbers."""
        features, labels = validate_data(self, X, y, **TABLE, y_numeric=True)
        labels = np.asarray(labels, dtype=np.float64)
        values, self._shift, self._unit = _standardised(labels)
        self._fit = fit(
            features, values, spread_of(features), real=True,
            model=self._model(real=True), scaling=self.scaling, method=self.method,
        )  # fmt: skip
        # a density of labels, in their own unit
        self.log_evidence_ = self._fit.posterior.log_evidence - labels.size * float(np.log(self._unit))
        self._report(self._fit)
        return self

    def predict(self, X: pd.DataFrame | ArrayLike, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """The mean of the number of every row, and with ``return_std`` its standard deviation,
        noise included.
        """
        check_is_fitted(self)
        fields = self._fit.fields(validate_data(self, X, **TABLE, reset=False))
        mean, variance = (np.asarray(part, dtype=np.float64) for part in self._fit.model.channel.predictive(*fields))
        mean = self._shift + self._unit * mean
        return (mean, self._unit * np.sqrt(np.maximum(variance, 0.0))) if return_std else mean


def _standardised(labels: Floats) -> tuple[Floats, float, float]:
    """As for a query; but the same number everywhere is a fit like any other."""
    if np.ptp(labels) == 0.0:
        return np.zeros_like(labels), float(labels[0]), abs(float(labels[0])) or 1.0
    return standardised_labels(labels)
