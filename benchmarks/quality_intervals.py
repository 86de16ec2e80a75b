"""How often do the intervals of a report hold the truth, and how often does a difference show where none is?

Calls are drawn from worlds whose means are known: scores that are bounded, skewed and in steps, as rubrics
make them. For each world and number of calls it prints how many of the 95 % intervals hold the mean (goal:
93 to 97 %), next to those of mean ± t·s/√n, and how many differences of two samples of one world are outside
the noise (goal: at most 7 %). The last world is a warning: few calls with a zero score say too little about
how many there are.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from callscope.reports.overview.intervals import Estimates, estimate, sample_means, sample_shares

Floats = NDArray[np.float64]
SAMPLES = 20_000
SIZES = (5, 20, 100)
SEED = 15
POINTS = np.array([10, 10, 5, 15, 20, 10, 10, 20]) / 100
CHANCES = np.array([0.95, 0.8, 0.9, 0.7, 0.85, 0.6, 0.97, 0.88])
HIGH_CHANCES = np.array([0.99, 0.97, 0.98, 0.95, 0.96, 0.9, 0.99, 0.97])
GENERATOR = np.random.default_rng(SEED)


class World(NamedTuple):
    """Where scores from 0 to 1 come from, and their true mean."""

    name: str
    draw: Callable[[int], Floats]  # SAMPLES rows of so many calls
    mean: float
    is_share: bool = False


def draw_rubric(calls: int, chances: Floats | float) -> Floats:
    """Return scores of a rubric of eight criteria, each met or not."""
    scores: Floats = (GENERATOR.random((SAMPLES, calls, len(POINTS))) < chances) @ POINTS
    return scores


def draw_moods(calls: int) -> Floats:
    """Return scores of calls that go well or badly as a whole."""
    return draw_rubric(calls, GENERATOR.beta(9, 1.5, (SAMPLES, calls, 1)))


def draw_often_full(calls: int) -> Floats:
    """Return scores of which three in ten are full."""
    scores = GENERATOR.beta(6, 2, (SAMPLES, calls))
    return np.asarray(np.where(GENERATOR.random((SAMPLES, calls)) < 0.3, 1.0, scores), np.float64)


def draw_zeroed(calls: int) -> Floats:
    """Return scores of which eight in a hundred are zero, for a critical error."""
    return np.where(GENERATOR.random((SAMPLES, calls)) < 0.08, 0.0, draw_rubric(calls, CHANCES))


def draw_criterion(calls: int) -> Floats:
    """Return the shares of a criterion that is met, met in part or not met."""
    return GENERATOR.choice([1.0, 0.5, 0.0], (SAMPLES, calls), p=[0.6, 0.25, 0.15])


def share(chance: float) -> World:
    return World(
        f"share of {chance:.0%}",
        lambda n: (GENERATOR.random((SAMPLES, n)) < chance).astype(np.float64),
        chance,
        True,
    )


WORLDS = (
    World("rubric of eight criteria", lambda n: draw_rubric(n, CHANCES), float(POINTS @ CHANCES)),
    World("nearly all criteria met", lambda n: draw_rubric(n, HIGH_CHANCES), float(POINTS @ HIGH_CHANCES)),
    World("calls good or bad as a whole", draw_moods, 9 / 10.5),
    World("three in ten full", draw_often_full, 0.3 + 0.7 * 0.75),
    World("smooth and skewed", lambda n: GENERATOR.beta(8, 2, (SAMPLES, n)), 0.8),
    World("criterion met, partly or not", draw_criterion, 0.725),
    share(0.3),
    share(0.12),
    World("rubric, 8 % zeroed", draw_zeroed, float(POINTS @ CHANCES) * 0.92),
)


def main() -> None:
    print(f"{SAMPLES:,} samples each; standard error of a coverage of 95 %: 0.15 points")
    print(f"{'':30}{'calls':>6}{'holds':>9}{'± t·s/√n':>10}{'width':>8}{'apart':>8}")
    for world in WORLDS:
        for calls in SIZES:
            scores = world.draw(calls)
            ours = estimate_rows(world, scores)
            apart = ours.minus(estimate_rows(world, world.draw(calls)))
            print(
                f"{world.name:30}{calls:6}"
                f"{held(ours.low, ours.high, world.mean):8.1f} %"
                f"{held(*plain_bounds(scores), world.mean):8.1f} %"
                f"{100 * float(np.mean(ours.high - ours.low)):8.1f}"
                f"{100 - held(apart.low, apart.high, 0.0):6.1f} %"
            )


def estimate_rows(world: World, scores: Floats) -> Estimates:
    calls = np.full(SAMPLES, scores.shape[1])
    if world.is_share:
        return estimate(sample_shares(scores.sum(axis=1), calls))
    return estimate(sample_means(calls, scores.sum(axis=1), (scores**2).sum(axis=1)))


def plain_bounds(scores: Floats) -> tuple[Floats, Floats]:
    """Return the mean ± t·s/√n of each row."""
    calls = scores.shape[1]
    reach = stdtrit(calls - 1, 0.975) * scores.std(axis=1, ddof=1) / np.sqrt(calls)
    return scores.mean(axis=1) - reach, scores.mean(axis=1) + reach


def held(low: Floats, high: Floats, truth: float) -> float:
    """Return how many of these intervals hold the truth, in percent."""
    return 100 * float(np.mean((low - 1e-9 <= truth) & (truth <= high + 1e-9)))


if __name__ == "__main__":
    main()
