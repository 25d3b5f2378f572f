"""Files of text: specs, bombs, and words that programs take for more than words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

CANARY = "CANARY"  # a file of this name proves that data was run as code

# a module that lies in every scratch folder; only a command line that names it may run it
EVIL = f"""
from pathlib import Path

Path(__file__).with_name({CANARY!r}).touch()


class X:
    def __init__(self, *values):
        Path(__file__).with_name({CANARY!r}).touch()
"""

HOSTILE = (
    "evil.py:X",
    "./evil.py:X",
    "evil:X",
    "evil.X",
    "tkinter:Tk",
    "sys:exit",
    "os:abort",
    "subprocess:Popen",
    "__import__('evil')",
    "{{ 7*7 }}{% import 'evil.py' %}",
    f"$(touch {CANARY})",
    f"`touch {CANARY}`",
    f"; touch {CANARY}",
    "=cmd|'/C calc'!A0",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[bold red]x[/]",
    "[/x]",
    "[link=file:///etc/passwd]x[/link]",
    "\x1b[2J\x1b]0;title\x07",
    "\x1b]8;;http://x\x1b\\x",
    "\u202eabc",
    "a\r\nb\nc\td",
    "\ufeff\u200b",
    "𝟛.𝟘",
    "%s%n%x",
    "../../../etc/passwd",
    "x" * 5000,
    "",
    " ",
    "nan",
    "null",
    "-",
    "--help",
    "\U0001f600",
)
GOOD_SPEC = {
    "strategies": ["random"],
    "features": 20,
    "alpha": 3,
    "budget": 0.3,
    "batch": 3,
    "seeds": 1,
}


def _text(text: str, encoding: str = "utf-8") -> bytes:
    return text.encode(encoding, errors="surrogatepass")


def _hexed(hexed: str) -> bytes:
    return bytes.fromhex(hexed)


def _repeated(text: str, times: int) -> bytes:
    return text.encode() * times


def _spec(**changes: Any) -> bytes:
    """A spec that runs a moment, with some keys changed; a key of None is left out."""
    kept = {key: value for key, value in {**GOOD_SPEC, **changes}.items() if value is not None}
    return yaml.safe_dump(kept, allow_unicode=True).encode("utf-8", errors="surrogatepass")


def _deep_yaml(depth: int, opening: str = "[") -> bytes:
    return b"strategies: " + opening.encode() * depth


def _alias_bomb(levels: int = 9, width: int = 9) -> bytes:
    """A few hundred bytes of aliases of aliases: written out they would fill the memory."""
    lines = ["a0: &a0 lol"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, levels)]
    return "\n".join([*lines, f"strategies: *a{levels - 1}", "features: *a1"]).encode()


TEXTS: dict[str, Callable[..., bytes]] = {
    "text": _text,
    "hexed": _hexed,
    "repeated": _repeated,
    "spec": _spec,
    "deep_yaml": _deep_yaml,
    "alias_bomb": _alias_bomb,
}
