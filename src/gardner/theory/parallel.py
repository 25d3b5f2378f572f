"""Several questions at once: this process answers some, and a child process for each further core
the others.

Threads do not help: half of the time of an answer is Python's own. So a child is a process
(:mod:`gardner.processes`). Each question is answered for itself, so the answers have the same bits
whoever gives them.
"""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from gardner.processes import Child, Parent, cores

Question = TypeVar("Question")
Answer = TypeVar("Answer")

# Questions for which a child pays: it takes as long to start as one answer.
_FEWEST = 4


def answers(
    ask: Callable[[Question], Answer],
    questions: Sequence[Question],
    workers: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Answer]:
    """``ask`` of every question, in their order; ``progress`` is called with the fraction done.

    ``workers`` counts this process too; without it, one for each core. ``ask`` is a function of a
    module. What cannot be sent to another process, such as a model from somebody's file, is
    answered here. An error is raised as it would be here.
    """
    count = min(cores() if workers is None else workers, len(questions)) if len(questions) >= _FEWEST else 1
    work = _Work(ask, questions, progress or (lambda _: None))
    children = [Child(__name__) for _ in range(count - 1)] if work.can_be_sent else []
    threads = [threading.Thread(target=work.by_child, args=(child,), daemon=True) for child in children]
    try:
        for thread in threads:
            thread.start()
        work.here()
        for thread in threads:
            thread.join()
        work.here()  # what a child gave back
    finally:
        for child in children:
            child.stop()
    if work.errors:
        raise work.errors[min(work.errors)]
    return [work.found[index] for index in range(len(questions))]


class _Work(Generic[Question, Answer]):
    """What is left to do, and what was found."""

    def __init__(
        self, ask: Callable[[Question], Answer], questions: Sequence[Question], progress: Callable[[float], None]
    ) -> None:
        self._ask, self._total, self._progress = ask, len(questions), progress
        self._left = deque(enumerate(questions))
        self._lock = threading.Lock()
        self.found: dict[int, Answer] = {}
        self.errors: dict[int, Exception] = {}

    @property
    def can_be_sent(self) -> bool:
        """Whether the first question can go through a pipe; the others are like it."""
        try:
            pickle.dumps((self._ask, self._left[0] if self._left else None))
        except Exception:  # each kind of object refuses in its own way
            return False
        return True

    def here(self) -> None:
        """Answer in this process until nothing is left or something went wrong."""
        while not self.errors and (order := self._next()) is not None:
            index, question = order
            try:
                answer = self._ask(question)
            except Exception as error:
                self.errors[index] = error
                return
            self._keep(index, answer)

    def by_child(self, child: Child) -> None:
        """Have a child answer until nothing is left; a question it cannot answer is put back."""
        while not self.errors and (order := self._next()) is not None:
            index, question = order
            reply = _ask_child(child, self._ask, question)
            if reply is None:
                self._left.appendleft(order)
                return
            if reply.error is not None:
                self.errors[index] = reply.error
            else:
                self._keep(index, reply.answer)

    def _next(self) -> tuple[int, Question] | None:
        try:
            return self._left.popleft()
        except IndexError:
            return None

    def _keep(self, index: int, answer: Answer) -> None:
        with self._lock:
            self.found[index] = answer
            self._progress(len(self.found) / self._total)


class _Reply(NamedTuple):
    """What a child says to a question."""

    answer: Any
    error: Exception | None


def _ask_child(child: Child, function: Callable[[Question], Answer], question: Question) -> _Reply | None:
    """The answer or the error; nothing if the child is gone or does not understand."""
    try:
        child.pipe.send((function, question))
        reply: _Reply | None = child.pipe.recv()
    except Exception:  # whatever a broken pipe or a strange object raises
        return None
    return reply


def serve(descriptor: int) -> None:
    """In the child: answer questions for ever."""
    parent = Parent(descriptor)
    while True:
        content = parent.question()
        try:
            function, question = pickle.loads(content)  # noqa: S301 - from our parent, who made the pipe
        except Exception:  # a class that cannot be imported here
            parent.answer(pickle.dumps(None))
            continue
        try:
            reply = _Reply(function(question), None)
        except Exception as error:
            reply = _Reply(None, error)
        parent.answer(pickle.dumps(reply))
