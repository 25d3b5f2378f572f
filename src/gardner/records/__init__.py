"""Results on disk: atomic parts, tidy frames; and the one writer of files."""

from gardner.records.checksum import State
from gardner.records.files import WriteError, check_writable, is_door, write_file
from gardner.records.store import Store, StoreError
from gardner.records.tables import FAILED, MOST_TEXT, failure_table, printable, run_table, shortened

__all__ = [
    "FAILED",
    "MOST_TEXT",
    "State",
    "Store",
    "StoreError",
    "WriteError",
    "check_writable",
    "failure_table",
    "is_door",
    "printable",
    "run_table",
    "shortened",
    "write_file",
]
