"""The pages of the site are made ready as they should be, and dead links are seen; Sphinx is not
needed for this.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tools import website, website_diagram, website_reference

import gardner

ROOT = Path(__file__).parents[2]


def written(root: Path, **pages: str) -> Path:
    for name, text in pages.items():
        path = root / name.replace("__", "/").replace("_md", ".md").replace("_html", ".html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


@pytest.mark.parametrize(
    ("link", "moved"),
    [
        ("../CONTRIBUTING.md", "contributing.md"),
        ("../README.md#two", "index.md#two"),
        ("b.md#part", "b.md#part"),
        ("sub/c.md", "sub/c.md"),
        ("sub", "sub/listing.md"),
        ("#here", "#here"),
        ("https://example.org/x", "https://example.org/x"),
    ],
)
def test_links_move_with_their_page(link: str, moved: str, tmp_path: Path) -> None:
    root = written(tmp_path / "root", docs__a_md="", docs__b_md="", docs__sub__c_md="")
    (tmp_path / "to" / "sub").mkdir(parents=True)
    text = f"[x]({link})\n```text\n[x](../CONTRIBUTING.md)\n```\n"
    wanted = f"[x]({moved})\n```text\n[x](../CONTRIBUTING.md)\n```\n"
    assert website.moved(text, "docs/a.md", "a.md", tmp_path / "to", root) == wanted


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(website.SiteError, match=r"docs/a\.md: the link gone\.md"):
        website.moved("[x](gone.md)", "docs/a.md", "a.md", tmp_path, written(tmp_path, docs__a_md=""))


def test_every_page_of_docs_finds_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(website_reference, "command_line", lambda: "# Command line\n")  # seconds, and tested below
    website.stage(tmp_path / "to")
    pages = {path.relative_to(tmp_path / "to").as_posix() for path in (tmp_path / "to").rglob("*.md")}
    own = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {name.removeprefix("site/") for name in own} | {"contributing.md", "changelog.md"} <= pages
    assert "](contributing.md)" in (tmp_path / "to" / "architecture.md").read_text("utf-8")
    assert (tmp_path / "to" / "architecture-diagram.svg").is_file()
    assert website.FURTHER not in (tmp_path / "to" / "results.md").read_text("utf-8")


def test_every_public_name_is_in_the_reference() -> None:
    listed = {name for part in website_reference.PARTS if part.front for name in website_reference.names_of(part)}
    assert set(gardner.__all__) <= listed


def test_every_command_is_in_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = website_reference.said("--help")
    monkeypatch.setattr(website_reference, "said", lambda *given: whole if given == ("--help",) else " ".join(given))
    text = website_reference.command_line()
    for name in ("bench", "bounds", "learning-curve", "query", "volume"):
        assert f"## gardner {name}\n\n```text\n{name} --help\n```" in text


def test_a_flow_chart_is_drawn() -> None:
    edges, drawing = website_diagram.draw('flowchart LR\n a["A &<br>more"] --> b\n b <--> c["C"]\n a --> c\n')
    assert edges == {"a": ["b", "c"], "b": ["c"]}
    assert drawing.count("<rect") == 4
    assert "A &amp;" in drawing
    assert drawing.count("marker-start") == 1
    with pytest.raises(ValueError, match="circle"):
        website_diagram.draw("a --> b\nb --> a\n")


def test_dead_links_are_seen(tmp_path: Path) -> None:
    here = (
        '<a href="b.html#there">x</a><a href="b.html#gone">x</a><img src="gone.png"><a href="https://example.org">x</a>'
    )
    written(tmp_path, a_html=here, b_html='<p id="there"><a href="../out.html">x</a></p>')
    assert website.dead_links(tmp_path.resolve()) == [
        "a.html: b.html#gone (no such place)",
        "a.html: gone.png",
        "b.html: ../out.html",
    ]
