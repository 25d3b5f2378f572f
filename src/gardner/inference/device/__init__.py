"""Message passing where the rows live: on a GPU, or on any array library.

It needs NumPy, SciPy, array-api-compat and the library of the arrays, and nothing else: a machine
with a GPU may have no Numba.
"""

from gardner.inference.device.ep import expectation_propagation_on
from gardner.inference.device.subsets import StackedVolumes, stacked_log_volumes

__all__ = ["StackedVolumes", "expectation_propagation_on", "stacked_log_volumes"]
