"""The report page in headless Chromium, driven as a reader would: hover, toggle, sort, download, dark mode, phone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gardner.report.figures import complexity_chart
from gardner.report.page import Figure, Page, Section, Verdict, render
from gardner.theory import complexity_curve

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine: apt-get install chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    frame = pd.concat(
        [complexity_curve(pool_ratio=3.0, budget=budget, points=15).to_frame() for budget in (0.3, 0.6)],
        ignore_index=True,
    )
    headline = pd.DataFrame({"strategy": ["b", "a", "<script>alert(1)</script>"], "bits": [2.0, 10.0, 1.0]})
    figure = Figure(complexity_chart(frame, "Complexity"), "Complexity against log-volume")
    section = Section("complexity", "Complexity", "text", (figure,), (Verdict(True, "it holds"),), frame, "made here")
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(Page("A report", "lead", headline, "caption", (section,), {"command": "x"})))
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


def visit(browser: Any, report: Path, **options: Any) -> tuple[Any, list[str]]:
    page, complaints = browser.new_page(**options), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda _: complaints.append("dialog"))
    local = ("file:", "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(local) else complaints.append(request.url))
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    return page, complaints


def keep(page: Any, name: str) -> None:
    """Screenshots are test artefacts: kept where GARDNER_ARTEFACTS says, never committed."""
    folder = os.environ.get("GARDNER_ARTEFACTS")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def test_page_opens_offline_without_complaints(browser: Any, report: Path) -> None:
    page, complaints = visit(browser, report)
    assert page.locator("#complexity-0 svg.marks").count() == 1
    assert page.locator("#complexity-0 svg path[aria-roledescription='line mark']").count() >= 4
    assert "<script>alert(1)</script>" in page.locator("#headline").inner_text()
    keep(page, "light")
    assert complaints == []


def test_board_can_be_sorted(browser: Any, report: Path) -> None:
    page, _ = visit(browser, report)
    second = page.locator("#headline tbody tr td:nth-child(2)")
    page.locator("#headline th button").nth(1).click()
    assert [float(text) for text in second.all_inner_texts()] == [1.0, 2.0, 10.0]
    page.locator("#headline th button").nth(1).click()
    assert [float(text) for text in second.all_inner_texts()] == [10.0, 2.0, 1.0]


def test_legend_toggles_a_curve(browser: Any, report: Path) -> None:
    page, _ = visit(browser, report)
    lines = "#complexity-0 svg path[aria-roledescription='line mark']"
    before = page.locator(lines).evaluate_all("marks => marks.map(mark => mark.getAttribute('opacity'))")
    page.locator("#complexity-0 svg .role-legend-symbol path").first.click(force=True)
    page.wait_for_function(
        "selector => [...document.querySelectorAll(selector)].some(mark => mark.getAttribute('opacity') === '0.12')",
        arg=lines,
    )
    after = page.locator(lines).evaluate_all("marks => marks.map(mark => mark.getAttribute('opacity'))")
    assert before != after


def test_hover_tells_values(browser: Any, report: Path) -> None:
    page, _ = visit(browser, report)
    line = page.locator("#complexity-0 svg path[aria-roledescription='line mark']").first
    place = line.evaluate(
        "mark => { mark.scrollIntoView(); const p = mark.getPointAtLength(mark.getTotalLength() / 2);"
        " const s = p.matrixTransform(mark.getScreenCTM()); return [s.x, s.y]; }"
    )
    page.mouse.move(place[0], place[1])
    page.wait_for_selector("#vg-tooltip-element.visible", timeout=10_000)
    assert "ln v" in page.locator("#vg-tooltip-element").inner_text()


def test_table_can_be_downloaded(browser: Any, report: Path, tmp_path: Path) -> None:
    page, _ = visit(browser, report, accept_downloads=True)
    with page.expect_download() as download:
        page.locator("#complexity a.table").click()
    download.value.save_as(str(tmp_path / "table.csv"))
    frame = pd.read_csv(tmp_path / "table.csv")
    assert len(frame) == 30
    assert {"log_volume", "complexity", "stability"} <= set(frame.columns)


def test_dark_mode_and_phone(browser: Any, report: Path) -> None:
    page, complaints = visit(browser, report, color_scheme="dark", viewport={"width": 390, "height": 844})
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(13, 17, 23)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("#complexity-0").get_attribute("aria-label") == "Complexity against log-volume"
    keep(page, "phone-dark")
    assert complaints == []
