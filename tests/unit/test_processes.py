"""A child on a pipe: it answers, and neither side outlives the other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gardner.processes import Child, cores

ECHO = """
import os
from gardner.processes import Parent

def serve(descriptor):
    parent = Parent(descriptor)
    while True:
        question = parent.question()
        parent.answer(os.environ.get(question.decode(), "nothing").encode())
"""


@pytest.fixture
def echoing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that answers with variables of its environment."""
    (tmp_path / "echoing.py").write_text(ECHO)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])


@pytest.fixture
def child(echoing: None) -> Child:  # noqa: ARG001
    """A process of that module."""
    return Child("echoing")


def _asked(child: Child, question: str) -> str:
    child.pipe.send_bytes(question.encode())
    return child.pipe.recv_bytes().decode()


def test_it_answers_one_question_after_another(child: Child) -> None:
    assert [_asked(child, name) for name in ("OMP_NUM_THREADS", "no such thing")] == ["1", "nothing"]
    assert child.stop() == -9
    assert child.stop() is None  # it has ended


def test_it_ends_with_the_pipe(child: Child) -> None:
    _asked(child, "PATH")
    child.pipe.close()
    assert child.process.wait(timeout=60) == 0


@pytest.mark.usefixtures("echoing")
def test_it_ends_with_the_object() -> None:
    child = Child("echoing")
    process = child.process
    del child
    assert process.poll() == -9


def test_what_it_prints_goes_where_it_is_sent(tmp_path: Path) -> None:
    """Its output may be kept from the parent's."""
    (tmp_path / "talking.py").write_text("def serve(_): print('hello')")
    script = "from gardner.processes import Child; child = Child('talking', stdout=2); child.process.wait()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    assert (done.stdout, done.stderr) == ("", "hello\n")


def test_there_is_a_core() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
