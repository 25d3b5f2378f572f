"""``gardner models``: priors and channels by name; and the options by which other commands take
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.markup import escape
from rich.table import Table

from gardner.cli.console import JSON, output, to_json

if TYPE_CHECKING:
    from gardner.model import GLM

_YOUR_OWN = "Your own: FILE.py:CLASS or MODULE:CLASS; naming it runs it."
_SPECTRUM = "spectrum:FILE has one variance a weight: eigenvalues, or a table whose covariance is taken."
PRIOR = typer.Option(
    "gaussian",
    "--prior",
    metavar="NAME[:X]",
    help=f"Prior of the weights; `gardner models` lists them. {_SPECTRUM} {_YOUR_OWN}",
)
CHANNEL = typer.Option(
    "sign", "--channel", metavar="NAME[:X]", help=f"How labels arise, such as sign or flip:0.05. {_YOUR_OWN}"
)
TEACHER_PRIOR = typer.Option(None, "--teacher-prior", metavar="NAME[:X]", help="The teacher's prior, if another.")
TEACHER_CHANNEL = typer.Option(None, "--teacher-channel", metavar="NAME[:X]", help="The teacher's channel, if another.")


def command(json: bool = JSON) -> None:
    """List the priors of weights and the channels of labels that other commands accept.

    A parameter follows a colon. Your own are named FILE.py:CLASS (an example is
    docs/examples/my_model.py). Naming a file or a module runs it, so name only what you trust.
    Models in stored results are looked up here and never run.

    Examples:

        gardner bounds --alpha 3 --budget 0.6 --channel flip:0.05

        gardner bounds --alpha 3 --budget 0.6 --prior rademacher

        gardner bounds --alpha 3 --budget 0.6 --channel probit:0.1 --teacher-channel sign

        gardner learning-curve agnostic random --alpha 3 --budget 0.6 --prior spectrum:2,1,0.5
    """
    from gardner.model.registry import CHANNELS, LISTED, PRIORS, summaries

    found = {"priors": summaries(PRIORS | LISTED), "channels": summaries(CHANNELS)}
    if json:
        typer.echo(
            to_json(
                {kind: [{"name": name, "what": what} for name, what in lines.items()] for kind, lines in found.items()}
            )
        )
        return
    for kind, lines in found.items():
        table = Table(title=kind, title_justify="left", show_header=False)
        for name, what in lines.items():
            table.add_row(escape(name), escape(what))
        output().print(table)


def read_models(prior: str, channel: str, teacher_prior: str | None, teacher_channel: str | None) -> tuple[GLM, GLM]:
    """Student and teacher; the teacher is the student where nothing else is said."""
    from gardner.experiment.question.spectrum_file import with_numbers
    from gardner.model import GLM
    from gardner.model.external import load_channel, load_prior

    student = GLM(load_prior(with_numbers(prior)), load_channel(channel))
    return student, GLM(
        load_prior(with_numbers(teacher_prior)) if teacher_prior else student.prior,
        load_channel(teacher_channel) if teacher_channel else student.channel,
    )


def describe_model(model: GLM) -> dict[str, str]:
    """A model in JSON, in the words of the options."""
    from gardner.model import describe

    return {"prior": describe(model.prior), "channel": describe(model.channel)}


def model_title(student: GLM, teacher: GLM) -> str:
    """A model in a title; empty for the perceptron, which goes without saying."""
    from gardner.model.registry import describe_briefly

    if student.standard and teacher.standard:
        return ""
    name = f"{describe_briefly(student.prior)} / {describe_briefly(student.channel)}"
    if teacher != student:
        name += f", teacher {describe_briefly(teacher.prior)} / {describe_briefly(teacher.channel)}"
    return f", {name}"
