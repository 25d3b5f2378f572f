"""A page of thirty strategies: what is in front, a panel for each, search, and two of them compared
on demand.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

from gardner.experiment.question.task import StrategySpec, Task
from gardner.experiment.stored.rows import run_table
from gardner.records import Store
from gardner.reproduce.results_page import report_results

NAMES = [*(f"library.pool.LongFamilyNameNumber{index:02d}" for index in range(28)), "query", "random"]
SEEDS, LN2 = 6, math.log(2.0)


def value(name: str, seed: int) -> float:
    """ln v at the end: strategies differ by their place, seeds by chance."""
    rng = np.random.default_rng([NAMES.index(name), seed])
    return -LN2 + 0.006 * NAMES.index(name) + 0.02 * float(rng.standard_normal())


def round_of(task: Task, labels: int, share: float) -> dict[str, object]:
    volume = share * value(task.strategy.name, task.seed)
    return {
        "labels": labels, "budget": labels / task.features, "log_volume": volume, "overlap": 0.4,
        "self_overlap": 0.3, "accuracy": 0.5 - 0.3 * volume, "test_accuracy": None, "bits_per_label": 1.0,
        "iterations": 9, "residual": 1e-6, "damping": 0.0, "status": "converged", "log_loss": None,
    }  # fmt: skip


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page that `gardner report` makes of a folder, in place of the one that the other tests
    share.
    """
    folder = tmp_path_factory.mktemp("many")
    store = Store(folder / "results")
    with store.writing():
        for name in NAMES:
            for seed in range(SEEDS):
                task = Task(StrategySpec(name), features=60, pool_ratio=3.0, budget=1.0, batch_size=6, seed=seed)
                columns = {**task.columns("today"), "informed": False}
                rounds = [round_of(task, labels, labels / 60) for labels in (20, 40, 60)]
                store.write(columns["key"], run_table(columns, rounds))
    report_results(folder / "results", folder / "page.html", at=[1 / 3, 2 / 3, 1.0])
    return folder / "page.html"


def test_a_table_is_searched(visit: Any) -> None:
    page = visit(viewport={"width": 1280, "height": 900})
    rows = page.locator("#board tbody tr:visible")
    assert rows.count() == len(NAMES)
    page.locator("#board .search input").fill("number0")
    assert rows.count() == 10
    assert page.locator("#board .search .count").inner_text() == f"10 of {len(NAMES)}"
    page.locator("#board .search input").fill("")
    assert rows.count() == len(NAMES)


def test_two_strategies_are_compared_on_demand(visit: Any) -> None:
    page = visit()
    box = page.locator(".pairs").first
    assert box.locator("tbody tr").count() == 2  # ln v and accuracy, of one pair
    first, second = NAMES[3], NAMES[20]
    box.get_by_label("First strategy").select_option(first)
    box.get_by_label("Second strategy").select_option(second)
    word, gap, interval, seeds = box.locator("tbody tr").first.locator("td").all_inner_texts()
    found = ttest_rel([value(first, seed) for seed in range(SEEDS)], [value(second, seed) for seed in range(SEEDS)])
    wanted = found.confidence_interval()
    told = [float(part.replace("−", "-")) for part in interval.split(" to ")]
    mean = np.mean([value(first, seed) - value(second, seed) for seed in range(SEEDS)])
    assert (word, seeds) == ("ln v", str(SEEDS))
    assert float(gap.replace("−", "-")) == pytest.approx(mean, abs=1e-4)
    assert told == pytest.approx([wanted.low, wanted.high], abs=1e-4)


def test_a_few_are_in_front_and_the_list_names_all_in_their_colours(visit: Any) -> None:
    page = visit(viewport={"width": 1280, "height": 900})
    figure = page.locator("section.result figure").first
    boxes = figure.locator(".toggles label")
    ticked = [label.inner_text() for label in boxes.all() if label.locator("input").is_checked()]
    assert {"query", "random", "minimum", "halving"} <= set(ticked)  # ours, what all are compared with, and bounds
    strategies = [name for name in ticked if name in NAMES]
    assert len(strategies) == 7  # and the best five
    legend = figure.locator("svg .role-legend-label text").all_text_contents()
    assert {"minimum", "typical", "maximum", "halving", *strategies} <= set(legend)
    colours = [
        label.locator(".swatch").evaluate("swatch => swatch.style.background")
        for label in boxes.all()
        if label.inner_text() in NAMES
    ]
    assert len(colours) == len(set(colours)) == len(NAMES)
    figure.locator(".curves .search input").fill("number27")
    assert [label.inner_text() for label in boxes.all() if label.is_visible()] == [NAMES[27]]
    figure.locator(".toggles label:visible input").check()
    page.wait_for_function(
        "id => gardner.views.get(id).view.data('shown_store').length > 0 && "
        "gardner.views.get(id).view.data('shown_store').some(tuple => tuple.values[0].endsWith('Number27'))",
        arg=figure.locator(".chart").get_attribute("id"),
    )


@pytest.mark.parametrize("width", [1280, 400])
def test_every_strategy_has_a_panel_with_its_whole_name(visit: Any, width: int) -> None:
    page = visit(viewport={"width": width, "height": 900})
    panels = page.locator("section.result figure").last
    titles = panels.locator("svg .role-column-header, svg .role-row-header, svg .role-title-text, svg text")
    texts = "\n".join(titles.all_text_contents())
    assert all(name.rpartition(".")[2] in texts for name in NAMES)
    assert "…" not in texts
    spots = panels.locator("svg text").evaluate_all(
        "all => all.filter(text => /LongFamily/.test(text.textContent)).map(text => text.getBoundingClientRect())"
        ".map(box => [box.left, box.right, box.top])"
    )
    for left, right, top in spots:  # no title runs into the one beside it
        assert not any(left < other < right for other, _, high in spots if abs(high - top) < 2 and other != left)


@pytest.mark.parametrize("width", [1280, 400])
def test_columns_are_visible_and_nothing_scrolls_sideways_but_tables(visit: Any, width: int) -> None:
    page = visit(viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for box in page.locator(".scroll").all():
        if width == 1280:
            assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
        else:
            assert box.locator("tbody th").first.bounding_box()["width"] >= 100
