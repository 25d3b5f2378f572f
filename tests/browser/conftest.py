"""The browser tests share a page with every kind of chart, and a browser that notes each complaint
and request.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gardner.report.figures import batch_chart, complexity_chart, mixture_chart, sampling_chart, strategies_chart
from gardner.report.page import Board, Figure, Page, Section, Verdict, render

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
NASTY = "\"'</script><script>alert(1)</script>"
LN2 = math.log(2.0)


@pytest.fixture(scope="module")
def curves() -> pd.DataFrame:
    budgets = [0.05 * step for step in range(1, 25)]
    rates = {"agnostic": 0.98, "informed": 1.7, "random": 0.8, NASTY: 0.6}
    rows = [
        {
            "strategy": name,
            "informed": name == "informed",
            "budget": budget,
            "log_volume": -rate * LN2 * budget,
            "log_volume_stderr": 0.01,
            "accuracy": 0.5 + 0.3 * (1.0 - math.exp(-rate * budget)),
            "accuracy_stderr": 0.004,
            "seeds": 3,
            "converged": 1.0,
        }
        for name, rate in rates.items()
        for budget in budgets
    ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def bounds() -> pd.DataFrame:
    lines = {"minimum": (2.0, 0.7), "typical": (0.8, 0.3), "maximum": (0.4, 0.2), "halving": (1.0, math.nan)}
    rows = [
        {
            "bound": bound,
            "budget": budget,
            "log_volume": -rate * LN2 * budget,
            "accuracy": 0.5 + spread * budget / 2.0,
            "stability": 0.5,
        }
        for bound, (rate, spread) in lines.items()
        for budget in (0.05, 0.6, 1.2)
    ]
    return pd.DataFrame(rows)


def others() -> tuple[Figure, ...]:
    """One chart of every other kind."""
    curve = pd.DataFrame({"log_volume": [-0.9, -0.6, -0.3], "complexity": [0.0, 1.5, 0.0], "m": [0.8, 0.5, 0.2]})
    curve = curve.assign(pool_ratio=3.0, budget=0.6, beta=[-9.0, 0.0, 9.0], accuracy=0.7, stability=[0.5, 0.1, 2.0])
    dots = curve.assign(features=[20, 40, 20], complexity_low=curve["complexity"] - 0.1)
    dots["complexity_high"] = dots["complexity"] + 0.1
    mixed = curve.assign(strategy=NASTY, log_volume_stderr=0.02, m_stderr=0.01)
    batches = pd.DataFrame(
        [
            {"batch_size": k, "budget": n, "log_volume": 1e-4 * k - n, "log_volume_stderr": 1e-4, "halving": -n}
            for k in (1, 10, 100)
            for n in (0.3, 0.6)
        ]
    )
    return (
        Figure(complexity_chart(curve, "Complexity"), "Complexity against log-volume"),
        Figure(sampling_chart(curve, dots, "Sampled subsets"), "Dots on the curve"),
        Figure(mixture_chart(curve, mixed, "Mixtures"), "Dots on the curve"),
        Figure(batch_chart(batches, "Batch size"), "The gap grows with the batch"),
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, curves: pd.DataFrame, bounds: pd.DataFrame) -> Path:
    board = pd.DataFrame(
        {
            "strategy": ["agnostic", "informed", NASTY, "random"],
            "informed": [False, True, False, False],
            "bits per label": [0.998, 1.522, 10.5, 0.84],
            "ln v": [-0.83, -1.266, -0.4, -0.7],
            "ln v stderr": [0.0004, 0.0055, 0.002, 0.003],
            "way to its bound": [0.988, 1.02, -0.1, None],
        }
    )
    race = Section(
        "race",
        f"Strategies {NASTY}",
        "Strategies on the same pools.",
        (Figure(strategies_chart(curves, bounds, "Strategies and bounds"), "Volumes fall with the budget."),),
        (Verdict(True, "agnostic follows halving"), Verdict(False, NASTY)),
        curves,
        "96 rounds.",
        {"command": "gardner reproduce", "seeds": "0 to 2"},
        {"race-theory": bounds},
    )
    rest = Section("rest", "Other charts", "Each kind.", others(), (Verdict(True, "they draw"),), bounds, "")
    page = Page(
        title="A report",
        lead="What it answers.",
        sections=(race, rest),
        board=Board("How close each strategy gets", "Of the way to its own bound.", board),
        headline=pd.DataFrame({"pool ratio α": [3.0, 10.0], "best subset": [2.45, 2.9]}),
        headline_caption="Bits per label, at most",
        provenance={"command": "gardner reproduce"},
        notice="Quick version: N = 400, 3 seeds.",
        failures=pd.DataFrame({"strategy": [NASTY], "seed": [3], "reason": [f"did not converge {NASTY}"]}),
    )
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(page), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, report: Path) -> Iterator[Any]:
    """Opens the page; at the end nothing may have complained, asked anything of the network, or run
    a script.
    """
    pages: list[Any] = []
    complaints: list[str] = []

    def opened(**options: Any) -> Any:
        page = browser.new_page(**{"viewport": {"width": 1100, "height": 900}, **options})
        pages.append(page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        local = ("file:", "data:", "blob:")
        page.on("request", lambda request: None if request.url.startswith(local) else complaints.append(request.url))
        page.goto(report.as_uri())
        page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
        return page

    yield opened
    for page in pages:
        page.close()
    assert complaints == []
