"""``gardner learning-curve``: what a rule reaches, round by round, computed and not simulated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from gardner.cli.console import ALPHA, JSON, output, progress_bar, read_number, to_json
from gardner.cli.models import CHANNEL, PRIOR, TEACHER_CHANNEL, TEACHER_PRIOR, model_title, read_models
from gardner.cli.out import OUT, check_ending, check_place, is_figure, write
from gardner.cli.parameters import read_parameters
from gardner.errors import InvalidInputError
from gardner.numbers import general, known_digits, significant

if TYPE_CHECKING:
    import pandas as pd

    from gardner.model import GLM
    from gardner.rules import Rule
    from gardner.theory import LearningCurve

# Points of a curve in a table, which fits a screen.
_SHOWN = 10
# Budgets at which a figure has the bounds; each takes a second of one core, and the lines are
# smooth.
_BOUNDS = 10


def command(
    rules: list[str] = typer.Argument(
        ...,
        metavar="RULE…",
        help="agnostic, posterior-committee, random, partly-random, target-margin, pruning; FILE.py:CLASS or "
        "FILE.py:FUNCTION. Naming a file or a module runs it.",
    ),
    alpha: str = ALPHA,
    budget: str = typer.Option(..., "--budget", "-n", metavar="N", help="Labels per weight to spend."),
    batch_ratio: str = typer.Option(
        "0.01", "--batch-ratio", "-k", metavar="K", help="Labels per weight in a round; 0 is the limit of small rounds."
    ),
    param: list[str] = typer.Option(None, "--param", "-p", metavar="RULE.KEY=VALUE", help="A parameter; repeatable."),
    prior: str = PRIOR,
    channel: str = CHANNEL,
    teacher_prior: str = TEACHER_PRIOR,
    teacher_channel: str = TEACHER_CHANNEL,
    json: bool = JSON,
    out: Path | None = OUT,
) -> None:
    """The exact learning curve of a rule for many weights: no pool is drawn, nothing is simulated.

    A rule chooses rows by the mean and the variance that the student predicts for their fields.
    `gardner bench` runs the same rules, by the same names, on pools of finite size.

    "bits/label" is by how much a label of that round shrank the volume; "asked bits" is the mean
    entropy of those labels, which is the same for small rounds. A figure has the bounds behind it.

    Your own rule is a function of (mean, variance), larger is sooner, or a class that derives from
    gardner.rules.Rule.

    Examples:

        gardner learning-curve agnostic random --alpha 3 --budget 2

        gardner learning-curve posterior-committee --param posterior-committee.members=15 -a 3 -n 2 --json

        gardner learning-curve agnostic random --alpha 3 --budget 2 --batch-ratio 0.25 --out curves.svg

        gardner learning-curve agnostic --alpha 3 --budget 2 --channel flip:0.05
    """
    ratio, labels, step = (
        read_number(name, text) for name, text in (("alpha", alpha), ("budget", budget), ("batch-ratio", batch_ratio))
    )
    check_ending(out)
    for name in rules:
        if rules.count(name) > 1:
            raise InvalidInputError("rule", name, "it is there twice")
    from gardner.rules import load_rule

    models = read_models(prior, channel, teacher_prior, teacher_channel)
    made = {name: load_rule(name, given) for name, given in read_parameters(rules, param or [], "rules")}
    check_place(out)
    figure = is_figure(out)
    with progress_bar("learning-curve") as progress:
        curves = _solve(made, models, (ratio, labels, step), lambda done: progress(done * (0.5 if figure else 1.0)))
        bounds = _bounds(curves, models, lambda done: progress(0.5 + 0.5 * done)) if figure else None
    if out is not None:
        write(out, lambda: _record(curves), lambda: _frame(curves), lambda path: _draw(curves, bounds, models, path))
    if json:
        typer.echo(to_json(_record(curves)))
    elif out is None:
        _print(curves, model_title(*models))


def _solve(
    rules: dict[str, Rule],
    models: tuple[GLM, GLM],
    question: tuple[float, float, float],
    progress: Callable[[float], None],
) -> dict[str, LearningCurve]:
    from gardner.theory import learning_curve

    (model, teacher), (ratio, labels, step) = models, question
    curves: dict[str, LearningCurve] = {}
    for index, (name, rule) in enumerate(rules.items()):

        def report(done: float, index: int = index) -> None:
            progress((index + done) / len(rules))

        curves[name] = learning_curve(
            rule,
            model,
            pool_ratio=ratio,
            budget=labels,
            batch_ratio=step,
            teacher=teacher,
            progress=report,
        )
    return curves


def _bounds(
    curves: dict[str, LearningCurve], models: tuple[GLM, GLM], progress: Callable[[float], None]
) -> pd.DataFrame:
    """The bounds behind a figure, at a few budgets."""
    import numpy as np
    import pandas as pd

    from gardner.theory import bounds_sweep

    one = next(iter(curves.values()))
    budgets = [float(n) for n in np.linspace(one.budget / _BOUNDS, one.budget, _BOUNDS)]
    results = bounds_sweep(
        models[0], pool_ratio=one.pool_ratio, budgets=budgets, teacher=models[1], progress=progress, workers=None
    )
    frame = pd.concat([result.to_frame() for result in results], ignore_index=True)
    return frame[["bound", "budget", "log_volume", "accuracy", "stability"]]


def _frame(curves: dict[str, LearningCurve]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([curve.to_frame().assign(rule=name) for name, curve in curves.items()], ignore_index=True)


def _record(curves: dict[str, LearningCurve]) -> dict[str, object]:
    return {"curves": [{**curve.to_json(), "rule": name} for name, curve in curves.items()]}


def _draw(curves: dict[str, LearningCurve], bounds: pd.DataFrame | None, models: tuple[GLM, GLM], path: Path) -> None:
    from gardner.report.figures import learning_chart, save

    assert bounds is not None  # noqa: S101 (they are there for every figure)
    title = f"Learning curves, {_place(curves)}{model_title(*models)}"
    save(learning_chart(_frame(curves), bounds, title), path, title)


def _place(curves: dict[str, LearningCurve]) -> str:
    one = next(iter(curves.values()))
    rounds = f"rounds of {one.batch_ratio:g}" if one.batch_ratio else "small rounds"
    return f"alpha = {one.pool_ratio:g}, {rounds}"


def _print(curves: dict[str, LearningCurve], model: str) -> None:
    table = Table(title=f"{_place(curves)}{model}", title_justify="left")
    columns = ("rule", "budget", "ln v", "bits/label", "asked bits", "overlap", "accuracy", "threshold", "status")
    for column in columns:
        table.add_column(column, justify="left" if column in {"rule", "status"} else "right")
    for name, curve in curves.items():
        count = len(curve.points)
        shown = sorted({round((index + 1) * count / min(_SHOWN, count)) - 1 for index in range(min(_SHOWN, count))})
        for point in (curve.points[index] for index in shown):
            error = point.discretisation_error
            cells = [general(point.budget), known_digits(point.log_volume, error), general(point.bits_per_label, 4)]
            cells += [
                general(point.asked_bits, 4),
                known_digits(point.overlap, error),
                known_digits(point.accuracy, error),
            ]
            table.add_row(Text(name), *cells, significant(point.threshold, 1e-3, 4), point.status.value)
    console = output()
    console.print(table)
    worst = (max(getattr(curve, name) for curve in curves.values()) for name in ("residual", "discretisation_error"))
    console.print("worst residual {:.1e}, worst discretisation error {:.1e}".format(*worst), highlight=False)
