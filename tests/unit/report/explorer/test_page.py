"""The explorer is one file: its policy allows its own script only, and what it holds is the grid."""

from __future__ import annotations

import base64
import html
import json
import re
from importlib import resources

from gardner.report.explorer.packing import header_of
from gardner.report.explorer.page import explorer_page


def test_policy_allows_one_script_and_no_network() -> None:
    page = explorer_page()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert html.unescape(policy[1]).startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in page
    assert re.search(r"https?://(?!www\.w3\.org/2000/svg)", page) is None


def test_the_page_says_how_far_it_is_off() -> None:
    """On how many settings, what is marked, and that nothing which is not marked is off by more
    than 10⁻³.
    """
    found = json.loads(resources.files("gardner.report.explorer").joinpath("errors.json").read_text("utf-8"))
    page = explorer_page()
    assert found["settings"] >= 500
    assert f"At {found['settings']} settings" in page
    for part in (found["volumes"], found["curves"]):
        assert part["above"] == 0
        assert float(part["worst"]) < 1e-3
        assert part["marked"] + part["unmarked"] == part["values"]
        mantissa, exponent = part["worst"].split("e")
        assert f"{mantissa}·10<sup>−{-int(exponent)}</sup>" in page
        assert all(re.search(rf"\b{part[name]}\b", page) for name in ("marked", "values"))


def test_the_file_holds_the_grid_and_is_small() -> None:
    page = explorer_page()
    held = re.search(r'id="grid">([A-Za-z0-9+/=]*)<', page)
    assert held is not None
    grid = base64.b64decode(held[1])
    assert grid == resources.files("gardner.report.explorer").joinpath("grid.bin").read_bytes()
    assert "sign" in header_of(grid)
    assert len(page) < 8_000_000
