"""What to run: read, checked, and hashed."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import re
import time
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml

from gardner.cli.options import with_fields
from gardner.errors import InvalidInputError
from gardner.experiment.question import spec as module
from gardner.experiment.question.fields import Field, declared
from gardner.experiment.question.spec import Spec, read_spec
from gardner.experiment.question.task import FIELDS, StrategySpec, Task
from gardner.experiment.stored.sources import code_version

GOOD = """
strategies:
  - agnostic
  - name: mixture
    parameters: {fraction: 0.8}
features: [40, 60]
alpha: 3
budget: 0.3
batch: 4
seeds: 2
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "spec.yaml"
    path.write_text(text)
    return path


def spec(**changes: Any) -> Spec:
    given: dict[str, Any] = {"strategies": [StrategySpec("random")], "features": [40], "pool_ratio": [3.0]}
    given |= {"budget": [0.3], "batch_size": [4], "seeds": [0]}
    return Spec(**{**given, **changes})


def test_a_file(tmp_path: Path) -> None:
    found = read_spec(written(tmp_path, GOOD + "test_rows: 100\ndtype: float64\n"))
    tasks = found.tasks()
    assert len(tasks) == 2 * 2 * 2
    assert [task.seed for task in tasks] == [0] * 4 + [1] * 4  # seed by seed
    assert tasks[1].strategy.label == "mixture(fraction=0.8)"
    assert {task.features for task in tasks} == {40, 60}
    assert tasks[0].test_rows == 100
    assert tasks[0].dtype == "float64"
    assert read_spec(written(tmp_path, GOOD.replace("seeds: 2", "seeds: [5, 7]"))).values["seed"] == [5, 7]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            ("alpha: 3", "alpha: 3\nalpa: 4"),
            "spec key = 'alpa' .* one of strategies, features, pool_ratio, budget, batch_size",
        ),
        (("alpha: 3", "alpha: 3\nalpha: 4"), "spec key = 'alpha' .* there twice"),
        (("alpha: 3\n", ""), "pool_ratio = None"),
        (("alpha: 3", "alpha: null"), "alpha = None"),
        (("alpha: 3", "alpha: 3\npool_ratio: 3"), "spec key = 'pool_ratio' .* there twice, also as alpha"),
        (("alpha: 3", "pool_ratio: three"), "pool_ratio = 'three' .* positive number"),
        (("alpha: 3", "alpha: three"), "alpha = 'three' .* positive number"),
        (("alpha: 3", "alpha: true"), "alpha = True"),
        (("alpha: 3", "alpha: [3, 3.0]"), "alpha = 3.0 .* there twice"),
        (("alpha: 3", "alpha: []"), "alpha = .* at least one"),
        (("alpha: 3", "alpha: .inf"), "alpha = inf"),
        (("[40, 60]", "40.5"), "features = 40.5 .* whole number"),
        (("batch: 4", "batch: 0"), "batch = 0 .* at least 1"),
        (("budget: 0.3", "budget: 3.5"), "budget = 3.5 .* pool of 120 rows"),
        (("budget: 0.3", "budget: 0.001"), "budget = 0.001"),
        (("seeds: 2", "seeds: 0"), "seeds = 0"),
        (("seeds: 2", "seeds: [1, 1]"), "seeds = 1 .* there twice"),
        (("seeds: 2", "seeds: [-1]"), "seeds = -1"),
        (("- agnostic", "- mixture: {fraction: 1}"), "strategies = .* a name, or a mapping"),
        (("- agnostic", "- 3"), "strategies = 3"),
        (("- agnostic", "- {name: 3}"), "strategies = 3"),
        (("- agnostic", "- name: mixture\n    parameters: {fraction: 0.8}"), "strategies = .* there twice"),
        (("{fraction: 0.8}", "[1]"), r"mixture\.parameters = "),
        (("{fraction: 0.8}", "{fraction: 2020-01-01}"), r"mixture\.parameters = .* values must be"),
        (("seeds: 2", "seeds: 2\ndtype: float8"), "dtype = 'float8' .* float32 or float64 or bfloat16"),
        (("seeds: 2", "seeds: 2\nvariances: both"), "variances = 'both' .* vector or scalar"),
        (("seeds: 2", "seeds: 2\ntest_rows: -1"), "test_rows = -1"),
        (("seeds: 2", "seeds: [1"), "it cannot be read"),
        (("seeds: 2", "seeds: [9223372036854775808]"), "seeds = 9223372036854775808 .* 64 bits"),
        (("seeds: 2", "seeds: 9223372036854775808"), "seeds = 9223372036854775808 .* 64 bits"),
        (("seeds: 2", "seeds: 99999999"), "seeds = 99999999 .* from 1 to 1000000"),
        (("[40, 60]", "1" * 401), "features = 'an integer of 1329 bits'"),
        (("[40, 60]", "1" * 5000), "it cannot be read"),
        (("[40, 60]", "0x" + "f" * 5000), "features = 'an integer of 20000 bits'"),
        (("alpha: 3", "alpha: " + "1" * 401), "alpha = 'an integer of"),
        (("alpha: 3", "alpha: 1.0e+300"), "alpha = 1e.300 .* no machine"),
        (("budget: 0.3", "budget: 1.0e+308"), "budget = 1e.308"),
        (("batch: 4", "batch: 1000000000000000000000000000000"), "batch = 'an integer of"),
        (("{fraction: 0.8}", "{fraction: 0.8, fraction: 0.8}"), "spec key = 'fraction' .* there twice"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    with pytest.raises(InvalidInputError, match=told):
        read_spec(written(tmp_path, GOOD.replace(*change)))


def test_no_file_and_no_mapping(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="it cannot be read"):
        read_spec(tmp_path / "nothing.yaml")
    with pytest.raises(InvalidInputError, match="it must map keys"):
        read_spec(written(tmp_path, "- agnostic"))


LAUGHS = "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + "".join(
    f"{one}: &{one} [{', '.join([f'*{before}'] * 9)}]\n" for before, one in itertools.pairwise("abcdefghi")
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 2000 + "]" * 2000, "nested too deeply"),
        ("{a: " * 2000 + "}" * 2000, "nested too deeply"),
        (LAUGHS, "with its aliases it holds more than"),
        ("strategies: &a [*a]\n", "with its aliases it holds more than"),
        ("a: &a {<<: *a, b: 1}\n", "."),
        (f"strategies: {'x' * 50}\nfeatures: &a [{', '.join(['y' * 250] * 9)}]\n", "must give it"),
    ],
)
def test_hostile_yaml_is_a_short_error(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InvalidInputError, match=told) as raised:
        read_spec(written(tmp_path, text))
    assert len(str(raised.value)) < 1000


def test_what_an_error_shows_is_short(tmp_path: Path) -> None:
    """Aliases within known keys: a few lines that stand for thousands of words, in the place of a
    strategy.
    """
    lines = [f"features: &features [{', '.join(['a-long-word'] * 9)}]"]
    for before, one in itertools.pairwise(("features", "alpha", "budget", "batch", "seeds")):
        lines.append(f"{one}: &{one} [{', '.join([f'*{before}'] * 9)}]")
    with pytest.raises(InvalidInputError, match="a strategy is a name") as raised:
        read_spec(written(tmp_path, "\n".join([*lines, "strategies: [*batch]", ""])))
    assert len(str(raised.value)) < 1000


def test_defaults_are_left_out_of_names_and_keys() -> None:
    plain, full = StrategySpec("mixture"), StrategySpec("mixture", {"fraction": 0.5})
    assert spec(strategies=[plain]).tasks() == spec(strategies=[full]).tasks()
    with pytest.raises(InvalidInputError, match="there twice"):
        spec(strategies=[plain, full]).tasks()


def test_keys_tell_tasks_apart() -> None:
    task = spec().tasks()[0]
    others: list[dict[str, Any]] = [
        {"strategy": StrategySpec("agnostic")}, {"strategy": StrategySpec("random", {"x": 1})}, {"features": 41},
        {"pool_ratio": 3.5}, {"budget": 0.4}, {"batch_size": 5}, {"seed": 1}, {"test_rows": 9},
        {"variances": "scalar"}, {"dtype": "float64"}, {"prior": "laplace"}, {"channel": "flip:0.1"},
        {"teacher_prior": "rademacher"}, {"teacher_channel": "probit:0.1"}, {"data": "pool.csv#0123456789ab"},
        {"label_column": "y"}, {"test_share": 0.3}, {"device": "cuda"},
    ]  # fmt: skip
    keys = {dataclasses.replace(task, **change).key("code") for change in others}
    assert len(keys | {task.key("code"), task.key("other code")}) == len(others) + 2
    assert task.key("code") == Task.from_json(task.to_json()).key("code")
    assert len(task.key("code")) == 16
    assert {field.name for field in dataclasses.fields(task)} == {name for change in others for name in change}


def test_keys_do_not_depend_on_the_order_of_parameters() -> None:
    one, two = StrategySpec("x", {"a": 1, "b": 2}), StrategySpec("x", {"b": 2, "a": 1})
    task = spec().tasks()[0]
    assert dataclasses.replace(task, strategy=one).key("") == dataclasses.replace(task, strategy=two).key("")
    assert one.label == two.label == "x(a=1, b=2)"


def test_the_version_follows_the_file_of_a_strategy(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("class Mine: ...")
    name = (("strategy", f"{path}:Mine"),)
    before = code_version(name)
    assert before == code_version(name) != code_version((("strategy", "random"),))
    path.write_text('class Mine:\n    """With a word on it."""  # and a comment')
    assert code_version(name) == before
    path.write_text("class Mine: edited = True")
    assert code_version(name) != before
    assert code_version((("strategy", "random"), ("prior", f"{path}:Mine:2"))) == code_version(name)


def test_parameters_are_nobody_elses() -> None:
    given = {"members": 3}
    strategy = StrategySpec("committee", given)
    given["members"] = 4
    assert strategy.label == "committee(members=3)"


def test_values_of_different_kinds_are_different_strategies() -> None:
    """And their labels say so: parameters are told as the command line reads them."""
    values = [1, "1", True, "true", "True", None, "null", [1, 2], "[1, 2]", 1.5, "a", "", "a, y=2"]
    strategies = [StrategySpec("mine.py:Mine", {"x": value}) for value in values]
    assert len({strategy.label for strategy in strategies}) == len(values)
    assert [one.label for one in strategies[:3]] == ["mine.py:Mine(x=1)", 'mine.py:Mine(x="1")', "mine.py:Mine(x=true)"]
    assert strategies[10].label == "mine.py:Mine(x=a)"
    assert len(spec(strategies=strategies).tasks()) == len(values)
    with pytest.raises(InvalidInputError, match="there twice"):
        spec(strategies=[*strategies, StrategySpec("./mine.py:Mine", {"x": "1"})])


def test_a_default_of_another_type_is_not_the_default() -> None:
    assert StrategySpec("committee", {"members": 15, "rate": 1}).without_defaults().parameters == {}
    for told in ({"members": 15.0}, {"restart": 0}, {"walk": False}):
        assert StrategySpec("committee", told).without_defaults().parameters == told


def test_many_seeds_take_no_time() -> None:
    begin = time.perf_counter()
    spec(seeds=list(range(40_000)))
    assert time.perf_counter() - begin < 2.0
    with pytest.raises(InvalidInputError, match=r"seeds = 0 .* there twice"):
        spec(seeds=[*range(40_000), 0])


def test_merge_keys(tmp_path: Path) -> None:
    text = """
strategies:
  - name: committee
    parameters: &few {members: 3}
  - name: committee
    parameters: &walking {<<: *few, walk: 1}
  - name: committee
    parameters: {<<: *walking, members: 5}
features: 40
alpha: 3
budget: 0.3
batch: 4
seeds: 2
"""
    labels = [strategy.label for strategy in read_spec(written(tmp_path, text)).strategies]
    assert labels == ["committee(members=3)", "committee(members=3, walk=1)", "committee(members=5, walk=1)"]
    with pytest.raises(InvalidInputError, match=r"spec key = 'walk' .* there twice"):
        read_spec(written(tmp_path, text.replace("walk: 1", "walk: 1, walk: 1")))


def test_models_have_one_spelling_and_the_teacher_follows() -> None:
    task = spec(channel="flip:.05", prior="gaussian:1").tasks()[0]
    assert (task.prior, task.channel, task.teacher_prior, task.teacher_channel) == (
        "gaussian", "flip:0.05", "gaussian", "flip:0.05",
    )  # fmt: skip
    task = spec(channel="probit:0.1", teacher_channel="sign").tasks()[0]
    assert (task.channel, task.teacher_channel) == ("probit:0.1", "sign")
    with pytest.raises(InvalidInputError, match="channel = 'nonsense' is not valid: it must be one of sign, flip"):
        spec(channel="nonsense")
    with pytest.raises(InvalidInputError, match="teacher_prior = 'gaussian:much' is not valid: 'much' is no number"):
        spec(teacher_prior="gaussian:much")


def test_own_models_are_named_and_not_loaded() -> None:
    """A file has its base name in keys and rows, wherever it lies; the number after it has one
    spelling.
    """
    task = spec(prior="deep/nowhere.py:Mine:2").tasks()[0]
    assert (task.prior, task.teacher_prior) == ("deep/nowhere.py:Mine:2.0",) * 2
    assert task.columns("code")["prior"] == "nowhere.py:Mine:2.0"
    other = spec(prior="nowhere.py:Mine:2e0").tasks()[0]
    assert task.key("code") == other.key("code") != spec(prior="nowhere.py:Mine").tasks()[0].key("code")
    assert spec(channel="no.such.module:Class").tasks()[0].channel == "no.such.module:Class"


# --- one declaration
# --------------------------------------------------------------------------------------------------


def test_both_vocabularies_of_a_file_make_the_same_tasks(tmp_path: Path) -> None:
    """The names of Python, and the words of the options, which were the keys of version 0.1.0."""
    new = GOOD.replace("alpha:", "pool_ratio:").replace("batch:", "batch_size:")
    assert new != GOOD
    assert read_spec(written(tmp_path, new)).tasks() == read_spec(written(tmp_path, GOOD)).tasks()


def test_the_files_at_the_top_of_the_module_name_every_field() -> None:
    """They can be read, with every field by its own name, and every choice there is."""
    examples = re.findall(r"(?:^    .*\n)+", inspect.getdoc(module) or "", re.MULTILINE)
    values: dict[str, Any] = {}
    for example in examples:
        values |= yaml.safe_load(example)
    assert set(values) == {"strategies", *(one.given_as for one in FIELDS)}
    for one in FIELDS:
        assert one.check_all(values[one.given_as])
        lines = re.findall(rf"^ *{one.given_as}: .*$", "".join(examples), re.MULTILINE)
        assert all(re.search(rf"\b{choice}\b", lines[0]) for choice in one.choices), lines


def test_a_field_has_one_name_everywhere(gardner: Any) -> None:
    """Python arguments, columns and options are those of the declarations, and there are no others."""
    from gardner.experiment.stored.rows import SCHEMA

    names = [field.name for field in dataclasses.fields(Task)]
    assert names == ["strategy", *(one.name for one in FIELDS)]
    assert list(inspect.signature(Spec).parameters) == ["strategies", *(one.given_as for one in FIELDS)]
    first = SCHEMA.names.index("parameters") + 1
    assert SCHEMA.names[first : first + len(FIELDS)] == [one.column for one in FIELDS]
    differing = {one.name: (one.given_as, one.column) for one in FIELDS if {one.given_as, one.column} != {one.name}}
    assert differing == {
        "budget": ("budget", "run_budget"),
        "seed": ("seeds", "seed"),
        "label_column": ("label", "label_column"),
    }
    code, out, _ = gardner("bench", "--help")
    assert code == 0
    for one in FIELDS:
        assert re.search(rf"{one.option}\b", out)
        assert one.help.split()[0] in out


@dataclasses.dataclass(frozen=True)
class Wider:
    """A task with other fields."""

    width: Annotated[int, Field("--wide", "-W", "How wide.", least=3, many=True)]
    shape: Annotated[Literal["round", "square"], Field("--shape", "", "How it looks.", stored_as="form")] = "round"


def test_what_a_new_field_needs_is_its_declaration() -> None:
    """The check, the keys of the file, the column and the option come from one line."""
    width, shape = declared(Wider)
    assert (width.required, width.spellings, width.column) == (True, ("width", "wide"), "width")
    assert (shape.required, shape.spellings, shape.column, shape.choices) == (
        False, ("shape",), "form", ("round", "square"),
    )  # fmt: skip
    assert (width.check_all([3, 5]), width.check_all(4)) == ([3, 5], [4])
    with pytest.raises(InvalidInputError, match=r"width = 2 .* whole number of at least 3"):
        width.check_all([4, 2])
    with pytest.raises(InvalidInputError, match=r"shape = 'flat' .* it must be round or square"):
        shape.check("flat")

    @with_fields((width, shape))
    def command(**fields: Any) -> None: ...

    option = inspect.signature(command).parameters["width"].default
    assert (option.param_decls, option.help) == (("--wide", "-W"), "How wide.")
