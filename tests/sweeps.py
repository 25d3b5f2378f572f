"""Small sweeps that tests share, and what they wrote."""

from __future__ import annotations

from pathlib import Path

from gardner.experiment.question.spec import Spec
from gardner.experiment.question.task import StrategySpec, Task


def tasks(*strategies: StrategySpec, seeds: int = 1) -> list[Task]:
    return Spec(strategies, [60], [3.0], [0.3], [6], range(seeds)).tasks()


def parts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "parts").iterdir()}
