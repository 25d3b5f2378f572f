"""The active-learning loop: one task from its first batch to its budget, on any pool."""
