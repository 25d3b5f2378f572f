"""Anyone's strategy: every kind goes through the loop; everything wrong says what, where and what to try."""

from __future__ import annotations

import importlib.util
import inspect
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment import Run, run
from gardner.inference import Posterior
from gardner.loading import LoadError, source_of
from gardner.model import PERCEPTRON, Instance, draw_instance
from gardner.strategies import Choice, Strategy, StrategyError, View
from gardner.strategies.external import make_strategy

PROBLEM = draw_instance(30, 3.0, seed=0)
EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "my_strategy.py"
EXTRA = importlib.util.find_spec("skactiveml") is not None
needs_extra = pytest.mark.skipif(not EXTRA, reason="needs scikit-activeml: pip install 'gardner[scikit-activeml]'")

MINE = """
from __future__ import annotations
import random
from dataclasses import dataclass
import numpy as np
from gardner.strategies import Choice, View, choose
from helper import closest

@dataclass
class Mine:
    sign: float = -1.0
    informed = False
    def query(self, view):
        return choose(view, self.sign * np.abs(view.fields[0][view.unlabelled]))

class Cheat:
    informed = True
    def query(self, view):
        return choose(view, view.hidden_labels[view.unlabelled])

class Counting:
    informed = False
    asked = 0
    def query(self, view):
        self.asked += 1
        return Choice(view.unlabelled[: view.batch_size])

counting = Counting()

class Duck:  # scikit-activeml's contract without scikit-activeml
    def query(self, X, y, candidates=None, batch_size=1):
        assert set(np.unique(y[~np.isnan(y)])) <= {-1.0, 1.0}
        return np.flatnonzero(np.isnan(y))[np.argsort(X[np.isnan(y)][:, 0])[:batch_size]]

class Callable:
    def __init__(self, power=1.0):
        self.power = power
    def __call__(self, classifier, X_pool, n_instances=1):
        return closest(classifier, X_pool, n_instances, self.power)

def factory(sign=-1.0):
    return Mine(sign)

def function_factory(power=1.0):
    return Callable(power)

def modal(classifier, X_pool, n_instances=1, power=1.0):
    return closest(classifier, X_pool, n_instances, power)

def modal_with_rows(classifier, X_pool, n_instances=1, **kw):
    chosen = np.random.choice(len(X_pool), n_instances, replace=False)  # the global generator, as modAL's do
    return chosen, X_pool[chosen]

def modal_single(classifier, X_pool):
    chosen = random.randrange(len(X_pool))
    return chosen, X_pool[chosen]

def modal_seeded(classifier, X_pool, n_instances, random_state=None):
    return np.random.RandomState(random_state).permutation(len(X_pool))[:n_instances]

def plain(view, last=False):
    return view.unlabelled[-view.batch_size :].tolist() if last else view.unlabelled[: view.batch_size]

def plain_choice(anything: View):
    return choose(anything, anything.rng.random(anything.unlabelled.size))
"""
HELPER = """
import numpy as np

def closest(classifier, X_pool, n_instances, power):
    assert not hasattr(X_pool, "labels") and set(classifier.classes_) == {-1, 1}
    certainty = classifier.predict_proba(X_pool).max(axis=1) ** power
    chosen = np.argsort(certainty, kind="stable")[:n_instances]
    return chosen, certainty[chosen]
"""
EXTRAS = """
from skactiveml.pool import SubSamplingWrapper, UncertaintySampling

entropy = UncertaintySampling(method="entropy", missing_label=-1, random_state=3)

def subsampled(share=0.2):
    return SubSamplingWrapper(UncertaintySampling(), max_candidates=share)
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mine")
    (folder / "helper.py").write_text(HELPER)
    (folder / "extras.py").write_text(EXTRAS)
    path = folder / "mine.py"
    path.write_text(MINE)
    return path


def play(name: str, parameters: dict[str, Any], problem: Instance = PROBLEM, seed: int = 0) -> Run:
    return run(problem, make_strategy(name, parameters), budget=0.5, batch_size=3, seed=seed)


def check_run(name: str, parameters: dict[str, Any], problem: Instance = PROBLEM) -> Run:
    """Valid, reproducible, and blind to the labels that nobody asked for."""
    first = play(name, parameters, problem)
    assert [one.labels for one in first.rounds] == list(range(3, problem.rows.shape[1] // 2 + 1, 3))
    assert np.unique(first.queried).size == first.queried.size
    np.testing.assert_array_equal(play(name, parameters, problem).queried, first.queried)
    hidden = np.setdiff1d(np.arange(len(problem.labels)), first.queried)
    labels = problem.labels.copy()
    labels[hidden] *= -1.0
    np.testing.assert_array_equal(play(name, parameters, replace(problem, labels=labels)).queried, first.queried)
    assert not first.informed
    return first


def view_of(queried: list[int], batch_size: int, seed: int = 0) -> View:
    def no_posterior() -> Posterior:
        raise AssertionError("nobody needs it here")

    chosen = np.array(queried, dtype=np.int64)
    rng = np.random.default_rng(seed)
    return View(
        PROBLEM.rows, chosen, PROBLEM.labels[chosen], batch_size, rng, no_posterior,
        lambda: (np.empty(0), np.empty(0)), PERCEPTRON,
    )  # fmt: skip


# --- our contract, modAL's, plain functions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "parameters"),
    [
        ("Mine", {}),
        ("Mine", {"sign": 1.0}),
        ("factory", {"sign": 1.0}),
        ("Counting", {}),
        ("counting", {}),
        ("Duck", {}),
        ("Callable", {"power": 2.0}),
        ("function_factory", {"power": 2.0}),
        ("modal", {}),
        ("modal", {"power": 2.0}),
        ("modal_with_rows", {}),
        ("modal_with_rows", {"anything": 1}),
        ("modal_single", {}),
        ("modal_seeded", {}),
        ("plain", {}),
        ("plain", {"last": True}),
        ("plain_choice", {}),
    ],
)
def test_every_kind_runs(mine: Path, attribute: str, parameters: dict[str, Any]) -> None:
    check_run(f"{mine}:{attribute}", parameters)


def test_same_choice_by_every_door(mine: Path) -> None:
    """AMP's margins from a class and a factory; logistic margins from modAL's door and the registered strategy."""
    np.testing.assert_array_equal(play(f"{mine}:Mine", {}).queried, play(f"{mine}:factory", {}).queried)
    ours, modal = play("logistic", {}), play(f"{mine}:modal", {})
    assert set(ours.queried.tolist()) == set(modal.queried.tolist())


@pytest.mark.parametrize("attribute", ["modal_with_rows", "modal_single", "modal_seeded", "plain_choice"])
def test_random_ones_follow_the_seed_and_leave_global_states_alone(mine: Path, attribute: str) -> None:
    before = np.random.get_state()[1].tobytes()  # type: ignore[index]  # noqa: NPY002
    one, two = (play(f"{mine}:{attribute}", {}, seed=seed) for seed in (0, 1))
    assert not np.array_equal(one.queried[3:], two.queried[3:])
    assert np.random.get_state()[1].tobytes() == before  # type: ignore[index]  # noqa: NPY002


def test_informed_is_what_the_contract_says(mine: Path) -> None:
    result = play(f"{mine}:Cheat", {})
    assert result.informed
    assert (PROBLEM.labels[result.queried[3:]] == 1.0).all()


def test_runs_share_no_object(mine: Path) -> None:
    one: Any = make_strategy(f"{mine}:counting", {})
    one.query(view_of([0], 2))
    two: Any = make_strategy(f"{mine}:counting", {})
    assert (one.asked, two.asked) == (1, 0)


@pytest.mark.parametrize("attribute", ["modal", "modal_single", "Duck"])
def test_batch_larger_than_what_is_left(mine: Path, attribute: str) -> None:
    queried = list(range(85))
    choice = make_strategy(f"{mine}:{attribute}", {}).query(view_of(queried, 20))
    assert sorted(choice.indices) == [85, 86, 87, 88, 89]


def test_before_both_labels_are_seen(mine: Path) -> None:
    same = np.flatnonzero(PROBLEM.labels == -1.0)[:4].tolist()
    choice = make_strategy(f"{mine}:modal", {}).query(view_of(same, 3))
    np.testing.assert_array_equal(choice.indices, view_of(same, 3).unlabelled[:3])  # equal probabilities, a stable sort


def test_one_label_only_gives_the_rule_of_succession() -> None:
    from gardner.strategies.classifiers import learner

    same = np.flatnonzero(PROBLEM.labels == -1.0)[:4].tolist()
    model = learner(view_of(same, 3))
    np.testing.assert_allclose(model.predict_proba(PROBLEM.rows), np.tile([5 / 6, 1 / 6], (90, 1)))
    assert (model.predict(PROBLEM.rows) == -1.0).all()
    assert model.X_training.shape == (4, 30)


def test_the_example() -> None:
    name = f"{EXAMPLE}:Explore"
    check_run(name, {"share": 0.3})
    assert source_of("strategy", name) == EXAMPLE
    np.testing.assert_array_equal(play(name, {"share": 0.0}).queried, play("agnostic", {}).queried)
    with pytest.raises(InvalidInputError, match=r"Explore\.share"):
        make_strategy(name, {"share": 2.0})


def test_dotted_paths_and_registered_names() -> None:
    for name in ("gardner.strategies.uniform:Random", "gardner.strategies.uniform.Random", "random"):
        assert type(make_strategy(name, {})).__name__ == "Random"
    assert source_of("strategy", "random") is None
    uniform = source_of("strategy", "gardner.strategies.uniform.Random")
    assert uniform is not None
    assert uniform.name == "uniform.py"
    through = source_of("strategy", "gardner.strategies:choose")  # where it is defined, not where it is passed on
    assert through is not None
    assert through.name == "base.py"


# --- files ------------------------------------------------------------------------------------------------------------


def test_files_leave_no_trace_and_are_read_again_when_they_change(tmp_path: Path) -> None:
    path, before = tmp_path / "changing.py", list(sys.path)
    text = "from near import value\nclass S:\n    informed = False\n    number = {}\n    def query(self, view): ...\n"
    (tmp_path / "near.py").write_text("value = 1")
    path.write_text(text.format(1))
    one: Any = make_strategy(f"{path}:S", {})
    again: Any = make_strategy(f"{path}:S", {})
    assert again.__class__ is one.__class__
    path.write_text(text.format(2))  # within the second, of the same size
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1))
    two: Any = make_strategy(f"{path}:S", {})
    assert (one.number, two.number) == (1, 2)
    assert sys.path == before
    assert "near" not in sys.modules
    assert not list(tmp_path.glob("__pycache__/changing*"))


def test_neighbours_of_two_folders_do_not_meet(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "near.py").write_text(f"value = {number}")
        (folder / "mine.py").write_text("from near import value\ndef plain(view): return value\n")
        assert make_strategy(f"{folder / 'mine.py'}:plain", {}).query(view_of([0], 1)).indices == number


def test_relative_to_where_the_command_runs(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    assert source_of("strategy", "mine.py:Mine") == mine.resolve()
    assert type(make_strategy("./mine.py:Mine", {})).__name__ == "Mine"
    with pytest.raises(InvalidInputError, match=r"write mine\.py:Mine"):
        make_strategy("mine:Mine", {})


# --- what goes wrong --------------------------------------------------------------------------------------------------

BROKEN = {
    "syntax.py": ("x = 1\nclass S(:\n", r"syntax\.py, line 2\): SyntaxError"),
    "raises.py": ("x = 1\n\nraise RuntimeError('two\\nlines')\n", r"raises\.py \(line 3\): RuntimeError: two lines"),
    "exits.py": ("import sys\nsys.exit(2)\n", r"exits\.py \(line 2\): SystemExit: 2"),
    "stops.py": ("raise KeyboardInterrupt\n", r"stops\.py \(line 1\): KeyboardInterrupt"),
    "needs.py": ("import no_such_thing\n", r"needs\.py \(line 1\): ModuleNotFoundError.*is no_such_thing installed"),
}


@pytest.mark.parametrize("file", BROKEN)
def test_import_errors_say_file_and_line_on_one_line(tmp_path: Path, file: str) -> None:
    text, message = BROKEN[file]
    (tmp_path / file).write_text(text)
    with pytest.raises(LoadError, match=message) as caught:
        make_strategy(f"{tmp_path / file}:S", {})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("agnostik", {}, "did you mean agnostic"),
        ("{folder}/absent.py:Mine", {}, "there is no file"),
        ("{folder}/minne.py:Mine", {}, r"did you mean mine\.py"),
        ("{folder}/mine.txt:Mine", {}, r"FILE\.py:CLASS"),
        ("{mine}:Other", {}, "no Other in it; .*Callable, Cheat, Counting, Duck, Mine, counting, factory"),
        ("{mine}:Mime", {}, "did you mean Mine"),
        ("{mine}", {}, "which object of it; .*Mine"),
        ("{mine}:np", {}, "leads to a module"),
        ("{mine}:View", {}, "without query"),
        ("{mine}:Mine", {"sing": 1.0}, r"Mine\.sing = 1\.0 .*parameters of Mine: sign"),
        ("{mine}:modal", {"power": 1.0, "pover": 1.0}, r"modal\.pover .*parameters of modal: power$"),
        ("{mine}:modal", {"n_instances": 2}, "given by the loop"),
        ("{mine}:counting", {"a": 1}, "made already; name its class"),
        ("{mine}:plain", {"view": 1}, "given by the loop"),
        ("no_such_package.module:S", {}, r"no module no_such_package\.module; is it installed"),
        ("no_such_package.module.S", {}, "there is no module no_such_package"),
        ("gardner.strategies.uniform:Randon", {}, "did you mean Random"),
        ("gardner.strategies.uniform", {}, r"which object of it; in .*uniform\.py there is Random$"),
        ("not a name:S", {}, "neither registered"),
        ("a..b", {}, "neither registered"),
        ("builtins:max", {}, "built into Python"),
        ("collections:OrderedDict", {}, "without query"),
    ],
)
def test_wrong_names_and_parameters(mine: Path, name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(GardnerError, match=message) as caught:
        make_strategy(name.format(mine=mine, folder=mine.parent), parameters)
    assert "\n" not in str(caught.value)


ENDS = """
import sys
from pathlib import Path
from sys import exit as leave

CALLED = Path(__file__).with_name("called")

class Opens:  # as a window would
    def __init__(self): CALLED.write_text("made")

class Calls(Opens):
    def __call__(self): ...

class Half(Opens):
    def query(self): ...

class Silent(Opens):
    def query(self, view): ...

class Leaves:
    informed = False
    def __init__(self): sys.exit(0)
    def query(self, view): ...
"""


NO_STRATEGIES = """
sys:exit os:abort os:_exit os.abort builtins:print builtins:input builtins:exec builtins:type builtins:quit
builtins:help pdb:set_trace tkinter:Tk tkinter:mainloop threading:Thread unittest:main unittest.mock:MagicMock
faulthandler:_sigsegv {file}:leave {file}:CALLED {file}:Opens {file}:Calls {file}:Half {file}:Silent {file}:Leaves
"""


@pytest.mark.parametrize("name", NO_STRATEGIES.split())
def test_nothing_is_called_to_find_out_what_it_is(tmp_path: Path, name: str) -> None:
    """Those in modules would end the process, wait for a key or open a window; those of the file leave a trace."""
    file = tmp_path / "ends.py"
    file.write_text(ENDS)
    if name.startswith("tkinter"):
        pytest.importorskip("tkinter")
    with pytest.raises(GardnerError) as caught:
        make_strategy(name.format(file=file), {})
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "called").exists()


def test_a_function_of_a_module_that_makes_a_strategy_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a file that is named it need not: naming the file runs it anyway."""
    text = (
        "from gardner.strategies import Strategy\nfrom gardner.strategies.uniform import Random\n"
        "def told() -> Strategy: return Random()\ndef exact() -> Random: return Random()\n"
        "def silent(): return Random()\ndef other() -> int: return 1\n"
    )
    (tmp_path / "makers_of_mine.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("makers_of_mine:told", "makers_of_mine:exact", f"{tmp_path}/makers_of_mine.py:silent"):
        assert type(make_strategy(name, {})).__name__ == "Random"
    for name in ("makers_of_mine:silent", "makers_of_mine:other"):
        with pytest.raises(StrategyError, match="cannot be told for a strategy"):
            make_strategy(name, {})
    sys.modules.pop("makers_of_mine")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class S:\n    def query(self, view): ...", "does not say whether it is informed; declare"),
        ("class S:\n    informed = None\n    def query(self, view): ...", "does not say whether it is informed"),
        (
            "class S:\n    informed = False\n    def __init__(self, a): ...\n    def query(self, view): ...",
            "wants a value for a",
        ),
        (
            "class S:\n    informed = False\n    def query(self, v): ...\n"
            "    def __init__(self): raise ValueError('no')",
            "ValueError: no",
        ),
        ("class S:\n    def query(self, X, y, clf, oracle, batch_size=1): ...", "wants oracle"),
        ("class S:\n    def query(self, X, y, candidates=None, annotators=None): ...", "several annotators"),
        ("class S:\n    def query(self, X, y, reg, batch_size=1): ...", "regression"),
        ("class S:\n    def query(self, candidates, return_utilities=False): ...", "streams"),
        ("def S(*args): ...", "cannot be told"),
        ("def S(): return 3", "made 3, not a strategy"),
        ("def S(): return S", "cannot be told"),
        (
            "class C:\n    def query(self, view): ...\nS = C()\nimport threading\nS.lock = threading.Lock()",
            "cannot be copied",
        ),
        ("S = 3", "is a int, not a strategy"),
    ],
)
def test_what_is_not_a_strategy(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "wrong.py").write_text(text)
    with pytest.raises(StrategyError, match=message):
        make_strategy(f"{tmp_path / 'wrong.py'}:S", {})


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("[0.5, 1.5, 2.5]", "returned float64"),
        ("[0, 1, len(X)]", "outside the pool; indices refer to the 87 rows"),
        ("[-1, 0, 1]", "outside the pool"),
        ("[0, 0, 1]", "returned a row twice"),
        ("[0]", "returned 1 rows"),
        ("None", "returned object"),
    ],
)
def test_wrong_answers_of_a_modal_function(tmp_path: Path, answer: str, message: str) -> None:
    (tmp_path / "wrong.py").write_text(f"def wrong(classifier, X, n_instances=1): return {answer}")
    with pytest.raises(StrategyError, match=message):
        play(f"{tmp_path / 'wrong.py'}:wrong", {})


def test_a_pair_of_indices_is_not_indices_with_metrics(tmp_path: Path) -> None:
    (tmp_path / "pair.py").write_text("def pair(classifier, X, n_instances=1): return 4, 2")
    strategy = make_strategy(f"{tmp_path / 'pair.py'}:pair", {})
    assert strategy.query(view_of([0], 2)).indices.tolist() == [5, 3]
    assert strategy.query(view_of([0], 1)).indices.tolist() == [5]


@pytest.mark.parametrize("signature", ["classifier, X, n_instances=1", "classifier, X"])
def test_indices_with_no_metrics(tmp_path: Path, signature: str) -> None:
    (tmp_path / "none.py").write_text(
        f"def none({signature}): return list(range({'n_instances' if 'n_inst' in signature else 1})), None"
    )
    assert make_strategy(f"{tmp_path / 'none.py'}:none", {}).query(view_of([0], 3)).indices.tolist() == [1, 2, 3]


def test_a_pair_from_a_function_of_a_view(tmp_path: Path) -> None:
    (tmp_path / "pair.py").write_text("def pair(view): return view.unlabelled[:3], None")
    with pytest.raises(StrategyError, match=r"pair returned \(array.*; indices are a vector"):
        play(f"{tmp_path / 'pair.py'}:pair", {})


def test_what_is_frozen_into_python_has_no_source() -> None:
    assert source_of("strategy", "os.path.join") is None


def test_a_strategys_own_exception_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def own(view): raise ZeroDivisionError('mine')")
    with pytest.raises(ZeroDivisionError, match="mine"):
        play(f"{tmp_path / 'own.py'}:own", {})


def test_a_missing_extra_is_named(mine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "skactiveml", None)
    monkeypatch.setitem(sys.modules, "skactiveml.pool", None)
    (tmp_path / "extra.py").write_text("from skactiveml.pool import RandomSampling")
    (tmp_path / "duck.py").write_text("class S:\n    def query(self, X, y, clf, batch_size=1): ...")
    for name in ("skactiveml.pool:RandomSampling", f"{tmp_path}/extra.py:RandomSampling", f"{tmp_path}/duck.py:S"):
        with pytest.raises(GardnerError, match=r"pip install 'gardner\[scikit-activeml\]'"):
            make_strategy(name, {})
    check_run(f"{mine}:Duck", {})  # wants nothing of it


def test_importing_needs_neither_library() -> None:
    code = "import sys, gardner.strategies.external as e; e.make_strategy('agnostic', {}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    assert not {"skactiveml", "modAL", "sklearn"} & set(loaded)


# --- scikit-activeml --------------------------------------------------------------------------------------------------

EXERCISED: list[tuple[str, dict[str, Any]]] = [
    ("RandomSampling", {}),
    ("UncertaintySampling", {"method": "least_confident"}),
    ("UncertaintySampling", {"method": "margin_sampling"}),
    ("UncertaintySampling", {"method": "entropy"}),
    ("QueryByCommittee", {}),
    ("QueryByCommittee", {"method": "vote_entropy"}),
    ("ProbabilisticAL", {}),
    ("ProbabilisticAL", {"metric": "rbf"}),
    ("EpistemicUncertaintySampling", {}),
    ("Quire", {}),
    ("FourDs", {}),
    ("CostEmbeddingAL", {}),
    ("GreedySamplingX", {}),
    ("DiscriminativeAL", {}),
    ("BatchBALD", {}),
    ("GreedyBALD", {}),
    ("Clue", {}),
    ("DropQuery", {}),
    ("CoreSet", {}),
    ("TypiClust", {}),
    ("Badge", {}),
    ("ProbCover", {}),
    ("ContrastiveAL", {}),
    ("Falcun", {}),
    ("MaxHerding", {}),
]
SLOW = ["MonteCarloEER", "ValueOfInformationEER"]  # two fits a candidate: on a smaller problem
UNFIT = {
    "ExpectedErrorReduction": "wants a value for enforce_mapping",  # the base class of the two above
    "ExpectedModelChangeMaximization": "regression",
    "ExpectedModelOutputChange": "regression",
    "ExpectedModelVarianceReduction": "regression",
    "KLDivergenceMaximization": "regression",
    "GreedySamplingTarget": "regression",
    "RegressionTreeBasedAL": "regression",
    "SubSamplingWrapper": "wraps another strategy",  # by a function: see EXTRAS
    "ParallelUtilityEstimationWrapper": "wraps another strategy",
}


@needs_extra
@pytest.mark.parametrize(("name", "parameters"), EXERCISED)
def test_scikit_activeml(name: str, parameters: dict[str, Any]) -> None:
    check_run(f"skactiveml.pool.{name}", parameters)


@needs_extra
@pytest.mark.parametrize("name", SLOW)
def test_scikit_activeml_slow(name: str) -> None:
    check_run(f"skactiveml.pool.{name}", {}, draw_instance(12, 2.0, seed=0))


@needs_extra
@pytest.mark.parametrize("name", UNFIT)
def test_scikit_activeml_unfit(name: str) -> None:
    with pytest.raises(StrategyError, match=UNFIT[name]):
        make_strategy(f"skactiveml.pool.{name}", {})


@needs_extra
def test_every_pool_strategy_of_scikit_activeml_is_accounted_for() -> None:
    import skactiveml.pool

    there = {
        name for name, value in vars(skactiveml.pool).items() if inspect.isclass(value) and hasattr(value, "query")
    }
    assert there == {name for name, _ in EXERCISED} | set(SLOW) | set(UNFIT)


@needs_extra
def test_other_contracts_of_scikit_activeml_are_refused() -> None:
    with pytest.raises(StrategyError, match="streams"):
        make_strategy("skactiveml.stream.StreamRandomSampling", {})
    with pytest.raises(StrategyError, match="several annotators"):
        make_strategy("skactiveml.pool.multiannotator.IntervalEstimationThreshold", {})
    with pytest.raises(InvalidInputError, match=r"parameters of UncertaintySampling: method, cost_matrix$"):
        make_strategy("skactiveml.pool.UncertaintySampling", {"methods": "entropy"})
    with pytest.raises(InvalidInputError, match="given by the loop"):
        make_strategy("skactiveml.pool.UncertaintySampling", {"random_state": 0})


@needs_extra
def test_uncertainty_sampling_is_our_logistic_margin() -> None:
    for dtype in (np.float32, np.float64):
        problem = draw_instance(30, 3.0, seed=1, dtype=dtype)
        theirs, ours = (play(name, {}, problem) for name in ("skactiveml.pool:UncertaintySampling", "logistic"))
        assert set(theirs.queried.tolist()) == set(ours.queried.tolist())


@needs_extra
def test_made_in_a_file(mine: Path) -> None:
    entropy = check_run(f"{mine.parent / 'extras.py'}:entropy", {})  # its missing label of -1 is replaced
    direct = play("skactiveml.pool.UncertaintySampling", {"method": "entropy"})
    np.testing.assert_array_equal(entropy.queried, direct.queried)
    check_run(f"{mine.parent / 'extras.py'}:subsampled", {"share": 0.5})


@needs_extra
def test_tie_breaks_do_not_repeat_at_equal_counts() -> None:
    strategy, view = make_strategy("skactiveml.pool:RandomSampling", {}), view_of([0, 1, 2], 5)
    one, two = strategy.query(view), strategy.query(view)
    assert not np.array_equal(one.indices, two.indices)


@needs_extra
@pytest.mark.parametrize(
    "name", ["UncertaintySampling", "QueryByCommittee", "CoreSet", "TypiClust", "DiscriminativeAL"]
)
def test_scikit_activeml_edges(name: str) -> None:
    """A batch larger than what is left, labels of one kind only, and utilities for every unlabelled row."""
    strategy = make_strategy(f"skactiveml.pool:{name}", {})
    assert sorted(strategy.query(view_of(list(range(85)), 20)).indices) == [85, 86, 87, 88, 89]
    view = view_of(np.flatnonzero(PROBLEM.labels == 1.0)[:3].tolist(), 4)
    choice = strategy.query(view)
    assert np.isin(choice.indices, view.unlabelled).all()
    assert choice.scores is not None
    assert choice.scores.shape == view.unlabelled.shape


def test_what_is_made_says_whose_it_is(mine: Path) -> None:
    strategies: list[Any] = [make_strategy(f"{mine}:{name}", {}) for name in ("Duck", "modal", "plain")]
    assert [one.name for one in strategies] == ["Duck", "modal", "plain"]
    assert all(isinstance(one, Strategy) for one in strategies)
    assert isinstance(strategies[2].query(view_of([0], 1)), Choice)
