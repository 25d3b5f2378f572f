"""``gardner bench``: strategies on seeded pools, on all cores or on a Dask cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from gardner.cli.console import JSON
from gardner.cli.interrupt import hint_on_interrupt
from gardner.cli.options import read_given, with_fields
from gardner.cli.parameters import read_parameters
from gardner.cli.results import show
from gardner.errors import InvalidInputError
from gardner.experiment.question.fields import called
from gardner.experiment.question.task import FIELDS, MODELS, StrategySpec

if TYPE_CHECKING:
    from gardner.experiment import Outcome, Progress, Spec
    from gardner.experiment.results.meaning import NamedModels

# Seconds between lines of progress where there is no terminal; a log of a day has 2,880 of them.
_EVERY = 30.0


@with_fields(FIELDS)
def command(
    strategies: list[str] = typer.Argument(
        ...,
        metavar="STRATEGY…",
        help="Names (`gardner strategies`), dotted paths, FILE.py:CLASS; or one spec.yaml. "
        "Naming a file or a module runs it.",
    ),
    out: Path = typer.Option(Path("results"), "--out", "-o", metavar="FOLDER", help="Where results are kept."),
    param: list[str] = typer.Option(
        None, "--param", "-p", metavar="STRATEGY.KEY=VALUE", help="A parameter; repeatable."
    ),
    workers: int = typer.Option(None, "--workers", "-w", help="Processes on this machine; by default one a core."),
    scheduler: str = typer.Option(
        None, "--scheduler", metavar="ADDRESS", help="A Dask scheduler, tcp:// or tls://HOST:PORT."
    ),
    time_limit: float = typer.Option(
        3600.0, "--time-limit", metavar="S", help="Seconds of the processor a task may take."
    ),
    retry_failed: bool = typer.Option(False, "--retry-failed", help="Run again what is there as failed."),
    json: bool = JSON,
    **fields: Any,
) -> None:
    """Run strategies on the same seeded pools and print what they reached, next to the bounds.

    With --data the pool is a table of yours that has all its labels; every seed holds out other
    rows.

    Every finished run is kept at once: run the same command again to go on after a stop, and only
    what is missing is run. A run that fails is kept with its reason; the exit code is then 1.
    `gardner results` prints any budget.

    A spec file lists the same as YAML:

        strategies: [agnostic, {name: committee, parameters: {members: 15}}]
        features: 2000
        pool_ratio: [3, 10]
        budget: 2
        batch_size: 20
        seeds: 10

    Examples:

        gardner bench agnostic random --features 2000 --alpha 3 --budget 2 --batch 20 --seeds 10 --out results/

        gardner bench my_strategy.py:Mine agnostic -N 400 -a 3 -n 1 -k 10 -s 20 --param Mine.width=0.5

        gardner bench agnostic random -N 400 -a 3 -n 1 -k 4 -s 4 --channel flip:0.05

        gardner bench agnostic random -N 400 -a 3 -n 1 -k 4 -s 4 --prior my_model.py:Uniform

        gardner bench query margin.py:Margin random --data pool.parquet --label y --budget 100 --batch 10 --seeds 10

        gardner bench spec.yaml --scheduler tcp://head:8786
    """
    spec = _read(strategies, {name: value for name, value in fields.items() if value not in (None, [])}, param or [])
    options: dict[str, Any] = {
        "workers": workers,
        "scheduler": scheduler,
        "time_limit": time_limit,
        "retry_failed": retry_failed,
    }
    with hint_on_interrupt(lambda: f"{_kept(out)}; the same command goes on from there"):
        from gardner.experiment import run_tasks

        with _shown() as report:
            outcome = run_tasks(spec.tasks(), out, progress=report, **options)
        _finish(outcome, out, _named_models(spec), json=json)


def _kept(out: Path) -> str:
    """What a stopped command leaves. The folder is asked, for the command may not have got to look
    into it.

    Nothing is imported here: this may run while the main thread is in the middle of an import.
    """
    count = sum(1 for _ in (out / "parts").glob("[!.]*.parquet"))
    return f"{count} finished tasks are in {out}" if count else f"nothing is in {out} yet"


def _read(strategies: list[str], given: dict[str, Any], params: list[str]) -> Spec:
    from gardner.experiment.question.spec import Spec, read_spec

    if any(Path(name).suffix in {".yaml", ".yml"} for name in strategies):
        if len(strategies) > 1 or params or given:
            raise InvalidInputError("spec", strategies[0], "a spec file stands alone", hint="put the options into it")
        return read_spec(strategies[0])
    with called({one.given_as: one.option for one in FIELDS}):
        values = read_given(FIELDS, given, "gardner bench")
        named = [
            StrategySpec(name, parameters) for name, parameters in read_parameters(strategies, params, "strategies")
        ]
        return Spec(named, **values)


def _named_models(spec: Spec) -> NamedModels:
    """The models that this command names, for the bounds beside its results."""
    from gardner.model.external import external_name, load_channel, load_prior

    task, found = spec.tasks()[0], dict[tuple[str, str], Any]()
    for one in MODELS:
        text, shown = getattr(task, one.name), getattr(task.shown, one.name)
        if external_name(one.model, text):
            found[one.model, shown] = (load_prior if one.model == "prior" else load_channel)(text)
    return found


@contextmanager
def _shown() -> Iterator[Callable[[Progress], None]]:
    """Progress on stderr: a bar on a terminal, a line now and then elsewhere."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"), TimeRemainingColumn())
    last = time.monotonic()
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("bench", total=None, state="starting")

        def update(now: Progress) -> None:
            nonlocal last
            state = f"{now.done} of {now.total}, {now.rate:.2g} a second" + (
                f", {now.failed} failed" * (now.failed > 0)
            )
            bar.update(task, completed=now.done, total=now.total, state=state)
            if not console.is_terminal and time.monotonic() - last > _EVERY:
                last = time.monotonic()
                typer.echo(f"bench: {state}, {now.seconds_left:.0f} s left", err=True)

        yield update


def _finish(outcome: Outcome, out: Path, named: NamedModels, *, json: bool) -> None:
    from gardner.experiment.stored.reading import read_results

    frame = read_results(out, outcome.keys)
    current = dict(zip(frame["strategy"], frame["code"], strict=True))
    spent = frame["run_budget"].where(frame["data"] == "", (frame["run_budget"] * frame["features"]).round())
    show(frame, sorted(set(spent)), json=json, current=current, named=named)
    there = len(outcome.keys) - outcome.ran
    typer.echo(f"{len(outcome.keys)} tasks in {out}: {outcome.ran} run now, {there} were there", err=True)
    if outcome.failed:
        typer.echo(f"{outcome.failed} failed, with reasons above; --retry-failed runs them again", err=True)
        raise typer.Exit(1)
