"""What one label tells about another, against two classes and against labels that were drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.model import Probit
from gardner.table import score as two_classes
from gardner.table.classes.score import Labels, information_of_one, pair_information

NOISE = 0.1


def drawn_information(
    m: np.ndarray, m2: np.ndarray, V: np.ndarray, V2: np.ndarray, C: np.ndarray, rng: np.random.Generator
) -> float:
    """I(y; y') of a large sample of both labels, less the bias of such an estimate."""
    count, kinds = 300_000, m.size
    z, w, a, b = rng.standard_normal((4, count, kinds))
    first = (m + np.sqrt(V) * z + math.sqrt(NOISE) * a).argmax(axis=1)
    second = (m2 + C / np.sqrt(V) * z + np.sqrt(np.maximum(V2 - C * C / V, 0.0)) * w + math.sqrt(NOISE) * b).argmax(
        axis=1
    )
    joint = np.bincount(kinds * first + second, minlength=kinds * kinds).reshape(kinds, kinds) / count
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    some = joint > 0.0
    return float(np.sum(joint[some] * np.log(joint[some] / apart[some]))) - (kinds - 1) ** 2 / (2.0 * count)


@pytest.mark.parametrize("kinds", [3, 6])
@pytest.mark.parametrize("correlation", [0.3, 0.6, 0.95])
def test_against_labels_that_were_drawn(kinds: int, correlation: float) -> None:
    rng = np.random.default_rng(kinds)
    m, V = 0.6 * rng.standard_normal(kinds), np.exp(rng.uniform(-0.4, 0.4, kinds))
    m2, V2 = m + 0.3 * rng.standard_normal(kinds), V * np.exp(rng.uniform(-0.2, 0.2, kinds))
    C = correlation * np.sqrt(V * V2)
    here, there = Labels.of(m[None], V[None] + NOISE), Labels.of(m2[None], V2[None] + NOISE)
    exact = drawn_information(m, m2, V, V2, C, rng)
    first_order = float(pair_information(C[:, None, None], here, there)[0, 0])
    assert 0.6 * exact < first_order < 1.05 * exact
    assert first_order == pytest.approx(exact, rel=0.15 if correlation < 0.5 else 0.4, abs=2e-4)
    assert 0.95 * exact < float(information_of_one(C[None], here, there)[0]) < 1.4 * exact


def test_two_classes_are_as_elsewhere() -> None:
    rng = np.random.default_rng(0)
    mean, V = rng.standard_normal((5, 2)), np.exp(rng.uniform(-1.0, 0.5, (5, 2)))
    C = 0.5 * np.sqrt(V[:3].T[:, :, None] * V[3:].T[:, None, :])
    here, there = Labels.of(mean[:3], V[:3] + NOISE), Labels.of(mean[3:], V[3:] + NOISE)
    channel = Probit(2.0 * NOISE)
    omega, W = mean[:, 0] - mean[:, 1], V.sum(axis=1)
    s, H = two_classes.sharpness(channel, omega, W), two_classes.entropy(channel, omega, W)
    wanted = two_classes.pair_information(C.sum(axis=0), s[:3], s[3:], H[:3], H[3:])
    assert pair_information(C, here, there) == pytest.approx(wanted, rel=1e-6)
    u, T = two_classes.latent(channel, omega, W)
    one = Labels.of(mean[:1], V[:1] + NOISE)
    exact = two_classes.signs_information(u[3:], u[0], C[:, 0, :].sum(axis=0) / np.sqrt(T[3:] * T[0]))
    assert information_of_one(C[:, 0, :].T, one, there) == pytest.approx(exact, rel=1e-6)


def test_never_above_an_entropy_and_copies_tell_all() -> None:
    rng = np.random.default_rng(1)
    mean, V = 2.0 * rng.standard_normal((30, 4)), np.exp(rng.uniform(-2.0, 2.0, (30, 4)))
    labels = Labels.of(mean, V + 1e-9)
    C = np.sqrt(V.T[:, :, None] * V.T[:, None, :])
    told = pair_information(C, labels, labels)
    assert (told >= 0.0).all()
    assert (told <= np.minimum(labels.entropy[:, None], labels.entropy) + 1e-12).all()
    one = Labels.of(mean[:1], V[:1] + 1e-9)
    copy = information_of_one(V[:1], one, one)[0]
    assert 0.95 * one.entropy[0] < copy <= one.entropy[0]
    assert information_of_one(0.0 * V, one, labels) == pytest.approx(np.zeros(30), abs=1e-12)
