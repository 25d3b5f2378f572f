"""The estimators beside scikit-learn's own, on tables that come with scikit-learn.

python -m benchmarks.estimators

Each is fitted to 60 % of the rows, and measured on the others. Mean over five splits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gardner.sklearn import GLMClassifier, GLMRegressor

# Splits of each table into what is fitted and what is measured.
SPLITS = 5


def _logistic() -> Any:
    penalties = {"logisticregression__C": np.logspace(-3, 3, 7)}
    pipe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
    return GridSearchCV(pipe, penalties, cv=5, scoring="neg_log_loss")


def _ridge() -> Any:
    return make_pipeline(StandardScaler(), RidgeCV(alphas=np.logspace(-3, 4, 15)))


def _splits(load: Callable[..., Any], classes: bool) -> Iterator[Any]:
    X, y = load(return_X_y=True)
    for seed in range(SPLITS):
        yield train_test_split(X, y, test_size=0.4, random_state=seed, stratify=y if classes else None)


def _measured(make: Callable[[], Any], load: Callable[..., Any], classes: bool) -> str:
    """Score, log-loss and seconds of one model on one table."""
    scores, losses, seconds = [], [], []
    for X, others, y, truth in _splits(load, classes):
        begin = time.process_time()
        model = make().fit(X, y)
        seconds.append(time.process_time() - begin)
        scores.append(np.mean(model.predict(others) == truth) if classes else model.score(others, truth))
        losses.append(log_loss(truth, model.predict_proba(others)) if classes else np.nan)
    loss = f"{np.mean(losses):.3f}" if classes else ""
    return f"{np.mean(scores):.3f} | {loss} | {np.mean(seconds):.2f}"


def main() -> None:
    """Print one line a table and a model."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print("| table | model | accuracy or R² | log-loss | seconds of CPU |\n|---|---|---|---|---|")
    for load in (load_breast_cancer, load_wine, load_digits):
        for name, make in (("GLMClassifier", GLMClassifier), ("logistic, tuned", _logistic)):
            print(f"| {load.__name__[5:]} | {name} | {_measured(make, load, True)} |", flush=True)
    for name, make in (("GLMRegressor", GLMRegressor), ("ridge, tuned", _ridge)):
        print(f"| diabetes | {name} | {_measured(make, load_diabetes, False)} |", flush=True)


if __name__ == "__main__":
    main()
