"""How far is the explorer off, and how quickly does it answer? The page itself, in headless Chromium, against gardner.

    python benchmarks/explorer_errors.py [--settings 500] [--seed 0] [--write]

Settings are drawn at random: a channel, its noise and the pool ratio evenly in their logarithms, the
budget evenly along its slider, a batch ratio. The page interpolates by its own code; gardner computes
the same numbers without a grid. A volume is *marked* where the page draws it as not resolved: its
own estimate of the error is above 10⁻³, or the end was not found. ``--write`` puts what was found
into ``src/gardner/report/explorer/errors.json``, which the page shows.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from gardner.errors import ConvergenceError
from gardner.model import GLM
from gardner.model.gaussian import Gaussian
from gardner.model.registry import parse_channel
from gardner.records import write_file
from gardner.report.explorer import page as explorer
from gardner.report.explorer.axes import AXES, BATCHES, LEARNING_MOST, LEAST_BUDGET, MOST_SHARE, RULES
from gardner.report.explorer.packing import header_of
from gardner.theory import bounds, learning_curve

FOLDER = Path(explorer.__file__).parent
# One setting in so many has its learning curve computed too; these take the longest.
_EVERY = 5
# How often a slider is moved for its time, a channel.
_MOVES = 40
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
Setting = dict[str, Any]


def drawn(rng: np.random.Generator, names: list[str]) -> Setting:
    axes = AXES[names[int(rng.integers(len(names)))]]
    alpha = math.exp(rng.uniform(*np.log(axes.alpha[:2])))
    noise = None if axes.noise is None else math.exp(rng.uniform(*np.log(axes.noise[:2])))
    low, high = math.log(LEAST_BUDGET / (alpha - LEAST_BUDGET)), math.log(MOST_SHARE / (1.0 - MOST_SHARE))
    budget = alpha / (1.0 + math.exp(-rng.uniform(low, high)))
    batch, rule = BATCHES[int(rng.integers(len(BATCHES)))], RULES[int(rng.integers(len(RULES)))]
    return {"channel": axes.name, "noise": noise, "alpha": alpha, "n": budget, "k": batch, "rule": rule}


def model_of(setting: Setting) -> GLM:
    noise = "" if setting["noise"] is None else f":{setting['noise']!r}"
    return GLM(Gaussian(), parse_channel(setting["channel"] + noise))


def against_bounds(setting: Setting, shown: dict[str, Any]) -> list[tuple[float, float, bool, str]]:
    """Of each end: the errors of ln v and accuracy, whether the page marks it, and where."""
    exact = bounds(model_of(setting), pool_ratio=setting["alpha"], budget=setting["n"])
    points = {"minimum": exact.minimum.found, "typical": exact.typical, "maximum": exact.maximum.found}
    rows = []
    for name, point in points.items():
        one, where = shown[name], f"{name} of {setting}, estimate {shown[name]['error']}"
        if point is not None:
            off = abs((one["volume"] or math.nan) - point.log_volume)
            rows.append((off, abs(one["accuracy"] - point.accuracy), one["look"] == "unsure", where))
    return rows


def against_curve(setting: Setting, shown: list[dict[str, float]]) -> tuple[float, bool, str] | None:
    """The error of ln v at the last round, and whether it is marked."""
    rounds = math.floor(min(setting["alpha"], LEARNING_MOST) / setting["k"] + 1e-9)
    if not rounds:
        return None
    budget, one = rounds * setting["k"], shown[-1]
    exact = learning_curve(
        setting["rule"], model_of(setting), pool_ratio=setting["alpha"], budget=budget, batch_ratio=setting["k"]
    ).points[-1]
    return abs(one["volume"] - exact.log_volume), not one["volumeError"] <= 1e-3, f"{setting}"


def times(page: Any) -> tuple[float, float, float, float]:
    """Milliseconds: first paint, ready, and the middle and worst answer to a slider, painted."""
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    ready = float(page.evaluate("document.documentElement.dataset.readyAt"))
    moved = page.evaluate(
        """async (moves) => {
          const found = [], frame = () => new Promise(requestAnimationFrame);
          for (const option of document.getElementById("channel").options) {
            const choose = document.getElementById("channel");
            choose.value = option.value;
            choose.dispatchEvent(new Event("input"));
            for (let move = 0; move < moves; move++) {
              const slider = document.getElementById(["alpha", "n", "k", "goal"][move % 4]);
              const [low, high] = [Number(slider.min), Number(slider.max)];
              slider.value = low + (high - low) * ((move * 0.618) % 1);
              await frame();
              const begin = performance.now();
              slider.dispatchEvent(new Event("input"));
              document.body.getBoundingClientRect();
              found.push(performance.now() - begin);
            }
          }
          return found;
        }""",
        _MOVES,
    )
    return float(paint), ready, float(np.median(moved)), float(np.max(moved))


def shown_by_page(settings: list[Setting]) -> tuple[list[Any], list[Any], tuple[float, float, float, float]]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "explorer.html"
        path.write_text(explorer.explorer_page(), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
        ends = page.evaluate("all => all.map(s => explorer.at(s.channel, s.noise, s.alpha, s.n))", settings)
        curves = page.evaluate(
            "all => all.map(s => explorer.learned(s.channel, s.noise, s.alpha, s.k, s.rule))", settings[::_EVERY]
        )
        took = times(page)
        print(f"page: {path.stat().st_size} bytes")
        browser.close()
    return ends, curves, took


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--settings", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    names = header_of((FOLDER / "grid.bin").read_bytes())
    rng = np.random.default_rng(given.seed)
    settings = [drawn(rng, names) for _ in range(given.settings)]
    ends, shown_curves, took = shown_by_page(settings)
    rows = []
    for setting, shown in zip(settings, ends, strict=True):
        try:
            rows += against_bounds(setting, shown)
        except ConvergenceError as error:
            print(f"gardner does not answer at {setting}: {error}")
    pairs = [against_curve(*pair) for pair in zip(settings[::_EVERY], shown_curves, strict=True)]
    curves = [pair for pair in pairs if pair is not None]
    sure, marked = [row for row in rows if not row[2]], [row for row in rows if row[2]]
    off, accuracy = np.array([row[0] for row in sure]), np.array([row[1] for row in sure])
    sure_curves = [one for one in curves if not one[1]]
    found = {
        "settings": given.settings,
        "seed": given.seed,
        "values": len(rows),
        "unmarked": len(sure),
        "marked": len(marked),
        "worst": f"{np.max(off):.1e}",
        "median": f"{np.median(off):.1e}",
        "worst_marked": f"{max((row[0] for row in marked if not math.isnan(row[0])), default=0.0):.1e}",
        "worst_accuracy": f"{np.max(accuracy):.1e}",
        "curves": len(sure_curves),
        "curves_marked": len(curves) - len(sure_curves),
        "worst_curve": f"{max((one[0] for one in sure_curves), default=0.0):.1e}",
    }
    print(json.dumps(found, indent=1))
    print(f"unmarked above 1e-3: {np.sum(~(off < 1e-3))}; of curves {sum(not one[0] < 1e-3 for one in sure_curves)}")
    for row in sorted(sure, key=lambda row: -row[0])[:4]:
        print(f"  {row[0]:.1e} {row[3]}")
    for one in sorted(sure_curves, key=lambda one: -one[0])[:4]:
        print(f"  {one[0]:.1e} {one[2]}")
    print("first paint {:.0f} ms, ready {:.0f} ms, slider: median {:.1f} ms, worst {:.1f} ms".format(*took))
    if given.write:
        write_file(FOLDER / "errors.json", (json.dumps(found, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
