"""A file of strategies in every contract, with a neighbour that it imports."""

from __future__ import annotations

from pathlib import Path

import pytest

MINE = """
from __future__ import annotations
import random
from dataclasses import dataclass
import numpy as np
from gardner.strategies import Choice, View, choose
from helper import closest

@dataclass
class Mine:
    sign: float = -1.0
    informed = False
    def query(self, view):
        return choose(view, self.sign * np.abs(view.fields[0][view.unlabelled]))

class Cheat:
    informed = True
    def query(self, view):
        return choose(view, view.hidden_labels[view.unlabelled])

class Counting:
    informed = False
    asked = 0
    def query(self, view):
        self.asked += 1
        return Choice(view.unlabelled[: view.batch_size])

counting = Counting()

class Duck:  # scikit-activeml's contract without scikit-activeml
    def query(self, X, y, candidates=None, batch_size=1):
        assert set(np.unique(y[~np.isnan(y)])) <= {-1.0, 1.0}
        return np.flatnonzero(np.isnan(y))[np.argsort(X[np.isnan(y)][:, 0])[:batch_size]]

class Callable:
    def __init__(self, power=1.0):
        self.power = power
    def __call__(self, classifier, X_pool, n_instances=1):
        return closest(classifier, X_pool, n_instances, self.power)

def factory(sign=-1.0):
    return Mine(sign)

def function_factory(power=1.0):
    return Callable(power)

def modal(classifier, X_pool, n_instances=1, power=1.0):
    return closest(classifier, X_pool, n_instances, power)

def modal_with_rows(classifier, X_pool, n_instances=1, **kw):
    chosen = np.random.choice(len(X_pool), n_instances, replace=False)  # the global generator, as modAL's do
    return chosen, X_pool[chosen]

def modal_single(classifier, X_pool):
    chosen = random.randrange(len(X_pool))
    return chosen, X_pool[chosen]

def modal_seeded(classifier, X_pool, n_instances, random_state=None):
    return np.random.RandomState(random_state).permutation(len(X_pool))[:n_instances]

def plain(view, last=False):
    return view.unlabelled[-view.batch_size :].tolist() if last else view.unlabelled[: view.batch_size]

def plain_choice(anything: View):
    return choose(anything, anything.rng.random(anything.unlabelled.size))
"""

HELPER = """
import numpy as np

def closest(classifier, X_pool, n_instances, power):
    assert not hasattr(X_pool, "labels") and set(classifier.classes_) == {-1, 1}
    certainty = classifier.predict_proba(X_pool).max(axis=1) ** power
    chosen = np.argsort(certainty, kind="stable")[:n_instances]
    return chosen, certainty[chosen]
"""

EXTRAS = """
from skactiveml.pool import SubSamplingWrapper, UncertaintySampling

entropy = UncertaintySampling(method="entropy", missing_label=-1, random_state=3)

def subsampled(share=0.2):
    return SubSamplingWrapper(UncertaintySampling(), max_candidates=share)
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mine")
    (folder / "helper.py").write_text(HELPER)
    (folder / "extras.py").write_text(EXTRAS)
    path = folder / "mine.py"
    path.write_text(MINE)
    return path
