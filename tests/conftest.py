"""Settings every test shares: reproducible property tests and no compiled code written to the user's cache."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

os.environ.setdefault("GARDNER_CACHE", "off")

settings.register_profile(
    "gardner",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("gardner")
