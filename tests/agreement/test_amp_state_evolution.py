"""AMP against Bayes-optimal state evolution for every prior × channel [rangan2011; barbier2019].

The overlap q of a student with a teacher of the same model solves

    q̂ = n ∫Dη Σ_y e^{ψ_Y(y, √q η, r⁰−q)} g²,      q = ∫ db N(b; 0, q̂) e^{ψ_X(q̂, b)} x̂(q̂, b)²,

and ln v = −q q̂/2 + ⟨ψ_X⟩ + n⟨ψ_Y⟩ under the same two measures. Written out here, so that nothing
of ``theory`` is used.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.inference import Start, amp
from gardner.model import CHANNELS, GLM, PRIORS, Channel, Prior, draw_instance, parse_channel, parse_prior
from gardner.model.integrals import panels

SHARPER = {"logistic": "logistic:3"}
PAIRS = [(prior, SHARPER.get(channel, channel)) for prior in PRIORS for channel in CHANNELS]
# every channel and every prior at least once; all pairs are a slow test
FEW = [(list(PRIORS)[index % len(PRIORS)], SHARPER.get(channel, channel)) for index, channel in enumerate(CHANNELS)]


def of_rows(channel: Channel, q: float, V: float) -> tuple[float, float]:
    """⟨g²⟩ and ⟨ψ_Y⟩."""
    eta, weights = panels(-8.0, 8.0, 12)
    weights = weights * np.exp(-0.5 * eta**2) / math.sqrt(2.0 * math.pi)
    omega = math.sqrt(q) * eta
    if channel.labels:
        y, each = np.repeat(np.array(channel.labels)[:, None], eta.size, axis=1), np.ones(1)
    else:
        mean, variance = (np.asarray(part) for part in channel.predictive(omega, np.full_like(omega, V)))
        t, steps = panels(-10.0, 10.0, 8)
        y, each = mean + np.sqrt(variance) * t[:, None], np.sqrt(variance) * steps[:, None]
    psi = channel.log_partition(y, omega + 0.0 * y, V + 0.0 * y)
    g, _ = channel.derivatives(y, omega + 0.0 * y, V + 0.0 * y)
    mass = weights * each * np.exp(psi)
    assert float(np.sum(mass)) == pytest.approx(1.0, abs=1e-5)
    return float(np.sum(mass * g * g)), float(np.sum(mass * psi))


def of_weights(prior: Prior, q_hat: float) -> tuple[float, float]:
    """⟨x̂²⟩ and ⟨ψ_X⟩."""
    reach = 27.0 * math.sqrt(prior.second_moment) * q_hat + 10.0 * math.sqrt(q_hat)
    b, weights = panels(-reach, reach, 400)
    psi = prior.log_partition(np.full_like(b, q_hat), b)
    mass = weights * np.exp(psi - 0.5 * b * b / q_hat) / math.sqrt(2.0 * math.pi * q_hat)
    assert float(np.sum(mass)) == pytest.approx(1.0, abs=1e-5)
    mean, _ = prior.moments(np.full_like(b, q_hat), b)
    return float(np.sum(mass * mean * mean)), float(np.sum(mass * psi))


def state_evolution(model: GLM, budget: float, start: float) -> tuple[float, float]:
    """The overlap q that the iteration reaches from a share of r⁰, and ln v there."""
    moment = model.prior.second_moment
    q = start * moment
    for _ in range(1000):
        last, q_hat = q, budget * of_rows(model.channel, q, moment - q)[0]
        q = min(of_weights(model.prior, q_hat)[0], (1.0 - 1e-9) * moment)
        if abs(q - last) < 1e-6 * moment:  # tests ask for a thousandth
            break
    else:
        raise AssertionError("state evolution did not converge")
    energy, psi_rows = of_rows(model.channel, q, moment - q)
    psi_weights = of_weights(model.prior, budget * energy)[1]
    return q, -0.5 * q * budget * energy + psi_weights + budget * psi_rows


def check(model: GLM, features: int, seeds: int) -> None:
    """The mean lies within 1.5 spreads + 5/N of theory for ln v and both overlaps, and every run
    converges.
    """
    symmetric = model.channel.information(0.0, 1.0) > 0.0 and float(model.channel.derivatives(1.0, 0.0, 1.0)[0]) == 0.0
    budget = 2.0 if symmetric else 1.2
    q, log_volume = state_evolution(model, budget, 0.7 if symmetric else 1e-4)
    measured = []
    for seed in range(seeds):
        problem = draw_instance(features, budget, seed, model)
        start = None
        if symmetric:  # the field of zero tells no sign: begin near the teacher
            left = np.full(features, 0.3 * model.prior.second_moment)
            start = Start(math.sqrt(0.7) * problem.teacher, left, np.zeros(problem.labels.size))
        posterior = amp(problem.rows, problem.labels, model, start=start).checked()
        overlap = posterior.mean @ problem.teacher / features
        measured.append((posterior.log_volume, overlap, posterior.mean @ posterior.mean / features))
    error = np.mean(measured, axis=0) - np.array([log_volume, q, q])
    spread = np.std(measured, axis=0, ddof=1)
    assert np.all(np.abs(error) < 1.5 * spread + 5.0 / features), (error, spread, q, log_volume)


@pytest.mark.parametrize(("prior", "channel"), FEW)
def test_amp_is_on_its_state_evolution(prior: str, channel: str) -> None:
    check(GLM(parse_prior(prior), parse_channel(channel)), features=600, seeds=8)


@pytest.mark.slow
@pytest.mark.parametrize(("prior", "channel"), PAIRS)
def test_amp_is_on_its_state_evolution_large(prior: str, channel: str) -> None:
    check(GLM(parse_prior(prior), parse_channel(channel)), features=2000, seeds=10)


def test_weights_of_two_values_have_two_fixed_points() -> None:
    """A first-order transition: AMP from the prior stays below the fixed point that a start at the
    teacher finds.
    """
    model, budget = GLM(parse_prior("rademacher"), parse_channel("probit:0.005")), 1.5
    (low, below), (high, above) = (state_evolution(model, budget, start) for start in (1e-4, 0.99))
    assert low < 0.9 < 0.99 < high
    assert below < above
    problem = draw_instance(1000, budget, 0, model)
    uninformed = amp(problem.rows, problem.labels, model).checked()
    start = Start(problem.teacher, np.full(1000, 1e-3), np.zeros(problem.labels.size))
    informed = amp(problem.rows, problem.labels, model, start=start).checked()
    assert uninformed.mean @ problem.teacher / 1000 == pytest.approx(low, abs=0.08)
    assert informed.mean @ problem.teacher / 1000 == pytest.approx(high, abs=0.002)
    assert informed.log_volume == pytest.approx(above, abs=0.01)
