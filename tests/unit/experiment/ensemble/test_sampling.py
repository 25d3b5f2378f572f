"""The call of the library: a folder changes no number, and what is refused is named as the
argument.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gardner import InvalidInputError, sample_ensemble

SMALL: dict[str, Any] = {"lowest": -2.0, "highest": 3.0, "pools": 2, "rounds": 50}


def test_a_folder_is_gone_on_with_and_changes_nothing(tmp_path: Path) -> None:
    kept, loose = sample_ensemble(8, 3.0, 0.5, out=tmp_path, **SMALL), sample_ensemble(8, 3.0, 0.5, **SMALL)
    assert kept.curve.equals(loose.curve)
    assert len(list((tmp_path / "parts").glob("*.parquet"))) == 2
    again = sample_ensemble(8, 3.0, 0.5, out=tmp_path, **SMALL | {"rounds": 100})
    assert again.rounds == 100
    assert len(list((tmp_path / "parts").glob("*.parquet"))) == 4


@pytest.mark.parametrize(
    ("given", "name"),
    [({"features": 8.5}, "features"), ({"budget": "0.5"}, "budget"), ({"seed": -1}, "seed"), ({"lowest": 1}, "lowest")],
)
def test_errors_name_the_argument(given: dict[str, Any], name: str) -> None:
    asked: dict[str, Any] = {"features": 8, "pool_ratio": 3.0, "budget": 0.5, **SMALL, **given}
    with pytest.raises(InvalidInputError) as caught:
        sample_ensemble(**asked)
    assert caught.value.name == name
