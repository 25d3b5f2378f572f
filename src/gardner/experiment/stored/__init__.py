"""Rows on disk: what a run writes, by which code, and the one door through which rows come back."""
