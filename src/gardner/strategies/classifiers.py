"""What other libraries' strategies learn with: the logistic regression of our own ``logistic``, in
their wrappings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from gardner.model.arrays import Floating
from gardner.strategies.adapters import CLASSES, class_list, layers
from gardner.strategies.base import View

SETTINGS: dict[str, Any] = {"C": 10.0, "fit_intercept": False, "max_iter": 1000}  # as the registered ``logistic``
# Classifiers in an ensemble that is given to strategies which want one: their libraries' examples
# have about as many.
COMMITTEE = 5


class Logistic(LogisticRegression):  # type: ignore[misc]
    """Logistic regression; until both labels are seen every row has the same probability, (count +
    1)/(rows + 2).
    """

    def fit(self, X: Floating, y: Floating, sample_weight: Floating | None = None) -> Logistic:
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
    """The same, fit to as many rows drawn with replacement: members of a committee differ by their
    ``random_state``.
    """

    def fit(self, X: Floating, y: Floating, sample_weight: Floating | None = None) -> Resampled:
        """Fit to a bootstrap sample."""
        drawn = np.random.default_rng(self.random_state).integers(len(y), size=len(y))
        super().fit(X[drawn], y[drawn], None if sample_weight is None else sample_weight[drawn])
        return self


class ManyResampled(LogisticRegression):  # type: ignore[misc]
    """A member of a committee for three classes or more; a sample of one class only is drawn no
    further: all rows.
    """

    def fit(self, X: Floating, y: Floating, sample_weight: Floating | None = None) -> ManyResampled:
        """Fit to a bootstrap sample."""
        drawn = np.random.default_rng(self.random_state).integers(len(y), size=len(y))
        drawn = drawn if np.unique(y[drawn]).size > 1 else np.arange(len(y))
        super().fit(X[drawn], y[drawn], None if sample_weight is None else sample_weight[drawn])
        return self


class Members:
    """What modAL's functions ask of a committee: fitted classifiers, their votes, and what they say
    together.

    A class that a member has not seen has probability zero for it.
    """

    def __init__(self, members: list[Any], view: View) -> None:
        """Fit all members to the labels so far."""
        self.learner_list = [one.fit(view.pool[view.queried], view.labels) for one in members]
        self.X_training, self.y_training = view.pool[view.queried], np.array(view.labels)
        self.classes_ = np.asarray(class_list(view), dtype=np.float64)
        self.on_transformed = False

    def __len__(self) -> int:
        """How many members there are."""
        return len(self.learner_list)

    def __iter__(self) -> Iterator[Any]:
        """The members one after another."""
        return iter(self.learner_list)

    def vote(self, X: Floating, **_: object) -> Floating:
        """The class that each says: rows × members."""
        return np.stack([one.predict(X) for one in self.learner_list], axis=1)

    def vote_proba(self, X: Floating, **_: object) -> Floating:
        """What each says of the classes: rows × members × classes."""
        said = np.zeros((len(X), len(self), self.classes_.size))
        for place, one in enumerate(self.learner_list):
            said[:, place, np.searchsorted(self.classes_, one.classes_)] = one.predict_proba(X)
        return said

    def predict_proba(self, X: Floating, **_: object) -> Floating:
        """The mean of what they say."""
        return np.asarray(self.vote_proba(X).mean(axis=1))

    def predict(self, X: Floating, **_: object) -> Floating:
        """The class that is most probable on average."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _plain(view: View, two: LogisticRegression, many: LogisticRegression) -> Any:
    """A classifier for the labels there are; one class of many is always that class."""
    if view.classes == 2:
        return two
    return many if np.unique(view.labels).size > 1 else DummyClassifier()


def learner(view: View) -> Any:
    """A fitted classifier, with what modAL's functions read from a learner besides."""
    model: Any = _plain(view, Logistic(**SETTINGS), LogisticRegression(**SETTINGS))
    model.fit(view.pool[view.queried], view.labels)
    model.X_training, model.y_training = view.pool[view.queried], np.array(view.labels)
    model.estimator, model.on_transformed = model, False
    return model


def committee(view: View) -> Members:
    """Learners for modAL's committee functions, each fitted to a bootstrap sample of its own."""
    seeds = [{**SETTINGS, "random_state": int(view.rng.integers(2**31 - 1))} for _ in range(COMMITTEE)]
    return Members([_plain(view, Resampled(**seed), ManyResampled(**seed)) for seed in seeds], view)


def model_for(wanted: str, strategy: Any, rng: np.random.Generator, classes: list[int]) -> Any:
    """What a scikit-activeml strategy calls clf, estimator, ensemble or discriminator; it does the
    fitting.
    """
    from skactiveml.classifier import MixtureModelClassifier, ParzenWindowClassifier, SklearnClassifier

    def common() -> dict[str, Any]:
        return {"classes": classes, "missing_label": np.nan, "random_state": int(rng.integers(2**31 - 1))}

    if wanted == "ensemble":
        kind = Resampled if len(classes) == 2 else ManyResampled
        members = [kind(**SETTINGS, random_state=int(rng.integers(2**31 - 1))) for _ in range(COMMITTEE)]
        return [SklearnClassifier(member, **common()) for member in members]
    if wanted == "discriminator":  # labelled rows from others: not balanced
        return SklearnClassifier(LogisticRegression(max_iter=1000), **common())
    kinds = {one.__name__ for layer in layers(strategy) for one in type(layer).__mro__}
    if "FourDs" in kinds:
        return MixtureModelClassifier(**common())
    if kinds & {"ProbabilisticAL", "EpistemicUncertaintySampling"}:
        # both count labels nearby; with a logistic regression the first cannot, and the second
        # takes minutes
        return ParzenWindowClassifier(metric_dict={"gamma": "mean"}, **common())
    return SklearnClassifier(Logistic(**SETTINGS) if len(classes) == 2 else LogisticRegression(**SETTINGS), **common())
