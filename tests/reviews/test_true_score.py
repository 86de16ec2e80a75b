"""The estimate of the true score: fair, with an interval that holds the truth about as often as it says."""

import itertools
import random
import statistics

import pytest

from callscope.reviews.sampling.true_score import ScoredTwice, estimate_true_score

pytestmark = pytest.mark.one_database


def estimate(drawn, world):
    """Estimate from drawn calls of a world of (person, machine) by agent; of drawn ones a person's counts."""
    sizes = {agent: len(each) for agent, each in world.items()}
    everything = sum(pair[1] for each in world.values() for pair in each)
    corrected = everything + sum(pair[0] - pair[1] for each in drawn.values() for pair in each)
    calls = sum(sizes.values())
    return estimate_true_score(
        {agent: [ScoredTwice(*pair) for pair in each] for agent, each in drawn.items()},
        {agent: size - len(drawn.get(agent, ())) for agent, size in sizes.items()},
        counted=corrected / calls,
        calls=calls,
    )


def truth(world):
    return statistics.fmean(pair[0] for each in world.values() for pair in each)


def test_is_fair_over_all_draws():
    """Of all draws of two of each agent's calls, the mean estimate is the mean of all calls by people."""
    world = {
        1: [(50.0, 60.0), (60.0, 60.0), (90.0, 80.0), (100.0, 100.0)],
        2: [(0.0, 30.0), (20.0, 30.0), (40.0, 20.0)],
        None: [(75.0, 80.0), (80.0, 80.0), (85.0, 80.0)],
    }

    drawn = itertools.product(*(itertools.combinations(each, 2) for each in world.values()))
    found = [estimate(dict(zip(world, each, strict=True)), world).score for each in drawn]

    assert statistics.fmean(found) == pytest.approx(truth(world))


def test_has_an_interval_that_holds_the_truth():
    chance = random.Random(5)
    world = {}
    for agent in range(8):
        machine = [min(max(chance.gauss(60 + 4 * agent, 15), 0), 100) for _ in range(chance.randint(20, 200))]
        world[agent] = [(score + chance.gauss(-4, 8), score) for score in machine]

    assert 950 <= count_holding(world, chance, drawn=4) <= 985


@pytest.mark.parametrize("drawn", [2, 4, 10])
def test_has_an_interval_that_holds_the_truth_where_errors_are_rare_and_large(drawn):
    """Draws that show no error, or hardly one, must not look as though there were none."""
    chance = random.Random(7)
    held = 0
    for _ in range(20):
        world = {}
        for agent in range(4):
            people = [min(max(chance.gauss(80, 14), 0), 100) for _ in range(chance.randint(30, 90))]
            world[agent] = [(s, min(s + chance.choice([20, 40, 60]), 100)) for s in people[:3]]
            world[agent] += [(s, s) for s in people[3:]]
        held += count_holding(world, chance, drawn=drawn, times=50)
    assert held >= 930


def count_holding(world, chance, *, drawn, times=1000):
    """Return how often the interval of a draw of so many calls of each agent holds the truth."""
    held = 0
    for _ in range(times):
        found = estimate({agent: chance.sample(each, drawn) for agent, each in world.items()}, world)
        held += found.low <= truth(world) <= found.high
    return held


def test_is_not_moved_by_which_calls_were_drawn_where_people_and_machine_agree():
    world = {1: [(score, score) for score in (20.0, 30.0, 40.0, 50.0, 60.0, 95.0, 96.0, 97.0, 98.0, 99.0)]}
    worst = {1: world[1][:5]}

    found = estimate(worst, world)

    assert found.score == pytest.approx(68.5)
    assert found.low < 68.5 < found.high  # five calls may hide an error
    assert (found.by_people, found.by_machine) == (40.0, 40.0)


def test_adds_what_people_differ_by_to_the_calls_that_nobody_reviewed():
    world = {1: [(70.0, 80.0)] * 10}

    assert estimate({1: world[1][:5]}, world).score == pytest.approx(70.0)
    assert estimate({1: world[1]}, world)[:3] == pytest.approx((70.0, 70.0, 70.0))


def test_holds_for_agents_of_whom_no_call_was_drawn():
    world = {1: [(70.0, 80.0)] * 10, 2: [(40.0, 50.0)] * 10}

    assert estimate({1: world[1][:5]}, world).score == pytest.approx(55.0)


def test_says_little_about_few():
    nothing = estimate_true_score({}, {1: 5}, counted=80.0, calls=5)
    few = estimate_true_score({1: [ScoredTwice(80.0, 90.0)], 2: []}, {1: 5, 2: 5}, counted=90.0, calls=10)

    assert nothing == (None, None, None, 0, None, None)
    assert few == (80.0, None, None, 1, 80.0, 90.0)
