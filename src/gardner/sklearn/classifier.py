"""``GLMClassifier``: two or more classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from gardner.model.arrays import Floats
from gardner.sklearn.base import TABLE, TableEstimator
from gardner.table.any_classes import fit_any
from gardner.table.scaling import spread_of

if TYPE_CHECKING:
    import pandas as pd


class GLMClassifier(ClassifierMixin, TableEstimator):  # type: ignore[misc]
    """Classes of a linear model with noise, averaged over all weights that the labels allow.

    It is the model of ``gardner query`` and ``gardner predict``. Scaling, intercept and noise are
    chosen by evidence, so there is nothing to tune. Parameters are those of
    :class:`gardner.sklearn.base.TableEstimator`.

    After a fit: ``classes_``; ``log_evidence_``, the logarithm of the probability of the labels;
    ``method_``, ``scaling_`` and ``channel_``, what was chosen; ``notes_``, what a search ran into;
    ``n_features_in_`` and ``feature_names_in_``.

    >>> rows = [[0.0, 1.0], [1.0, 3.0], [2.0, 0.0], [3.0, 1.0], [4.0, 2.0], [5.0, 0.0]]
    >>> model = GLMClassifier().fit(rows, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict([[0.0, 2.0], [5.0, 1.0]]).tolist()
    ['no', 'yes']
    """

    def fit(self, X: pd.DataFrame | ArrayLike, y: ArrayLike) -> Self:
        """Fit rows of features and their classes."""
        features, labels = validate_data(self, X, y, **TABLE)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._fitted = fit_any(
            features, codes, self.classes_.size, spread_of(features),
            model=self._model(real=False), scaling=self.scaling, method=self.method,
        )  # fmt: skip
        self.log_evidence_ = self._fitted.log_evidence
        self._report(self._fitted.found)
        return self

    def predict_proba(self, X: pd.DataFrame | ArrayLike) -> Floats:
        """Probabilities of the classes, one column each, in the order of ``classes_``."""
        check_is_fitted(self)
        return self._fitted.probabilities(validate_data(self, X, **TABLE, reset=False))

    def predict(self, X: pd.DataFrame | ArrayLike) -> NDArray[Any]:
        """The most probable class of every row."""
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[chances.argmax(axis=1)])
