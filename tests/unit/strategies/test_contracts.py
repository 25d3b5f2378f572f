"""What is a strategy is seen from its signatures; nothing is called to find out."""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path

import pytest

from gardner.errors import GardnerError
from gardner.strategies import StrategyError
from gardner.strategies.external import make_strategy

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
    """Those in modules would end the process, wait for a key or open a window; those of the file
    leave a trace.
    """
    file = tmp_path / "ends.py"
    file.write_text(ENDS)
    if name == "os:_exit" and not isinstance(os._exit, types.BuiltinFunctionType):
        pytest.skip("coverage puts a function of its own in its place")
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
