"""What the commands share: numbers and ranges read, JSON and tables written, progress shown."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal, DecimalException

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from gardner.errors import InvalidInputError

# Seconds before a progress bar appears; most answers come sooner (benchmarks/answers.py), and need
# none.
PATIENCE = 2.0
# Values in a range start:stop:step; a step that is too small by mistake is refused, not worked
# through.
LONGEST_RANGE = 10_000


def read_number(name: str, text: str) -> float:
    """A number, or an error that names the option."""
    try:
        return float(text)
    except ValueError:
        raise InvalidInputError(f"--{name}", text, "it must be a number") from None


def read_range(name: str, texts: list[str]) -> list[float]:
    """Numbers and ranges ``start:stop:step`` (stop included), in the order given."""
    return [number for text in texts for number in _expand(name, text)]


def _expand(name: str, text: str) -> list[float]:
    if ":" not in text:
        return [read_number(name, text)]
    try:
        start, stop, step = (Decimal(part) for part in text.split(":"))
        if not all(part.is_finite() for part in (start, stop, step)) or step <= 0 or stop < start:
            raise InvalidInputError(f"--{name}", text, "a range needs start <= stop and a positive step")
        if stop - start > LONGEST_RANGE * step:
            raise InvalidInputError(f"--{name}", text, f"a range may have at most {LONGEST_RANGE} values")
        count = int((stop - start) / step) + 1
        return [float(start + index * step) for index in range(count)]  # 0.3, not 0.30000000000000004
    except InvalidInputError:
        raise
    except (DecimalException, ValueError):  # no numbers, or beyond the exponents that decimals have
        raise InvalidInputError(f"--{name}", text, "a range is start:stop:step, such as 0.1:3:0.1") from None


def clean(value: object) -> object:
    """The value with every number JSON cannot hold (NaN, infinities) replaced by null."""
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def to_json(value: object) -> str:
    """Indented JSON without NaN."""
    return json.dumps(clean(value), indent=2, allow_nan=False)


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """A reader that has seen enough (``| head``) is no error; the command line's main says so."""
        raise BrokenPipeError


def output() -> Console:
    """A console for tables on stdout, wide enough when piped."""
    console = _Output()
    return console if console.is_terminal else _Output(width=160)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[float], None]]:
    """A callback for the fraction done; a bar appears on stderr once the work has taken two
    seconds.
    """
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task(title, total=1.0)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda fraction: bar.update(task, completed=fraction)
    finally:
        timer.cancel()
        bar.stop()


ALPHA = typer.Option(..., "--alpha", "-a", metavar="A", help="Pool ratio: rows of the pool per weight.")
JSON = typer.Option(False, "--json", help="Print JSON instead of a table.")
RSB = typer.Option(False, "--rsb", help="Add both ends with one step of replica symmetry breaking.")
