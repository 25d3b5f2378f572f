"""What tests share: reproducible property tests, the command line as a fixture."""

from __future__ import annotations

import sys
from collections.abc import Callable

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


@pytest.fixture
def gardner(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """The command line in this process: exit code, what it printed, what it complained about."""

    def run(*arguments: object) -> tuple[int, str, str]:
        from gardner.cli import main

        monkeypatch.setattr(sys, "argv", ["gardner", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        return int(stopped.value.code or 0), captured.out, captured.err

    return run
