"""The front of the package: what a user sees of it, in one place each."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import itertools
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import gardner

HOMES: dict[str, tuple[str, ...]] = vars(gardner)["_HOMES"]


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def test_dir_shows_the_public_names_and_nothing_else() -> None:
    """Also after submodules were imported, which Python adds to the names of a package."""
    importlib.import_module("gardner.model")
    shown = [name for name in dir(gardner) if not _is_dunder(name)]
    assert shown == sorted(gardner.__all__)
    assert {"__all__", "__doc__", "__version__"} <= set(dir(gardner))


def test_every_public_name_is_there() -> None:
    for name in gardner.__all__:
        assert getattr(gardner, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'bonds'"):
        getattr(gardner, "bonds")  # noqa: B009 - a type checker would refuse it


def test_one_name_is_one_thing() -> None:
    names = [name for names in HOMES.values() for name in names]
    assert sorted(names) == sorted(set(names))
    for home in HOMES:
        module = importlib.import_module(home)
        for name in gardner.__all__:
            there = getattr(module, name, getattr(gardner, name))
            assert there is getattr(gardner, name), f"{home}.{name} is another thing"


def test_no_name_stands_in_the_place_of_a_module() -> None:
    """``gardner.inference.amp`` cannot be a function and a module: the later one would hide the
    other.
    """
    modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(gardner.__path__, "gardner.")]
    for module in modules:
        folder, _, name = module.__name__.rpartition(".")
        assert getattr(importlib.import_module(folder), name) is module, module.__name__


def test_type_checkers_the_loader_and_all_agree() -> None:
    tree = ast.parse(Path(inspect.getfile(gardner)).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    typed = {
        str(node.module): tuple(one.name for one in node.names)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
    }
    assert {home: set(names) for home, names in typed.items()} == {home: set(names) for home, names in HOMES.items()}
    assert {name for names in HOMES.values() for name in names} == set(gardner.__all__)
    assert len(gardner.__all__) == len(set(gardner.__all__))


def test_import_is_light() -> None:
    heavy = ("numpy", "scipy", "pandas", "numba", "altair", "distributed", "yaml")
    script = f"import sys, gardner; dir(gardner); print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert result.stdout.strip() == "[]"


def _public_functions() -> list[str]:
    return [name for name in gardner.__all__ if inspect.isfunction(getattr(gardner, name))]


@pytest.mark.parametrize("name", _public_functions())
def test_public_functions_have_an_example(name: str) -> None:
    """One that pytest finds (``--doctest-modules``) and so runs."""
    function = getattr(gardner, name)
    home = importlib.import_module(function.__module__)
    found = {test.name: test.examples for test in doctest.DocTestFinder(recurse=True).find(home)}
    assert found.get(f"{function.__module__}.{name}"), f"{name} has no example (>>>) in its docstring"


@pytest.mark.parametrize("required", [True, False])
def test_arguments_come_in_one_order(required: bool) -> None:
    """Two arguments that several public functions share have the same order in all of them."""
    seen: dict[tuple[str, str], str] = {}
    for name in _public_functions():
        parameters = inspect.signature(getattr(gardner, name)).parameters.values()
        names = [one.name for one in parameters if (one.default is one.empty) == required]
        for first, second in itertools.combinations(names, 2):
            assert (second, first) not in seen, f"{name} has {first} before {second}, {seen[second, first]} after it"
            seen[first, second] = name
