"""Sphinx's settings for the site. The folder it reads is made by ``python -m tools.website stage``."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

import gardner
from gardner.report.explorer.page import explorer_page

project = "Gardner"
author = "The Gardner developers"
copyright = author  # noqa: A001 - Sphinx's name
version = release = gardner.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["tutorials-source"]
highlight_language = "none"
suppress_warnings = ["config.cache"]  # the scraper of pictures is a function, so every build is a whole one
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "Gardner"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # without it the theme complains in the console at a first visit
html_copy_source = False
html_theme_options = {
    "logo": {"text": "Gardner"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_center": [],
    "footer_end": [],
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "changelog": [], "search": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

# MathJax as npm brought it: no font, menu or voice is fetched from elsewhere
mathjax_path = "mathjax/tex-svg.js"
mathjax4_config = {
    "output": {"fontPath": "[mathjax]/%%FONT%%-font"},
    "options": {
        "enableMenu": False,
        "menuOptions": {"settings": {"enrich": False, "speech": False, "braille": False, "collapsible": False}},
        "enableEnrichment": False,
        "enableSpeech": False,
        "enableBraille": False,
        "enableExplorer": False,
        "enableComplexity": False,
    },
}


def pictures(_block: object, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """The SVG files that a block of a tutorial wrote, for the page below it."""
    known: set[Path] = block_vars.setdefault("pictures", set())
    found = [path for path in sorted(Path.cwd().glob("*.svg")) if path not in known]
    places = []
    for path in found:
        known.add(path)
        target = Path(next(block_vars["image_path_iterator"])).with_suffix(".svg")
        shutil.move(path, target)
        places.append(str(target))
    known.clear()
    names = ", ".join(path.stem.replace("-", " ") for path in found)
    return figure_rst(places, gallery_conf["src_dir"], names) if places else ""


sphinx_gallery_conf = {
    "examples_dirs": "tutorials-source",
    "gallery_dirs": "tutorials",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": (pictures,),
    "reset_modules": (),
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "abort_on_example_error": True,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "capture_repr": ("_repr_html_", "__repr__"),
}

_LITERAL = re.compile(r"(``.+?``|:\w+:`.+?`)")
_SPECIAL = re.compile(r"([|*`\\]|(?<=\w)_(?!\w))")


def plain_words(_app: object, _what: str, _name: str, _value: object, _options: object, lines: list[str]) -> None:
    """Docstrings are plain text: |ω| is no substitution, and what is set in stands as it is."""
    shown: list[str] = []
    example = False
    for index, line in enumerate(lines):
        before = next((one for one in reversed(lines[:index]) if one.strip()), "")
        deep = len(line) - len(line.lstrip()) > len(before) - len(before.lstrip())
        if not line.strip():
            example = False
        elif line.lstrip().startswith(">>>"):
            example = True
        if line.strip() and deep and not lines[index - 1].strip() and not before.lstrip().startswith(("-", "*", ">>>")):
            shown += ["::", ""]
        literal = example or (line.startswith("    ") and not line.lstrip().startswith("- "))
        shown.append(line if literal else "".join(map(_escaped, _LITERAL.split(line))))
    lines[:] = shown


def not_ours(_app: object, _what: str, name: str, _value: object, _skip: bool, _options: object) -> bool | None:
    """scikit-learn adds methods whose docstrings lead into its own site."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def _escaped(part: str) -> str:
    return part if _LITERAL.fullmatch(part) else _SPECIAL.sub(r"\\\1", part)


def bring_mathjax(app: Any) -> None:
    """Copy MathJax from where ``make docs`` put it: the program and the font, drawn as SVG."""
    modules = Path(os.environ["GARDNER_NODE_MODULES"])
    target = Path(app.outdir) / "_static" / "mathjax"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy2(modules / "mathjax" / "tex-svg.js", target)
    font = modules / "@mathjax" / "mathjax-newcm-font"
    shutil.copy2(font / "svg.js", target)
    shutil.copytree(font / "svg", target / "mathjax-newcm-font" / "svg", dirs_exist_ok=True)


def finished(app: Any, error: Exception | None) -> None:
    """After all pages."""
    if error is None:
        bring_mathjax(app)
        (Path(app.outdir) / "explore.html").write_text(explorer_page(), "utf-8")  # the same as `gardner explore` writes


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", plain_words)
    app.connect("autodoc-skip-member", not_ours)
    app.connect("build-finished", finished)
