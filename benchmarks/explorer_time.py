"""How quickly does the explorer open and answer? Limits are 1 s to the first paint and 50 ms a
slider (issue 21).

    python -m benchmarks.explorer_time [--moves 40]

A slider's answer is the time from its event to the page laid out anew. Every slider is moved over
its whole range with every channel. The clock counts whatever else the machine does; the time of the
page's own thread, which Chromium reports, does not. The last lines are ratios to the limits.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from gardner.report.explorer.axes import AXES
from gardner.report.explorer.page import explorer_page

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
# Milliseconds to the first paint, and to a slider's answer (issue 21).
PAINT, SLIDER = 1000.0, 50.0
SLIDERS = ("alpha", "noise", "n", "k", "goal")
_CHOOSE = """name => {
  const choose = document.getElementById("channel");
  choose.value = name;
  choose.dispatchEvent(new Event("input"));
}"""
_MOVE = """([name, share]) => {
  const slider = document.getElementById(name), [low, high] = [Number(slider.min), Number(slider.max)];
  if (slider.closest("[hidden]")) return null;
  slider.value = low + (high - low) * share;
  const begin = performance.now();
  slider.dispatchEvent(new Event("input"));
  document.body.getBoundingClientRect();
  return performance.now() - begin;
}"""
# Shares of a slider's range, one after another: steps of the golden ratio fill it evenly and jump
# far.
_STEP = 0.618


def moves(page: Any, thread: Callable[[], float], count: int) -> Iterator[tuple[str, float, float]]:
    """Of each move of a slider its name and milliseconds: by the clock, and of the page's thread."""
    for channel in AXES:
        page.evaluate(_CHOOSE, channel)
        for move in range(count):
            for name in SLIDERS:
                begin = thread()
                took = page.evaluate(_MOVE, [name, (move * _STEP + 0.1) % 1.0])
                if took is not None:
                    yield name, float(took), thread() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=40)
    given = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "explorer.html"
        path.write_text(explorer_page(), encoding="utf-8")
        print(f"page: {path.stat().st_size} bytes")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

        def thread() -> float:
            metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
            return 1e3 * float(metrics["TaskDuration"])

        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
        paint = float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        ready, opened = float(page.evaluate("document.documentElement.dataset.readyAt")), thread()
        found = list(moves(page, thread, given.moves))
        browser.close()
    for name in SLIDERS:
        clock, own = (np.array([one[k] for one in found if one[0] == name]) for k in (1, 2))
        print(
            f"{name}: by the clock median {np.median(clock):.1f} ms, worst {clock.max():.1f}; "
            f"of the thread {np.median(own):.1f}, worst {own.max():.1f}"
        )
    worst = [max(by_clock for _, by_clock, _ in found), max(own for _, _, own in found)]
    print(f"ready after {ready:.0f} ms by the clock, {opened:.0f} ms of the thread")
    print(f"first paint {paint:.0f} ms, ratio to the limit {paint / PAINT:.2f}")
    print(f"slider, worst of {len(found)} moves: {worst[0]:.1f} ms, ratio to the limit {worst[0] / SLIDER:.2f}")
    print(f"  of the thread: {worst[1]:.1f} ms, ratio to the limit {worst[1] / SLIDER:.2f}")


if __name__ == "__main__":
    main()
