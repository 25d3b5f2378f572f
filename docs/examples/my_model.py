"""A prior and a channel of one's own, each from one formula; the rest is integrated numerically.

    gardner bounds --prior docs/examples/my_model.py:Uniform --channel docs/examples/my_model.py:Cauchit:0.2 ...

>>> import numpy as np
>>> from gardner.inference import amp
>>> from gardner.model import GLM, draw_instance
>>> model = GLM(Uniform(), Cauchit(0.2))
>>> instance = draw_instance(features=200, pool_ratio=2.0, seed=0, model=model)
>>> posterior = amp(instance.rows, instance.labels, model)
>>> posterior.status.value, bool(np.corrcoef(posterior.mean, instance.teacher)[0, 1] > 0.5)
('converged', True)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gardner.model import NUMPY, Array, Library
from gardner.model.numeric import NumericChannel, NumericPrior


@dataclass(frozen=True)
class Uniform(NumericPrior):
    """Weights uniform on an interval; by default of second moment 1."""

    reach: float = math.sqrt(3.0)

    @property
    def support(self) -> tuple[float, float]:
        """The interval."""
        return (-self.reach, self.reach)

    def log_density(self, x: Array, library: Library = NUMPY) -> Array:
        """ln P_X(x) = −ln(2 reach)."""
        del library
        return 0.0 * x - math.log(2.0 * self.reach)


@dataclass(frozen=True)
class Cauchit(NumericChannel):
    """Labels of heavy-tailed noise, P(y|h) = ½ + arctan(yh/width)/π: outliers far from the boundary
    are forgiven.
    """

    width: float = 0.2

    labels = (-1.0, 1.0)
    odd = True  # P(−y|−h) = P(y|h): the theory then sums over one label, not two

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        """ln P_out(y|h), without cancellation: ½ + arctan(t)/π = atan2(1, −t)/π."""
        xp = library.xp
        return xp.log(xp.atan2(xp.ones_like(h), -y * h / self.width) / math.pi)
