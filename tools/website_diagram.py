"""Draw a flow chart from its Mermaid text: boxes in columns, left to right, and curves between
them.

Only what ``docs/architecture.md`` uses is read: ``a["text<br>text"] --> b``. An arrow for both
directions is drawn with two heads. Longer arrows pass between the boxes of the columns on their
way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

# Sizes of a box and the gaps between boxes, in pixels of the picture.
WIDTH, HEIGHT, ACROSS, DOWN = 150, 46, 56, 18
# Height that is kept for an arrow that passes a column, in pixels.
PASSING = 14
# How often the boxes of every column are put in the order of their neighbours.
SWEEPS = 12
_NODE = r'(\w+)(?:\["(.*?)"\])?'
_EDGE = re.compile(rf"^\s*{_NODE}\s*(<?-->)\s*{_NODE}\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Arrow:
    """From one box to another, over the places that it passes on its way."""

    path: tuple[str, ...]
    both: bool


def draw(text: str) -> tuple[dict[str, list[str]], str]:
    """Which box leads to which, and the picture as SVG."""
    names: dict[str, str] = {}
    edges: list[tuple[str, str, bool]] = []
    for one, said, kind, two, also in _EDGE.findall(text):
        names[one], names[two] = said or names.get(one, one), also or names.get(two, two)
        edges.append((one, two, kind.startswith("<")))
    if not edges:
        raise ValueError("no arrow was found in the flow chart")
    leads: dict[str, list[str]] = {}
    for one, two, _ in edges:
        leads.setdefault(one, []).append(two)
    columns, arrows = _placed(list(names), edges)
    return leads, _picture(names, columns, arrows)


def _placed(boxes: list[str], edges: list[tuple[str, str, bool]]) -> tuple[list[list[str]], list[Arrow]]:
    """Columns, each with its boxes and what passes between them from top to bottom."""
    depth = dict.fromkeys(boxes, 0)
    for _ in boxes:
        for one, two, _both in edges:
            depth[two] = max(depth[two], depth[one] + 1)
    if max(depth.values()) >= len(boxes):
        raise ValueError("the flow chart goes round in a circle")
    columns: list[list[str]] = [
        [box for box in boxes if depth[box] == level] for level in range(max(depth.values()) + 1)
    ]
    arrows = []
    for one, two, both in edges:
        between = [f"{one}>{two}>{level}" for level in range(depth[one] + 1, depth[two])]
        for level, place in enumerate(between, depth[one] + 1):
            columns[level].append(place)
        arrows.append(Arrow((one, *between, two), both))
    near: dict[str, list[str]] = {}
    for arrow in arrows:
        for left, right in zip(arrow.path, arrow.path[1:], strict=False):
            near.setdefault(left, []).append(right)
            near.setdefault(right, []).append(left)
    for _ in range(SWEEPS):
        height = {place: (row + 0.5) / len(column) for column in columns for row, place in enumerate(column)}
        for column in columns:
            column.sort(key=lambda place: sum(height[other] for other in near[place]) / len(near[place]))
            height |= {place: (row + 0.5) / len(column) for row, place in enumerate(column)}
    return columns, arrows


def _picture(names: dict[str, str], columns: list[list[str]], arrows: list[Arrow]) -> str:
    sizes = [sum(HEIGHT if place in names else PASSING for place in column) + DOWN * len(column) for column in columns]
    tall, wide = max(sizes) + DOWN, len(columns) * (WIDTH + ACROSS) - ACROSS + 2 * DOWN
    spots: dict[str, tuple[float, float]] = {}
    for index, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        top = 0.5 * (tall - size + DOWN)
        for place in column:
            height = HEIGHT if place in names else PASSING
            spots[place] = (DOWN + index * (WIDTH + ACROSS), top + 0.5 * height)
            top += height + DOWN
    boxes = "\n".join(_box(names[place], *spots[place]) for place in names)
    lines = "\n".join(_line(arrow, spots) for arrow in arrows)
    head = '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {tall:g}" width="{wide:g}" height="{tall:g}" '
        'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="white"/>\n'
        f'<defs>{head} orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>\n'
        f"{lines}\n{boxes}\n</svg>\n"
    )


def _box(text: str, left: float, middle: float) -> str:
    lines = text.split("<br>")
    first = middle + 5 - 8.5 * (len(lines) - 1)
    words = "".join(
        f'<text x="{left + 0.5 * WIDTH:g}" y="{first + 17 * row:g}" text-anchor="middle" fill="#111"'
        f"{'' if row else ' font-weight=' + chr(34) + 'bold' + chr(34)}>{escape(line)}</text>"
        for row, line in enumerate(lines)
    )
    frame = f'<rect x="{left:g}" y="{middle - 0.5 * HEIGHT:g}" width="{WIDTH}" height="{HEIGHT}" rx="6"'
    return f'{frame} fill="#eef3fa" stroke="#456"/>{words}'


def _line(arrow: Arrow, spots: dict[str, tuple[float, float]]) -> str:
    x, y = spots[arrow.path[0]]
    x += WIDTH
    parts = [f"M{x:g} {y:g}"]
    for place in arrow.path[1:]:
        left, middle = spots[place]
        parts.append(f"C{x + 0.5 * ACROSS:g} {y:g} {left - 0.5 * ACROSS:g} {middle:g} {left:g} {middle:g}")
        x, y = left, middle
        if place != arrow.path[-1]:
            x += WIDTH
            parts.append(f"L{x:g} {y:g}")
    start = ' marker-start="url(#head)"' if arrow.both else ""
    return f'<path d="{" ".join(parts)}" fill="none" stroke="#555" stroke-width="1.3" marker-end="url(#head)"{start}/>'
