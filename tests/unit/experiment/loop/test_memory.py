"""The peak of memory: what is taken between two looks and given back is seen."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

from gardner.experiment.loop.memory import Peak


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_memory_that_is_given_back_counts() -> None:
    with Peak() as before:
        pass
    with Peak() as peak:
        block = np.ones(40 << 20)  # 320 MB
        time.sleep(0.2)
        del block
    assert before.megabytes is not None
    assert peak.megabytes is not None
    assert peak.megabytes - before.megabytes > 250.0
