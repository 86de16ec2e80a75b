"""The estimate of the true score: fair, with an interval that holds the truth about as often as it says."""

import itertools
import random
import statistics

import pytest

from callscope.reviews.sampling.true_score import estimate_true_score

pytestmark = pytest.mark.one_database


def test_is_fair_over_all_draws():
    """Of all draws of two of each agent's calls, the mean estimate is the mean of all calls."""
    scores = {1: [50.0, 60.0, 90.0, 100.0], 2: [0.0, 20.0, 40.0], None: [75.0, 80.0]}
    calls = {agent: len(each) for agent, each in scores.items()}

    drawn = itertools.product(*(itertools.combinations(each, 2) for each in scores.values()))
    found = [estimate_true_score(dict(zip(scores, each, strict=True)), calls).score for each in drawn]

    assert statistics.fmean(found) == pytest.approx(statistics.fmean(itertools.chain(*scores.values())))


def test_has_an_interval_that_holds_the_truth():
    chance = random.Random(5)
    world = {
        agent: [min(max(chance.gauss(60 + 4 * agent, 15), 0), 100) for _ in range(chance.randint(20, 200))]
        for agent in range(8)
    }
    truth = statistics.fmean(itertools.chain(*world.values()))
    calls = {agent: len(each) for agent, each in world.items()}

    held = 0
    for _ in range(1000):
        found = estimate_true_score({agent: chance.sample(each, 4) for agent, each in world.items()}, calls)
        held += found.low <= truth <= found.high
    assert 930 <= held <= 970


def test_says_little_about_few():
    assert estimate_true_score({}, {1: 5}) == (None, None, None, 0, 0)
    assert estimate_true_score({1: [80.0], 2: []}, {1: 5, 2: 9}) == (80.0, None, None, 1, 5)
    every = estimate_true_score({1: [80.0] * 6}, {1: 6})
    assert (every.low, every.high) == (80.0, 80.0)  # all calls were reviewed
