"""The built site in headless Chromium: every page asks nothing of the network and complains about
nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tools.website import built_pages

ROOT = Path(__file__).parents[2]
SITE = ROOT / "out" / "site"
AXE = ROOT / ".venv-docs" / "node_modules" / "axe-core" / "axe.min.js"
EXPLORER = SITE / "explore.html"
REPORT = ROOT / "out" / "report.html"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages() -> list[Path]:
    if not (SITE / "index.html").is_file():
        pytest.skip("no site was built: make docs")
    return built_pages(SITE)


def complaints_of(page: Any) -> list[str]:
    """A list that fills with whatever the page asks of other hosts, and with what its console says."""
    found: list[str] = []
    local = ("file:", "data:", "blob:")
    page.on("console", lambda said: found.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("requestfailed", lambda request: found.append(f"failed: {request.url}"))
    page.on("request", lambda request: None if request.url.startswith(local) else found.append(request.url))
    return found


def test_every_page_opens_without_a_network_and_without_complaint(browser: Any, pages: list[Path]) -> None:
    page = browser.new_page()
    complaints = complaints_of(page)
    found: dict[str, list[str]] = {}
    for path in pages:
        page.goto(path.as_uri(), wait_until="networkidle")
        if complaints:
            found[path.relative_to(SITE).as_posix()] = list(complaints)
            complaints.clear()
    page.close()
    assert found == {}


def test_symbols_are_typeset(browser: Any, pages: list[Path]) -> None:
    """All of them, with fonts from the folder itself."""
    assert SITE / "glossary.html" in pages
    page = browser.new_page()
    complaints = complaints_of(page)
    page.goto((SITE / "glossary.html").as_uri())
    page.wait_for_function("document.querySelectorAll('mjx-container').length > 30", timeout=30_000)
    assert page.locator("mjx-container svg").count() >= page.locator("span.math").count() > 30
    assert page.locator("mjx-merror").count() == 0
    page.close()
    assert complaints == []


def test_the_search_finds_a_word(browser: Any, pages: list[Path]) -> None:
    assert SITE / "search.html" in pages
    page = browser.new_page()
    page.goto((SITE / "search.html").as_uri() + "?q=halving")
    page.wait_for_selector("#search-results li", timeout=30_000)
    page.close()


@pytest.mark.parametrize("path", [SITE / "index.html", EXPLORER, REPORT], ids=["start", "explorer", "report"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_serious_finding(browser: Any, path: Path, scheme: str) -> None:
    for needed, how in ((AXE, "make docs"), (path, "make report" if path == REPORT else "make docs")):
        if not needed.is_file():
            pytest.skip(f"{needed.name} is not there: {how}")
    page = browser.new_page(bypass_csp=True, color_scheme=scheme)
    page.goto(path.as_uri(), wait_until="networkidle")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run().then(result => result.violations)")
    page.close()
    serious = [
        f"{one['id']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
    assert serious == []
