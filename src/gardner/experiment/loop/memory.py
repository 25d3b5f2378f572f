"""How much memory a task takes: the resident size of its process, looked at now and then while it
runs.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType

# Seconds between two looks: short beside a task, and a look costs microseconds.
_EVERY = 0.05
_STATUS = Path("/proc/self/statm")


class Peak:
    """The largest resident size of this process inside ``with``; where the system does not tell,
    there is none.

    What earlier work left behind counts too, as do the libraries that are loaded.

    >>> with Peak() as peak:
    ...     numbers = list(range(1000))
    >>> all(megabytes > 1.0 for megabytes in peak.record().values())
    True
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.megabytes: float | None = None
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        """Begin to look."""
        self._look()
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Look once more, and no longer."""
        self._over.set()
        self._watcher.join()
        self._look()

    def record(self) -> dict[str, float]:
        """For the timings of a task."""
        return {} if self.megabytes is None else {"megabytes": self.megabytes}

    def _watch(self) -> None:
        while not self._over.wait(_EVERY):
            self._look()

    def _look(self) -> None:
        try:
            pages = int(_STATUS.read_text(encoding="ascii").split()[1])
        except OSError:  # not on this system
            return
        self.megabytes = max(self.megabytes or 0.0, pages * os.sysconf("SC_PAGE_SIZE") / 2**20)
