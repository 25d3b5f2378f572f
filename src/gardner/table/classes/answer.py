"""What to label next in a table with three classes or more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model import GLM, describe
from gardner.model.arrays import Floats
from gardner.table.batch import Choice
from gardner.table.classes.batch import choose_rows
from gardner.table.classes.fit import ClassFit, fit_classes
from gardner.table.classes.outlook import expected_accuracy
from gardner.table.outlook import Outlook
from gardner.table.scaling import Places, spread_of


@dataclass(frozen=True, eq=False)
class ClassAnswer:
    """Rows to ask for, best first, with the chances of the classes in each; what was fitted; and
    what to expect.
    """

    choices: tuple[Choice, ...]
    chances: Floats
    fit: ClassFit
    dropped: int
    outlook: Outlook


def propose_classes(
    features: Floats,
    codes: Floats,
    kinds: int,
    batch: int,
    *,
    targets: Places | Floats,
    model: GLM | None = None,
    scaling: str | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> ClassAnswer:
    """Choose ``batch`` of the rows whose code is NaN; the others have one from 0 to ``kinds`` − 1.

    ``targets`` are the places in the table, or the features, of the rows whose labels a label
    should tell about.
    """
    labelled = ~np.isnan(codes)
    if model is not None and set(model.channel.labels) != {-1.0, 1.0}:
        rule, hint = "classes need a channel whose labels are -1 and +1", "try probit:0.1 or flip:0.05"
        raise InvalidInputError("channel", describe(model.channel), rule, hint=hint)
    spread = spread_of(features)
    fitted = fit_classes(
        features[labelled], codes[labelled].astype(np.intp), kinds, spread, model=model, scaling=scaling,
        progress=lambda part: progress(0.5 * part),
    )  # fmt: skip
    places = np.flatnonzero(~labelled)
    picked = choose_rows(
        features, places, min(batch, places.size), fit=fitted, targets=targets,
        progress=lambda part: progress(0.5 + 0.5 * part),
    )  # fmt: skip
    at = np.searchsorted(places, [one.place for one in picked.choices])
    return ClassAnswer(picked.choices, picked.chances[at], fitted, spread.dropped, expected_accuracy(fitted, picked))
