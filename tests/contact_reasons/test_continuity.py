"""Reasons stay while a project grows, on plain arrays."""

import numpy as np
import pytest

from callscope.contact_reasons.clusters.clustering import Spread, cluster_vectors, count_by_distance
from callscope.contact_reasons.clusters.continuity import MAX_MOVED, NONE, PAID, continue_reasons

SPREAD = Spread(within=0.1, apart=0.3)


def scatter(middles, rows, seed=0):
    """Return unit rows around the first axes, `rows` each."""
    dice = np.random.default_rng(seed)
    points = np.repeat(np.eye(12)[:middles], rows, axis=0)
    points = points + dice.normal(0, 0.08, points.shape)
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


def ones(rows):
    return np.ones(len(rows), dtype=np.int64)


def regroup(vectors, former, *, kept=(), new_calls=None):
    groups = cluster_vectors(vectors, ones(vectors), SPREAD).labels
    new = int((former == NONE).sum()) if new_calls is None else new_calls
    return continue_reasons(vectors, groups, former, ones(vectors), kept=kept, new_calls=new)


def mix_four_with_a_fifth():
    """Return four reasons of 12 texts, four texts of another meaning in the last, and 16 new texts."""
    vectors = np.vstack([scatter(4, 12), scatter(5, 4, seed=2)[16:], scatter(4, 4, seed=1)])
    return vectors, np.concatenate([np.repeat([7, 8, 9, 10], 12), np.full(4, 10), np.full(16, NONE)])


class TestTheNumberOfGroups:
    @pytest.mark.parametrize("rows", [3, 10, 40])
    def test_does_not_depend_on_how_many_texts_there_are(self, rows):
        found = cluster_vectors(scatter(8, rows), np.ones(8 * rows, dtype=np.int64), SPREAD)

        assert len(found.medoids) == 8

    def test_is_one_where_nothing_stands_apart(self):
        assert count_by_distance(np.array([0.1, 0.2, 0.3]), SPREAD) == 1
        assert (
            count_by_distance(np.linspace(0, 0.1, 60), SPREAD) == count_by_distance(np.zeros(60), SPREAD) == 1
        )

    def test_of_many_texts_with_few_of_each_meaning_is_not_one(self):
        """Two texts of each of 12 meanings, none of which lies as far from the others as the spread says."""
        wide = Spread(within=0.1, apart=1.7)

        found = cluster_vectors(scatter(12, 2), np.ones(24, dtype=np.int64), wide)

        assert len(found.medoids) == 12


class TestContinuing:
    def test_takes_the_groups_as_they_are_where_there_were_none(self):
        vectors = scatter(4, 5)

        found = regroup(vectors, np.full(20, NONE))

        assert (found < NONE).all() and len(set(found.tolist())) == 4

    def test_changes_nothing_without_new_calls(self):
        vectors = scatter(4, 5)
        odd = np.repeat([7, 8, 9, 9], 5)  # 9 holds two meanings

        assert (regroup(vectors, odd, new_calls=0) == odd).all()

    def test_gives_new_calls_the_reason_of_their_group_or_a_new_one(self):
        vectors = np.vstack([scatter(4, 5), scatter(5, 3, seed=1)])
        former = np.concatenate([np.repeat([7, 8, 9, 10], 5), np.full(15, NONE)])

        found = regroup(vectors, former)

        assert found[20:].tolist() == [*np.repeat([7, 8, 9, 10], 3), *[found[-1]] * 3]
        assert found[-1] < NONE

    def test_moves_no_more_than_new_calls_pay_for(self):
        vectors = np.vstack([scatter(6, 20), scatter(6, 4, seed=1)])
        dice = np.random.default_rng(3)
        former = np.concatenate([dice.integers(1, 7, 120), np.full(24, NONE)])  # as bad as can be

        moved = int((regroup(vectors, former)[:120] != former[:120]).sum())

        assert 0 < moved <= min(MAX_MOVED * 120, PAID * 24)

    def test_splits_off_what_does_not_belong(self):
        vectors, former = mix_four_with_a_fifth()

        found = regroup(vectors, former)

        assert (found[:48] == former[:48]).all() and (found[48:52] < NONE).all()

    def test_takes_no_call_from_a_reason_that_a_person_named(self):
        vectors, former = mix_four_with_a_fifth()

        assert (regroup(vectors, former, kept=[10])[:52] == former[:52]).all()

    def test_three_runs_are_equal(self):
        vectors = np.vstack([scatter(6, 20), scatter(7, 4, seed=1)])
        former = np.concatenate([np.repeat([1, 2, 3, 4, 5, 5], 20), np.full(28, NONE)])

        runs = [regroup(vectors, former).tolist() for _ in range(3)]

        assert runs[0] == runs[1] == runs[2]
