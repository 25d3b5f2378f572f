"""The stamp follows what code does: not its looks, and not the version of Python that reads it."""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gardner
from gardner.experiment.stored.sources import _SOURCES, normal_form, stamp

PLAIN = b'''
"""What it is."""
import math
class Mine:
    """A strategy."""
    width: float = 0.5
    def query(self, view, *, keep=None, **rest):
        """Ask."""
        if view is None:
            pass
        total = view.a + view.b
        return {"x": [1, -2.5, 1e300, 3j, b"y", None, ...], **rest}, f"{total!r:>{self.width}.{keep}} of {math.pi=}"
'''


def same(one: bytes, two: bytes) -> bool:
    return normal_form(one) == normal_form(two)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"""What it is."""', b""),
        (b'"""What it is."""', b"# what it is\n'Another word.'"),
        (b'"""A strategy."""', b'"""The best strategy."""'),
        (b'        """Ask."""\n', b""),
        (b"            pass", b'            "nothing"; ...'),
        (b"view.a + view.b", b"(view.a\n            + view.b)  # the sum"),
        (b"import math\n", b"\n\nimport math  # for pi\n\n\n"),
        (b'"x"', b"u'x'"),
        (b"1e300", b"10.0e299"),
        (b"    ", b"  "),
        (b"\n", b"\r\n"),
    ],
)
def test_looks_do_not_count(before: bytes, after: bytes) -> None:
    assert before in PLAIN
    assert same(PLAIN, PLAIN.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"view.a + view.b", b"view.a - view.b"),
        (b"view.a + view.b", b"view.b + view.a"),
        (b"0.5", b"0.25"),
        (b"-2.5", b"2.5"),
        (b'b"y"', b'"y"'),
        (b"None, ...", b"..., None"),
        (b"keep=None", b"keep=0"),
        (b"*, keep", b"keep"),
        (b"!r", b"!s"),
        (b" of ", b" by "),
        (b"{math.pi=}", b"{math.pi = }"),  # what it prints
        (b"**rest}", b"'rest': rest}"),
        (b"            pass", b"            return"),
        (b"width: float = 0.5", b"width: int = 0.5"),
    ],
)
def test_what_it_does_counts(before: bytes, after: bytes) -> None:
    assert before in PLAIN
    assert not same(PLAIN, PLAIN.replace(before, after))


def test_one_name_is_not_another_kind_of_thing() -> None:
    """Names, texts and pieces of the normal form cannot be mistaken for each other."""
    sources = [b"x = a", b"x = 'a'", b"x = f'a'", b"x = ['a', 'b']", b"x = ['ab']", b"x = ['a' 'b', '']", b"x = 1"]
    sources += [b"x = True", b"x = 'True'", b"x = 1.0", b"x = ')'", b"x = ' value= 1'", b"x = 17", b"x = 0o17"]
    assert len({normal_form(source) for source in sources}) == len(sources)


def test_anything_has_a_normal_form() -> None:
    deep = b"x = " + b" + ".join([b"a"] * 900)
    assert normal_form(deep) != normal_form(deep + b" + a")
    for nonsense in (
        b"x" + b".a" * 100_000,
        b"def f(:",
        b"\x7fELF\0\0",
        b"# coding: nothing\n",
        b"x = '\xff'",
        b"(" * 5000,
    ):
        assert normal_form(nonsense) == nonsense
    assert normal_form(b"x = '\\d'") == normal_form(rb"x = '\\d'")  # a warning of Python is none of ours
    assert normal_form(b"x = 0x" + b"f" * 9999)  # more digits than Python prints


def test_the_package_is_stamped_by_what_it_does(tmp_path: Path) -> None:
    ours = Path(gardner.__file__).parent / "experiment" / "loop" / "pool.py"
    copy = tmp_path / "pool.py"
    copy.write_bytes(ours.read_bytes())
    before = stamp(also=[copy])
    copy.write_text(ours.read_text().replace('"""', '"""Indeed: ', 1) + "\n# the end\n")
    assert stamp(also=[copy]) == before
    copy.write_text(ours.read_text().replace("TOLERANCE = 1e-5", "TOLERANCE = 1e-6"))
    assert stamp(also=[copy]) != before
    assert stamp("experiment/loop/pool.py") != stamp("experiment/loop/training.py")


@pytest.mark.parametrize("pattern", _SOURCES)
def test_what_is_stamped_is_there(pattern: str) -> None:
    """A file that moves would leave the stamp without a word."""
    assert list(Path(gardner.__file__).parent.glob(pattern))


# every kind of syntax that some version parses into another tree, and a letter that newer ones
# think printable
TRICKY = r"""
# Python 3.12 has empty texts in the format of an f-string, and type parameters of functions and classes
def f(x: int, /, y=1, *a, z: "int" = 2, **k) -> None:  # type: (...) -> None
    with (open(x) as one, open(y)): yield from (lambda *v: v)(*a)
    return f"{x:{y}}" "" f"{{}}{x!r:^{y}.{z}}" 'end' f"{x:%H:%M}" f"{y:}", f"{x = !s:>{y}}", f"\N{EM DASH}{x}\t"
class C(B[int], metaclass=M):
    x: list[int]; (y): int = 0
    @property
    async def g(self): return [await i async for i in self if i if not i], {**self, 1: 2}, self[1:2, ::3, ...]
try: raise X from None
except* (X, Y) as e: del e, x[0]
else: global_ = (walrus := -1 ** 2)
match v:
    case {"a": [1 | 2, *_], **rest} if rest: pass
    case C(x=None) | "é\U0001FAE8\ud800" | -1.5j: print(u"u", b"\xff", 10**30, sep='')
"""
NORMAL = "b76779b527d636c83f674deac28f02ce35db3f4486e8d4e6ca1bc1339a13aa90"  # of TRICKY, in Python 3.11, 3.12 and 3.13


def test_the_normal_form_is_this_one() -> None:
    assert normal_form(TRICKY.encode()).startswith(b"Module( body=[FunctionDef(")
    assert hashlib.sha256(normal_form(TRICKY.encode())).hexdigest() == NORMAL


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_other_versions_of_python_write_the_same(tmp_path: Path, version: str) -> None:
    """Where there is another one here; the sources of the package, and what is known to differ."""
    python = shutil.which(f"python{version}")
    home = Path(inspect.getfile(gardner)).parent
    environment = {**os.environ, "PYTHONPATH": str(home.parent), "PYENV_VERSION": version}
    trial = [python or "", "-c", ""]
    if python is None or subprocess.run(trial, check=False, capture_output=True, env=environment).returncode:  # noqa: S603
        pytest.skip(f"no Python {version} here")
    (tmp_path / "tricky.py").write_text(TRICKY, encoding="utf-8")
    files = [tmp_path / "tricky.py", *sorted(home.rglob("*.py"))]
    program = (
        "import sys, hashlib, pathlib; from gardner.experiment.stored.sources import normal_form\n"
        "for file in sys.argv[1:]: print(hashlib.sha256(normal_form(pathlib.Path(file).read_bytes())).hexdigest())"
    )
    command = [python, "-S", "-c", program, *map(str, files)]
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout  # noqa: S603
    ours = [hashlib.sha256(normal_form(file.read_bytes())).hexdigest() for file in files]
    assert found.split() == ours
    assert found.split()[0] == NORMAL


class Rubbish:
    """Its end lets another thread run, wherever the collector happens to be called."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        time.sleep(1e-5)


def test_threads_may_stamp_at_once() -> None:
    source = b"x = [" + b"{'a': (1, 2)}, " * 300 + b"]"
    alone = normal_form(source)

    def stamp_it(_: int) -> bytes:
        litter = [Rubbish() for _ in range(20)]
        litter.clear()
        return normal_form(source)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(stamp_it, range(60))) == {alone}
