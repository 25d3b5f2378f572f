"""What to label next in a table with three classes or more."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gardner.errors import InvalidInputError
from gardner.inference.posterior import Posterior
from gardner.model import GLM, describe
from gardner.table.classes.batch import choose_rows
from gardner.table.classes.fit import ClassFit, fit_classes
from gardner.table.classes.outlook import expected_accuracy
from gardner.table.fit import Tried
from gardner.table.outlook import Outlook
from gardner.table.scaling import Floats, Places, spread_of


@dataclass(frozen=True)
class ClassProposal:
    """A row to label: its place in the table, the bits its label is expected to give, and the chance of each class.

    ``bits`` are those about the label of another row, on average.
    """

    row: int
    bits: float
    probabilities: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class ClassProposals:
    """Rows in the order they should be asked for, and what the choice rests on.

    ``classes`` are the names of the classes, in the order of the probabilities. ``targets`` is the number of rows whose
    labels the bits are about. ``dropped`` columns have one value everywhere. ``outlook`` is the accuracy to expect on
    the rows without a label.
    """

    rows: tuple[ClassProposal, ...]
    classes: tuple[str, ...]
    fit: ClassFit
    targets: int
    dropped: int
    outlook: Outlook

    @property
    def about(self) -> str:
        """What the bits are about."""
        return "predictions"

    @property
    def model(self) -> GLM:
        """The model of the largest evidence, of each class against the rest."""
        return self.fit.model

    @property
    def posterior(self) -> Posterior:
        """The one to trust least, with the log-evidence of all."""
        return self.fit.posterior

    @property
    def tried(self) -> tuple[Tried, ...]:
        """Scalings and models, with the logarithm of their evidence."""
        return self.fit.tried

    @property
    def scaling(self) -> str:
        """Of the columns."""
        return self.fit.design.scaling.name


def propose_classes(
    features: Floats,
    codes: Floats,
    classes: Sequence[str],
    batch: int,
    *,
    targets: Places | Floats,
    model: GLM | None = None,
    scaling: str | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> ClassProposals:
    """Choose ``batch`` of the rows whose code is NaN; the others have the place of their class in ``classes``.

    ``targets`` are the places in the table, or the features, of the rows whose labels a label should tell about.
    """
    known = ~np.isnan(codes)
    if model is not None and set(model.channel.labels) != {-1.0, 1.0}:
        rule, hint = "classes need a channel whose labels are -1 and +1", "try probit:0.1 or flip:0.05"
        raise InvalidInputError("channel", describe(model.channel), rule, hint=hint)
    spread = spread_of(features)
    found = fit_classes(
        features[known], codes[known].astype(np.intp), len(classes), spread, model=model, scaling=scaling,
        progress=lambda part: progress(0.5 * part),
    )  # fmt: skip
    places = np.flatnonzero(~known)
    picked = choose_rows(
        features, places, min(batch, places.size), fit=found, targets=targets,
        progress=lambda part: progress(0.5 + 0.5 * part),
    )  # fmt: skip
    at = np.searchsorted(places, [one.place for one in picked.choices])
    told = tuple(
        ClassProposal(one.place, one.nats / math.log(2.0), tuple(chances))
        for one, chances in zip(picked.choices, picked.chances[at].tolist(), strict=True)
    )
    return ClassProposals(
        told, tuple(classes), found, len(targets), spread.dropped, expected_accuracy(found, picked)
    )
