"""Files under temporary names, known while they are written.

Whoever writes a file writes it under a temporary name and renames it, inside
:func:`temporary_file`. The command line ends at once on Ctrl-C, and calls
:func:`remove_unfinished` first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_known: set[Path] = set()


@contextmanager
def temporary_file(temporary: Path) -> Iterator[Path]:
    """A temporary name to write to: on leaving, the file of that name is gone, renamed or removed."""
    _known.add(temporary)
    try:
        yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        _known.discard(temporary)


def remove_unfinished() -> None:
    """Remove what is being written right now; nothing is raised."""
    for temporary in tuple(_known):
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
