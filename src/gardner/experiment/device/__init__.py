"""A whole run where the rows live, on a GPU: pool, labels, posterior, scores and choice.

It needs NumPy, SciPy, array-api-compat and the library of the arrays (PyTorch on a GPU), and
nothing else.
"""

from gardner.experiment.device.loop import run_on_device
from gardner.experiment.device.pool import DevicePool, draw_pool, stored_pool

__all__ = ["DevicePool", "draw_pool", "run_on_device", "stored_pool"]
