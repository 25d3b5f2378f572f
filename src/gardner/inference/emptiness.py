"""Whether AMP's posterior exists: labels without noise can contradict each other, which it does not
notice.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gardner.inference.inputs import host
from gardner.inference.posterior import Posterior, Status
from gardner.inference.separable import MARGIN, VersionSpace, separate
from gardner.model import library_of
from gardner.model.arrays import ArrayObject


def decided(posterior: Posterior, rows: ArrayObject) -> Posterior:
    """The posterior with the verdict on whether it exists; mostly its mean is a witness, by
    ``separate``'s rule.
    """
    xp = library_of(rows).xp
    fields, squares = _fields_and_norms(rows, posterior.mean)
    least = MARGIN * xp.sqrt(squares * xp.sum(posterior.mean * posterior.mean))
    if bool(xp.all(posterior.labels * fields > least)):
        return posterior
    inside = host(rows)
    varying = posterior.model.prior.second_moments > 0.0
    if not varying.all():  # a weight that cannot vary is no way out
        inside = inside * varying
    verdict = separate(inside, host(posterior.labels), host(posterior.mean)).verdict
    if verdict is VersionSpace.EMPTY:
        return posterior.emptied()
    if verdict is VersionSpace.UNDECIDED and posterior.converged:
        return replace(posterior, status=Status.UNDECIDED)
    return posterior


def _fields_and_norms(rows: ArrayObject, mean: ArrayObject) -> tuple[ArrayObject, ArrayObject]:
    xp = library_of(rows).xp
    if isinstance(rows, np.ndarray):
        from gardner.inference.kernel import pool_fields  # Numba, which a machine with a GPU may not have

        return pool_fields(rows, np.asarray(mean), np.ones_like(mean))
    return xp.matmul(rows, mean), xp.sum(rows * rows, axis=1)
