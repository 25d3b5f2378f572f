"""Scripts and data inside HTML: whatever strings they hold, they cannot leave their element."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from dataclasses import dataclass

import altair as alt
import vl_convert
from markupsafe import Markup, escape

VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_EXPORT = "window.vegaEmbed = vegaEmbed;"
_DRAW = """
const { spec, config } = JSON.parse(document.getElementById("data").textContent);
vegaEmbed("#chart", spec, { config, renderer: "svg", actions: false })
  .then(() => { document.documentElement.dataset.ready = "yes"; });
"""


@dataclass(frozen=True)
class Script:
    """Code of our own, with the hash by which the page's policy knows it; any other script is
    refused.
    """

    text: Markup
    hash: Markup


def script(code: str) -> Script:
    """Code as it may stand in a <script> element."""
    text = code.replace("</script", "<\\/script").replace("\r\n", "\n")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Script(Markup(text), Markup(f"'sha256-{digest}'"))  # noqa: S704 — our own code and its digest


@functools.cache
def library() -> Script:
    """Vega, Vega-Lite and vega-embed in one."""
    return script(vl_convert.javascript_bundle(_EXPORT, VEGA_LITE))


def script_json(value: object) -> Markup:
    """JSON that is safe inside a <script> element, whatever strings it holds."""
    text = json.dumps(value, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 — every character that could leave the element is escaped above


def policy(scripts: list[Script], *, evaluates: bool = True) -> str:
    """The Content-Security-Policy: these scripts, our own styles, no network. Vega compiles
    expressions, hence eval.
    """
    allowed = " ".join([*(item.hash for item in scripts), *(["'unsafe-eval'"] if evaluates else [])])
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def standalone(spec: dict[str, object], config: dict[str, object], title: str) -> str:
    """One interactive chart as a page of its own."""
    scripts = [library(), script(_DRAW)]
    code = "\n".join(f'<script type="module">{item.text}</script>' for item in scripts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(scripts)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f'<title>{escape(title)}</title>\n</head>\n<body>\n<div id="chart"></div>\n'
        f'<script type="application/json" id="data">{script_json({"spec": spec, "config": config})}</script>\n'
        f"{code}\n</body>\n</html>\n"
    )
