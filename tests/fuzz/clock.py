"""How long a command took, fairly: on a busy machine others' time is not its own.

While a process works, it is charged the processor time it used; while it waits, the time that
passed.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_WAITS = 0.05  # a process that had less of a processor than this was waiting


class Clock:
    """The time of a process since the clock was made; :meth:`read` must be called now and then."""

    def __init__(self, process: int) -> None:
        """Start at zero."""
        self.process, self.charged = process, 0.0
        self.last = time.monotonic(), self._worked()

    def read(self) -> float:
        """Seconds charged so far."""
        now = time.monotonic(), self._worked()
        passed, worked = now[0] - self.last[0], now[1] - self.last[1]
        self.last = now
        self.charged += passed if worked < _WAITS * passed else min(worked, passed)
        return self.charged

    def _worked(self) -> float:
        """Processor time of the process; none where nobody counts it, and then all time is waiting."""
        try:
            fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
