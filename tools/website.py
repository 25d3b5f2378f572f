"""Make the pages of the site ready for Sphinx, and look for dead links in what it built.

    python -m tools.website stage out/site-source    # docs/, CONTRIBUTING.md and CHANGELOG.md, with generated pages
    python -m tools.website links out/site           # every address inside the built pages leads somewhere

Pages of ``docs/`` are written for whoever reads them in the repository, and link to its files. Here
they move into one folder, and their links with them. A link to a folder becomes one to a page that
lists its files. The reference of the command line and that of the library are generated
(``tools/website_reference.py``), and the diagram of the architecture is drawn
(``tools/website_diagram.py``). This module needs nothing but Gardner itself: Sphinx is called by
the Makefile.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tools import website_diagram, website_reference

ROOT = Path(__file__).resolve().parents[1]
# what stands at the top of the repository, and its name on the site
TOP = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "README.md": "index.md"}
TOP |= {"CITATION.cff": "files/CITATION.cff", "LICENSE": "files/LICENSE", "benchmarks/README.md": "benchmarks.md"}
LISTING = "listing.md"
FURTHER = "% further pages"
_FENCE = re.compile(r"^(```|~~~).*?^\1`*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()([^()\s]+)(?=\))")
_TREE = re.compile(r"^:::\{toctree\}\n(.*?)^:::$", re.MULTILINE | re.DOTALL)
_ELSEWHERE = ("http:", "https:", "mailto:", "#")


class SiteError(Exception):
    """A page of the site that cannot be made as it stands."""


def stage(target: Path, root: Path = ROOT) -> None:
    """Fill a folder with all that Sphinx reads; what was there before goes."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root / "docs", target, ignore=shutil.ignore_patterns("site", "__pycache__"))
    shutil.copytree(
        root / "docs/site", target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "package*.json")
    )
    for name, place in TOP.items():
        if name != "README.md":
            (target / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / place)
    homes = {place: name for name, place in TOP.items() if (target / place).is_file() and name != "README.md"}
    for page in sorted(target.rglob("*.md")):
        place = page.relative_to(target).as_posix()
        home = homes.get(place) or _home(place, root)
        page.write_text(with_drawings(moved(page.read_text("utf-8"), home, place, target, root), page), "utf-8")
    website_reference.write(target)
    _enter_further_pages(target)


def _home(place: str, root: Path) -> str:
    """Where a staged page stands in the repository."""
    own = f"docs/site/{place}"
    return own if (root / own).is_file() else f"docs/{place}"


def outside_code(text: str) -> Iterator[tuple[bool, str]]:
    """The parts of a page in order, each with whether it is prose, not a block of code."""
    end = 0
    for block in _FENCE.finditer(text):
        yield True, text[end : block.start()]
        yield False, block[0]
        end = block.end()
    yield True, text[end:]


def moved(text: str, home: str, place: str, target: Path, root: Path = ROOT) -> str:
    """A page with its links as they are on the site."""

    def link(found: re.Match[str]) -> str:
        return found[1] if found[1].startswith(_ELSEWHERE) else _address(found[1], home, place, target, root)

    return "".join(_LINK.sub(link, part) if prose else part for prose, part in outside_code(text))


def _address(link: str, home: str, place: str, target: Path, root: Path) -> str:
    """Where a link of a page in the repository leads to on the site, seen from the page's new
    place.
    """
    path, _, anchor = link.partition("#")
    full = os.path.normpath(os.path.join(os.path.dirname(home), path))  # noqa: PTH118, PTH120 - of no file system
    if home.startswith("docs/site/") and (target / Path(place).parent / path).exists():
        return link  # pages of the site name each other as they will stand
    if full in TOP:
        there = TOP[full]
    elif full.startswith("docs/") and (root / full).is_dir():
        there = f"{full.removeprefix('docs/')}/{LISTING}"
        _list_files(root / full, target / there)
    elif full.startswith("docs/") and (root / full).is_file():
        there = full.removeprefix("docs/")
    elif home.startswith("docs/site/") and path.startswith(("api/", "command-line", "tutorials/")):
        return link  # generated later; the build fails where it is not
    else:
        raise SiteError(f"{home}: the link {link} leads nowhere")
    new = os.path.relpath(there, os.path.dirname(place) or ".")  # noqa: PTH120 - of no file system
    return new + ("#" + anchor if anchor else "")


def _list_files(folder: Path, page: Path) -> None:
    """A page that offers every file of a folder."""
    lines = [f"- [{path.name}]({path.name})" for path in sorted(folder.iterdir()) if path.is_file()]
    title = "/".join(folder.parts[folder.parts.index("docs") + 1 :])
    page.write_text("\n".join(["---", "orphan: true", "---", f"# Files in {title}", "", *lines, ""]), "utf-8")


def with_drawings(text: str, page: Path) -> str:
    """A page with its flow charts drawn, each as a picture beside it."""
    parts = []
    for prose, part in outside_code(text):
        if not prose and part.startswith("```mermaid"):
            picture = page.with_name(f"{page.stem}-diagram.svg")
            edges, drawing = website_diagram.draw(part)
            picture.write_text(drawing, "utf-8")
            described = "; ".join(f"{one} leads to {', '.join(others)}" for one, others in edges.items())
            part = f"![Flow of data between folders: {described}.]({picture.name})"
        parts.append(part)
    return "".join(parts)


def _enter_further_pages(target: Path) -> None:
    """Pages that no list of contents names go where a comment asks for them."""
    pages = {path: path.read_text("utf-8") for path in sorted(target.rglob("*.md"))}
    listed = set()
    for path, text in pages.items():
        for tree in _TREE.finditer(text):
            for line in tree[1].splitlines():
                if line and not line.startswith((":", "%")):
                    listed.add(os.path.normpath(path.parent.relative_to(target) / line))
    names = {path: path.relative_to(target).with_suffix("").as_posix() for path in pages}
    rest = [
        names[path] for path, text in pages.items() if names[path] not in listed | {"index"} and "orphan:" not in text
    ]
    for path, text in pages.items():
        if FURTHER in text:
            path.write_text(text.replace(FURTHER, "\n".join(rest)), "utf-8")


# --- dead links


class _Page(HTMLParser):
    """The addresses in a page and the places in it that addresses can name."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read one element."""
        known = dict(attrs)
        self.places |= {value for name in ("id", "name") if (value := known.get(name))}
        address = known.get("href") if tag in ("a", "link") else known.get("src")
        if address:
            self.links.append(address)


def built_pages(folder: Path) -> list[Path]:
    """The pages of a built site; what lies in _static is the theme's."""
    return [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.relative_to(folder).parts]


def read_page(path: Path) -> _Page:
    """A built page."""
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page


def dead_links(folder: Path) -> list[str]:
    """Addresses of built pages that lead to no file of the folder, or to no place in its page.

    Addresses of other hosts are not asked for; scripts and pictures from there are dead at once.
    """
    pages = {path: read_page(path) for path in built_pages(folder)}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.is_relative_to(folder.resolve()) or not there.is_file():
                found.append(f"{path.relative_to(folder)}: {link}")
            elif there.suffix == ".html" and unquote(parts.fragment) not in pages[there].places:
                found.append(f"{path.relative_to(folder)}: {link} (no such place)")
    return found


def main(arguments: list[str]) -> int:
    """Run one of the two commands."""
    match arguments:
        case ["stage", target]:
            try:
                stage(Path(target))
            except SiteError as error:
                print(f"error: {error}", file=sys.stderr)
                return 2
            return 0
        case ["links", folder]:
            pages, dead = len(built_pages(Path(folder))), dead_links(Path(folder).resolve())
            print("\n".join([*dead, f"{pages} pages, {len(dead)} dead links"]))
            return int(bool(dead) or not pages)
    print("usage: python -m tools.website stage FOLDER | links FOLDER", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
