"""``gardner bounds``: the table shows what the answer knows, and decides nothing itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gardner.theory import Bounds, EndStatus, bounds


@pytest.fixture(scope="module")
def known() -> Bounds:
    return bounds(pool_ratio=3.0, budget=0.6)


@pytest.fixture
def lost(known: Bounds) -> Bounds:
    """The same, its lower end not reached."""
    return replace(known, minimum=replace(known.minimum, status=EndStatus.UNRESOLVED, reason="lost"))


@pytest.mark.parametrize("count", [1, 2])
def test_an_end_that_is_not_known_has_no_stability(
    count: int, lost: Bounds, gardner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gardner.theory.bounds_sweep", lambda *_, **__: [lost] * count)
    code, out, _ = gardner("bounds", "-a", "3", "-n", "0.6")
    assert code == 0
    assert "unresolved" in out
    assert lost.minimum.point is not None
    assert f"{lost.minimum.point.stability:.3g}" == "1.21"
    assert "1.21" not in out
    assert f"{lost.maximum.stability:.3g}" in out


@pytest.mark.parametrize("row", ["typical", "pool"])
def test_what_is_imprecise_is_so_in_table_and_frame(
    row: str, known: Bounds, gardner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rough = replace(known, **{row: replace(getattr(known, row), quadrature_error=1e-3)})
    monkeypatch.setattr("gardner.theory.bounds_sweep", lambda *_, **__: [rough])
    _, out, _ = gardner("bounds", "-a", "3", "-n", "0.6")
    (line,) = (line for line in out.splitlines() if row in line)
    assert "imprecise" in line
    frame = rough.to_frame().set_index("bound")
    assert (frame["status"][row], frame["reason"][row]) == ("imprecise", "ln v is known to ±1e-03 only")
    solved = known.to_frame().set_index("bound")
    assert (solved["status"][row], solved["reason"][row]) == ("solved", "")
