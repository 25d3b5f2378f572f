"""Results on disk: atomic parts, tidy frames."""

from gardner.records.store import Store, StoreError
from gardner.records.tables import FAILED, failure_table, printable, run_table

__all__ = ["FAILED", "Store", "StoreError", "failure_table", "printable", "run_table"]
