"""The report page in headless Chromium, driven as a reader would: hover, toggle, sort, download,
dark mode, phone.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gardner.report.figures import save, strategies_chart

# screenshots are test artefacts, never committed
ARTEFACTS = Path(os.environ.get("GARDNER_ARTEFACTS", Path(__file__).parents[2] / "out" / "screenshots"))
NASTY = "\"'</script><script>alert(1)</script>"
RACE, LINES = "figure-race-0", "#figure-race-0 svg path[aria-roledescription='line mark']"


def ready(page: Any) -> None:
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)


def keep(page: Any, name: str, *, whole: bool = True) -> None:
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"{name}.png"), full_page=whole)


def shown(page: Any) -> list[str]:
    """What the chart of strategies shows, as its view says."""
    found: list[str] = page.evaluate(
        "id => gardner.views.get(id).view.data('shown_store').map(tuple => tuple.values[0])", RACE
    )
    return found


def wait_for_shown(page: Any, count: int) -> None:
    page.wait_for_function(
        "([id, count]) => gardner.views.get(id).view.data('shown_store').length === count", arg=[RACE, count]
    )


def test_page_opens_offline_with_every_chart(visit: Any) -> None:
    page = visit()
    assert page.locator(".chart svg.marks").count() == 5
    assert page.locator(LINES).count() == 8
    chart = page.locator(f"[id='{RACE}']")
    assert (chart.get_attribute("role"), chart.get_attribute("aria-label")) == ("img", "Volumes fall with the budget.")
    keep(page, "light")


def test_names_with_markup_are_text(visit: Any) -> None:
    page = visit()
    for place in ("#board", "#race h2", "#verdicts", "#failures", "#race .toggles", "#race svg"):
        assert "<script>alert(1)</script>" in page.locator(place).first.text_content(), place
    assert page.locator("script").count() == 3


def test_policy_refuses_foreign_scripts_and_the_network(browser: Any, report: Path) -> None:
    page, refused = browser.new_page(), []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(report.as_uri())
    ready(page)
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = true';"
        " document.body.append(s); return fetch('https://example.org/').catch(() => null); }"
    )
    assert page.evaluate("window.ran") is None
    assert sum("Content Security Policy" in text for text in refused) >= 2
    page.close()


def test_board_is_sorted_by_mouse_and_by_keyboard(visit: Any) -> None:
    page = visit()
    heads, rows = page.locator("#board thead th"), page.locator("#board tbody tr")
    bits = heads.nth(1)
    bits.locator("button").click()
    assert bits.get_attribute("aria-sort") == "ascending"
    assert rows.locator("td:nth-child(2)").all_inner_texts() == ["0.84", "1.00", "1.52", "10.50"]
    page.keyboard.press("Enter")  # the button has the focus
    assert bits.get_attribute("aria-sort") == "descending"
    assert rows.locator("td:nth-child(2)").all_inner_texts() == ["10.50", "1.52", "1.00", "0.84"]
    way = heads.nth(3)
    way.locator("button").focus()
    page.keyboard.press("Space")
    assert bits.get_attribute("aria-sort") is None
    assert way.get_attribute("aria-sort") == "ascending"
    assert rows.locator("td:nth-child(4)").all_inner_texts() == ["−10.0 %", "98.8 %", "102.0 %", "–"]
    way.locator("button").click()
    assert rows.locator("td:nth-child(4)").last.inner_text() == "–"  # what is missing stays last
    assert page.locator("#status").inner_text() == "Sorted by way to its bound, descending"


def test_board_marks_informed_strategies_and_keeps_bars_within(visit: Any) -> None:
    page = visit()
    assert page.locator("#board tr.informed").inner_text().count("reads hidden labels") == 1
    widths = page.locator("#board .bar").evaluate_all(
        "bars => bars.map(bar => bar.firstChild.getBoundingClientRect().width / bar.getBoundingClientRect().width)"
    )
    assert widths == pytest.approx([0.988, 1.0, 0.0], abs=0.01)


def test_legend_toggles_a_strategy(visit: Any) -> None:
    page = visit()
    assert len(shown(page)) == 8
    page.locator("#figure-race-0 svg .role-legend-symbol path").first.click(force=True)
    wait_for_shown(page, 7)
    assert "agnostic" not in shown(page)
    opacities = page.locator(LINES).evaluate_all("marks => marks.map(mark => mark.getAttribute('opacity'))")
    assert sorted(opacities) == ["0.08", *["1"] * 7]
    assert not page.locator("#race .toggles input").first.is_checked()
    page.locator("#figure-race-0 svg .role-legend-symbol path").first.click(force=True)
    wait_for_shown(page, 8)


def test_strategies_can_be_toggled_by_keyboard(visit: Any) -> None:
    page = visit()
    page.locator("#race .curves summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    wait_for_shown(page, 7)
    assert "informed *" not in shown(page)


def test_hover_tells_values(visit: Any) -> None:
    page = visit()
    page.locator(f"[id='{RACE}']").scroll_into_view_if_needed()
    place = (
        page.locator(LINES)
        .nth(1)
        .evaluate(
            "mark => { const p = mark.getPointAtLength(mark.getTotalLength() / 2);"
            " const s = p.matrixTransform(mark.getScreenCTM()); return [s.x, s.y]; }"
        )
    )
    page.mouse.move(place[0], place[1])
    page.wait_for_selector("#vg-tooltip-element.visible", timeout=10_000)
    told = page.locator("#vg-tooltip-element").inner_text()
    assert "informed *" in told
    assert "± 0.0100" in told
    assert "3 seeds, 100 % of rounds converged" in told
    keep(page, "hover", whole=False)


def test_switch_shows_accuracy_instead_of_volume(visit: Any) -> None:
    page = visit()
    chart = page.locator(f"[id='{RACE}']")
    assert "ln v (log-volume per weight)" in chart.text_content()
    before = page.locator(LINES).first.get_attribute("d")
    page.locator("#race .controls label", has_text="accuracy").last.click()
    page.wait_for_function(
        "id => document.getElementById(id).textContent.includes('accuracy of the posterior mean')", arg=RACE
    )
    assert "ln v" not in chart.text_content()
    assert page.locator(LINES).first.get_attribute("d") != before
    keep(page, "accuracy")


def test_tables_can_be_downloaded(visit: Any, tmp_path: Path, curves: pd.DataFrame, bounds: pd.DataFrame) -> None:
    page = visit(accept_downloads=True)
    for index, (name, frame) in enumerate({"race.csv": curves, "race-theory.csv": bounds}.items()):
        with page.expect_download() as download:
            page.locator("#race a.table").nth(index).click()
        assert download.value.suggested_filename == name
        download.value.save_as(str(tmp_path / name))
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / name), frame)


def test_figure_downloads_as_light_svg_of_what_is_shown(visit: Any, tmp_path: Path) -> None:
    page = visit(accept_downloads=True, color_scheme="dark")
    page.locator("#race .controls label", has_text="accuracy").last.click()
    with page.expect_download() as download:
        page.locator("#race button.svg").click()
    assert download.value.suggested_filename == "race-0.svg"
    download.value.save_as(str(tmp_path / "race.svg"))
    root = ElementTree.parse(tmp_path / "race.svg").getroot()  # noqa: S314 — our own file
    text = " ".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "accuracy of the posterior mean" in text
    assert NASTY in text
    assert root.find(".//{http://www.w3.org/2000/svg}rect[@fill='white']") is not None


def test_dark_mode_is_followed_and_choices_survive_it(visit: Any) -> None:
    page = visit()
    page.locator("#figure-race-0 svg .role-legend-symbol path").first.click(force=True)
    wait_for_shown(page, 7)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "id => document.documentElement.dataset.ready && [...document.querySelectorAll(`[id='${id}'] text`)]"
        ".some(text => text.getAttribute('fill') === '#dfe4ea')",
        arg=RACE,
    )
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 28)"
    assert len(shown(page)) == 7
    keep(page, "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone_never_scrolls_sideways(visit: Any, scheme: str) -> None:
    page = visit(color_scheme=scheme, viewport={"width": 390, "height": 844})
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    widths = page.locator(".chart svg.marks").evaluate_all("all => all.map(svg => svg.getBoundingClientRect().width)")
    assert max(widths) <= 390
    keep(page, f"phone-{scheme}")


def test_a_chart_alone_is_a_page_too(browser: Any, tmp_path: Path, curves: pd.DataFrame, bounds: pd.DataFrame) -> None:
    save(strategies_chart(curves, bounds, NASTY), tmp_path / "chart.html")
    page, complaints = browser.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "chart.html").as_uri())
    ready(page)
    assert "<script>alert(1)</script>" in page.locator("#chart svg").text_content()
    page.locator("input[type=radio]").last.check()
    page.wait_for_function("document.body.textContent.includes('accuracy of the posterior mean')")
    page.close()
    assert complaints == []


def test_without_scripts_still_pictures_are_there(browser: Any, report: Path) -> None:
    page = browser.new_context(java_script_enabled=False, color_scheme="dark").new_page()
    page.goto(report.as_uri())
    assert page.locator(".still svg:visible").count() == 5
    assert page.locator(".chart:visible").count() == 0
    keep(page, "no-scripts-dark")
    page.close()


def test_print_shows_still_pictures_in_light(visit: Any) -> None:
    page = visit(color_scheme="dark")
    page.emulate_media(media="print")
    assert page.locator(".still svg:visible").count() == 5
    assert page.locator(".chart:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.parametrize("width", [1280, 400])
def test_board_shows_what_matters_first(visit: Any, width: int) -> None:
    page = visit(viewport={"width": width, "height": 900})
    box = page.locator("#board .scroll")
    room, needed = (box.evaluate(f"box => box.{name}") for name in ("clientWidth", "scrollWidth"))
    if width == 1280:
        assert needed <= room
    name = page.locator("#board tbody tr").first.locator("th").bounding_box()
    assert name["x"] + name["width"] <= 0.5 * width


def test_words_for_charts_can_be_opened_and_focus_is_seen(visit: Any) -> None:
    page = visit()
    words = page.locator("#race figure details", has_text="In words")
    assert not words.locator("p").is_visible()
    words.locator("summary").focus()
    page.keyboard.press("Enter")
    assert words.locator("p").inner_text() == "Volumes fall with the budget."
    assert words.locator("summary").evaluate("element => getComputedStyle(element).outlineStyle") == "solid"
