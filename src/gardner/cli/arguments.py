"""Errors of the library name Python arguments; the command line names its options instead."""

from __future__ import annotations

import ast
import re
import shlex

import typer

from gardner.errors import InvalidInputError

CLASSES = typer.Option(False, "--classes", help="Labels that are numbers are names of classes.")
REGRESSION = typer.Option(False, "--regression", help="Labels are numbers to be predicted, however few.")
_OPTIONS = {"ignore": "--ignore", "retry_failed": "--retry-failed", "rsb": "--rsb"}
_KIND = re.compile(r"\bkind='(classes|regression)'")
_TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_VERIFY = re.compile(rf"\bverify_results\(({_TEXT})\)")
_ARGUMENT = re.compile(rf"\b({'|'.join(_OPTIONS)})=(True\b|1\b|{_TEXT})")


def as_options(message: str) -> str:
    """A message with its arguments as they are given on the command line.

    >>> as_options("ignore='birth date', or write it otherwise; retry_failed=True runs them again")
    "--ignore 'birth date', or write it otherwise; --retry-failed runs them again"
    >>> as_options("leave rsb=1 out")
    'leave --rsb out'
    >>> as_options("say which: kind='classes' or kind='regression'")
    'say which: --classes or --regression'
    >>> as_options("verify_results('results') lists them")
    '`gardner results --verify results` lists them'
    """
    return _VERIFY.sub(_as_command, _KIND.sub(r"--\1", _ARGUMENT.sub(_as_option, message)))


def label_kind_of(classes: bool, regression: bool) -> str | None:
    """What the options say that labels are; at most one of the two may be given."""
    if classes and regression:
        raise InvalidInputError("--classes", "--regression", "labels are one or the other")
    return "classes" if classes else "regression" if regression else None


def _as_command(found: re.Match[str]) -> str:
    return f"`gardner results --verify {shlex.quote(ast.literal_eval(found[1]))}`"


def _as_option(found: re.Match[str]) -> str:
    option, value = _OPTIONS[found[1]], ast.literal_eval(found[2])
    return option if value in (True, 1) else f"{option} {shlex.quote(value)}"
