"""``gardner explore`` writes its page, and opens it only when it may."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest

from gardner.cli.commands import call


def test_page_is_written_and_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert call(["explore", "--out", str(tmp_path / "page.html"), "--no-open"]) == 0
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")
    assert opened == []


@pytest.mark.parametrize("works", [True, False])
def test_page_is_opened(
    works: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def browser(address: str) -> bool:
        opened.append(address)
        return works

    monkeypatch.setattr(webbrowser, "open", browser)
    assert call(["explore", "--out", str(tmp_path / "page.html")]) == 0
    assert opened == [(tmp_path / "page.html").as_uri()]
    assert ("no browser was found" in capsys.readouterr().err) is not works
