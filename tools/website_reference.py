"""The pages of the site that nobody writes: the command line by its ``--help``, the library by its
docstrings.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

# Characters in a line of a help text.
COLUMNS = 92


@dataclass(frozen=True)
class Part:
    """A page of the reference of the library."""

    page: str
    title: str
    text: str
    modules: tuple[str, ...]  # whose public names stand on it
    front: bool = True  # whether they are imported from ``gardner``


PARTS = (
    Part("theory", "Theory", "What is possible: bounds, curves, budgets.", ("gardner.theory",)),
    Part("models", "Models", "Priors of weights, channels of labels, and pools drawn from both.",
         ("gardner.model", "gardner.model.numeric")),
    Part("inference", "Inference", "What labels tell about the weights.", ("gardner.inference",)),
    Part("strategies", "Strategies", "Which rows to label next, and the contract of a strategy.",
         ("gardner.strategies",)),
    Part("runs", "Runs", "Strategies on the same pools, and what they reached.", ("gardner.experiment",)),
    Part("ensemble", "The ensemble at finite size", "Subsets of finite pools, counted by their volume.",
         ("gardner.experiment.ensemble.sampling", "gardner.experiment.ensemble.answer")),
    Part("tables", "Real tables", "Rows to label next, predictions, and how much active learning would help.",
         ("gardner.table.propose", "gardner.table.model", "gardner.table.classes.model", "gardner.table.forecast")),
    Part("sklearn", "Estimators", "The model of ``gardner query`` for scikit-learn.", ("gardner.sklearn",), False),
    Part("device", "Runs on a GPU", "Whole runs where the rows live.", ("gardner.experiment.device",), False),
    Part("device-inference", "Inference on a GPU", "Many subsets at once, and tables.",
         ("gardner.inference.device",), False),
    Part("figures", "Figures", "Frames to charts, and charts to files.", ("gardner.report.figures",), False),
    Part("errors", "Errors", "The one family of errors.", ("gardner.errors",)),
)  # fmt: skip


def write(target: Path) -> None:
    """Write all of them into a folder."""
    (target / "command-line.md").write_text(command_line(), "utf-8")
    (target / "api").mkdir(exist_ok=True)
    for part in PARTS:
        (target / "api" / f"{part.page}.rst").write_text(library(part), "utf-8")
    (target / "api" / "index.md").write_text(contents(), "utf-8")


def command_line() -> str:
    """Every command with the help that it prints."""
    whole = said("--help")
    _, _, below = whole.partition("─ Commands ─")
    names = re.findall(r"^│ ([a-z][a-z-]*) ", below, re.MULTILINE)
    if not names:
        raise ValueError("the help of gardner names no command")
    lines = ["# Command line", "", "What `gardner --help` and `gardner COMMAND --help` print.", ""]
    lines += ["```text", whole, "```", ""]
    for name in names:
        lines += [f"## gardner {name}", "", "```text", said(name, "--help"), "```", ""]
    return "\n".join(lines)


def said(*arguments: str) -> str:
    """What the command line prints, without colours."""
    env = os.environ | {"COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-c", "from gardner.cli import main; main()", *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=120)  # noqa: S603 - our own
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


def names_of(part: Part) -> list[str]:
    """The public names of a page, functions first."""
    if not part.front:
        return sorted(name for module in part.modules for name in import_module(module).__all__)
    front = import_module("gardner")
    known: dict[str, tuple[str, ...]] = vars(front)["_HOMES"]
    names = [name for module in part.modules for name in known[module]]
    return sorted(names, key=lambda name: (inspect.isclass(getattr(front, name)), name))


def library(part: Part) -> str:
    """A page of the reference, for Sphinx's autodoc."""
    home = "gardner" if part.front else part.modules[0]
    lines = [part.title, "=" * len(part.title), "", part.text, "", f".. currentmodule:: {home}", ""]
    for name in names_of(part):
        lines += [name, "-" * len(name), ""]
        value = getattr(import_module(home), name)
        if inspect.isclass(value):
            lines += [f".. autoclass:: {name}", "   :members:", "   :undoc-members:", "   :show-inheritance:", ""]
        elif callable(value):
            lines += [f".. autofunction:: {name}", ""]
        else:
            lines += [f".. autodata:: {name}", ""]
    return "\n".join(lines)


def contents() -> str:
    """The first page of the reference of the library."""
    lines = ["# Library", "", "Every public name, with its types, from the docstrings. Names are imported from"]
    lines += ["`gardner` where nothing else is said, and each function has an example that the tests run.", ""]
    lines += [":::{toctree}", ":maxdepth: 1", "", *(part.page for part in PARTS), ":::", ""]
    return "\n".join(lines)
