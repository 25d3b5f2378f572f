"""A prior and a channel of one's own, written here with the least there is, run through everything.

Each has a twin among the registered ones: a mixture of two equal Gaussians is a Gaussian, and a
channel without lapses is the probit. Nothing but the numbers says so: the twin of the test's own
has no closed form, no compiled functions and no symmetry. So the answers of both have to agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from gardner.errors import InvalidInputError
from gardner.experiment.loop.pool import run
from gardner.experiment.loop.task import execute
from gardner.experiment.question.task import StrategySpec, Task
from gardner.inference import infer
from gardner.model import (
    CHANNELS,
    GLM,
    NUMPY,
    PRIORS,
    Channel,
    Compiled,
    Flip,
    Gaussian,
    Library,
    Linear,
    Prior,
    Probit,
    Sign,
    describe,
    draw_instance,
)
from gardner.model.arrays import Array
from gardner.strategies import make_registered
from gardner.table.propose import propose
from gardner.theory import bounds, pool, typical


@dataclass(frozen=True)
class Mixture(Prior):
    """Weights of two normal distributions, of variances 1 + spread and 1 − spread, with equal odds."""

    spread: float = 0.5

    @property
    def second_moment(self) -> float:
        return 1.0

    @property
    def parts(self) -> tuple[Gaussian, Gaussian]:
        return Gaussian(1.0 + self.spread), Gaussian(1.0 - self.spread)

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        one, two = (part.log_partition(A, b, library) for part in self.parts)
        return library.xp.logaddexp(one, two) - math.log(2.0)

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        one, two = (part.log_partition(A, b, library) for part in self.parts)
        share = library.xp.exp(one - library.xp.logaddexp(one, two))
        (mean, variance), (other, width) = (part.moments(A, b, library) for part in self.parts)
        apart = share * (1.0 - share) * (mean - other) ** 2
        return share * mean + (1.0 - share) * other, share * variance + (1.0 - share) * width + apart

    def sample(self, count: int, rng: np.random.Generator) -> NDArray[Any]:
        one, two = (part.sample(count, rng) for part in self.parts)
        return np.where(rng.random(count) < 0.5, one, two)


@dataclass(frozen=True)
class Lapse(Channel):
    """The probit of noise 0.3, but a share of the labels is given by a fair coin: ψ_Y = ln[λ/2 +
    (1−λ)Φ(u)].
    """

    share: float = 0.1

    @property
    def labels(self) -> tuple[float, ...]:
        return (-1.0, 1.0)

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        true = math.log1p(-self.share) + library.log_ndtr(y * omega / library.xp.sqrt(V + 0.3))
        return library.xp.logaddexp(true, 0.0 * true + math.log(max(0.5 * self.share, 1e-300)))

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        width = library.xp.sqrt(V + 0.3)
        u = y * omega / width
        ratio, excess = library.mills(u)
        share = library.xp.exp(math.log1p(-self.share) + library.log_ndtr(u) - self.log_partition(y, omega, V, library))
        return y * share * ratio / width, share * ratio * (excess - (1.0 - share) * ratio) / width**2


@dataclass(frozen=True)
class Normal(Mixture):
    """The mixture of two equal parts says what it is."""

    spread: float = 0.0

    @property
    def gaussian(self) -> bool:
        return True


@dataclass(frozen=True)
class Confused(Channel):
    """Real labels ±h with normal noise of variance 0.1, one in ten of the wrong sign: e^ψ is a sum
    of two normals.
    """

    @property
    def labels(self) -> tuple[float, ...]:
        return ()

    def _terms(self, y: Array, omega: Array, V: Array, library: Library) -> tuple[Array, Array, Array]:
        """The logarithm of each term, and of their sum."""
        right, wrong = (
            math.log(odds) + Linear(0.1).log_partition(y, sign * omega, V, library)
            for odds, sign in ((0.9, 1.0), (0.1, -1.0))
        )
        return right, wrong, library.xp.logaddexp(right, wrong)

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        return self._terms(y, omega, V, library)[2]

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        right, wrong, total = self._terms(y, omega, V, library)
        odds, others = library.xp.exp(right - total), library.xp.exp(wrong - total)
        one, two = (y - omega) / (V + 0.1), -(y + omega) / (V + 0.1)
        return odds * one + others * two, 1.0 / (V + 0.1) - odds * others * (one - two) ** 2

    def label_span(self, low: Array, high: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        reach = library.xp.maximum(-low, high) + 9.0 * math.sqrt(0.1)
        return -reach, reach

    def sample(self, fields: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        turned = np.where(rng.random(fields.shape) < 0.1, -fields, fields)
        return turned + math.sqrt(0.1) * rng.standard_normal(fields.shape)


OWN, TWIN = GLM(Mixture(0.0), Lapse(0.0)), GLM(Gaussian(), Probit(0.3))
NEW = GLM(Mixture(0.5), Lapse(0.1))


def test_the_least_there_is() -> None:
    """Four members make a prior, three a channel with labels; nothing else was needed here."""
    assert Prior.__abstractmethods__ == {"second_moment", "log_partition", "moments", "sample"}
    assert Channel.__abstractmethods__ == {"labels", "log_partition", "derivatives"}
    own = {name for name in vars(Lapse) if not name.startswith("_")} - {part.name for part in fields(Lapse)}
    assert own == Channel.__abstractmethods__


def test_what_is_not_given_follows_from_the_formula() -> None:
    """Information, moments and likelihood of a label, and labels themselves, against the probit's
    own.
    """
    omega, V = np.array([-2.0, 0.0, 0.7]), np.array([0.3, 1.0, 5.0])
    np.testing.assert_allclose(Lapse(0.0).information(omega, V), Probit(0.3).information(omega, V), atol=1e-9)
    for mine, known in zip(Lapse(0.0).predictive(omega, V), Probit(0.3).predictive(omega, V), strict=True):
        np.testing.assert_allclose(mine, known, atol=1e-12)
    direct = log_ndtr(omega / math.sqrt(0.3))
    np.testing.assert_allclose(Lapse(0.0).log_probability(1.0, omega), direct, rtol=1e-12)
    ahead = Lapse(0.1).sample(np.full(200_000, 0.4), np.random.default_rng(0)) > 0.0
    assert np.mean(ahead) == pytest.approx(0.05 + 0.9 * ndtr(0.4 / math.sqrt(0.3)), abs=0.004)


def test_theory() -> None:
    own, twin = bounds(OWN, pool_ratio=3.0, budget=0.6), bounds(TWIN, pool_ratio=3.0, budget=0.6)
    for side in ("minimum", "maximum"):
        mine, known = getattr(own, side).point, getattr(twin, side).point
        for name in ("log_volume", "accuracy", "information"):
            assert getattr(mine, name) == pytest.approx(getattr(known, name), abs=1e-6)
    assert own.capacity == pytest.approx(twin.capacity, abs=1e-6)
    assert typical(OWN, budget=1.2).log_volume == pytest.approx(typical(TWIN, budget=1.2).log_volume, abs=1e-8)
    assert typical(NEW, budget=1.2).log_volume > typical(NEW, budget=1.3).log_volume > -1.3 * math.log(2.0)


def test_real_labels_of_any_law() -> None:
    """Random subsets are integrated over labels; the complexity curve is that of linear channels
    only.
    """
    model = GLM(channel=Confused())
    few, many = typical(model, budget=0.5), typical(model, budget=2.0)
    assert 0.0 < few.information < many.information < 2.0 * float(Confused().information(0.0, 1.0))
    assert pool(model, pool_ratio=2.0).log_volume == many.log_volume
    instance = draw_instance(2000, 2.0, 0, model)
    posterior = infer(instance.rows, instance.labels, model)
    assert posterior.log_volume == pytest.approx(many.log_volume, abs=0.05)
    assert posterior.mean @ instance.teacher / 2000 == pytest.approx(many.overlap, abs=0.05)
    with pytest.raises(InvalidInputError, match="only linear channels"):
        bounds(model, pool_ratio=3.0, budget=0.6)


def test_linear_labels_are_integrated_alike() -> None:
    """The general integral over labels against the closed form, which a channel has by saying
    ``linear_noise``.
    """

    class Plain(Linear):
        log_partition, derivatives, label_span = Linear.log_partition, Linear.derivatives, Linear.label_span

    assert Linear().linear_noise == 0.1
    assert Plain().linear_noise is None
    own, known = typical(GLM(channel=Plain()), budget=1.2), typical(GLM(channel=Linear()), budget=1.2)
    for name in ("log_volume", "overlap", "information", "accuracy"):
        assert getattr(own, name) == pytest.approx(getattr(known, name), abs=1e-8)


@pytest.mark.parametrize("variances", ["vector", "scalar"])
def test_message_passing(variances: str) -> None:
    instance = draw_instance(120, 1.5, 0, TWIN)
    own, twin = (infer(instance.rows, instance.labels, model, variances=variances) for model in (OWN, TWIN))
    assert own.status.value == twin.status.value == "converged"
    assert own.log_evidence == pytest.approx(twin.log_evidence, rel=1e-6)
    np.testing.assert_allclose(own.mean, twin.mean, atol=1e-5)
    instance = draw_instance(1500, 1.2, 0, NEW)
    posterior = infer(instance.rows, instance.labels, NEW)
    assert posterior.log_volume == pytest.approx(typical(NEW, budget=1.2).log_volume, abs=0.02)


def test_expectation_propagation_needs_a_prior_that_says_gaussian() -> None:
    instance = draw_instance(40, 1.5, 0, TWIN)
    own = infer(instance.rows, instance.labels, GLM(Normal(), Lapse(0.0)), method="ep")
    twin = infer(instance.rows, instance.labels, TWIN, method="ep")
    assert own.log_evidence == pytest.approx(twin.log_evidence, rel=1e-9)
    with pytest.raises(InvalidInputError, match="needs a Gaussian prior"):
        infer(instance.rows, instance.labels, OWN, method="ep")


def test_active_learning() -> None:
    instance = draw_instance(80, 3.0, 0, TWIN)
    own, twin = (
        run(instance, make_registered("agnostic", {}), budget=0.5, batch_size=4, seed=0, model=model, tolerance=1e-9)
        for model in (OWN, TWIN)
    )
    assert own.queried.tolist() == twin.queried.tolist()
    assert own.rounds[-1].log_volume == pytest.approx(twin.rounds[-1].log_volume, rel=1e-6)
    for name in ("informed", "random", "swap"):
        curve = run(instance, make_registered(name, {}), budget=0.3, batch_size=6, seed=0, model=NEW, teacher=TWIN)
        assert curve.rounds[-1].status == "converged"


def test_which_row_to_ask_for() -> None:
    rng = np.random.default_rng(0)
    table = rng.standard_normal((80, 4))
    labels = np.where(np.arange(80) < 30, np.sign(table[:, 0] + 0.5 * rng.standard_normal(80)), np.nan)
    own, twin = (propose(table, labels, 5, model=model) for model in (GLM(Normal(), Lapse(0.0)), TWIN))
    assert [one.row for one in own.rows] == [one.row for one in twin.rows]
    assert [one.bits for one in own.rows] == pytest.approx([one.bits for one in twin.rows], abs=1e-6)


def test_one_registry_line_and_bench_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRIORS, "mixture", Mixture)
    monkeypatch.setitem(CHANNELS, "lapse", Lapse)
    assert describe(Lapse(0.2)) == "lapse:0.2"
    names = {"prior": "mixture", "teacher_prior": "mixture:0.2", "channel": "lapse", "teacher_channel": "lapse:0.05"}
    answer = execute(Task(StrategySpec("agnostic"), 60, 3.0, 0.5, 6, 0, **names))  # type: ignore[arg-type]
    assert answer["rounds"][-1]["status"] == "converged"


def test_at_the_command_line(gardner: Callable[..., tuple[int, str, str]]) -> None:
    here = Path(__file__)
    pool_file = here.parents[2] / "docs" / "examples" / "pool.csv"
    table = (str(pool_file), "--label", "diagnosis", "--id", "patient")
    code, out, _ = gardner("query", *table, "--channel", f"{here}:Lapse:0.2")
    assert code == 0
    assert "log-evidence" in out
    # the probit, as it has a closed form: bounds of Lapse are test_theory's, and take six times as
    # long
    options = ("--alpha", "3", "--budget", "0.6", "--prior", f"{here}:Mixture", "--channel", "probit:0.3")
    code, out, _ = gardner("bounds", *options)
    assert code == 0
    assert "typical" in out


def test_another_formula_inherits_no_shortcut() -> None:
    """A class derived from the sign with a formula of its own must not be answered by the sign's
    closed forms.
    """

    class Louder(Sign):
        def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
            return super().log_partition(y, omega, V + 1.0, library)

        def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
            return super().derivatives(y, omega, V + 1.0, library)

    class Named(Flip):
        """Only another name."""

    class Peaked(Channel):
        """No formula yet."""

        @property
        def log_concave(self) -> bool:
            return True

    class Whole(Peaked):
        labels = (-1.0, 1.0)
        log_partition, derivatives = Sign.log_partition, Sign.derivatives

    omega = np.linspace(-2.0, 2.0, 5)
    louder: Channel = Louder()
    assert (louder.compiled, louder.noise_in_front) == (None, None)
    assert not any((louder.closed_form, louder.log_concave, louder.scale_free, louder.noiseless))
    assert louder.odd
    np.testing.assert_allclose(louder.information(omega, 0.5), Probit(1.0).information(omega, 0.5), atol=1e-9)
    np.testing.assert_allclose(louder.log_probability(1.0, omega), log_ndtr(omega), rtol=1e-12)
    assert (Sign().compiled, Sign().closed_form, Sign().noise_in_front) == (Compiled("sign"), True, 0.0)
    assert Named(0.1).compiled == Flip(0.1).compiled
    assert Named(0.1).closed_form
    assert Whole().log_concave


def test_what_derives_from_neither_is_no_model() -> None:
    with pytest.raises(InvalidInputError, match=r"model.channel = .* derive from gardner\.model\.Channel"):
        GLM(channel=Gaussian())  # type: ignore[arg-type]
