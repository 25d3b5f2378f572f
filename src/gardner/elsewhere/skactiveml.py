"""Our strategies as pool strategies of scikit-activeml.

>>> import numpy as np
>>> from gardner.elsewhere.skactiveml import GardnerStrategy
>>> X = np.random.default_rng(0).standard_normal((30, 3))
>>> y = np.where(np.arange(30) < 8, X[:, 0] > 0.0, np.nan)
>>> chosen, utilities = GardnerStrategy("query", random_state=0).query(X, y, batch_size=2, return_utilities=True)
>>> chosen.shape, utilities.shape, bool(chosen.min() >= 8)
((2,), (2, 30), True)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gardner.elsewhere.asking import Asking, coded
from gardner.errors import GardnerError
from gardner.model import Channel
from gardner.model.arrays import Floating, Integers
from gardner.strategies.real_pool import round_generator

try:
    from skactiveml.base import SingleAnnotatorPoolQueryStrategy
    from skactiveml.utils import MISSING_LABEL, is_labeled
except ModuleNotFoundError:  # pragma: no cover - the tests have it
    raise GardnerError("scikit-activeml is not there", hint="pip install 'gardner[scikit-activeml]'") from None


class GardnerStrategy(SingleAnnotatorPoolQueryStrategy):  # type: ignore[misc]
    """A registered strategy of Gardner (``gardner strategies`` lists them) in scikit-activeml's
    contract.

    ``strategy`` is its name and ``parameters`` what it is made with; those that read hidden labels
    are refused. ``rows`` and ``channel`` say how rows and labels are understood
    (:class:`gardner.elsewhere.asking.Asking`). The same ``random_state``, a whole number, chooses
    the rows that ``gardner bench --data`` chooses with that seed. Nothing is remembered between
    queries.
    """

    def __init__(
        self,
        strategy: str = "query",
        parameters: Mapping[str, object] | None = None,
        rows: str = "table",
        channel: str | Channel | None = None,
        missing_label: Any = MISSING_LABEL,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        """Keep the parameters as they are; :meth:`query` checks them."""
        super().__init__(missing_label=missing_label, random_state=random_state)
        self.strategy = strategy
        self.parameters = parameters
        self.rows = rows
        self.channel = channel

    def query(
        self,
        X: ArrayLike,
        y: ArrayLike,
        candidates: ArrayLike | None = None,
        batch_size: int = 1,
        return_utilities: bool = False,
    ) -> Integers | tuple[Integers, Floating]:
        """Rows to label next; see the documentation of scikit-activeml for arguments and answers.

        Candidates that are rows of their own are allowed. Besides candidates, rows without a label
        are not looked at.
        """
        features, all_labels, candidates, batch_size, return_utilities = self._validate_data(
            X, y, candidates, batch_size, return_utilities, reset=True, check_X_dict={}
        )
        rows, mapping = self._transform_candidates(candidates, features, all_labels)
        known = np.flatnonzero(is_labeled(all_labels, self.missing_label_))
        labels, classes = coded(all_labels[known])
        asking = Asking(self.strategy, dict(self.parameters or {}), self.rows, self.channel)
        rng = self._generator(known.size)
        if candidates is None:  # the pool in its own order, as in a loop at home
            chosen, scores = asking.choose(features, known, labels, classes, batch_size, rng)
            chosen = np.searchsorted(mapping, chosen)
        else:
            stacked, queried = np.concatenate([features[known], rows]), np.arange(known.size)
            chosen, scores = asking.choose(stacked, queried, labels, classes, batch_size, rng)
            chosen = chosen - known.size
        count, places = (len(rows), np.arange(len(rows))) if mapping is None else (len(features), np.asarray(mapping))
        indices = places[chosen]
        if not return_utilities:
            return indices
        utilities = np.full((len(indices), count), np.nan)
        utilities[:, places] = scores
        for place in range(1, len(indices)):
            utilities[place, indices[:place]] = np.nan
        return indices, utilities

    def _generator(self, labelled: int) -> np.random.Generator:
        seed = self.random_state
        if not isinstance(seed, int | np.integer):
            seed = self.random_state_.randint(2**31 - 1)
        return round_generator(int(seed), labelled)
