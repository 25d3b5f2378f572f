"""The page: text is escaped everywhere, the policy admits our own scripts only; curves carry the
right dash.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.report.figures import complexity_chart, save, scaling_chart, specification, still
from gardner.report.page import Board, Figure, Page, Section, Verdict, VerdictKind, render

NASTY = "\"'></script><script>alert(1)</script><!--"


def curve_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "pool_ratio": 3.0,
            "budget": 0.6,
            "log_volume": [-0.9, -0.7, -0.5, -0.3, -0.2],
            "complexity": [0.0, 1.0, 1.5, 1.0, 0.0],
            "m": [0.6, 0.5, 0.4, 0.3, 0.2],
            "beta": [-9.0, -2.0, 0.0, 5.0, 50.0],
            "accuracy": 0.7,
            "stability": [1.2, 0.5, 0.1, 0.7, 3.0],
        }
    )


def page(name: str = NASTY) -> Page:
    frame = pd.DataFrame({"alpha": [1.0, 10.0], "value": [2.0, 3.0], name: [name, name]})
    figure = Figure(scaling_chart(frame, "value", name, name), name)
    verdicts = (Verdict(True, name), Verdict(False, name))
    section = Section(name, name, name, (figure,), verdicts, frame, name, {name: name}, {name: frame})
    board = Board(name, name, frame.assign(informed=True))
    return Page(name, name, (section,), board, frame, name, {name: name}, name, frame)


class Elements(HTMLParser):
    """Tags with their attributes, scripts with their text, and all text outside of them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script":
            self.scripts[-1] += data
        else:
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self.tags.append(("/script", {}))


def test_text_with_markup_is_shown_as_text() -> None:
    html = render(page())
    found = Elements(html)
    assert "<script>alert" not in html
    assert len(found.scripts) == 3  # the data, the plotting library, the page's own
    specs = json.loads(found.scripts[0])["specs"]
    assert specs[f"figure-{NASTY}-0"]["title"] == NASTY
    assert sum(NASTY in text for text in found.text) >= 20
    assert not any(name.startswith("on") for _, attributes in found.tags for name in attributes)


def test_policy_knows_our_scripts_by_their_hash_and_no_others() -> None:
    found = Elements(render(page()))
    (policy,) = [
        attributes["content"] or ""
        for tag, attributes in found.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in found.scripts[1:]]
    assert re.findall(r"'sha256-([^']+)'", policy) == digests
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "'unsafe-inline'" not in policy.split("style-src")[0]


def test_tables_travel_with_the_page() -> None:
    found = Elements(render(page()))
    links = [attributes for tag, attributes in found.tags if tag == "a" and attributes.get("class") == "table"]
    assert [link["download"] for link in links] == [f"{NASTY}.csv", f"{NASTY}.csv"]
    for link in links:
        text = base64.b64decode((link["href"] or "").split("base64,")[1]).decode()
        assert text == page().sections[0].table.to_csv(index=False)


def test_each_verdict_is_told_once_and_by_what_became_of_it() -> None:
    whole = page("plain")
    verdicts = (
        Verdict(True, "it agrees"),
        Verdict(True, "nobody said so", beyond=True, seeds=4),
        Verdict(False, "the paper says so", VerdictKind.FINDING, seeds=10),
        Verdict(False, "four pools cannot say", VerdictKind.OPEN, seeds=1),
        Verdict(False, "it broke", VerdictKind.FAILURE),
    )
    html = render(dataclasses.replace(whole, sections=(dataclasses.replace(whole.sections[0], verdicts=verdicts),)))
    assert [html.count(verdict.text) for verdict in verdicts] == [1] * 5
    assert html.count("<b>Does not hold:</b> the paper says so") == html.count("<b>Does not hold:</b>") == 1
    html = html.replace("<b>Does not hold:</b> ", "")
    marks = re.findall(r'<span class="mark">(.*?)</span> <span class="said">([^<]*?) ?<', html)
    assert marks == [
        ("failure", "it broke"), ("new", "nobody said so"), ("finding", "the paper says so"),
        ("undecided", "four pools cannot say"), ("holds", "it agrees"),
    ]  # fmt: skip
    assert "2 of 5 statements hold" in html
    assert "<b>1</b> agree · <b>1</b> could not be told · <b>2</b> new · <b>1</b> failed" in html
    assert [html.count(f">{count}<") for count in ("4 seeds", "10 seeds", "1 seed")] == [1, 1, 1]


def test_the_picture_leads_and_charts_are_there_without_scripts() -> None:
    whole = dataclasses.replace(page("plain"), picture="plain")
    html = render(whole)
    assert html.count('id="figure-plain-0"') == 1
    assert (
        html.index('id="picture"') < html.index('id="board"') < html.index('id="verdicts"') < html.index('id="plain"')
    )
    assert html.count('<div class="still"') == 1
    assert "<svg" in html.split('<div class="still"')[1].split("</figure>")[0]


def test_what_is_not_given_leaves_no_trace() -> None:
    html = render(Page("title", "lead", ()))
    for trace in ('id="board"', 'id="headline"', 'id="failures"', 'class="notice"', 'id="verdicts"', 'id="provenance"'):
        assert trace not in html
    assert 'id="failures"' not in render(dataclasses.replace(page("x"), failures=pd.DataFrame({"reason": []})))


def test_same_page_same_bytes() -> None:
    assert render(page()) == render(page())


def test_curves_are_dashed_where_symmetry_is_broken() -> None:
    spec = complexity_chart(curve_frame(), "title").to_dict()
    (rows,) = spec["datasets"].values()
    stretches = {row["stretch"]: row["symmetry"].split()[0] for row in rows}
    assert list(stretches.values()) == ["broken", "stable", "broken"]
    first = [row["log_volume"] for row in rows if row["stretch"].endswith("/0")]
    assert first == [-0.9, -0.7]  # the broken stretch reaches to its stable neighbour


@pytest.mark.parametrize("letter", ["\x1b", "\x00", "\ufffe", "\ud800"])
def test_a_name_that_no_picture_can_hold_costs_neither_page_nor_figure(letter: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"alpha": [1.0, 10.0], "value": [2.0, 3.0]})
    chart = scaling_chart(frame, "value", f"a{letter}b", "title")
    assert "a\ufffdb" in still(specification(chart))
    save(chart, tmp_path / "figure.svg")
    assert "a\ufffdb" in (tmp_path / "figure.svg").read_text("utf-8")


def test_unknown_figure_format(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="svg"):
        save(complexity_chart(curve_frame(), "title"), tmp_path / "figure.gif")
