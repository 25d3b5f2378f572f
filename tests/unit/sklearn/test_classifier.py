"""``GLMClassifier`` keeps scikit-learn's rules, works in its tools, and knows what it does not
know.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from gardner import InvalidInputError, Probit
from gardner.sklearn import GLMClassifier

# Checks that take more than half a second of the thirty that all take; `make test-slow` runs them.
_LONG = {"check_classifiers_train", "check_fit_idempotent", "check_positive_only_tag_during_fit"} | {
    "check_supervised_y_2d", "check_fit_check_is_fitted", "check_n_features_in", "check_classifiers_classes",
    "check_fit_score_takes_y",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # checks hand in what deserves a warning
def test_most_checks_of_scikit_learn() -> None:
    checks = [check for _, check in estimator_checks_generator(GLMClassifier()) if check.func.__name__ not in _LONG]
    assert len(checks) > 40
    for check in checks:
        if check.func.__name__ != "check_array_api_input":  # it skips itself unless SciPy is told to
            check(GLMClassifier())


_ALL = """
from sklearn.utils.estimator_checks import check_estimator
from gardner.sklearn import GLMClassifier, GLMRegressor
for one in (GLMClassifier(), GLMRegressor()):
    found = check_estimator(one, on_skip=None)
    print(type(one).__name__, len(found), sorted({check["status"] for check in found}))
"""


@pytest.mark.slow
def test_check_estimator_without_exemption() -> None:
    """With SciPy told to take arrays of other libraries, no check skips itself."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", _ALL]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    classifier, regressor = done.stdout.splitlines()
    assert classifier.startswith("GLMClassifier ")
    assert regressor.startswith("GLMRegressor ")
    assert classifier.endswith("['passed']")
    assert regressor.endswith("['passed']")


def _cancer(count: int = 120) -> tuple[pd.DataFrame, pd.Series[int]]:
    frame, labels = load_breast_cancer(return_X_y=True, as_frame=True)
    return frame.head(count), labels.head(count)


def test_frames_arrays_clones_and_pickles_give_the_same_numbers() -> None:
    frame, labels = _cancer()
    model = GLMClassifier().fit(frame, labels)
    chances = model.predict_proba(frame)
    plain = GLMClassifier().fit(frame.to_numpy(), labels.to_numpy())
    again = clone(model).fit(np.asfortranarray(frame.to_numpy()), labels.to_list())
    assert np.array_equal(plain.predict_proba(frame.to_numpy()), chances)
    assert np.array_equal(again.predict_proba(frame.to_numpy()), chances)
    loaded = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    assert np.array_equal(loaded.predict_proba(frame), chances)
    assert plain.log_evidence_ == model.log_evidence_ == loaded.log_evidence_ < 0.0
    assert list(model.feature_names_in_) == list(frame.columns)
    assert (model.method_, model.scaling_) == ("ep", "standardised")
    assert model.channel_.startswith("probit:")


def test_probabilities_are_those_of_the_query() -> None:
    """The same table, the same model: what `gardner query` fits and `gardner predict` says."""
    from gardner import TableModel, propose
    from gardner.records.encoding import learn_encoding

    frame, labels = _cancer()
    table = pd.concat([frame, frame.tail(1)], ignore_index=True)  # a query wants a row to ask for
    found = propose(table.to_numpy(), [*labels, np.nan], 1)
    told = TableModel.of(found, learn_encoding(table, list(table.columns)), ("0", "1")).predict_proba(frame)
    model = GLMClassifier().fit(frame, labels)
    assert np.max(np.abs(model.predict_proba(frame) - told)) < 0.02  # one row more for mean and spread
    assert model.log_evidence_ == pytest.approx(found.posterior.log_evidence, rel=0.02)


def test_in_a_pipeline_a_search_and_a_calibration() -> None:
    frame, labels = _cancer(200)
    pipe = make_pipeline(StandardScaler(), GLMClassifier(channel="probit:0.1", scaling="common"))
    assert cross_val_score(pipe, frame, labels, cv=3).mean() > 0.9
    grid = {"glmclassifier__scaling": ["common", "unit"], "glmclassifier__channel": ["probit:0.1", Probit(0.5)]}
    search = GridSearchCV(pipe, grid, cv=3, scoring="neg_log_loss").fit(frame, labels)
    assert -0.3 < search.best_score_ < 0.0
    calibrated = CalibratedClassifierCV(pipe, cv=3).fit(frame, labels)
    assert calibrated.predict_proba(frame).sum(axis=1) == pytest.approx(np.ones(200))
    assert calibrated.score(frame, labels) > 0.9


def test_three_classes_by_name() -> None:
    X, y = load_wine(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    model = GLMClassifier(channel="probit:0.1").fit(X[::2], names[::2])
    chances = model.predict_proba(X[1::2])
    assert chances.shape == (89, 3)
    assert chances.sum(axis=1) == pytest.approx(np.ones(89))
    assert model.score(X[1::2], names[1::2]) > 0.9


def test_one_class_is_always_that_class() -> None:
    model = GLMClassifier().fit([[0.0], [1.0]], ["x", "x"])
    assert model.predict([[5.0]]).tolist() == ["x"]
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]
    assert model.log_evidence_ == 0.0


def _drawn(rows: int, columns: int, alike: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows of independent entries, or with a common part; labels of a random direction."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns)) + alike * np.outer(rng.standard_normal(rows), np.ones(columns))
    noisy = X @ rng.standard_normal(columns) / np.sqrt(columns) + 0.3 * rng.standard_normal(rows)
    return X, (noisy > 0.0).astype(int)


def test_message_passing_where_it_cannot_be_right_says_so() -> None:
    X, y = _drawn(200, 60, alike=2.0)
    with pytest.warns(ConvergenceWarning, match=r"amp is doubtful: squared scalar products .*; try method='ep'"):
        model = GLMClassifier(method="amp", channel="probit:0.1", scaling="common").fit(X, y)
    assert model.method_ == "amp"


def test_message_passing_agrees_on_independent_entries() -> None:
    X, y = _drawn(1_600, 200, alike=0.0)
    options = {"channel": "probit:0.1", "scaling": "standardised"}
    fast, whole = (GLMClassifier(method=method, **options).fit(X[:600], y[:600]) for method in ("amp", "ep"))
    assert np.max(np.abs(fast.predict_proba(X[600:]) - whole.predict_proba(X[600:]))) < 0.03
    assert fast.log_evidence_ == pytest.approx(whole.log_evidence_, rel=0.01)


@pytest.mark.parametrize(("alike", "method"), [(0.0, "amp"), (2.0, "ep")])
def test_the_method_is_chosen_by_the_rows(alike: float, method: str) -> None:
    X, y = _drawn(1_050, 1_010, alike)
    model = GLMClassifier(channel="probit:0.1", scaling="standardised").fit(X, y)
    assert model.method_ == method


def test_a_rounded_copy_of_every_row_is_in_doubt() -> None:
    X, y = _drawn(60, 4, alike=0.0)
    with pytest.warns(ConvergenceWarning, match="ep is doubtful: rows nearly repeat each other"):
        GLMClassifier(channel="probit:0.01").fit(np.vstack([X] * 3), np.hstack([y] * 3))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"method": "mc"}, "method = 'mc' is not valid"),
        ({"scaling": "log"}, "scaling = 'log' is not valid"),
        ({"channel": "probitt:0.1"}, "channel"),
        ({"channel": "linear:0.1"}, "classes need a channel"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, str], words: str) -> None:
    X, y = _drawn(20, 3, alike=0.0)
    with pytest.raises(InvalidInputError, match=words):
        GLMClassifier(**parameters).fit(X, y)
