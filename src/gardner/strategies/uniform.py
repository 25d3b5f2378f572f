"""Random choice: what every strategy is measured against."""

from __future__ import annotations

from dataclasses import dataclass

from gardner.rules import known
from gardner.strategies.base import register
from gardner.strategies.by_rule import ByRule


@register("random")
@dataclass(frozen=True)
class Random(known.Random, ByRule):
    """Rows at random: typical subsets, what passive learning gets."""
