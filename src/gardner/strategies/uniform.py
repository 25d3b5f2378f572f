"""Random choice: what every strategy is measured against."""

from __future__ import annotations

from dataclasses import dataclass

from gardner.strategies.base import Choice, View, choose, register


@register("random")
@dataclass(frozen=True)
class Random:
    """Rows at random: typical subsets, what passive learning gets."""

    informed = False

    def query(self, view: View) -> Choice:
        """Equal chances for all."""
        return choose(view, view.rng.random(view.unlabelled.size))
