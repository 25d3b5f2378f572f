"""What a forecast is: a table in a few numbers, accuracy against labels, and how far to believe it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

# Points that a table prints, and at which the best subset is asked for: as many as fit on a screen
# beside the sentences; each best subset takes half a second.
SHOWN = 8


@dataclass(frozen=True)
class ForecastPoint:
    """Accuracy on new rows after so many labels.

    ``random`` and ``agnostic`` are the forecasts for rows chosen at random and for the least
    certain first; ``…_low`` and ``…_high`` are the ends of their interval. ``best`` is the best
    subset there is, which only somebody who knows all labels could pick; NaN where it was not asked
    for (see :func:`spaced`), where it is not known, and where agnostic choice is more accurate.
    """

    labels: int
    random: float
    random_low: float
    random_high: float
    agnostic: float
    agnostic_low: float
    agnostic_high: float
    best: float


@dataclass(frozen=True)
class Needed:
    """Labels that an accuracy takes; NaN where the forecast does not get there.

    ``low`` and ``high`` are those of the upper and of the lower end of the interval.
    """

    labels: float
    low: float
    high: float


@dataclass(frozen=True)
class LabelModel:
    """What is assumed of the labels, or what those known so far say.

    ``alignment`` s: weights have variance c^s along a direction of variance c. ``noise`` is the
    variance of what blurs a field of variance one. ``weight`` is the share of the evidence.
    """

    alignment: float
    noise: float
    weight: float


@dataclass(frozen=True)
class Forecast:
    """How accurate a linear classifier would be, and how much active learning would help, on one
    table.

    ``accuracy`` is the one wanted, ``needed`` the labels it takes by each way of choosing. ``now``
    is the accuracy expected with the labels there are, NaN without labels. ``pool`` is that with a
    label for every row: no choice of rows is more accurate in the end. ``models`` are those of
    the labels that were averaged over, the likeliest first. ``spread`` is by how much, as a
    logarithm of the share of wrong predictions, forecasts were off on the tables they were measured
    on (nine in ten were off by less).
    """

    rows: int
    columns: int
    labelled: int
    effective_rank: float
    batch_size: int
    accuracy: float
    now: float
    pool: float
    spread: float
    models: tuple[LabelModel, ...]
    points: tuple[ForecastPoint, ...]
    needed: dict[str, Needed]
    notes: tuple[str, ...]

    @property
    def saved(self) -> float:
        """Labels that active learning saves on the way to the accuracy wanted; NaN where one does
        not get there.
        """
        return self.needed["random"].labels - self.needed["agnostic"].labels

    def to_frame(self) -> pd.DataFrame:
        """A frame with one row for each point."""
        import pandas as pd

        return pd.DataFrame([asdict(point) for point in self.points])

    def to_json(self) -> dict[str, object]:
        """Plain data; NaN where nothing is known."""
        return {**asdict(self), "saved": self.saved}


def spaced(count: int) -> list[int]:
    """Places of those points out of so many that a table prints: evenly spread, the first and the
    last among them.

    >>> spaced(5), spaced(24)
    ([0, 1, 2, 3, 4], [0, 3, 7, 10, 13, 16, 20, 23])
    """
    return [round(float(place)) for place in np.linspace(0, count - 1, min(SHOWN, count))]


def needed_labels(labels: np.ndarray, curves: tuple[np.ndarray, ...], accuracy: float) -> Needed:
    """Where the middle, the high and the low curve first reach an accuracy.

    >>> labels, middle = np.array([10.0, 20.0, 30.0]), np.array([0.6, 0.8, 0.9])
    >>> found = needed_labels(labels, (middle, middle + 0.05, middle - 0.05), 0.85)
    >>> round(found.labels, 9), round(found.low, 9), round(found.high, 9)
    (25.0, 20.0, 30.0)
    """
    return Needed(*(_reached(labels, curve, accuracy) for curve in curves))


def _reached(labels: np.ndarray, curve: np.ndarray, accuracy: float) -> float:
    rising = np.maximum.accumulate(curve)
    if not rising[-1] >= accuracy:
        return float("nan")
    index = int(np.argmax(rising >= accuracy))
    if index == 0:
        return float(labels[0])
    below, above = rising[index - 1], rising[index]
    share = (accuracy - below) / (above - below)
    return float(labels[index - 1] + share * (labels[index] - labels[index - 1]))
