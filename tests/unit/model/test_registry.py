"""Priors and channels by name."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.model import (
    CHANNELS,
    GLM,
    PRIORS,
    Flip,
    GaussBernoulli,
    Gaussian,
    Linear,
    Logistic,
    Probit,
    draw_instance,
    parse_channel,
    parse_prior,
)
from gardner.model.external import load_channel, load_prior
from gardner.model.registry import describe, summaries

OWN = Path(__file__).parents[3] / "docs" / "examples" / "my_model.py"


def test_names_with_and_without_parameters() -> None:
    assert parse_prior("gauss-bernoulli:0.1") == GaussBernoulli(0.1)
    assert parse_prior("gaussian") == parse_prior("gaussian:1") == Gaussian()
    assert parse_channel("probit:0.1") == Probit(0.1)
    assert parse_channel("logistic:5") == Logistic(5.0)
    assert parse_channel("linear:1e-2") == Linear(0.01)
    assert load_channel("gardner.model.flip:Flip:0.2") == load_channel("gardner.model.flip.Flip:0.2") == Flip(0.2)
    assert load_prior("gaussian:2") == Gaussian(2.0)


def test_own_classes_are_values_that_can_be_sent() -> None:
    own: Any = load_channel(f"{OWN}:Cauchit:0.5")
    assert own.width == 0.5
    assert pickle.loads(pickle.dumps(own)) == load_channel(f"{OWN}:Cauchit:0.5")  # noqa: S301
    assert load_channel(describe(own)) == own
    assert str(OWN) in describe(own)
    assert load_prior(f"{OWN}:Uniform").second_moment == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("flop", "did you mean flip"),
        ("nothing", "sign, flip, probit"),
        ("flip:much", "no number"),
        ("flip:0.7", "0.5"),
        ("flip:-0.1", "0.5"),
        ("sign:1", "without a parameter"),
        ("linear:0", "between 0 and inf"),
        ("probit:nan", "probit.noise"),
        ("no.such.module:Thing", "there is no module"),
        ("nowhere.py:Thing", "there is no file"),
        (f"{OWN}:Nothing", "there is no Nothing"),
        (f"{OWN}:Uniform", "it lacks"),
        ("math:sqrt", "no class"),
        ("math:pi", "no class but float"),
        ("builtins:dict", "cannot be made|it lacks"),
        ("gardner.model:PERCEPTRON", "no class but GLM"),
        ("a b.c", "neither registered"),
    ],
)
def test_bad_channels_are_named(text: str, told: str) -> None:
    with pytest.raises(InvalidInputError, match=told):
        load_channel(text)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("__eq__ = Sign.__eq__\n    __hash__ = None", "unhashable"),
        ("__eq__, __hash__ = object.__eq__, object.__hash__", "never equal.*frozen dataclass"),
        ("pass", ""),
    ],
)
def test_own_classes_must_be_values(tmp_path: Path, body: str, told: str) -> None:
    """A student knows its teacher's model by comparing the two."""
    path = tmp_path / f"own{len(body)}.py"
    path.write_text(f"from gardner.model import Sign\nclass Mine(Sign):\n    {body}\n", encoding="utf-8")
    if not told:
        assert load_channel(f"{path}:Mine") == load_channel(f"{path}:Mine")
        return
    with pytest.raises(InvalidInputError, match=told):
        load_channel(f"{path}:Mine")


def test_a_constructor_that_refuses_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "refusing.py"
    path.write_text(
        "from gardner.model import Sign\nclass Mine(Sign):\n"
        "    def __init__(self, width):\n        raise ValueError('width must be odd')\n",
        encoding="utf-8",
    )
    with pytest.raises(InvalidInputError, match="width must be odd"):
        load_channel(f"{path}:Mine:2")


TRACES = """
from pathlib import Path
from gardner.model import Channel

class Opens:  # as a window would
    def __init__(self): Path(__file__).with_name("called").write_text("made")

class Half(Opens):
    labels = ()
    log_partition = derivatives = 1

class Set(Opens):
    def log_partition(self): ...
    derivatives = log_partition

class Alien(Set):
    labels = ()

class Bare(Opens, Channel):
    labels = ()
"""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Opens", "it lacks derivatives, labels, log_partition"),
        ("Half", "it lacks derivatives, log_partition"),
        ("Set", "it lacks labels"),
        ("Alien", r"does not derive from gardner\.model\.Channel"),
        ("Bare", "it lacks derivatives, log_partition"),
    ],
)
def test_a_class_is_looked_at_before_it_is_called(tmp_path: Path, name: str, told: str) -> None:
    path = tmp_path / "opens.py"
    path.write_text(TRACES)
    with pytest.raises(InvalidInputError, match=told):
        load_channel(f"{path}:{name}")
    assert not (tmp_path / "called").exists()


@pytest.mark.parametrize("text", ["sys:exit", "os:abort", "tkinter:Tk", "threading:Thread", "builtins:quit"])
def test_what_is_no_model_is_not_called(text: str) -> None:
    if text.startswith("tkinter"):
        pytest.importorskip("tkinter")
    for load in (load_prior, load_channel):
        with pytest.raises(InvalidInputError, match=r"it lacks|no class"):
            load(text)


def test_a_constructor_that_ends_the_process(tmp_path: Path) -> None:
    path = tmp_path / "ends.py"
    path.write_text("from gardner.model import Sign\nclass Mine(Sign):\n    def __init__(self): raise SystemExit(0)\n")
    with pytest.raises(InvalidInputError, match="it cannot be made"):
        load_channel(f"{path}:Mine")


@pytest.mark.parametrize(
    "text", [f"{OWN}:Cauchit", "gardner.model.flip:Flip:0.2", "gardner.model.flip.Flip", "os:abort"]
)
def test_text_that_is_parsed_loads_nothing(text: str) -> None:
    for parse, registered in ((parse_prior, "gaussian"), (parse_channel, "sign")):
        with pytest.raises(InvalidInputError, match=f"it must be one of {registered}"):
            parse(text)


def test_fields_of_dataclasses_are_declared(tmp_path: Path) -> None:
    path = tmp_path / "fields.py"
    path.write_text(
        "from dataclasses import dataclass\nfrom gardner.model import Gaussian, Prior\n"
        "@dataclass(frozen=True)\nclass Mine(Prior):\n"
        "    second_moment: float = 1.0\n    log_partition = Gaussian.log_partition\n"
        "    moments, sample = Gaussian.moments, Gaussian.sample\n"
    )
    assert load_prior(f"{path}:Mine:2").second_moment == 2.0


def test_every_model_has_one_line() -> None:
    lines = {**summaries(PRIORS), **summaries(CHANNELS)}
    assert len(lines) == len(PRIORS) + len(CHANNELS)
    assert "flip:RHO" in lines
    assert "sign" in lines
    assert all(len(line) > 20 for line in lines.values())


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("channel", CHANNELS)
def test_instances_of_every_model(prior: str, channel: str) -> None:
    model = GLM(parse_prior(prior), parse_channel(channel))
    problem = draw_instance(50, 2.0, 0, model, dtype=np.float32)
    assert problem.labels.dtype == np.float32
    assert problem.labels.shape == (100,)
    assert np.all(np.isfinite(problem.labels))
    if model.channel.labels:
        assert set(problem.labels.tolist()) == set(model.channel.labels)
