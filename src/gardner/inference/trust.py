"""How wrong AMP and EP probably are on given rows: the first term of ln Z that each of them leaves
out.

Both methods converge on rows they were not made for. What they neglect can be computed at their
fixed point, on a sample of rows, for less than it took to get there.

**AMP** counts the correlation C_μν = Σ_i F_μi Δ_i F_νi of two fields only by its average over
entries of random sign, C² → Σ_i F_μi² Δ_i² F_νi². The second order of the high-temperature
expansion [plefka1982] has C² itself. With S = −g', T = V S, ρ_μν = C_μν/√(V_μ V_ν) and p_μi = F_μi²
Δ_i/V_μ, the difference is

    ¼ [ Σ_{μ≠ν} T_μ T_ν ρ_μν² − Σ_{μ,ν} T_μ T_ν p_μ·p_ν ].

Terms with μ ≠ ν: rows more alike, or closer to right angles, than rows of independent entries.
Terms with μ = ν: rows with few large entries. The second sum over all rows is Σ_i (A_i Δ_i)², which
AMP has anyway.

**EP** takes all correlations into account, but each label only through the mean and the variance of
its field. The first terms beyond hold the third and fourth cumulants [opper2013],

    ½ Σ_{μ≠ν} [ κ³_μ κ³_ν ρ_μν³/3! + κ⁴_μ κ⁴_ν ρ_μν⁴/4! ],

κ those of the field given all labels, its own exact, in units of its standard deviation, ρ the
correlation of fields in EP's posterior. Rows that nearly repeat each other have ρ near 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gardner.inference.inputs import host
from gardner.inference.posterior import Posterior, Status
from gardner.model import Channel, library_of
from gardner.model.arrays import ArrayObject, Floats, Integers

# The share of ln Z that the neglected term may reach before an answer is doubtful. It was chosen
# after seeing the cases of benchmarks/trust.py (docs/inference.md): no alarm on Gaussian pools,
# none missed that was off by more than 6 %.
TOLERANCE = 0.03
# Nats that nobody would miss, however small ln Z is.
LEAST = 0.01
# Rows looked at: 19,900 pairs give their mean square to one per cent.
SAMPLE = 200
# The step of a difference quotient, in units of √V: its error is of order 4·10⁻⁴, far below the
# tolerance.
_STEP = 0.02


@dataclass(frozen=True)
class Neglected:
    """The estimate of ln Z less the method's own, and what in the rows is the cause."""

    correction: float
    cause: str


def sampled(count: int, most: int = SAMPLE) -> Integers:
    """Rows to look at: all, or a random choice that is the same every time."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(0).choice(count, most, replace=False))


def neglected_by_amp(
    rows: ArrayObject,
    labels: ArrayObject,
    channel: Channel,
    omega: ArrayObject,
    V: ArrayObject,
    A: ArrayObject,
    variance: ArrayObject,
    *,
    scalar: bool,
) -> Neglected:
    """The second order in the correlations of fields that AMP only has on average; ``scalar``:
    scalar variances.
    """
    count, features = int(rows.shape[0]), int(rows.shape[1])
    chosen = sampled(count)
    xp = library_of(rows).xp
    places = xp.asarray(chosen)
    F, y, omega, V = (_double(xp.take(part, places, axis=0)) for part in (rows, labels, omega, V))
    A, variance = _double(A), _double(variance)
    alive = V > 0.0  # weights that are known leave their fields no width
    V = np.where(alive, V, 1.0)
    T = np.where(alive, V * channel.derivatives(y, omega, V)[1], 0.0)
    fields = F * np.sqrt(variance / V[:, None])
    p = np.full_like(fields, 1.0 / features) if scalar else fields * fields
    own = float(T**2 @ np.sum(p * p, axis=1))
    alike = _square_sum(fields, T) - float(T**2 @ np.sum(fields * fields, axis=1) ** 2)
    expected = float(np.sum((T @ p) ** 2)) - own
    ratio = alike / expected if expected > 0.0 else 1.0
    own_of_all = own * count / chosen.size
    of_pairs = 0.25 * (ratio - 1.0) * (float(np.sum((A * variance) ** 2)) - own_of_all)
    return Neglected(of_pairs - 0.25 * own_of_all, _cause(ratio, of_pairs, -0.25 * own_of_all))


def _cause(ratio: float, of_pairs: float, of_rows: float) -> str:
    if abs(of_rows) > abs(of_pairs):
        return "rows have few large entries"
    if ratio < 1.0:
        return "rows are closer to right angles than rows of independent entries are"
    return f"squared scalar products of rows are {ratio:.3g} times those of rows with independent entries"


def _square_sum(fields: Floats, T: Floats) -> float:
    """Σ_{μ,ν} T_μ T_ν (f_μ·f_ν)², by the smaller of the two products."""
    if fields.shape[0] <= fields.shape[1]:
        return float(T @ (fields @ fields.T) ** 2 @ T)
    return float(np.sum((fields.T @ (T[:, None] * fields)) ** 2))


def _double(array: ArrayObject) -> Floats:
    return np.asarray(host(array), dtype=np.float64)


def neglected_by_ep(
    spread: Floats, labels: Floats, channel: Channel, omega: Floats, V: Floats, count: int
) -> Neglected:
    """The third and fourth order that EP leaves out, of ``count`` rows in all.

    Columns of ``spread`` are the given rows' fields as vectors: their products are the covariances
    of the posterior.
    """
    s = np.sum(spread * spread, axis=0)
    directions = spread / np.sqrt(s)
    step = _STEP * np.sqrt(V)
    below, here, above = (channel.derivatives(labels, omega + shift, V)[1] for shift in (-step, 0.0, step))
    third = -(V**3) * (above - below) / (2.0 * step) / s**1.5
    fourth = -(V**4) * (above - 2.0 * here + below) / step**2 / s**2
    rho = directions.T @ directions
    np.fill_diagonal(rho, 0.0)
    cube = rho**3
    total = float(third @ cube @ third) / 12.0 + float(fourth @ (cube * rho) @ fourth) / 48.0
    pairs = max(labels.size * (labels.size - 1), 1)
    cause = f"rows nearly repeat each other (largest correlation of two fields {float(np.max(np.abs(rho))):.2g})"
    return Neglected(total * count * (count - 1) / pairs, cause)


def judged(posterior: Posterior, neglected: Neglected, information: float) -> Posterior:
    """The posterior with the estimate of its error; doubtful where that is beyond what is
    tolerated.

    The error is compared with ln Z. Of labels that are real numbers ln Z depends on their unit:
    there it is compared with the ``information`` of the labels on the weights, or with that on
    their own fields, in nats.
    """
    correction = neglected.correction
    if not math.isfinite(correction):
        return posterior
    size = abs(posterior.log_evidence) if posterior.model.channel.labels else max(information, _narrowed(posterior))
    posterior = replace(posterior, correction=correction)
    if abs(correction) <= max(TOLERANCE * size, LEAST):
        return posterior
    doubt = (
        f"{neglected.cause}; what {posterior.method} leaves out would change the log-evidence of "
        f"{posterior.log_evidence:.3g} by about {correction:+.2g}"
    )
    return replace(posterior, status=Status.DOUBTFUL, doubt=doubt)


def _narrowed(posterior: Posterior) -> float:
    """½ Σ |ln(1 − V S)|: by how much the labels narrow their own fields, in nats."""
    library = library_of(posterior.omega)
    slope = posterior.model.channel.derivatives(posterior.labels, posterior.omega, posterior.V, library)[1]
    return 0.5 * float(library.xp.sum(library.xp.abs(library.xp.log1p(-posterior.V * slope))))
