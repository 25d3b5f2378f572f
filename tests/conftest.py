"""What tests share: reproducible property tests, no code written to the user's cache, the command line as a fixture."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("GARDNER_CACHE", "off")

settings.register_profile(
    "gardner",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("gardner")


@pytest.fixture
def gardner(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The command line in this process: exit code, what it printed, what it complained about."""

    def run(*arguments: object) -> tuple[int, str, str]:
        from gardner.cli import run as call

        code = call([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
