"""Bit rot: a turned bit in a stored part is noticed by ``gardner results``, or changes nothing it
says.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.fuzz.stores import make_store

PARTS: list[dict[str, Any]] = [
    {"seed": 0, "log_volume": -0.2},
    {"seed": 1, "log_volume": -0.21, "accuracy": 0.61},
    {"seed": 0, "strategy": "agnostic", "log_volume": -0.25, "accuracy": 0.63},
]


@pytest.fixture
def no_theory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Bounds at once: what is read back is under test, and theory would take most of the time."""
    import gardner.theory
    from gardner.experiment.results import summary

    def bounds(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(
            minimum=SimpleNamespace(found=True, log_volume=-0.5),
            typical=SimpleNamespace(log_volume=-0.2, accuracy=0.6),
            halving=-0.21, discrete=True, capacity=1.0, label_entropy=1.0,
        )  # fmt: skip

    monkeypatch.setattr(gardner.theory, "bounds", bounds)
    summary._bound.cache_clear()  # it remembers, and must not remember these
    yield
    summary._bound.cache_clear()


def silent_flips(gardner: Any, folder: Path, count: int) -> list[tuple[int, str]]:
    """Bits that were turned, read back as other data, and of which nobody said a word."""
    make_store(folder, PARTS, run=True)
    part = sorted((folder / "parts").iterdir())[1]
    whole = part.read_bytes()
    code, told, _ = gardner("results", folder, "--json")
    assert code == 0
    assert '"log_volume": -0.21' in told or "-0.205" in told
    found = []
    for bit in np.random.default_rng(12).choice(8 * len(whole), size=count, replace=False):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << (bit % 8)
        part.write_bytes(data)
        code, out, err = gardner("results", folder, "--json")
        if code == 0 and out != told:
            found.append((int(bit), out))
        elif code != 0:
            assert (code, part.name in err) == (2, True), f"bit {bit}: {code}, {err}"
    return found


@pytest.mark.usefixtures("no_theory")
def test_60_flips(gardner: Any, tmp_path: Path) -> None:
    assert silent_flips(gardner, tmp_path / "store", 60) == []


@pytest.mark.slow
@pytest.mark.usefixtures("no_theory")
def test_400_flips(gardner: Any, tmp_path: Path) -> None:
    assert silent_flips(gardner, tmp_path / "store", 400) == []
