"""What a question about bounds is answered with: the question itself, the ends, and how sure they
are.

Everything that shows bounds (tables, JSON, frames, charts, pages) derives from here. The names are
``minimum``, ``typical``, ``maximum``, ``halving`` and ``pool``, everywhere.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from gardner.theory.answers.end import End, interval
from gardner.theory.answers.extremes import Extremes
from gardner.theory.answers.problem import problem_columns, problem_from, problem_record
from gardner.theory.as_json import Plain, Record, from_record, or_nan, or_null, record_of, section
from gardner.theory.breaking.results import BrokenEnd
from gardner.theory.curve.ends import EndStatus
from gardner.theory.curve.equations import Problem
from gardner.theory.curve.point import Point, solved_status
from gardner.theory.random_subset.typical import Typical
from gardner.units import LN2 as LN2  # gardner.theory hands it on

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Bounds:
    """The three volumes of a budget, the pool's, and what a label-agnostic strategy is held to.

    With noise, the subset of smallest evidence is the one rich in wrong labels: ``extremes`` holds
    the points of most and least information and accuracy. ``capacity`` is the most a label can
    tell, ``label_entropy`` the most entropy it can have (NaN where the student's model is not the
    teacher's: its evidence is no entropy), both in nats. ``minimum_1rsb`` and ``maximum_1rsb`` are
    the ends with one step of replica symmetry breaking, where they were asked for.
    """

    problem: Problem
    minimum: End
    typical: Point
    maximum: End
    pool: Typical
    extremes: Extremes
    capacity: float
    label_entropy: float
    minimum_1rsb: BrokenEnd | None = None
    maximum_1rsb: BrokenEnd | None = None

    @property
    def broken(self) -> dict[str, BrokenEnd]:
        """The ends with one step of breaking by the names of the symmetric ones; empty if not asked
        for.
        """
        ends = {"minimum": self.minimum_1rsb, "maximum": self.maximum_1rsb}
        return {name: end for name, end in ends.items() if end is not None}

    @property
    def pool_ratio(self) -> float:
        """α."""
        return self.problem.pool_ratio

    @property
    def budget(self) -> float:
        """n."""
        return self.problem.budget

    @property
    def discrete(self) -> bool:
        """Whether labels are of a few kinds, not real numbers."""
        return not self.problem.pair.regression

    @property
    def halving(self) -> float:
        """The label-agnostic bound max(−n ln 2, ln v(α)): one bit a label, and no more than the
        pool holds.

        Real labels have the entropy of their largest variance in place of ln 2, and no bound by the
        pool (densities).
        """
        least = -self.budget * self.label_entropy
        return max(least, self.pool.log_volume) if self.discrete else least

    @property
    def agnostic_information(self) -> float:
        """The most information a label-agnostic strategy can collect: n × capacity, and no more
        than the pool's.

        NaN for a student of another model than the teacher's: what its posterior says is no mutual
        information.
        """
        if math.isnan(self.capacity):
            return math.nan
        return min(self.budget * self.capacity, self.pool.information)

    @property
    def statuses(self) -> dict[str, tuple[EndStatus, str]]:
        """How each bound that was solved for is known, and why not better."""
        ends = {"minimum": self.minimum, "maximum": self.maximum}
        subsets = {"typical": solved_status(self.typical), "pool": solved_status(self.pool)}
        return {**{name: (end.status, end.reason) for name, end in ends.items()}, **subsets}

    @property
    def residual(self) -> float:
        """The worst residual of the three points."""
        return max(point.residual for point in self._points)

    @property
    def quadrature_error(self) -> float:
        """The worst quadrature error of the three points."""
        return max(point.quadrature_error for point in self._points)

    @property
    def _points(self) -> list[Point]:
        ends = (self.minimum.point, self.maximum.point)
        return [self.typical, *(point for point in ends if point is not None)]

    def to_frame(self) -> pd.DataFrame:
        """One row a bound, the question repeated: minimum, typical, maximum, halving and pool, then
        minimum_1rsb and maximum_1rsb if known.
        """
        import pandas as pd  # here, so that the solver starts without it

        asked = problem_columns(self.problem)
        return pd.DataFrame([{**asked, **row} for row in _frame_rows(self)])

    def to_json(self) -> Record:
        """Plain data for JSON: quantities by bound, and the points whole."""
        return _record(self)

    @staticmethod
    def from_json(record: Plain) -> Bounds:
        """The inverse of :meth:`to_json`; models are looked up by name, never run.

        >>> from gardner.theory import bounds
        >>> result = bounds(pool_ratio=3.0, budget=0.6)
        >>> Bounds.from_json(result.to_json()) == result
        True
        """
        return _from_record(record)


def _frame_rows(result: Bounds) -> list[dict[str, object]]:
    """A record a bound; numbers of an end that is not known are left out."""
    rows: list[dict[str, object]] = []
    outcomes: dict[str, dict[str, object]] = {
        name: {"bound": name, "status": status.value, "reason": reason}
        for name, (status, reason) in result.statuses.items()
    }
    points = {"minimum": result.minimum.found, "typical": result.typical, "maximum": result.maximum.found}
    for name, point in points.items():
        rows.append({**outcomes[name], **({} if point is None else asdict(point))})
    information = result.agnostic_information
    bound = {"bound": "halving", "status": "bound", "reason": "one bit a label"}
    rows.append({**bound, "log_volume": result.halving, "information": information})
    whole = {name: getattr(result.pool, name) for name in _SHARED}
    overlaps = {"m": result.pool.overlap, "q": result.pool.self_overlap, "Q": result.pool.self_overlap}
    rows.append({**outcomes["pool"], **whole, **overlaps, "r": result.pool.squared_norm})
    for name, broken in result.broken.items():
        known = {} if broken.point is None else asdict(broken.point)
        outcome = {"bound": f"{name}_1rsb", "status": broken.status.value, "reason": broken.reason}
        rows.append({**known, **outcome, "log_volume": broken.log_volume, "quadrature_error": broken.error})
    return rows


_SHARED = ("log_volume", "accuracy", "information", "residual", "quadrature_error")
_ENDS = ("beta", "stability", "inner_stability")
_DOUBTING = ("log_volume", "accuracy", "beta", "m", "q", "Q", "r")


def _record(result: Bounds) -> Record:
    """The JSON of bounds: quantities by bound for who looks, the points whole for
    :func:`_from_record`.
    """
    ends = {"minimum": result.minimum, "maximum": result.maximum}
    low, high = result.minimum.found, result.maximum.found
    found = {"minimum": low, "typical": result.typical, "maximum": high}
    whole = result.pool

    def of(key: str, unit: float = 1.0) -> Record:
        return {name: _of(point, key, unit) for name, point in found.items()}

    bits = {**of("information", LN2), "agnostic": or_null(result.agnostic_information / LN2)}
    return {
        **problem_record(result.problem),
        "log_volume": {
            **of("log_volume"),
            "halving": or_null(result.halving),
            "pool": whole.log_volume,
            **{f"{name}_1rsb": or_null(end.log_volume) for name, end in result.broken.items()},
        },
        "information_bits": {**bits, "pool": or_null(whole.information / LN2)},
        "accuracy": {**of("accuracy"), "pool": whole.accuracy},
        "extremes": {name: _summary(point) for name, point in _extreme_points(result).items()},
        **{key: {name: _of(end.found, key) for name, end in ends.items()} for key in _ENDS},
        "overlaps": {name: {key: _of(point, key) for key in ("m", "q", "Q", "r")} for name, point in found.items()},
        "complexity": of("complexity"),
        "status": {name: end.status.value for name, end in ends.items()},
        "bracket": {name: None if end.bracket is None else list(end.bracket) for name, end in ends.items()},
        "reached": {name: or_null(end.reached) for name, end in ends.items()},
        "reason": {name: end.reason or None for name, end in ends.items()},
        "doubting": {name: _some(end.doubting, _DOUBTING) for name, end in ends.items()},
        "residual": result.residual,
        "quadrature_error": result.quadrature_error,
        "log_volume_error": of("quadrature_error"),
        "accuracy_error": of("accuracy_error"),
        "capacity": or_null(result.capacity),
        "label_entropy": or_null(result.label_entropy),
        "points": {name: None if point is None else record_of(point) for name, point in _all_points(result).items()},
        "pool": whole.to_json(),
        **({"one_step": {name: end.to_json() for name, end in result.broken.items()}} if result.broken else {}),
    }


def _extreme_points(result: Bounds) -> dict[str, Point]:
    return {name: getattr(result.extremes, name) for name in Extremes.__dataclass_fields__}


def _all_points(result: Bounds) -> dict[str, Point | None]:
    """Every point of the answer, an unresolved end's too."""
    ends = {"minimum": result.minimum, "maximum": result.maximum}
    points = {name: end.point for name, end in ends.items()}
    doubting = {f"{name}_doubting": end.doubting for name, end in ends.items()}
    return {**points, "typical": result.typical, **doubting, **_extreme_points(result)}


def _of(point: Point | None, key: str, unit: float = 1.0) -> float | None:
    return None if point is None else or_null(getattr(point, key) / unit)


def _some(point: Point | None, keys: tuple[str, ...]) -> Record | None:
    return None if point is None else {key: or_null(getattr(point, key)) for key in keys}


def _summary(point: Point) -> Record:
    bits = or_null(point.information / LN2)
    return {**(_some(point, ("log_volume", "accuracy", "beta")) or {}), "information_bits": bits}


def _from_record(record: Plain) -> Bounds:
    found = section(record, "bounds")
    points = section(found["points"], "points")

    def point(name: str) -> Point | None:
        return None if points[name] is None else from_record(Point, points[name])

    def end(name: str) -> End:
        bracket = interval(section(found["bracket"], "bracket")[name])
        status = EndStatus(str(section(found["status"], "status")[name]))
        reason = section(found["reason"], "reason")[name]
        return End(point(name), status, bracket, str(reason or ""), point(f"{name}_doubting"))

    broken = section(found.get("one_step", {}), "one_step")
    return Bounds(
        problem=problem_from(dict(found)),
        minimum=end("minimum"),
        typical=from_record(Point, points["typical"]),
        maximum=end("maximum"),
        pool=Typical.from_json(found["pool"]),
        extremes=Extremes(**{name: from_record(Point, points[name]) for name in Extremes.__dataclass_fields__}),
        capacity=or_nan(found["capacity"]),
        label_entropy=or_nan(found["label_entropy"]),
        **{f"{name}_1rsb": BrokenEnd.from_json(broken[name]) for name in ("minimum", "maximum") if broken},
    )
