"""What to label next in a real table: the rows whose labels would tell the most about those of the
others.

The table is scaled (:mod:`gardner.table.scaling`), a linear model with noisy labels is fitted to
what is labelled, its scaling and noise by evidence (:mod:`gardner.table.fit`), and rows are chosen
one by one (:mod:`gardner.table.batch`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gardner.checks import check_whole
from gardner.errors import InvalidInputError
from gardner.inference.posterior import Posterior
from gardner.inference.threads import one_blas_thread
from gardner.model import GLM, Channel, describe
from gardner.model.arrays import Floats
from gardner.records.label_kind import label_kind
from gardner.table.batch import TARGETS, choose_rows
from gardner.table.classes.answer import propose_classes
from gardner.table.classes.fit import ClassFit
from gardner.table.classes.labels import read_names
from gardner.table.fit import Fit, Tried, fit
from gardner.table.outlook import Outlook, expected_accuracy
from gardner.table.scaling import Places, spread_of, standardised_labels
from gardner.units import LN2

ABOUT = ("predictions", "weights")


@dataclass(frozen=True)
class Proposal:
    """A row to label: its place in the table, the bits its label is expected to give, and the
    label's prediction.

    ``bits`` are those about the label of another row, on average; or about the weights, if these
    were asked about. ``mean`` is the expected label (for two classes 2p − 1, p the probability of
    +1) and ``deviation`` its spread. With three classes or more these are NaN, and
    ``probabilities`` has that of each class.
    """

    row: int
    bits: float
    mean: float
    deviation: float
    probabilities: tuple[float, ...] = ()

    @property
    def probability(self) -> float:
        """The probability of the label +1."""
        return 0.5 * (1.0 + self.mean)


@dataclass(frozen=True, eq=False)
class Proposals:
    """Rows in the order they should be asked for, and what the choice rests on.

    ``targets`` is the number of rows whose labels the bits are about. ``dropped`` columns have one
    value everywhere. ``outlook`` is the accuracy to expect on the rows without a label; a
    regression has none. Its labels are ``shift`` + ``unit`` times those of the model. ``classes``
    are the names of labels that were texts, in the order of codes −1 and +1 or of the
    probabilities. ``scores`` is what the rows without a label were ordered by before the first
    choice, in the order of the table; with three classes or more there is none.
    """

    rows: tuple[Proposal, ...]
    fit: Fit | ClassFit
    about: str
    targets: int
    dropped: int
    outlook: Outlook | None
    shift: float
    unit: float
    classes: tuple[str, ...] = ()
    scores: Floats | None = None

    @property
    def model(self) -> GLM:
        """The model of the largest evidence."""
        return self.fit.model

    @property
    def posterior(self) -> Posterior:
        """In the span of the labelled rows: log-evidence, status and doubt."""
        return self.fit.posterior

    @property
    def tried(self) -> tuple[Tried, ...]:
        """Scalings and models, with the logarithm of their evidence."""
        return self.fit.tried

    @property
    def sharpness(self) -> float:
        """The factor of the means of the fields, by left-out labels; one but for three classes or
        more.
        """
        return self.fit.sharpness if isinstance(self.fit, ClassFit) else 1.0

    @property
    def scaling(self) -> str:
        """The name of the scaling of the columns."""
        return self.fit.design.scaling.name


def propose(
    features: ArrayLike,
    labels: ArrayLike,
    batch_size: int = 10,
    *,
    kind: str | None = None,
    model: GLM | None = None,
    scaling: str | None = None,
    about: str = "predictions",
    target: ArrayLike | None = None,
    seed: int = 0,
    progress: Callable[[float], None] = lambda _: None,
) -> Proposals:
    """Choose ``batch_size`` of the rows whose label is NaN.

    Two whole numbers as labels are classes, many numbers a regression; in between, ``kind`` says
    which: ``classes`` or ``regression``. Labels that are texts are classes, two or more; an empty
    text or None is no label. ``scaling`` is that of the columns: standardised, common or unit, by
    default chosen by evidence. ``about`` says what a label should tell about: ``predictions``, that
    is the labels of other rows, or ``weights``. The other rows are those without a label, a sample
    of them by ``seed`` where there are many, or the rows of ``target``. A ``model`` of one's own
    has a channel with labels −1 and +1 for classes and a linear one, of labels standardised to
    variance one, for a regression.

    >>> rng = np.random.default_rng(0)
    >>> table = rng.standard_normal((60, 3))
    >>> labels = np.where(np.arange(60) < 20, np.sign(table[:, 0]), np.nan)
    >>> found = propose(table, labels, batch_size=2)
    >>> all(20 <= one.row < 60 and 0.0 < one.bits <= 1.0 for one in found.rows)
    True
    """
    features = _numbers("features", features)
    named = _named(labels, kind)
    if named is not None and len(named[0]) > 2:
        return _many(features, *named, batch_size, model, scaling, about, target, seed, progress)
    if named is not None and len(named[0]) == 2:
        labels = 2.0 * named[1] - 1.0
    labels = _numbers("labels", labels)
    labelled = ~np.isnan(labels)
    _check(features, labels, labelled, batch_size)
    kinds = np.unique(labels[labelled])
    if about not in ABOUT:
        raise InvalidInputError("about", about, f"it must be one of {', '.join(ABOUT)}")
    real = _regression(kinds, kind, model)
    if model is not None:
        _check_channel(model.channel, real and kinds.size > 0, bool(labelled.any()))
    standardise = real and labelled.any()
    values, shift, unit = (
        standardised_labels(labels[labelled]) if standardise else (_coded(labels[labelled], kinds), 0.0, 1.0)
    )
    spread = spread_of(features)
    places = np.flatnonzero(~labelled)
    targets = _about(features, places, about, target, seed)
    with one_blas_thread():  # never slower with more threads, and the same bytes whatever their number
        fitted = fit(
            features[labelled], values, spread, real=real, model=model, scaling=scaling,
            progress=lambda share: progress(0.6 * share),
        )  # fmt: skip
        picked = choose_rows(
            features, places, min(batch_size, places.size), design=fitted.design, weights=fitted.weights,
            channel=fitted.model.channel, targets=targets, progress=lambda share: progress(0.6 + 0.4 * share),
        )  # fmt: skip
    at = np.searchsorted(places, [one.place for one in picked.choices])
    means, variances = (np.asarray(part) for part in fitted.model.channel.predictive(picked.omega[at], picked.V[at]))
    proposals = tuple(
        Proposal(one.place, one.nats / LN2, shift + unit * mean, unit * math.sqrt(max(variance, 0.0)))
        for one, mean, variance in zip(picked.choices, means.tolist(), variances.tolist(), strict=True)
    )
    outlook = expected_accuracy(fitted.posterior, picked) if fitted.model.channel.labels else None
    names = named[0] if named is not None else ()
    return Proposals(proposals, fitted, about, len(targets), spread.dropped, outlook, shift, unit, names, picked.scores)


def _many(
    features: Floats,
    names: tuple[str, ...],
    codes: Floats,
    batch_size: int,
    model: GLM | None,
    scaling: str | None,
    about: str,
    target: ArrayLike | None,
    seed: int,
    progress: Callable[[float], None],
) -> Proposals:
    """The proposals for three classes or more."""
    labelled = ~np.isnan(codes)
    _check(features, codes, labelled, batch_size)
    if about != ABOUT[0]:
        rule = "with three classes or more labels are asked for what they tell about predictions"
        raise InvalidInputError("about", about, rule, hint="leave it out")
    targets = _about(features, np.flatnonzero(~labelled), about, target, seed)
    with one_blas_thread():
        answer = propose_classes(
            features, codes, len(names), batch_size, targets=targets, model=model, scaling=scaling, progress=progress
        )
    proposals = tuple(
        Proposal(one.place, one.nats / LN2, math.nan, math.nan, tuple(chances))
        for one, chances in zip(answer.choices, answer.chances.tolist(), strict=True)
    )
    return Proposals(proposals, answer.fit, about, len(targets), answer.dropped, answer.outlook, 0.0, 1.0, names)


def _named(labels: ArrayLike, kind: str | None) -> tuple[tuple[str, ...], Floats] | None:
    """Names of classes and the code of each row: of texts, or of three or more numbers that are
    said to be classes.
    """
    named = read_names(labels)
    if named is not None and kind == "regression":
        raise InvalidInputError("kind", kind, "the labels of a regression are numbers, and these are texts")
    if named is None and kind == "classes":
        numbered = read_names(labels, numbers=True)
        return numbered if numbered is not None and len(numbered[0]) > 2 else None
    return named


def _about(features: Floats, places: Places, about: str, target: ArrayLike | None, seed: int) -> Floats | Places:
    """The places or the features of the rows whose labels a label should tell about; none for the
    weights.
    """
    if about == "weights":
        if target is not None:
            raise InvalidInputError(
                "target", "rows", "only predictions have a target", hint="leave out about='weights'"
            )
        return places[:0]
    rng = np.random.default_rng(seed)
    if target is None:
        return np.sort(rng.choice(places, min(TARGETS, places.size), replace=False))
    rows = _numbers("target", target)
    if rows.ndim != 2 or rows.shape[1] != features.shape[1] or not len(rows):
        raise InvalidInputError("target", f"shape {rows.shape}", f"it must have rows of {features.shape[1]} columns")
    if not np.isfinite(rows).all():
        raise InvalidInputError("target", "NaN or infinity", "its entries must be finite")
    return rows[np.sort(rng.choice(len(rows), min(TARGETS, len(rows)), replace=False))]


def _regression(kinds: Floats, kind: str | None, model: GLM | None) -> bool:
    """Whether labels are numbers; a linear channel says so, unless they are −1 and +1."""
    linear = model is not None and model.channel.linear_noise is not None
    if kind is None and linear and not (kinds.size and np.isin(kinds, (-1.0, 1.0)).all()):
        return True
    return label_kind(kinds, kind) == "regression"


def _coded(labels: Floats, kinds: Floats) -> Floats:
    """Two numbers as −1 and +1, in their order; a single one as the sign that it has."""
    if kinds.size == 1:
        return np.where(labels > 0.0, 1.0, -1.0)
    return np.where(labels == kinds[-1], 1.0, -1.0) if kinds.size else labels


def _numbers(name: str, values: ArrayLike) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        hint = "classes are two numbers" if name == "labels" else "pandas.get_dummies makes zeros and ones of texts"
        raise InvalidInputError(name, type(values).__name__, f"they must be numbers ({error})", hint=hint) from None


def _check(features: Floats, labels: Floats, labelled: NDArray[np.bool_], batch_size: object) -> None:
    if features.ndim != 2 or labels.shape != features.shape[:1]:
        shapes = f"shapes {features.shape} and {labels.shape}"
        raise InvalidInputError("table", shapes, "features are rows × columns, and each row has a label or NaN")
    if not np.isfinite(features).all():
        hint = "fill gaps, such as with table.fillna(table.mean())" if np.isnan(features).any() else ""
        raise InvalidInputError("features", "NaN or infinity", "they must be finite", hint=hint)
    check_whole("batch_size", batch_size, 1)
    if labelled.all():
        rule, hint = "every row has a label: none is left to ask", "an empty text, None or NaN is no label"
        raise InvalidInputError("labels", f"{labelled.size} of {labelled.size}", rule, hint=hint)
    if np.isinf(labels).any():
        row = int(np.isinf(labels).argmax())
        raise InvalidInputError(
            "labels", float(labels[row]), f"row {row}: a label is a finite number", hint="NaN or an empty cell is none"
        )


def _check_channel(channel: Channel, real: bool, labelled: bool) -> None:
    """Whether the labels can be those of the channel; without labels it may be either kind."""
    classes, linear = set(channel.labels) == {-1.0, 1.0}, channel.linear_noise is not None
    if real and not linear:
        rule, hint = "labels that are numbers need a linear channel", "linear:0.1; two classes are coded -1 and +1"
    elif labelled and not real and not classes:
        rule, hint = "two classes need a channel whose labels are -1 and +1", "probit:0.1 or flip:0.05"
    elif not classes and not linear:
        rule, hint = "its labels must be -1 and +1, or it must be linear", "probit:0.1, flip:0.05 or linear:0.1"
    else:
        return
    raise InvalidInputError("channel", describe(channel), rule, hint=f"try {hint}")
