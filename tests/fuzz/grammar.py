"""Cases drawn at random: command lines of every command, valid, nearly valid and absurd.

Most are cheap, because bad input is refused before the work. ``quick`` leaves out what solves a
theory problem, starts a cluster of workers or needs a process of its own: seconds each.
"""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.fuzz import ingredients as some
from tests.fuzz.case import Case, Recipe

Argv = list[str]
Drawn = tuple[Argv, dict[str, Recipe]]
_INTERRUPT = 5.0  # seconds after which a command that takes minutes is stopped by Ctrl-C
_TURN = 10  # cases drawn at once: of more Hypothesis would draw most as variations of one another


def drawn(count: int, number: int, *, quick: bool) -> list[Case]:
    """So many different cases of a seed; the same ones each time."""
    found: dict[str, Case] = {}

    def collect(case: Case) -> None:
        if len(found) < count:
            found.setdefault(str(case), case)

    run = settings(
        max_examples=_TURN,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )(given(cases(quick=quick))(collect))
    for turn in itertools.count():
        if len(found) == count:
            break
        seed(f"{number} {turn}")(run)()
    return [Case(**{**vars(case), "name": f"seed-{number}-{index}"}) for index, case in enumerate(found.values())]


@st.composite
def cases(draw: st.DrawFn, *, quick: bool) -> Case:
    """Any command, perhaps with something added or left out, perhaps as a process."""
    make = draw(st.sampled_from(QUICK if quick else ALL))
    argv, files = draw(make())
    argv = draw(_edited(argv))
    if argv[:1] == ["reproduce"]:  # all results of the paper take minutes, and are meant to
        return Case("", argv, files, process=True, interrupt=_INTERRUPT)
    if not quick and draw(some.one_in(25)):
        around = draw(st.sampled_from(some.SURROUNDINGS))
        return Case("", argv, files, process=True, **around)
    return Case("", argv, files)


@st.composite
def _edited(draw: st.DrawFn, argv: Argv) -> Argv:
    """Mostly as it is; now and then a word is lost, doubled, changed or added."""
    if not draw(some.one_in(5)):
        return argv
    argv = list(argv)
    place = draw(st.integers(0, len(argv)))
    edit = draw(st.sampled_from(("lose", "double", "change", "add", "option")))
    if edit == "add":
        argv.insert(place, draw(some.words()))
    elif edit == "option":
        argv.insert(place, draw(st.sampled_from(("--nonsense", "-z", "--", "--help", "--json", "-"))))
    elif place < len(argv) and place > 0:  # the command itself stays
        word = draw(some.words()) if edit == "change" else argv[place]
        argv[place : place + 1] = {"lose": [], "double": [word, word]}.get(edit, [word])
    return argv


@st.composite
def _options(draw: st.DrawFn, known: dict[str, st.SearchStrategy[str]], least: Argv) -> Argv:
    """Options with values; those in ``least`` are nearly always there."""
    argv: Argv = []
    for option, values in known.items():
        there = not draw(some.one_in(40)) if option in least else draw(some.one_in(4))
        if there:
            argv += [option, draw(values)]
    return argv


def _json(argv: Argv, wanted: bool) -> Argv:
    return [*argv, "--json"] if wanted else argv


@st.composite
def theory(draw: st.DrawFn, *, real: bool) -> Drawn:
    """bounds, budget and curve. If not ``real``, something in it is surely refused."""
    command = draw(st.sampled_from(("bounds", "budget", "curve")))
    number = some.numbers() if real else some.no_numbers()
    known = {
        "-a": some.mostly(some.good_alphas(), number),
        **some.GOALS[command](number),
    }
    if command != "budget":
        models = {"--prior": some.priors(real), "--channel": some.channels(real)}
        known |= models if real else {}
        if draw(some.one_in(3)):
            known |= {"--teacher-prior": some.priors(real), "--teacher-channel": some.channels(real)}
    argv = [command, *draw(_options(known, ["-a", "-n"]))]
    if not real:
        argv += draw(some.refusals(command))
    return _json(argv, draw(st.booleans())), {}


@st.composite
def learning(draw: st.DrawFn, *, real: bool) -> Drawn:
    """learning-curve. If not ``real``, something in it is surely refused."""
    names = st.lists(some.mostly(some.rules(), some.words()), min_size=1, max_size=2)
    number = some.numbers() if real else some.no_numbers()
    known: dict[str, Any] = {
        "-a": some.mostly(some.good_alphas(), number),
        "-n": some.mostly(st.sampled_from(("0.6", "0.3", "0.9")), number),
        "-k": some.mostly(st.sampled_from(("0.1", "0.3", "0.15")), number),
        "-p": some.mostly(some.rule_parameters(), some.words()),
        "--prior": some.priors(real),
        "--channel": some.channels(real),
    }
    if draw(some.one_in(6)):
        known |= {"--teacher-prior": some.priors(real), "--teacher-channel": some.channels(real)}
    argv = ["learning-curve", *draw(names), *draw(_options(known, ["-a", "-n", "-k"]))]
    if not real:
        argv += draw(some.refusals("learning-curve"))
    return _json(argv, draw(st.booleans())), {}


@st.composite
def volume(draw: st.DrawFn, *, real: bool = False) -> Drawn:
    """Labelled rows in files of every kind."""
    rows, files = draw(some.matrices("rows"))
    labels, more = draw(some.matrices("labels"))
    methods = ("amp", "ep", "mc") if real else ("amp", "ep", "ep")
    known = {
        "-m": some.mostly(st.sampled_from(methods), some.words()),
        "--channel": some.mostly(st.sampled_from(("sign", "probit:0.3", "flip:0.1")), some.models()),
        "--prior": some.mostly(st.sampled_from(("gaussian", "gaussian:2")), some.models()),
        "--seed": some.integers(),
        "--stderr": some.mostly(st.just("0.05"), some.numbers()),
    }
    if not real:
        known = {"-m": known["-m"]}
    argv = ["volume", "-r", rows, "-l", labels, *draw(_options(known, []))]
    argv += ["--scale"] if draw(some.one_in(5)) else []
    return _json(argv, draw(st.booleans())), {**files, **more}


@st.composite
def query(draw: st.DrawFn) -> Drawn:
    """Tables with labels in some rows."""
    name, recipe = draw(some.tables())
    known = {
        "-y": some.mostly(st.sampled_from(("y", "labels")), some.words()),
        "-k": some.mostly(st.sampled_from(("1", "3")), some.integers()),
        "--ignore": some.mostly(st.just("id"), some.words()),
        "--id": some.mostly(st.just("id"), some.words()),
        "--channel": some.mostly(st.sampled_from(("probit:1", "flip:0.05")), some.models()),
    }
    argv = ["query", name, *draw(_options(known, ["-y"]))]
    return _json(argv, draw(st.booleans())), {name: recipe}


@st.composite
def forecast(draw: st.DrawFn) -> Drawn:
    """The same tables, with labels or without."""
    name, recipe = draw(some.tables())
    known = {
        "-y": some.mostly(st.sampled_from(("y", "labels")), some.words()),
        "-q": some.mostly(st.sampled_from(("0.8", "0.95")), some.numbers()),
        "-k": some.mostly(st.sampled_from(("1", "10")), some.integers()),
        "-n": some.mostly(st.sampled_from(("5", "40")), some.integers()),
        "--scaling": some.mostly(st.sampled_from(("standardised", "common")), some.words()),
        "--ignore": some.mostly(st.just("id"), some.words()),
        "--id": some.mostly(st.just("id"), some.words()),
    }
    argv = ["forecast", name, "--no-best", *draw(_options(known, []))]
    return _json(argv, draw(st.booleans())), {name: recipe}


@st.composite
def bench(draw: st.DrawFn, *, real: bool) -> Drawn:
    """Sweeps; if not ``real``, something in it is surely refused, so that no worker starts."""
    names = st.lists(some.mostly(some.strategies(), some.words()), min_size=1, max_size=3)
    known: dict[str, Any] = {
        "-N": some.mostly(st.sampled_from(("10", "20")), some.integers()),
        "-a": some.mostly(some.good_alphas(), some.numbers()),
        "-n": some.mostly(st.sampled_from(("0.2", "0.5")), some.numbers()),
        "-k": some.mostly(st.sampled_from(("1", "4")), some.integers()),
        "-s": some.mostly(st.just("1"), some.counts()),
        "-o": some.mostly(st.just("out"), some.paths()),
        "-p": some.parameters(),
        "--prior": some.models(),
        "--channel": some.models(),
        "--test-rows": some.counts(),
        "--variances": some.mostly(st.sampled_from(("vector", "scalar")), some.words()),
        "--dtype": some.mostly(st.sampled_from(("float32", "float64")), some.words()),
        "--time-limit": some.mostly(st.just("20"), some.numbers()),
        "--scheduler": some.addresses(),
    }
    argv = ["bench", *draw(names), *draw(_options(known, ["-N", "-a", "-n", "-k", "-s"]))]
    return [*argv, *(["-w", "1"] if real else draw(some.refusals("bench")))], {}


@st.composite
def spec(draw: st.DrawFn) -> Drawn:
    """Spec files that are refused: some key is wrong, or the file is no YAML at all."""
    recipe = draw(some.bad_specs())
    return ["bench", "spec.yaml", *(["--json"] if draw(some.one_in(3)) else [])], {"spec.yaml": recipe}


@st.composite
def results(draw: st.DrawFn, *, real: bool) -> Drawn:
    """Folders of results, tampered with or damaged."""
    files = draw(some.stores(run=real))
    command = draw(st.sampled_from(("results", "results", "report") if real else ("results",)))
    known = {"--at": some.mostly(st.sampled_from(("0.3", "0.1:0.3:0.1")), some.numbers())}
    argv = [command, "store", *draw(_options(known, []))]
    if command == "report":
        out, more = draw(some.targets())
        argv += ["-o", out, *draw(_options({"--figures": some.formats()}, []))]
        return argv, {**files, **more}
    return _json(argv, draw(st.booleans())), files


@st.composite
def report(draw: st.DrawFn) -> Drawn:
    """Pages of folders without a run, to targets of every kind."""
    files = draw(some.stores(run=False))
    out, more = draw(some.targets())
    return ["report", "store", "-o", out], {**files, **more}


@st.composite
def written(draw: st.DrawFn) -> Drawn:
    """A curve written to targets of every kind."""
    out, files = draw(some.targets((".csv", ".json", ".svg", ".parquet", ".png", ".html")))
    learning = ["learning-curve", "random", "-a", "3", "-n", "0.6", "-k", "0.3", "-o", out]
    return draw(
        st.sampled_from((["curve", "-a", "3", "-n", "0.6", "--log-volume", "-0.9", "-o", out], learning))
    ), files


@st.composite
def listings(draw: st.DrawFn) -> Drawn:
    """Commands that only tell, and options that are refused."""
    fixed = ["models", "strategies", "reproduce --list", "reproduce --help", "--version", "--help"]
    fixed += ["reproduce nobody", "reproduce --figures gif complexity", "reproduce --quick --full"]
    fixed += ["reproduce complexity --workers x", "reproduce complexity --time-limit x"]
    return _json(draw(st.sampled_from(fixed)).split(), draw(some.one_in(3))), {}


def _refused() -> st.SearchStrategy[Drawn]:
    return theory(real=False)


def _no_learning() -> st.SearchStrategy[Drawn]:
    return learning(real=False)


def _learned() -> st.SearchStrategy[Drawn]:
    return learning(real=True)


def _no_sweep() -> st.SearchStrategy[Drawn]:
    return bench(real=False)


def _failures() -> st.SearchStrategy[Drawn]:
    return results(real=False)


def _solved() -> st.SearchStrategy[Drawn]:
    return theory(real=True)


def _measured() -> st.SearchStrategy[Drawn]:
    return volume(real=True)


def _runs() -> st.SearchStrategy[Drawn]:
    return results(real=True)


def _sweep() -> st.SearchStrategy[Drawn]:
    return bench(real=True)


QUICK = [_refused] * 4 + [_no_learning] * 2 + [volume] * 5 + [query] * 5 + [forecast] * 3 + [_no_sweep] * 3 + [spec] * 3
QUICK += [_failures] * 4 + [listings]
ALL = (
    QUICK * 8
    + [report] * 6
    + [_measured] * 12
    + [_solved] * 8
    + [_learned] * 6
    + [written] * 3
    + [_runs] * 6
    + [_sweep]
)
