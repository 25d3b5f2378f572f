"""The explorer in headless Chromium: from a file, without a network, by keyboard, on a telephone,
with its address.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gardner import bounds, learning_curve
from gardner.cli import run
from gardner.report.explorer.page import explorer_page


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(explorer_page(), encoding="utf-8")
    return path


@pytest.fixture
def open_at(browser: Any, explorer: Path) -> Iterator[Any]:
    """Opens the page at an address; at the end nothing may have complained or asked anything of the
    network.
    """
    pages: list[Any] = []
    complaints: list[str] = []

    def opened(address: str = "", **options: Any) -> Any:
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        pages.append(page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        local = ("file:", "data:", "blob:")
        page.on("request", lambda request: None if request.url.startswith(local) else complaints.append(request.url))
        page.goto(explorer.as_uri() + address)
        page.wait_for_selector("html[data-ready=yes]", timeout=20_000)
        return page

    yield opened
    for page in pages:
        page.close()
    assert complaints == []


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_values_are_those_of_gardner(open_at: Any) -> None:
    page = open_at("#channel=sign&alpha=3.3&n=0.6&k=0.5&goal=0.8")
    cells = page.locator("#values td:nth-child(2)").all_inner_texts()
    exact = bounds(pool_ratio=3.3, budget=0.6)
    wanted = [exact.minimum.log_volume, exact.typical.log_volume, exact.maximum.log_volume]
    assert [number(cell) for cell in cells] == pytest.approx(wanted, abs=1e-3)
    assert page.locator("#bounds-command").inner_text() == "gardner bounds --alpha 3.3 --budget 0.6"
    assert page.locator("#goal-command").inner_text() == "gardner budget --alpha 3.3 --accuracy 0.8 --batch-ratio 0.5"
    assert page.locator(".chart svg").count() == 4


def test_a_slider_is_moved_by_keyboard_and_the_address_follows(open_at: Any) -> None:
    page = open_at("#channel=sign&alpha=3&n=1&k=0.2&goal=0.8")
    before = page.locator("#volumes path.band").get_attribute("d")
    page.locator("#alpha").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageUp")
    alpha = float(page.locator("#alpha-value").inner_text())
    assert alpha > 3.0
    assert page.locator("#volumes path.band").get_attribute("d") != before
    page.wait_for_function("alpha => location.hash.includes(`alpha=${alpha}&`)", arg=page.evaluate("a => a", alpha))
    assert f"--alpha {alpha:g} " in page.locator("#bounds-command").inner_text()


def test_broken_symmetry_and_unresolved_cells_are_drawn_as_such(open_at: Any) -> None:
    page = open_at("#channel=sign&alpha=3&n=1")
    assert page.locator("#volumes path.minimum.broken").count() >= 1
    assert "replica symmetry broken" in page.locator("#values tr").first.inner_text()
    marked = page.evaluate(
        """() => { for (let n = 0.2; n < 8; n *= 1.02) { const end = explorer.at("sign", null, 70, n).minimum;
             if (end.look === "unsure") return n; } return null; }"""
    )
    if marked is not None:  # where the grid has a cell above the limit, the page says so
        page.evaluate("n => { location.hash = `channel=sign&alpha=70&n=${n}`; }", marked)
        page.wait_for_function("document.querySelector('#values tr').textContent.includes('not resolved')")
        assert page.locator("#volumes path.minimum.unsure").count() >= 1


def test_noise_has_a_slider_and_absurd_addresses_are_put_right(open_at: Any) -> None:
    page = open_at("#channel=probit&noise=1e9&alpha=-3&n=NaN&k=7&goal=x<script>")
    assert page.locator("#noise-row").is_visible()
    assert page.locator("#noise-value").inner_text() == "1"
    assert page.locator("#alpha-value").inner_text() == "0.5"
    assert "--channel probit:1" in page.locator("#bounds-command").inner_text()
    page.locator("#channel").select_option("sign")
    assert not page.locator("#noise-row").is_visible()


@pytest.mark.parametrize(
    "address",
    [
        "#channel=sign&alpha=3&n=1&k=0.5&goal=0.8",
        pytest.param("#channel=flip&noise=0.1&alpha=2&n=0.5&k=1", marks=pytest.mark.slow),
    ],
)
def test_the_commands_can_be_pasted(open_at: Any, address: str) -> None:
    page = open_at(address)
    for line in page.locator("p.command code:visible").all_inner_texts():
        assert run(shlex.split(line)[1:]) == 0, line


def test_what_a_slider_did_not_change_stays(open_at: Any) -> None:
    page = open_at("#channel=sign&alpha=3&n=1&k=0.2&goal=0.8")
    before = page.evaluate("() => { window.kept = document.querySelector('#volumes svg'); return goal.value; }")
    page.locator("#goal").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("goal.value") != before
    assert page.evaluate("window.kept === document.querySelector('#volumes svg')")
    page.locator("#n").focus()
    page.keyboard.press("PageUp")
    assert not page.evaluate("window.kept === document.querySelector('#volumes svg')")


def test_learning_curves_are_those_of_gardner_where_they_are_not_marked(open_at: Any) -> None:
    """Between the grid's pool ratios, to the end of the pool, where curves bend."""
    page = open_at()
    shown = page.evaluate("explorer.learned('sign', null, 2.9, 0.2, 'agnostic')")
    exact = learning_curve("agnostic", pool_ratio=2.9, budget=2.8, batch_ratio=0.2).points
    sure = [one["volumeError"] is not None and one["volumeError"] <= 1e-3 for one in shown]
    assert sum(sure) >= 5
    for one, point, trusted in zip(shown, exact, sure, strict=True):
        assert not trusted or one["volume"] == pytest.approx(point.log_volume, abs=1e-3)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_telephone_never_scrolls_sideways(open_at: Any, scheme: str) -> None:
    page = open_at("", viewport={"width": 400, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(18, 22, 28)" if scheme == "dark" else "rgb(255, 255, 255)"
    )
