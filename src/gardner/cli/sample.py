"""``gardner sample``: the ensemble of subsets at finite size, by Markov chains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from gardner.cli.console import JSON, output, progress_bar, to_json
from gardner.cli.interrupt import hint_on_interrupt
from gardner.cli.options import read_given, with_fields
from gardner.experiment.ensemble.question import FIELDS, POOLS, ROUNDS
from gardner.experiment.question.fields import called
from gardner.numbers import fixed, general

if TYPE_CHECKING:
    from gardner.experiment.ensemble.answer import Ensemble

# Lines of the table: every tenth point of the curve, both ends and beta = 0 among them.
_EVERY = 10


@with_fields(FIELDS)
def command(
    out: Path = typer.Option(..., "--out", "-o", metavar="FOLDER", help="Where chains are kept; goes on from there."),
    pools: int = typer.Option(POOLS, "--pools", metavar="K", help="Pools with chains of their own. Two give errors."),
    rounds: int = typer.Option(ROUNDS, "--rounds", metavar="K", help="Rounds of every chain; more later goes on."),
    threads: int | None = typer.Option(None, "--threads", metavar="K", help="Pools at a time; all cores by default."),
    json: bool = JSON,
    **fields: Any,
) -> None:
    """Sample subsets of finite pools, from the smallest volume to the largest, and count them.

    Drawing subsets at random never meets the best or the worst. Here Markov chains walk from subset
    to subset by exchanging a row, and prefer small volumes (beta < 0) or large ones (beta > 0): a
    subset has weight exp(beta N ln v). Chains at many beta exchange their subsets (parallel
    tempering). Together they say how many subsets have which ln v: e^(N*complexity) of them. It is
    what `gardner curve` gives for N without end.

    Volumes are AMP's. EP is asked as well on some subsets ("witnesses" in JSON). Errors are
    standard errors over pools.

    If a line on stderr says that chains did not mix, ask for more --rounds: what is in the folder
    is kept, and a run that was stopped goes on to the same bytes.

    Examples:

        gardner sample --alpha 3 --budget 0.6 --features 20 --pools 8 --out small/

        gardner sample --alpha 3 --budget 0.6 --features 100 --out ensemble/

        gardner sample --alpha 3 --budget 0.6 --features 100 --rounds 4000 --out ensemble/ --json
    """
    given = read_given(FIELDS, fields, "gardner sample")
    with hint_on_interrupt(lambda: f"rounds that are done are in {out}; the same command goes on from there"):
        from gardner.experiment.ensemble.sampling import sample_ensemble

        with called({one.given_as: one.option for one in FIELDS}), progress_bar("sample") as progress:
            answer = sample_ensemble(**given, out=out, pools=pools, rounds=rounds, threads=threads, progress=progress)
    for line in answer.warnings:
        typer.echo(f"warning: {line}", err=True)
    if json:
        typer.echo(to_json(answer.to_json()))
    else:
        _print(answer)


def _print(answer: Ensemble) -> None:
    asked = answer.question
    place = f"alpha = {asked.pool_ratio:g}, budget = {asked.budget:g}, {asked.features} weights"
    table = Table(title=f"{place}, {len(answer.mixing)} pools, {answer.rounds} rounds", title_justify="left")
    for name in ("beta", "ln v", "standard error", "complexity", "standard error"):
        table.add_column(name, justify="right")
    names = ("log_volume", "log_volume_stderr", "complexity", "complexity_stderr")
    for point in answer.curve.iloc[::_EVERY].to_dict("records"):
        table.add_row(general(point["beta"], 4), *(fixed(point[name], 4) for name in names))
    console = output()
    console.print(table)
    rates, times, samples = (
        [value for one in answer.mixing for value in getattr(one, name).tolist()]
        for name in ("exchange", "time", "effective")
    )
    trips = [min(one.returns) for one in answer.mixing]
    console.print(
        f"mean ln v from {answer.range[0]:.4f} to {answer.range[1]:.4f}; exchange rates {min(rates):.2f} to "
        f"{max(rates):.2f}, autocorrelation times up to {max(times):.1f} rounds, at least {min(samples):.0f} effective "
        f"samples and {min(trips)} round trips",
        highlight=False,
    )
    apart = [abs(one.ep - one.amp) for one in answer.witnesses if one.converged]
    if apart:
        console.print(f"EP and AMP differ by at most {max(apart):.4f} in ln v on {len(apart)} subsets", highlight=False)
