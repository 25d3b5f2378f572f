"""What other libraries' strategies learn with: the logistic regression of our own ``logistic``, in their wrappings."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from gardner.strategies.adapters import CLASSES, layers
from gardner.strategies.base import Floats, View

SETTINGS: dict[str, Any] = {"C": 10.0, "fit_intercept": False, "max_iter": 1000}  # as the registered ``logistic``
# Classifiers in an ensemble that is given to strategies which want one: their libraries' examples have about as many.
COMMITTEE = 5


class Logistic(LogisticRegression):  # type: ignore[misc]
    """Logistic regression; until both labels are seen every row has the same probability, (count + 1)/(rows + 2)."""

    def fit(self, X: Floats, y: Floats, sample_weight: Floats | None = None) -> Logistic:
        """Fit, also to one label only."""
        if np.unique(y).size > 1:
            super().fit(X, y, sample_weight)
            return self
        plus = int(np.sum(np.asarray(y) > 0))
        self.classes_ = np.asarray(CLASSES, dtype=np.asarray(y).dtype)
        self.n_features_in_ = X.shape[1]
        self.n_iter_ = np.zeros(1, dtype=np.int32)
        self.coef_ = np.zeros((1, X.shape[1]))
        self.intercept_ = np.log([(plus + 1.0) / (len(y) - plus + 1.0)])
        return self


class Resampled(Logistic):
    """The same, fit to as many rows drawn with replacement: members of a committee differ by their ``random_state``."""

    def fit(self, X: Floats, y: Floats, sample_weight: Floats | None = None) -> Resampled:
        """Fit to a bootstrap sample."""
        drawn = np.random.default_rng(self.random_state).integers(len(y), size=len(y))
        super().fit(X[drawn], y[drawn], None if sample_weight is None else sample_weight[drawn])
        return self


def learner(view: View) -> Any:
    """A fitted classifier, with what modAL's functions read from a learner besides."""
    model: Any = Logistic(**SETTINGS)
    model.fit(view.pool[view.queried], view.labels)
    model.X_training, model.y_training = view.pool[view.queried], np.array(view.labels)
    model.estimator, model.on_transformed = model, False
    return model


def model_for(wanted: str, strategy: Any, rng: np.random.Generator) -> Any:
    """What a scikit-activeml strategy calls clf, estimator, ensemble or discriminator; it does the fitting."""
    from skactiveml.classifier import MixtureModelClassifier, ParzenWindowClassifier, SklearnClassifier

    def common() -> dict[str, Any]:
        return {"classes": CLASSES, "missing_label": np.nan, "random_state": int(rng.integers(2**31 - 1))}

    if wanted == "ensemble":
        members = [Resampled(**SETTINGS, random_state=int(rng.integers(2**31 - 1))) for _ in range(COMMITTEE)]
        return [SklearnClassifier(member, **common()) for member in members]
    if wanted == "discriminator":  # labelled rows from others: not balanced
        return SklearnClassifier(LogisticRegression(max_iter=1000), **common())
    kinds = {one.__name__ for layer in layers(strategy) for one in type(layer).__mro__}
    if "FourDs" in kinds:
        return MixtureModelClassifier(**common())
    if kinds & {"ProbabilisticAL", "EpistemicUncertaintySampling"}:
        # both count labels nearby; with a logistic regression the first cannot, and the second takes minutes
        return ParzenWindowClassifier(metric_dict={"gamma": "mean"}, **common())
    return SklearnClassifier(Logistic(**SETTINGS), **common())
