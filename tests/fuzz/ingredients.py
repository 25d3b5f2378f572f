"""What the grammar puts together: numbers, names, models, files, folders; good, odd and absurd."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import strategies as st
from tests.fuzz.archives import SPOILS, STRANGE
from tests.fuzz.case import Recipe
from tests.fuzz.stores import FAILED, ROUND
from tests.fuzz.table_files import EXTRAS, LABELS
from tests.fuzz.texts import GOOD_SPEC, HOSTILE

Texts = st.SearchStrategy[str]
_EXTREME = (
    "0 -0 0.0 1 -1 1e-8 1e-300 5e-324 1e300 1.7976931348623157e308 1e999 -1e999 nan NaN -nan inf -inf "
    "Infinity 0x10 1e 1,5 1_000 0.1:3:0.1 0:1:1e-9 3:1:1 :: 1:2:0 nan:1:1 0.5:0.5:1 1e-400 2**3 ٣ ½ ∞ "
    "99999999999999999999999999 9007199254740993 -9223372036854775809 00 +1 .5 5. 1e-5 0.999999999"
)
EXTREME = _EXTREME.split()
_NO_NUMBERS = "x nan inf -inf -1 0 -0 1e999 0x10 1e 1,5 :: 3:1:1 nan:1:1 1:2:0 ½ -5e-324"
NO_NUMBERS = _NO_NUMBERS.split()
_MODELS = "gaussian rademacher laplace gauss-bernoulli sign flip probit logistic linear absolute nobody"
SURROUNDINGS: tuple[dict[str, Any], ...] = (
    {},
    {"stdout": "closed"},
    {"stdout": "full"},
    {"stdout": "shut"},
    {"env": {"PYTHONIOENCODING": "ascii"}},
    {"env": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}},
    {"env": {"NUMBA_NUM_THREADS": "0"}},
    {"env": {"TERM": "dumb", "COLUMNS": "1"}},
    {"limits": {"NOFILE": 16}},
    {"limits": {"AS": 500_000_000}},
    {"limits": {"FSIZE": 4096}},
)


@cache
def one_in(count: int) -> st.SearchStrategy[bool]:
    """True once in so many draws; the simplest draw is False."""
    return st.integers(0, count - 1).map(lambda drawn: drawn == count - 1)


def mostly(good: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The good one three times in four."""
    return one_in(4).flatmap(lambda wanted: odd if wanted else good)


@cache
def words() -> Texts:
    """Texts that an argument can hold: no NUL."""
    plain = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
    return st.sampled_from(HOSTILE) | plain | st.sampled_from(EXTREME) | st.just("\udcff")


@cache
def numbers() -> Texts:
    """Numbers as people and programs write them, and what is none."""
    drawn = st.floats().map(repr) | st.floats(1e-12, 1e4).map(repr) | st.integers().map(str)
    return st.sampled_from(EXTREME) | drawn


@cache
def no_numbers() -> Texts:
    """What no command takes for a pool ratio or a budget."""
    return st.sampled_from(NO_NUMBERS)


@cache
def integers() -> Texts:
    """Whole numbers, and what is none."""
    return st.integers(-3, 40).map(str) | numbers()


@cache
def counts() -> Texts:
    """Numbers of things, small or refused."""
    return st.sampled_from(("0", "1", "2", "-1", "x", "1.5", "nan", "99999999999999999999"))


@cache
def good_alphas() -> Texts:
    """Pool ratios."""
    return st.sampled_from(("3", "1", "2.5", "10"))


@cache
def paths() -> Texts:
    """Places within the scratch folder."""
    return st.sampled_from(("out", "evil.py", "evil.py/x", "", ".", "a/b/c", "x" * 300, "[red]", "ü\x1b"))


@cache
def formats() -> Texts:
    """Formats of figures."""
    return st.sampled_from(("svg", "png", "pdf", "gif", "", "SVG", "../x"))


@cache
def addresses() -> Texts:
    """Schedulers that cannot be; those that nobody answers are waited for, and in the corpus."""
    return st.sampled_from(("x", "", "zzz://1:2", "tcp://", "tcp://127.0.0.1:99999", "[::", "inproc://x"))


@cache
def parameters() -> Texts:
    """Parameters of strategies."""
    names = st.sampled_from(("random", "mixture", "committee", "x", ""))
    keys = st.sampled_from(("fraction", "rest", "members", "x", ""))
    values = numbers() | st.sampled_from(HOSTILE)
    return st.builds("{}.{}={}".format, names, keys, values) | words()


@cache
def strategies() -> Texts:
    """Strategies that are there."""
    return st.sampled_from(("random", "agnostic", "informed", "mixture", "committee"))


@cache
def rules() -> Texts:
    """Rules that are there."""
    return st.sampled_from(("agnostic", "random", "posterior-committee", "partly-random", "target-margin", "pruning"))


@cache
def rule_parameters() -> Texts:
    """Parameters of rules, of any value."""
    keys = ("posterior-committee.members", "partly-random.share", "target-margin.margin", "pruning.first")
    values = numbers() | st.sampled_from(("3", "0.5", "easy", *HOSTILE))
    return st.builds("{}={}".format, st.sampled_from((*keys, "pruning.keep", "agnostic.x", "x.y")), values)


@cache
def models() -> Texts:
    """Any prior or channel with any parameter, and what is neither."""
    names = _MODELS.split()
    odd = ["tkinter:Tk", "builtins:dict", "nowhere.py:X", "os.path:join", "x.y.z:w", ":", ":1", "a:b:c"]
    named = st.builds("{}:{}".format, st.sampled_from(names), numbers())
    return st.sampled_from(names) | named | st.sampled_from(odd) | words().filter(lambda x: "evil" not in x)


@cache
def priors(real: bool) -> Texts:
    """Priors: mostly the fast ones."""
    fast = st.sampled_from(("gaussian", "gaussian", "rademacher", "gaussian:1e300", "gaussian:1e-9"))
    return mostly(fast, models()) if real else models()


@cache
def channels(real: bool) -> Texts:
    """Channels: mostly the fast ones."""
    fast = st.sampled_from(("sign", "sign", "flip:0.05", "probit:0.1", "linear:0.1", "flip:1e-300"))
    return mostly(fast, models()) if real else models()


GOALS: dict[str, Callable[[Texts], dict[str, Texts]]] = {
    "bounds": lambda odd: {"-n": mostly(st.sampled_from(("0.6", "0.3", "1e-3")), odd)},
    "budget": lambda odd: {
        "--log-volume": mostly(st.sampled_from(("-0.5", "-1.3", "-1e-6")), odd),
        "--accuracy": mostly(st.sampled_from(("0.7", "0.9", "0.5000001")), odd),
        "--batch-ratio": mostly(st.sampled_from(("0", "0.1", "0.5", "1e-9", "99")), odd),
    },
    "curve": lambda odd: {
        "-n": mostly(st.sampled_from(("0.6", "0.3")), odd),
        "--points": mostly(st.sampled_from(("3", "5")), counts()),
        "--log-volume": mostly(st.sampled_from(("-0.5", "-0.9")), odd),
    },
}


@cache
def refusals(command: str) -> st.SearchStrategy[list[str]]:
    """Words that make a command line surely refused, before any work."""
    texts = ["-a x", "-a", "--nonsense", "-a nan:", "--json=5", "surplus --nope"]
    if command == "bench":
        texts = ["-a x", "-N 1.5", "-k 0", "-s 0", "-s -1", "-n -3", "--prior nobody", "--nonsense"]
        texts += ["-p x", "--time-limit 0", "--scheduler zzz://1:2", "-n 1e9", "--channel flip:nan"]
    elif command != "budget":
        texts += ["--prior nobody", "--channel flip:2", "--channel probit:nan", "--prior laplace:-1"]
    return st.sampled_from(texts).map(str.split)


@st.composite
def matrices(draw: st.DrawFn, what: str) -> tuple[str, dict[str, Recipe]]:
    """Rows or labels in a file, as volume takes them: the argument, and the file."""
    shape = {"rows": draw(st.sampled_from((12, 12, 12, 1, 5))), "columns": draw(st.sampled_from((6, 6, 1)))}
    good: Recipe = {"make": f"{what}_npy", **shape}
    kind = draw(st.sampled_from(("good", "good", "good", "strange", "npz", "csv", "parquet", "filled", "none")))
    if kind == "npz":
        recipe: Recipe = {"make": "npz", "spoil": draw(st.sampled_from(("", "", *SPOILS)))}
        part = draw(mostly(st.just(f":{what}"), st.sampled_from(("", ":x", ":", "::"))))
        return f"{what}.npz{part}", {f"{what}.npz": draw(damaged(recipe))}
    if kind in ("csv", "parquet"):
        name, recipe = draw(tables((f".{kind}",)))
        part = draw(st.sampled_from(("", ":y", ":f0", ":extra", ":x")))
        return f"{what}{name}{part}", {f"{what}{name}": recipe}
    if kind == "none":
        return draw(words()), {}
    choices: dict[str, Recipe] = {
        "good": good,
        "strange": {"make": "strange_npy", "kind": draw(st.sampled_from(STRANGE))},
        "filled": {
            "make": "filled_npy",
            "value": draw(st.sampled_from(("nan", "inf", "0", "1", "-1", "1e308", "1e-320", "1e154"))),
            "shape": [12, 6] if what == "rows" else [12],
        },
    }
    return f"{what}.npy", {f"{what}.npy": draw(damaged(choices[kind]))}


@st.composite
def damaged(draw: st.DrawFn, recipe: Recipe) -> Recipe:
    """A file, mostly whole; else with bits turned, cut short, of other content, or no file at all."""
    if not draw(one_in(4)):
        return recipe
    kind = draw(st.sampled_from(("flip", "flip", "cut", "text", "place", "locked")))
    if kind == "flip":
        bits = st.lists(st.integers(0, 2**20), min_size=1, max_size=4)
        return {"make": "flip", "of": recipe, "bits": draw(bits)}
    if kind == "cut":
        return {"make": "cut", "of": recipe, "at": draw(st.floats(0.0, 0.99))}
    if kind == "text":
        return {"make": "text", "text": draw(st.sampled_from(HOSTILE) | st.text(max_size=30))}
    if kind == "locked":
        return {**recipe, "mode": "000"}
    return draw(st.sampled_from(({"make": "folder"}, {"make": "link", "to": "nowhere"})))


@st.composite
def tables(draw: st.DrawFn, endings: tuple[str, ...] = (".csv", ".tsv", ".parquet", ".npz")) -> tuple[str, Recipe]:
    """A table with labels, some odd."""
    ending = draw(st.sampled_from(endings))
    size = {"rows": draw(st.sampled_from((12, 12, 1, 0))), "columns": draw(st.sampled_from((4, 4, 1, 0)))}
    labels = draw(st.sampled_from(("two", *LABELS)))
    if ending == ".npz":
        return "t.npz", draw(damaged({"make": "npz", "spoil": draw(st.sampled_from(("", "", *SPOILS)))}))
    if ending == ".parquet":
        extra = draw(st.sampled_from(("", "", *EXTRAS)))
        return "t.parquet", draw(damaged({"make": "parquet", **size, "labels": labels, "extra": extra}))
    value = st.sampled_from([one for one in HOSTILE if one != "nan"]) | st.sampled_from((1e300, -1e-300, 0, 7, True))
    cells = st.tuples(st.integers(0, 11), st.integers(0, 7), value).map(list)
    changes = draw(mostly(st.just([]), st.lists(cells, min_size=1, max_size=3)))
    recipe: Recipe = {"make": "csv", **size, "labels": labels, "changes": changes}
    recipe |= {"separator": "\t"} if ending == ".tsv" else {}
    return f"t{ending}", draw(damaged(recipe))


@cache
def bad_specs() -> st.SearchStrategy[Recipe]:
    """Specs with one key that is surely wrong, and files that are none."""
    odd: Any = st.sampled_from((None, [], {}, "x", "", -1, 0, True, "nan", [[1]], {"a": 1}, 10**40, [1, 1], "1e999"))
    keys = st.sampled_from(sorted(set(GOOD_SPEC) - {"strategies"}))
    wrong = st.tuples(keys, odd).filter(lambda pair: pair != ("seeds", True))
    changed = wrong.map(lambda pair: {"make": "spec", pair[0]: pair[1]})
    hostile = st.sampled_from(HOSTILE).map(lambda text: {"make": "spec", "prior": text, "seeds": 0})
    named = st.sampled_from([*HOSTILE, 5, [], None]).map(
        lambda name: {"make": "spec", "strategies": [{"name": name, "parameters": {"x": name}}], "seeds": 0}
    )
    whole: Recipe = {"make": "spec", "seeds": 0}
    bits = st.lists(st.integers(0, 2000), min_size=1, max_size=3)
    flipped = bits.map(lambda bits: {"make": "flip", "of": whole, "bits": bits})
    deep = st.builds(
        lambda depth, opening: {"make": "deep_yaml", "depth": depth, "opening": opening},
        st.sampled_from((5, 100, 1000, 3000)),
        st.sampled_from(("[", "{", "{a: ", "- ", "? ", "&a [", "!!set {")),
    )
    bombs: Any = st.sampled_from(({"make": "alias_bomb"}, {"make": "alias_bomb", "levels": 5}))
    texts = (st.text(max_size=40) | st.sampled_from(HOSTILE)).map(lambda text: {"make": "text", "text": text})
    places: Any = st.sampled_from(({"make": "folder"}, {"make": "link", "to": "x"}, {"make": "text", "text": ""}))
    every: list[st.SearchStrategy[Recipe]] = [changed, hostile, named, flipped, deep, bombs, texts, places]
    return st.one_of(every)


@st.composite
def stores(draw: st.DrawFn, *, run: bool) -> dict[str, Recipe]:
    """A folder of results whose rows say anything, perhaps with a damaged part beside them."""
    columns = sorted({**FAILED, **(ROUND if run else {})}.items(), key=lambda item: item[0])
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        changes: dict[str, Any] = {}
        for _ in range(draw(st.integers(0, 2))):
            name, usual = draw(st.sampled_from(columns))
            if not run and name == "status":  # else it would be a run
                continue
            changes[name] = draw(_cell(name, usual))
        parts.append(changes)
    files: dict[str, Recipe] = {"store": {"make": "store", "parts": parts, **({"run": True} if run else {})}}
    if draw(one_in(5)):
        table: Recipe = {"make": "parquet", "extra": draw(st.sampled_from(("", *EXTRAS)))}
        files["store/parts/0123.parquet"] = draw(damaged(table))
    return files


@cache
def _cell(name: str, usual: Any) -> st.SearchStrategy[Any]:
    """A value for a column of a part."""
    if name == "parameters":
        texts = ("{", "[]", "null", "5", '{"a": NaN}', '{"a": "[/x]"}', '{"a": [[[1]]]}', "", "[" * 2000)
        return st.sampled_from(texts + HOSTILE)
    if isinstance(usual, bool):
        return st.sampled_from((True, None))
    if isinstance(usual, int):
        return st.sampled_from((-1, 0, 1, 2**62, -(2**63), None))
    if isinstance(usual, float):
        return st.sampled_from(("nan", "inf", "-inf", 0.0, -1.0, 1e300, 1e-300, None))
    return st.sampled_from([one for one in HOSTILE if one != "nan"]) | st.none()


@st.composite
def targets(draw: st.DrawFn, endings: tuple[str, ...] = (".html",)) -> tuple[str, dict[str, Recipe]]:
    """A place to write to, and what is there already."""
    name = f"target{draw(st.sampled_from(endings))}"
    there: list[dict[str, Recipe]] = [
        {},
        {},
        {name: {"make": "device", "kind": "null"}},
        {name: {"make": "device", "kind": "full"}},
        {name: {"make": "folder"}},
        {name: {"make": "link", "to": "nowhere"}},
        {name: {"make": "link", "to": name}},
        {name: {"make": "link", "to": "evil.py"}},
        {name: {"make": "text", "text": "old", "mode": "444"}},
        {name: {"make": "text", "text": "old"}},
    ]
    return draw(st.sampled_from((name, name, name, f"deep/er/{name}", f"evil.py/{name}"))), draw(st.sampled_from(there))
