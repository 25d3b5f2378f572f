"""The limits of the house are kept, and the counting sees what it should."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools import house

from gardner.model import CHANNELS, PRIORS
from gardner.model.registry import LISTED

NAMES = ("models", "any", "long files", "functions", "mirror", "prose", "constants", "options", "names")


@pytest.fixture(scope="module")
def counted() -> dict[str, house.Count]:
    return {count.name: count for count in house.counts()}


@pytest.mark.parametrize("name", NAMES)
def test_the_limit_is_kept(name: str, counted: dict[str, house.Count]) -> None:
    count = counted[name]
    assert count.kept, f"{count.value:g} instead of {count.limit:g}: " + "; ".join(count.places[:20])


def test_all_counts_are_asked_for(counted: dict[str, house.Count]) -> None:
    assert set(counted) == set(NAMES)
    assert [counted[name].limit for name in NAMES] == [0, 5, 0, 0, 0, 0, 0, 0, 0]


def test_every_registered_model_is_looked_for() -> None:
    assert {kind.__name__ for kind in (PRIORS | LISTED | CHANNELS).values()} <= house.CONCRETE
    assert set(PRIORS | LISTED | CHANNELS) == house.MODEL_NAMES


def written(root: Path, place: str, text: str) -> Path:
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return root


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(x, Sign)",
        "isinstance(x, (int, model.Sign))",
        "isinstance(x, Probit | Flip)",
        "type(x) is Gaussian",
        "x == Gaussian()",
        "x in (Sign(), Flip(0.1))",
        "{Sign: 1}[type(x)]",
        "match x:\n    case Logistic():\n        pass",
        "f.register(Laplace)(g)",
        "prior is None or prior.name != 'gaussian'",
        "compiled.name in ('sign', 'probit')",
        "name in {'flip'}",
        "(prior, channel, *teacher) == ('gaussian', 'sign') * 2",
        "match x.name:\n    case 'linear':\n        pass",
    ],
)
def test_tests_for_models_are_seen(text: str, tmp_path: Path) -> None:
    written(tmp_path, "src/gardner/theory/x.py", text)
    written(tmp_path, "src/gardner/model/x.py", text)  # where it may stand
    assert list(house.concrete_models(tmp_path)) == [f"src/gardner/theory/x.py:{2 if 'match' in text else 1}"]


@pytest.mark.parametrize(
    "text", ["x = Sign()", "isinstance(x, Channel)", "f(x, Sign)", "x == PERCEPTRON", "x = 'sign'"]
)
def test_models_may_be_made_and_handed_on(text: str, tmp_path: Path) -> None:
    assert not list(house.concrete_models(written(tmp_path, "src/gardner/theory/x.py", text)))


def test_any_is_seen_behind_other_names(tmp_path: Path) -> None:
    written(tmp_path, "src/gardner/model/a.py", "from typing import Any\nArray = Any\nTable = Array\n")
    text = (
        "from gardner.model.a import Table as Frame\n"
        "def f(a: Frame, b: 'Frame | None', *c: int, d: dict[str, Frame]) -> Callable[[Frame], int]:\n"
        "    e: int = 1\n"
    )
    loose, total = house.loose_annotations(written(tmp_path, "src/gardner/theory/b.py", text))
    assert (len(loose), total) == (4, 6)


@pytest.mark.parametrize(
    "alias",
    [
        "X = NDArray[Any]",
        "X = dict[str, list[Any]]",
        "X: TypeAlias = NDArray[Any]",
        "X = int | Any",
        "X = 'NDArray[Any]'",
        "X = Callable[..., Any]",
        "X = typing.Any",
    ],
)
def test_a_type_with_any_in_it_is_an_alias(alias: str, tmp_path: Path) -> None:
    written(tmp_path, "src/gardner/model/a.py", alias)
    written(tmp_path, "src/gardner/b.py", "from gardner.model.a import X\ndef f(a: X, b: list[X]) -> int: ...\n")
    found, _ = house.loose_annotations(tmp_path)
    assert [place for place in found if "b.py" in place] == ["src/gardner/b.py:2: X", "src/gardner/b.py:2: list[X]"]


@pytest.mark.parametrize("text", ["X = NDArray[np.float64]", "X = table['no type']", "X = f(Any)", "X = 'any text'"])
def test_other_values_are_no_aliases_of_any(text: str, tmp_path: Path) -> None:
    loose, total = house.loose_annotations(written(tmp_path, "src/gardner/a.py", f"{text}\ndef f(a: X) -> X: ...\n"))
    assert (loose, total) == ([], 2)


def test_long_files_functions_and_lines_are_seen(tmp_path: Path) -> None:
    body = "    x = 1\n" * house.MOST_FUNCTION_LINES
    written(tmp_path, "src/gardner/x.py", f'def f():\n    """Long.\n\n    In words.\n    """\n{body[10:]}')
    assert not list(house.long_functions(tmp_path))
    written(tmp_path, "src/gardner/x.py", f"def f():\n{body}")
    assert len(list(house.long_functions(tmp_path))) == 1
    written(tmp_path, "tests/y.py", "x = 1\n" * (house.MOST_LINES + 1))
    assert list(house.long_files(tmp_path)) == [f"tests/y.py: {house.MOST_LINES + 1} lines"]
    word, address = "word " * 21, f"- <https://example.org/{'x' * 100}>"
    written(tmp_path, "docs/z.md", f"{word}\n\n| {word} |\n\n    {word}\n\n```\n{word}\n```\n{address}\n\n- {word}\n")
    assert [place.split(":")[1] for place in house.long_prose(tmp_path)] == ["1", "12"]


def test_unit_tests_stand_where_their_module_stands(tmp_path: Path) -> None:
    written(tmp_path, "src/gardner/theory/pool_size.py", "")
    for name in ("test_pool_size", "test_pool_size_models", "test_theory", "test_pool", "test_honesty"):
        written(tmp_path, f"tests/unit/theory/{name}.py", "")
    found = [place.split(":")[0] for place in house.unmirrored_tests(tmp_path)]
    assert found == ["tests/unit/theory/test_honesty.py", "tests/unit/theory/test_pool.py"]


def test_every_number_has_its_sentence(tmp_path: Path) -> None:
    text = (
        "# Seconds to wait.\nA = 1.0\nB = 2 << 3  # so many\n# several\nC, D = 1, -2.5\nE = np.array([1.0])\nF = f(1)\n"
    )
    written(tmp_path, "src/gardner/x.py", text)
    assert [place.split(":")[1] for place in house.bare_constants(tmp_path)] == ["3", "5", "6"]


def test_options_in_messages_of_the_library_are_seen(tmp_path: Path) -> None:
    text = (
        '"""The option --alpha."""\nfield = Field("--alpha")\nrange = "from 1--2"\n'
        'error = "no file of gardner query --save"\nhint = "leave --label out"\n'
    )
    written(tmp_path, "src/gardner/cli/x.py", text)  # where it may stand
    written(tmp_path, "src/gardner/x.py", text)
    assert list(house.options_in_the_library(tmp_path)) == ["src/gardner/x.py:5: leave --label out"]


def test_names_that_say_nothing_are_seen_where_they_are_given(tmp_path: Path) -> None:
    text = (
        '"""What we are told."""\n'
        "told = information = 1\n"
        "def f(stuff, *, tmp: int = 0): self._told = stuff\n"
        "class _Told: pass\n"
        "import x as foo, tmp.y\n"
        "a, (b, *data2) = [tmp for tmp in told], f(told=1)\n"
        "try:\n    pass\nexcept Error as told:\n    pass\n"
        "match x:\n    case [1, *foo] | {**foo} | [foo]:\n        told_by\n"
    )
    written(tmp_path, "src/gardner/x.py", text)
    written(tmp_path, "src/gardner/theory/told.py", "")
    found = sorted((int(place.split(":")[1]), place.split(": ")[1]) for place in house.empty_names(tmp_path))
    assert found == [
        (2, "told"), (3, "_told"), (3, "stuff"), (3, "tmp"), (4, "_Told"), (5, "foo"), (6, "data2"), (6, "tmp"),
        (9, "told"), (12, "foo"), (12, "foo"), (12, "foo"),
    ]  # fmt: skip
