"""``GLMRegressor`` keeps scikit-learn's rules, and its evidence and deviations are right."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import BayesianRidge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from gardner import InvalidInputError
from gardner.sklearn import GLMRegressor


@pytest.mark.filterwarnings("ignore")  # checks hand in what deserves a warning
def test_check_estimator() -> None:
    found = check_estimator(GLMRegressor(), on_skip=None)
    assert len(found) > 40
    assert {one["check_name"] for one in found if one["status"] != "passed"} <= {"check_array_api_input"}


def test_diabetes_in_a_pipeline() -> None:
    frame, y = load_diabetes(return_X_y=True, as_frame=True)
    pipe = make_pipeline(StandardScaler(), GLMRegressor(scaling="common"))
    ours, theirs = (cross_val_score(model, frame, y, cv=3).mean() for model in (pipe, BayesianRidge()))
    assert ours == pytest.approx(theirs, abs=0.02)
    search = GridSearchCV(GLMRegressor(), {"scaling": ["common", "standardised"]}, cv=3).fit(frame, y)
    assert search.best_score_ > 0.4


def test_frames_clones_and_pickles_give_the_same_numbers() -> None:
    frame, y = load_diabetes(return_X_y=True, as_frame=True)
    model = GLMRegressor().fit(frame, y)
    plain = clone(model).fit(frame.to_numpy(), y.to_numpy())
    loaded = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    told = model.predict(frame)
    assert np.array_equal(plain.predict(frame.to_numpy()), told)
    assert np.array_equal(loaded.predict(frame), told)


def test_evidence_and_deviation_are_those_of_a_normal_law() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 4))
    y = 5.0 + 3.0 * (X @ [1.0, 0.5, 0.0, -1.0] + 0.3 * rng.standard_normal(30))
    model = GLMRegressor(channel="linear:0.1", scaling="standardised").fit(X, y)
    unit, rows = y.std(), np.column_stack([(X - X.mean(0)) / X.std(0) / 2.0, np.ones(30)])
    covariance = unit**2 * (rows @ rows.T + 0.1 * np.eye(30))
    assert model.log_evidence_ == pytest.approx(multivariate_normal(np.full(30, y.mean()), covariance).logpdf(y))
    mean, deviation = model.predict(X, return_std=True)
    kernel = unit**2 * rows @ rows.T
    gain = kernel @ np.linalg.inv(covariance)
    assert mean == pytest.approx(y.mean() + gain @ (y - y.mean()))
    assert deviation**2 == pytest.approx(np.diag(kernel - gain @ kernel) + 0.1 * unit**2)


def test_one_number_everywhere() -> None:
    model = GLMRegressor().fit([[0.0], [1.0], [2.0]], [7.0, 7.0, 7.0])
    assert model.predict([[10.0]]) == pytest.approx([7.0], abs=1e-3)


def test_a_channel_of_classes_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="labels that are numbers need a linear channel"):
        GLMRegressor(channel="probit:0.1").fit([[0.0], [1.0], [2.0]], [0.0, 0.5, 2.0])
