"""Results on disk: atomic parts; and the one writer of files."""

from gardner.records.checksum import State
from gardner.records.files import WriteError, check_writable, is_door, write_file
from gardner.records.store import FAILED, Store, StoreError
from gardner.records.texts import printable

__all__ = [
    "FAILED",
    "State",
    "Store",
    "StoreError",
    "WriteError",
    "check_writable",
    "is_door",
    "printable",
    "write_file",
]
