"""Errors name Python arguments in Python, and options on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gardner.cli.arguments import as_options
from gardner.errors import InvalidInputError
from gardner.records.pool_file import read_pool


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("ignore='x'", "--ignore x"),
        ("""ignore="it's", or""", """--ignore 'it'"'"'s', or"""),
        ("retry_failed=True runs them again", "--retry-failed runs them again"),
        ("retry_failed=Truelove, ignored='x'", "retry_failed=Truelove, ignored='x'"),
        ("nothing of the kind", "nothing of the kind"),
    ],
)
def test_arguments_become_options(message: str, expected: str) -> None:
    assert as_options(message) == expected


def test_the_same_error_in_python_and_on_the_command_line(gardner: Any, tmp_path: Path) -> None:
    path = tmp_path / "pool.parquet"
    pd.DataFrame({"birth date": [[1], [2]], "y": ["a", "b"]}).to_parquet(path)
    with pytest.raises(InvalidInputError, match="numbers or texts are wanted; ignore='birth date', or write it"):
        read_pool(path, "y")
    code, _, err = gardner("query", path, "--label", "y")
    assert code == 2
    assert err.endswith("numbers or texts are wanted; --ignore 'birth date', or write it otherwise\n")
