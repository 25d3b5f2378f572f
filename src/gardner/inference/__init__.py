"""What a student knows after seeing rows and labels: AMP, with EP and Monte Carlo as witnesses."""

from gardner.inference.amp import Start, amp, warm_start
from gardner.inference.batched import SubsetVolumes, random_subsets, subset_log_volumes
from gardner.inference.ep import expectation_propagation
from gardner.inference.methods import METHODS, infer
from gardner.inference.montecarlo import monte_carlo, sample_version_space
from gardner.inference.posterior import Posterior, Status
from gardner.inference.separable import Separation, Verdict, separate

__all__ = [
    "METHODS",
    "Posterior",
    "Separation",
    "Start",
    "Status",
    "SubsetVolumes",
    "Verdict",
    "amp",
    "expectation_propagation",
    "infer",
    "monte_carlo",
    "random_subsets",
    "sample_version_space",
    "separate",
    "subset_log_volumes",
    "warm_start",
]
