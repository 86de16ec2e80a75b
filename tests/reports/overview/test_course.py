"""The course of a contact reason: marked where it changed, and hardly ever where it did not."""

import random

import pytest

from callscope.reports.overview.course import Course, bound_difference, judge_course


class TestJudging:
    def test_says_nothing_without_a_window_to_compare_with(self):
        assert judge_course(5, 10, 0, 0, reasons=3) == Course(None, False, None)
        assert judge_course(0, 0, 5, 10, reasons=3) == Course(None, False, None)

    @pytest.mark.parametrize(
        ("now", "before", "expected"),
        [
            ((50, 500), (50, 500), Course(0.0, False, "steady")),
            ((150, 500), (50, 500), Course(20.0, False, "growing")),
            ((50, 500), (150, 500), Course(-20.0, False, "shrinking")),
            ((0, 500), (150, 500), Course(-30.0, False, "shrinking")),
            ((30, 300), (0, 300), Course(10.0, True, "growing")),
            ((2, 300), (0, 300), Course(0.67, False, "steady")),
            ((1, 1), (1, 1), Course(0.0, False, "steady")),
        ],
    )
    def test_tells_change_from_chance(self, now, before, expected):
        assert judge_course(*now, *before, reasons=12) == expected

    def test_marks_a_planted_reason_within_its_first_thirty_calls(self):
        """From none of 1,000 calls to a tenth of them: after 300 calls of the new window."""
        for reasons in (1, 20, 200, 1000):
            assert judge_course(30, 300, 0, 1000, reasons=reasons).is_new

    def test_of_two_windows_alike_is_seldom_marked(self):
        """200 pairs of windows with the same shares of 20 reasons: at most 5 % show any mark."""
        draw = random.Random(20260301)
        shares = [1 / (rank + 2) for rank in range(20)]
        marked = 0
        for _ in range(200):
            counts = [[0] * 20 for _ in range(2)]
            for window in counts:
                for reason in draw.choices(range(20), shares, k=draw.choice([40, 150, 400])):
                    window[reason] += 1
            now, before = counts
            courses = [
                judge_course(n, sum(now), b, sum(before), reasons=20)
                for n, b in zip(now, before, strict=True)
            ]
            marked += any(c.is_new or c.course != "steady" for c in courses)

        assert marked <= 10

    def test_interval_is_newcombes(self):
        """The example (a) of Newcombe, Statistics in Medicine 17 (1998): 56/70 and 48/80."""
        low, high = bound_difference(56, 70, 48, 80, chance=0.05)

        assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
