"""How far is the explorer off? Its own page, in headless Chromium, against gardner at settings
drawn at random.

    python -m benchmarks.explorer_errors answer FOLDER [--settings 500] [--seed 0]
    python -m benchmarks.explorer_errors compare FOLDER [--settings 500] [--seed 0] [--write]

A setting is a channel, its noise and the pool ratio, both even in their logarithms, a budget, even
along its slider, a rule and a batch ratio. ``answer`` asks gardner, one file a setting, and goes on
where it stopped. ``compare`` asks the page, which interpolates by its own code. A volume is
*marked* where the page draws it as not resolved: its own estimate of the error is above 10⁻³, or
the end was not found. ``--write`` puts what was found into
``src/gardner/report/explorer/errors.json``, which the page shows. ``benchmarks/explorer_time.py``
times the page.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

from gardner.errors import ConvergenceError
from gardner.model import GLM
from gardner.model.gaussian import Gaussian
from gardner.model.registry import parse_channel
from gardner.records import write_file
from gardner.report.explorer import page as explorer
from gardner.report.explorer.axes import AXES, BATCHES, LEARNING_MOST, LEAST_BUDGET, MOST_SHARE, RULES
from gardner.theory import bounds, learning_curve

FOLDER = Path(explorer.__file__).parent
# What the page promises in ln v where it marks nothing (issue 21).
LIMIT = 1e-3
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
Setting = dict[str, Any]  # and whatever belongs to one


def drawn(seed: int, index: int) -> Setting:
    """Setting ``index``; it does not depend on how many there are."""
    rng = np.random.default_rng([seed, index])
    axes = list(AXES.values())[int(rng.integers(len(AXES)))]
    alpha = math.exp(rng.uniform(*np.log(axes.alpha[:2])))
    noise = None if axes.noise is None else math.exp(rng.uniform(*np.log(axes.noise[:2])))
    low, high = math.log(LEAST_BUDGET / (alpha - LEAST_BUDGET)), math.log(MOST_SHARE / (1.0 - MOST_SHARE))
    budget = alpha / (1.0 + math.exp(-rng.uniform(low, high)))
    batch, rule = BATCHES[int(rng.integers(len(BATCHES)))], RULES[int(rng.integers(len(RULES)))]
    return {"channel": axes.name, "noise": noise, "alpha": alpha, "n": budget, "k": batch, "rule": rule}


def model_of(setting: Setting) -> GLM:
    noise = "" if setting["noise"] is None else f":{setting['noise']!r}"
    return GLM(Gaussian(), parse_channel(setting["channel"] + noise))


def ends_of(setting: Setting) -> dict[str, Any]:
    """What gardner says of the three volumes of the page; an end that it did not find is None."""
    try:
        exact = bounds(model_of(setting), pool_ratio=setting["alpha"], budget=setting["n"])
    except ConvergenceError as error:
        return {"trouble": str(error)}
    points = {"minimum": exact.minimum.found, "typical": exact.typical, "maximum": exact.maximum.found}
    return {
        name: point and {"volume": point.log_volume, "accuracy": point.accuracy, "error": point.quadrature_error}
        for name, point in points.items()
    }


def curve_of(setting: Setting) -> list[dict[str, float]]:
    """What gardner says of every whole round of the rule."""
    rounds = math.floor(min(setting["alpha"], LEARNING_MOST) / setting["k"] + 1e-9)
    if not rounds:
        return []
    exact = learning_curve(
        setting["rule"],
        model_of(setting),
        pool_ratio=setting["alpha"],
        budget=rounds * setting["k"],
        batch_ratio=setting["k"],
    )
    return [{"volume": at.log_volume, "accuracy": at.accuracy, "error": at.discretisation_error} for at in exact.points]


def place(folder: Path, seed: int, index: int) -> Path:
    return folder / f"{seed}-{index:04d}.json"


def answer(folder: Path, settings: int, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.process_time()
    for index in range(settings):
        path = place(folder, seed, index)
        if path.exists():
            continue
        setting = drawn(seed, index)
        found = {"setting": setting, "ends": ends_of(setting), "curve": curve_of(setting)}
        write_file(path, (json.dumps(found) + "\n").encode())
        print(f"{index}: {time.process_time() - begin:.0f} s of the processor so far", flush=True)


def shown_by_page(settings: list[Setting]) -> tuple[list[Any], list[Any]]:
    """The page's own numbers: of the three volumes, and of the learning curve."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "explorer.html"
        path.write_text(explorer.explorer_page(), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
        ends = page.evaluate("all => all.map(s => explorer.at(s.channel, s.noise, s.alpha, s.n))", settings)
        curves = page.evaluate(
            "all => all.map(s => explorer.learned(s.channel, s.noise, s.alpha, s.k, s.rule))", settings
        )
        browser.close()
    return ends, curves


def rows_of(kept: list[dict[str, Any]], ends: list[Any], curves: list[Any]) -> list[dict[str, Any]]:
    """A row a number that both know: how far they differ, and whether the page marks it."""
    rows = []
    for exact, shown, rounds in zip(kept, ends, curves, strict=True):
        for name in ("minimum", "typical", "maximum"):
            if point := exact["ends"].get(name):
                rows.append(_row(name, exact, shown[name], point, shown[name]["look"] == "unsure"))
        for at, (one, point) in enumerate(zip(rounds, exact["curve"], strict=True), start=1):
            marked = not (one["volumeError"] is not None and one["volumeError"] <= LIMIT)
            rows.append(_row(f"round {at} of {len(rounds)}", exact, one, point, marked))
    return rows


def _row(
    name: str, exact: dict[str, Any], one: dict[str, Any], point: dict[str, float], marked: bool
) -> dict[str, Any]:
    off = {of: abs((math.nan if one[of] is None else one[of]) - point[of]) for of in ("volume", "accuracy")}
    return {"name": name, "curve": name.startswith("round"), **off, "marked": marked, **exact["setting"]}


def summary(table: pd.DataFrame) -> dict[str, Any]:
    """What the page shows: of numbers that are not marked the worst and the median error, and how
    many are marked.
    """
    sure = table[~table["marked"]]
    return {
        "values": len(table),
        "unmarked": len(sure),
        "marked": len(table) - len(sure),
        "above": int((~(sure["volume"] < LIMIT)).sum()),
        "worst": f"{sure['volume'].max():.1e}",
        "median": f"{sure['volume'].median():.1e}",
        "worst_accuracy": f"{sure['accuracy'].max():.1e}",
        "worst_marked": f"{table.loc[table['marked'], 'volume'].max():.1e}",
    }


def compare(folder: Path, settings: int, seed: int, *, write: bool) -> None:
    paths = [place(folder, seed, index) for index in range(settings)]
    left = sum(not path.exists() for path in paths)
    if left:
        sys.exit(f"{left} of {settings} settings are not answered yet: run `answer` again")
    kept = [json.loads(path.read_text("utf-8")) for path in paths]
    table = pd.DataFrame(rows_of(kept, *shown_by_page([one["setting"] for one in kept])))
    volumes, rounds = table[~table["curve"]], table[table["curve"]]
    found = {"settings": settings, "seed": seed, "volumes": summary(volumes), "curves": summary(rounds)}
    print(json.dumps(found, indent=1))
    print(volumes.groupby(["channel", "name"])["marked"].agg(["size", "sum"]).rename(columns={"sum": "marked"}))
    print(rounds.groupby("channel")["marked"].agg(["size", "sum"]).rename(columns={"sum": "marked"}))
    for part in (volumes, rounds):
        print(part[~part["marked"]].nlargest(5, "volume").to_string(index=False))
    silent = [one["setting"] for one in kept if "trouble" in one["ends"]]
    print(f"gardner does not answer at {len(silent)} settings: {silent}")
    if write:
        write_file(FOLDER / "errors.json", (json.dumps(found, indent=1) + "\n").encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["answer", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--settings", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.action == "answer":
        answer(given.folder, given.settings, given.seed)
    else:
        compare(given.folder, given.settings, given.seed, write=given.write)


if __name__ == "__main__":
    main()
