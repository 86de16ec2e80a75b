"""Parts of groups that began lately stand apart, and nothing does where calls come in any order."""

import numpy as np

from callscope.contact_reasons.clusters.beginnings import find_first, measure_ages, set_late_parts_apart
from callscope.contact_reasons.clusters.clustering import Spread, cluster_vectors
from callscope.contact_reasons.clusters.continuity import NONE, Beginning, continue_reasons
from callscope.contact_reasons.clusters.ties import AROUND, tie
from tests.contact_reasons.test_continuity import ones, scatter

COARSE = Spread(within=0.1, apart=60.0)  # under which alike meanings are one group


def lay_out():
    """Return 24 texts of each of two meanings, and 14 of a third one that lies close to the second."""
    near = scatter(2, 14, seed=5)[14:] + 0.6 * np.eye(12)[5]
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    return np.vstack([scatter(2, 24), near]).astype(np.float32)


def begin_late():
    """Return when each of these texts was said: the third meaning after all others."""
    return np.concatenate([np.random.default_rng(0).permutation(48), np.arange(48, 62)])


def part(vectors, labels, first):
    return set_late_parts_apart(
        tie(vectors).around, labels, ones(vectors), measure_ages(np.arange(len(first)), first)
    )


class TestSettingApart:
    def test_finds_the_part_that_began(self):
        """The last 14 of 62 calls say what sounds like the second meaning."""
        vectors, labels = lay_out(), np.repeat([0, 1], [24, 38])
        first = begin_late()

        found = part(vectors, labels, first)

        assert found.labels.tolist() == [0] * 24 + [1] * 24 + [2] * 14
        assert found.is_late.tolist() == [False, False, True]

    def test_marks_a_group_that_is_late_as_a_whole(self):
        vectors, labels = lay_out(), np.repeat([0, 1, 2], [24, 24, 14])

        found = part(vectors, labels, begin_late())

        assert (found.labels == labels).all() and found.is_late.tolist() == [False, False, True]

    def test_leaves_an_older_text_within_the_part_where_it_was(self):
        """One of fourteen was said at the very beginning; the others are no less late for it."""
        vectors, labels = lay_out(), np.repeat([0, 1], [24, 38])
        first = begin_late()
        first[50] = 0

        found = part(vectors, labels, first)

        assert found.labels.tolist() == [0] * 24 + [1] * 24 + [2, 2, 1] + [2] * 11
        assert found.is_late.tolist() == [False, False, True]

    def test_joins_a_part_that_was_cut_into_several_groups(self):
        """Five, five and four calls tell nothing each, fourteen do."""
        vectors, labels = lay_out(), np.repeat([0, 1, 2, 0, 1], [24, 24, 5, 5, 4])

        found = part(vectors, labels, begin_late())

        assert len(set(found.labels[48:].tolist())) == 1 and found.is_late[found.labels[48]]
        assert found.labels[:48].tolist() == [0] * 24 + [1] * 24

    def test_finds_a_part_among_older_texts_that_lie_between(self):
        """Three older texts lie within it, so that no part of a tree holds the others alone."""
        dice = np.random.default_rng(3)
        vectors = np.vstack([scatter(2, 30), dice.permutation(scatter(3, 33, seed=4)[66:])])
        ages = np.repeat([1.0, 0.3], [60, 33])
        ages[[63, 74, 85]] = 0.9

        found = set_late_parts_apart(
            tie(vectors).around, np.repeat([0, 1, 2], [30, 30, 33]), ones(vectors), ages
        )

        is_late = found.is_late[found.labels]
        assert is_late.tolist() == (ages == 0.3).tolist()

    def test_finds_a_part_of_more_texts_than_are_looked_at_around_each(self):
        vectors = scatter(3, 2 * AROUND)
        ages = np.repeat([1.0, 0.2], [4 * AROUND, 2 * AROUND])

        found = set_late_parts_apart(
            tie(vectors).around, np.repeat([0, 1], [2 * AROUND, 4 * AROUND]), ones(vectors), ages
        )

        late = found.labels[found.is_late[found.labels]]
        assert found.is_late.sum() == 1 and len(late) >= 1.9 * AROUND

    def test_begins_with_the_calls_that_chance_explains_least(self):
        """The second meaning came after the first quarter, and what sounds like it in the last fifth"""
        vectors, labels = lay_out(), np.repeat([0, 1], [24, 38])
        ages = np.repeat([1, 0.75, 0.2], [24, 24, 14])

        found = set_late_parts_apart(tie(vectors).around, labels, ones(vectors), ages)

        assert found.labels.tolist() == [0] * 24 + [1] * 24 + [2] * 14
        assert found.is_late.tolist() == [False, False, True]

    def test_finds_nothing_in_calls_of_any_order(self):
        vectors, labels = lay_out(), np.repeat([0, 1], [24, 38])
        dice = np.random.default_rng(7)

        parted = [part(vectors, labels, dice.permutation(62)).is_late.any() for _ in range(200)]

        assert sum(parted) <= 10

    def test_counts_calls_and_not_texts(self):
        """Three texts that were said once each tell nothing; said ten times each they do."""
        vectors, labels = scatter(2, 3), np.repeat([0, 0], 3)
        ages = np.repeat([1.0, 0.5], 3)

        once, often = (
            set_late_parts_apart(tie(vectors).around, labels, np.full(6, calls), ages).is_late.any()
            for calls in (1, 10)
        )

        assert (once, often) == (False, True)

    def test_takes_a_day_for_one_moment(self):
        """An upload without dates is of one day, in the order of its file names."""
        assert measure_ages(np.zeros(50, dtype=np.int64), np.zeros(3, dtype=np.int64)).tolist() == [1, 1, 1]
        assert measure_ages(np.repeat([1, 2], 25), np.array([2, 1])).tolist() == [0.5, 1]

    def test_begins_with_the_first_call_that_is_still_there(self):
        found = find_first(np.array([3, 5, 9]), np.array([30, 10, 20]), [[9, 3], [5], [4, 9], [7]])

        assert found.tolist() == [20, 10, 20, 0]


class TestAReasonThatBegins:
    def regroup(self, former, just_came):
        vectors, first = (
            lay_out(),
            begin_late(),
        )
        groups = cluster_vectors(vectors, ones(vectors), COARSE, measure_ages(np.arange(62), first))
        return continue_reasons(
            vectors,
            groups.labels,
            former,
            ones(vectors),
            kept=[],
            new_calls=int(just_came.sum()),
            beginning=Beginning(groups.is_late, just_came, measure_ages(np.arange(62), first)),
        )

    def test_takes_what_just_came_also_from_the_reason_it_got_on_arrival(self):
        former = np.repeat([7, 8, 8], [24, 24, 14])

        found = self.regroup(former, np.arange(62) >= 48)

        assert (found[:48] == former[:48]).all() and len(set(found[48:].tolist())) == 1 and found[-1] < NONE

    def test_pays_for_calls_that_came_before(self):
        former, just_came = np.repeat([7, 8, 8], [24, 24, 14]), np.arange(62) >= 58

        found = self.regroup(former, just_came)

        assert (found[:48] == former[:48]).all() and (found[58:] < NONE).all()
        assert (found[48:58] != 8).sum() <= 0.25 * 4

    def test_is_continued_by_what_began_with_it(self):
        former = np.repeat([7, 8, 9, 8], [24, 24, 8, 6])  # the last six got the other reason on arrival

        found = self.regroup(former, np.arange(62) >= 56)

        assert (found[48:] == 9).all()

    def test_is_continued_where_all_calls_were_analyzed_again(self):
        former = np.repeat([7, 8, 9], [24, 24, 14])

        assert (self.regroup(former, np.ones(62, dtype=bool)) == former).all()

    def test_gives_back_first_what_came_before_it_began(self):
        """New calls pay for two moves: two calls of the second reason lie farther from where they belong."""
        former = np.repeat([8, 7, 9, 8, 9], [2, 22, 2, 22, 14])

        found = self.regroup(former, np.arange(62) >= 54)

        assert found.tolist() == [8, 8] + [7] * 22 + [8] * 24 + [9] * 14

    def test_takes_no_older_calls_where_its_group_was_not_set_apart(self):
        """Four older calls of the second reason lie in the group of one that began; they gain by a move."""
        vectors, groups = lay_out(), np.repeat([0, 1, 2], [24, 20, 18])
        vectors[44:48] = vectors[48:52]
        former = np.repeat([7, 8, 9], [24, 24, 14])
        nothing = np.zeros(3, dtype=bool), np.zeros(62, dtype=bool)

        late, spread = (
            continue_reasons(
                vectors,
                groups,
                former,
                ones(vectors),
                kept=[],
                new_calls=60,
                beginning=Beginning(*nothing, ages),
            )
            for ages in (np.repeat([1, 0.2], [48, 14]), np.ones(62))
        )

        assert (late == former).all()
        assert spread[44:48].tolist() == [9] * 4 and (spread[:44] == former[:44]).all()

    def test_takes_nothing_without_new_calls(self):
        former = np.repeat([7, 8, 8], [24, 24, 14])

        assert (self.regroup(former, np.zeros(62, dtype=bool)) == former).all()
