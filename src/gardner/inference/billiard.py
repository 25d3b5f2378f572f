"""Exact Hamiltonian Monte Carlo in a polyhedron under a Gaussian: billiards on ellipses
[pakman2014].

The domain is {x : f_μ·x ≥ −c for all μ} with unit rows f_μ; the law of x is the standard normal one
cut to it. With velocities v ~ N(0, I) the motion under H = |x|²/2 + |v|²/2 is known in closed form,

    x(t) = x cos t + v sin t,   v → v − 2 (f_j·v) f_j at wall j,

so nothing is ever rejected: after a fixed time T the position has the law it had before, and v is
drawn anew.

A bounce needs only the fields a_μ = f_μ·x and b_μ = f_μ·v. With z = tan(t/2), wall μ is met where
(c − a) z² + 2 b z + (a + c) = 0, first at

    z = (a + c)/(√(a² + b² − c²) − b)   if b < 0 and a² + b² ≥ c²,

and the rotation by t needs no trigonometry: cos t = (1 − z²)/(1 + z²), sin t = 2z/(1 + z²).

The time is T = π/2, a quarter of the period, for two reasons. Without walls the next position is
then independent of the last, x(T) = v; with walls neighbouring trajectories were found correlated
by a tenth at most, and shorter ones to cost more bounces for the same precision. And until then no
wall with b ≥ 0 is met, a cos t + b sin t ≥ min(a, 0) ≥ −c: the wall just left, and every copy of
it, is out of the game by itself.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference.compiler import inlined, kept
from gardner.inference.threads import run_all, thread_count
from gardner.model.arrays import Floats

Counts = NDArray[np.int64]
Seed = int | np.random.SeedSequence | np.random.Generator

DURATION = 0.5 * math.pi
DENSITY = math.sqrt(2.0 * math.pi) / DURATION  # of the cut Gaussian on a wall that is met once a trajectory
# Independent walkers, whatever the number of threads. Their spread gives the standard error, to
# 1/√30 of itself.
CHAINS = 16
# Walls up to which their scalar products are kept (288 MB); beyond, they are made at each bounce.
GRAM_ROWS = 6000
# Bounces in one trajectory: more is a cone too thin to be explored by bouncing.
STUCK = 10_000_000
# The same limit in walls looked at, where there are many of them: that takes seconds.
STUCK_WORK = 2_000_000_000
# Walls looked at between two glances at the clock: some hundredths of a second.
BLOCK_WORK = 20_000_000
# How far outside the cone a trajectory may seem to end, in units of a row of length one. Rounding
# adds up over many bounces; a real escape is of order one.
ROUNDING = 1e-9
# Trajectories of a chain from the witness on, before anything is counted: one forgets the place it
# came from.
_FIRST = 6
# Trajectories of a chain on each new rung, before it is counted there: its neighbour is nearly the
# same cone.
_SETTLE = 2
# Trajectories of a chain for a first look, from which the effort is divided among rungs.
_PILOT = 4


@dataclass(frozen=True)
class Walls:
    """Unit rows f (walls × features), their transpose, and their scalar products (0 × 0 if there
    are too many).
    """

    rows: Floats
    columns: Floats
    gram: Floats

    @staticmethod
    def of(rows: Floats) -> Walls:
        """Walls of unit rows."""
        gram = rows @ rows.T if rows.shape[0] <= GRAM_ROWS else np.empty((0, 0))
        return Walls(np.ascontiguousarray(rows), np.ascontiguousarray(rows.T), gram)


class _Stopped(Exception):  # noqa: N818
    """Another thread has failed, and says why."""


class OutOfTimeError(ConvergenceError):
    """The time limit was reached."""

    def __init__(self) -> None:
        """What to try is always the same."""
        super().__init__("the time limit was reached", hint="raise time_limit")


def fly(
    walls: Walls, offset: float, trajectories: int, position: Floats, rng: np.random.Generator, tally: Counts,
    glance: Callable[[], None] = lambda: None,
) -> tuple[int, int]:  # fmt: skip
    """Move ``position`` by that many trajectories, in place; gives Σ k and Σ k² of the bounces k of
    one trajectory.

    Bounces off each wall are added to ``tally``. ``glance`` is called now and then between
    trajectories; it may raise.
    """
    count = walls.rows.shape[0]
    stuck, block = min(STUCK, max(STUCK_WORK // count, 1)), max(BLOCK_WORK // count, 1)
    total, squares, left = 0, 0, trajectories
    while left:
        glance()
        done, bounces, square, least = _fly(
            walls.rows, walls.columns, walls.gram, offset, left, position, rng, tally, stuck, block
        )
        if done < 0:
            problem = f"a trajectory did not end within {stuck} bounces"
            raise ConvergenceError(problem, hint="the cone is thinner than Monte Carlo can explore")
        if least < -ROUNDING:
            raise ConvergenceError(f"a trajectory ended outside the cone, by {-least:.1e}", hint="scale the rows alike")
        total, squares, left = total + bounces, squares + square, left - done
    return total, squares


@inlined
def _fields(columns: Floats, x: Floats, fields: Floats) -> None:
    """f_μ·x of all walls, column by column: every wall's sum has its own place in a vector
    register.
    """
    fields[:] = 0.0
    for i in range(columns.shape[0]):
        for mu in range(fields.size):
            fields[mu] += columns[i, mu] * x[i]


@inlined
def _rotate(x: Floats, v: Floats, cosine: float, sine: float) -> None:
    """Move freely: position and velocity turn into each other."""
    for i in range(x.size):
        x[i], v[i] = cosine * x[i] + sine * v[i], cosine * v[i] - sine * x[i]


@inlined
def _advance(
    a: Floats, b: Floats, z: Floats, offset: float, cosine: float, sine: float, twice: float, products: Floats
) -> None:
    """Rotate all fields, reflect them at the wall that has these products, and say when each wall
    would be met next.
    """
    for mu in range(a.size):
        place = cosine * a[mu] + sine * b[mu]
        speed = cosine * b[mu] - sine * a[mu] - twice * products[mu]
        a[mu], b[mu] = place, speed
        square = place * place + speed * speed - offset * offset
        meeting = max(place + offset, 0.0) / (math.sqrt(max(square, 0.0)) - speed)  # rounding may put it behind us
        z[mu] = meeting if (speed < 0.0) & (square >= 0.0) else np.inf


@kept()
def _fly(
    rows: Floats, columns: Floats, gram: Floats, offset: float, trajectories: int, x: Floats,
    rng: np.random.Generator, tally: Counts, stuck: int, block: int,
) -> tuple[int, int, int, float]:  # fmt: skip
    """Trajectories done (−1 if one was stuck), Σ k, Σ k² and the least slack f_μ·x + c at the end
    of one.

    It ends with the trajectory in which so many bounces, a ``block``, are reached.
    """
    features, count = columns.shape
    a, b, z, products, v = np.empty(count), np.empty(count), np.empty(count), np.zeros(count), np.empty(features)
    total, squares, least = 0, 0, np.inf
    _fields(columns, x, a)
    done = 0
    while done < trajectories and total < block:
        for i in range(features):
            v[i] = rng.standard_normal()
        _fields(columns, v, b)
        _advance(a, b, z, offset, 1.0, 0.0, 0.0, products)
        left = 1.0  # tan of half the time left
        bounces = 0
        while True:
            j = np.argmin(z)
            met = z[j]
            if met >= left:
                break
            if bounces == stuck:
                return -1, 0, 0, 0.0
            scale = 1.0 / (1.0 + met * met)
            cosine, sine = (1.0 - met * met) * scale, 2.0 * met * scale
            twice = 2.0 * (cosine * b[j] - sine * a[j])
            _rotate(x, v, cosine, sine)
            for i in range(features):
                v[i] -= twice * rows[j, i]
            if gram.size == 0:
                _fields(columns, rows[j], products)
            _advance(a, b, z, offset, cosine, sine, twice, products if gram.size == 0 else gram[j])
            left = (left - met) / (1.0 + left * met)
            bounces += 1
            tally[j] += 1
        scale = 1.0 / (1.0 + left * left)
        _rotate(x, v, (1.0 - left * left) * scale, 2.0 * left * scale)
        _fields(columns, x, a)  # from the position itself: rounding does not add up over trajectories
        least = min(least, np.min(a) + offset)
        total += bounces
        squares += bounces * bounces
        done += 1
    return done, total, squares, least


@dataclass(frozen=True)
class Bounces:
    """Trajectories a chain on each rung, and Σ k, Σ k² of their bounces by rung and chain."""

    trajectories: Counts
    sums: Counts
    squares: Counts

    def __add__(self, more: Bounces) -> Bounces:
        """Both together."""
        return Bounces(self.trajectories + more.trajectories, self.sums + more.sums, self.squares + more.squares)

    @property
    def mean(self) -> Floats:
        """Bounces a trajectory on each rung."""
        return np.asarray(self.sums.sum(axis=1) / (CHAINS * self.trajectories))

    @property
    def variance(self) -> Floats:
        """… and how they vary from one trajectory to the next."""
        return np.asarray(self.squares.sum(axis=1) / (CHAINS * self.trajectories) - self.mean**2)


def check_seed(seed: Seed) -> Seed:
    """A seed that NumPy takes, or an error that names it."""
    if isinstance(seed, int | np.integer) and seed < 0:
        raise InvalidInputError("seed", seed, "it must not be negative")
    return seed


def generators(seed: Seed, count: int) -> list[np.random.Generator]:
    """Independent generators made of fresh entropy.

    Children of the seed itself may have drawn the very rows, which would be met again as
    velocities.
    """
    entropy = np.random.default_rng(check_seed(seed)).integers(2**63, size=4)
    return [np.random.default_rng(child) for child in np.random.SeedSequence(entropy).spawn(count)]


class Walkers:
    """The chains: where each is on every rung, and its own generator."""

    def __init__(
        self, walls: Walls, witness: Floats, seed: Seed, threads: int | None, deadline: float = math.inf
    ) -> None:
        """Start every chain at the witness, at a typical distance from the origin, and settle in
        the version space.

        After the deadline, by ``time.monotonic()``, walking raises :class:`OutOfTimeError`.
        """
        self.walls, self.threads, self.deadline = walls, thread_count(threads), deadline
        self.stopped = False
        self.generators = generators(seed, CHAINS)
        start = witness * (math.sqrt(witness.size) / float(np.linalg.norm(witness)))
        self.places = np.tile(start, (1, CHAINS, 1))
        self.tallies = np.zeros((CHAINS, walls.rows.shape[0]), dtype=np.int64)
        self.trajectories = self.bounces = 0
        self.visit(np.zeros(1), np.array([_FIRST]))

    def visit(self, offsets: Floats, trajectories: Counts) -> Bounces:
        """Let every chain make that many trajectories on each rung."""
        sums, squares = (np.zeros((offsets.size, CHAINS), dtype=np.int64) for _ in range(2))

        def walk(chain: int) -> None:
            try:
                for rung in np.flatnonzero(trajectories):
                    sums[rung, chain], squares[rung, chain] = fly(
                        self.walls, float(offsets[rung]), int(trajectories[rung]), self.places[rung, chain],
                        self.generators[chain], self.tallies[chain], self._glance,
                    )  # fmt: skip
            except _Stopped:
                return
            except BaseException:  # Ctrl-C too: the other threads must not go on to the end
                self.stopped = True
                raise

        try:
            run_all(walk, [(chain,) for chain in range(CHAINS)], self.threads)
        except BaseException:  # Ctrl-C while this thread waits for the others
            self.stopped = True
            raise
        self.trajectories += CHAINS * int(trajectories.sum())
        self.bounces += int(sums.sum())
        return Bounces(trajectories, sums, squares)

    def _glance(self) -> None:
        if self.stopped:
            raise _Stopped
        if time.monotonic() > self.deadline:
            raise OutOfTimeError

    def thinnest_slack(self) -> float:
        """δ, the scale on which the density at a wall changes with c.

        A wall alone has d ln Z/dc ~ 1/δ; those that act together, as in a cone thin in all N
        dimensions, N/δ in all.
        """
        self.tallies[:] = 0
        self.visit(np.zeros(1), np.array([_PILOT]))
        density = DENSITY / (CHAINS * _PILOT) * self.tallies.sum(axis=0)
        together = float(density.sum() / self.walls.rows.shape[1])
        return 1.0 / max(float(density.max()), together, 0.5)

    def climb(self, offsets: Floats) -> Bounces:
        """Settle on every rung, each from the one before, whose domain lies within; then count a
        little everywhere.
        """
        rungs = offsets.size
        self.places = np.repeat(self.places[:1], rungs, axis=0)
        for rung in range(1, rungs):
            self.places[rung] = self.places[rung - 1]
            self.visit(offsets, np.where(np.arange(rungs) == rung, _SETTLE, 0))
        return self.visit(offsets, np.full(rungs, _PILOT))

    def draw(self, count: int) -> Floats:
        """Points of the version space, one a trajectory, the chains taking turns."""
        points: list[Floats] = []
        for _ in range(-(-count // CHAINS)):
            self.visit(np.zeros(1), np.ones(1, dtype=np.int64))
            points.append(self.places[0].copy())
        return np.concatenate(points)[:count]
