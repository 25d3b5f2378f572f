"""What tests share: reproducible property tests, the command line as a fixture."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "gardner",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("gardner")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lines are counted in the first case of a test with parameters, and in no property test.

    The others run the same lines again, but for very few. Counting them would take a quarter of
    their time.
    """
    seen = set[str]()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if test in seen or hasattr(getattr(item, "obj", None), "hypothesis"):
            item.add_marker("no_cover")
        seen.add(test)


@pytest.fixture
def gardner(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The command line in this process: exit code, what it printed, what it complained about."""

    def run(*arguments: object) -> tuple[int, str, str]:
        from gardner.cli import run as call

        code = call([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


CANARY = """
from pathlib import Path
Path({canary!r}).write_text("run")
from gardner.model import Gaussian as X, Sign as Y
from gardner.strategies.uniform import Random as Z
"""


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Code that leaves a trace when it is run, as a file here, by its full path, and as a module."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "hostile.py").write_text(CANARY.format(canary=str(tmp_path / "canary")))
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    yield tmp_path / "canary"
    sys.modules.pop("hostile", None)
