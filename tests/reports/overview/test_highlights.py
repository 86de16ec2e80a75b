"""The sentences on top of a report: figures with both numbers of calls, and no change that may be chance."""

import datetime as dt
from dataclasses import replace

import pytest
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.highlights import is_beyond_chance, write_highlights
from callscope.reports.overview.places.criteria import list_costliest
from callscope.reports.overview.schemas import (
    AgentRow,
    ContactReasonRow,
    CopcRates,
    FigureDifference,
    Headline,
    Report,
    ScorecardRow,
    ShiftHours,
)
from callscope.reports.pdf.change_guard import ReportChanges
from callscope.reports.window import Window

pytestmark = pytest.mark.one_database


def headline(score=77.1, calls=600):
    return Headline(calls, 10.0, score, score, calls, 4.0, 20.0, 60.0, calls, calls, calls)


def criterion(name, *, weight=20.0, average=90.0, by=0.0, around=1.0, calls=600, before=590):
    return ScorecardRow(
        name, name, "S", weight, average, average - by, by, 0, calls, calls, 0,
        previous_calls=before, delta_pct_interval=(by - around, by + around),
        evaluated_pct=average, previous_evaluated_pct=average - by, previous_evaluated_calls=before,
        evaluated_delta_pct=by, evaluated_delta_pct_interval=(by - around, by + around),
        points_lost=weight * (100 - average) / 100,
    )  # fmt: skip


def figure(name, by, around=1.0):
    interval = (by - around, by + around)
    return FigureDifference(name, by, interval, is_within_noise(interval))


def report(**changes) -> Report:
    base = Report(
        window=Window(dt.date(2026, 3, 2), dt.date(2026, 3, 31)),
        total_calls_all_time=5000,
        headline=headline(),
        scorecard=[criterion("Greets"), criterion("Verifies identity", average=54.0)],
        trend=[],
        contact_reasons=[],
        agents=[],
        shifts=[],
        shift_hours=ShiftHours(8, 20),
        copc_rates=CopcRates(96.0, None, None, 88.0),
        previous_headline=headline(77.0, 590),
        changes=[figure("average_score", 0.1)],
    )
    return replace(base, **changes)


def write(value, decimals):
    return f"{value:,.{decimals}f}"


def texts(found: Report) -> list[str]:
    return [each.text for each in write_highlights(found, write)]


class TestHighlights:
    def test_say_when_nothing_changed_and_what_costs_most(self):
        assert texts(report()) == [
            "No figure, criterion or contact reason changed beyond chance since the period before "
            "(600 scored calls now, 590 before).",
            "“Verifies identity” costs the most points of all criteria: in 600 calls, 54.0\u00a0% of its "
            "points were earned.",
        ]
        assert [each.is_change for each in write_highlights(report(), write)] == [True, False]

    def test_judge_what_costs_most_by_the_points_that_calls_lost(self):
        seldom = replace(criterion("Sums up", average=40.0, calls=22), points_lost=3.1)
        often = replace(criterion("Verifies identity", average=75.0, calls=28), points_lost=4.0)

        assert (
            "“Verifies identity” costs the most points of all" in texts(report(scorecard=[seldom, often]))[1]
        )

    def test_name_a_criterion_of_the_rubric_as_the_one_to_look_at(self):
        retired = replace(criterion("Greets by name"), points_lost=9.0, weight_pct=None)
        kept = replace(criterion("Verifies identity", average=75.0), points_lost=4.0)

        said = texts(report(scorecard=[retired, kept, criterion("Sums up")]))[1]

        assert said.startswith(
            "“Verifies identity” costs the most points of the criteria that are still in the rubric"
        )

    def test_say_that_no_figure_changed_where_a_criterion_did(self):
        found = report(scorecard=[criterion("Greets", by=8.0), criterion("Verifies", average=54.0)])

        assert texts(found)[:2] == [
            "No figure changed beyond chance since the period before (600 scored calls now, 590 before).",
            "“Greets” rose by 8.0 points to 90.0\u00a0% (600 calls now, 590 before).",
        ]

    def test_say_of_which_criteria_one_costs_most_where_one_of_few_calls_costs_more(self):
        few = criterion("Sums up", average=10.0, calls=9)
        found = report(scorecard=[few, criterion("Greets"), criterion("Verifies identity", average=54.0)])

        assert texts(found)[1] == (
            "“Verifies identity” costs the most points of the criteria with at least 10 calls: in 600 calls, "
            "54.0\u00a0% of its points were earned."
        )

    def test_name_the_figure_the_criterion_behind_it_and_whose_calls_differ(self):
        agents = [
            AgentRow("Ana", 3, 60, 70.0, 0, 0, 0, 60, average_score_difference=-9.0,
                     average_score_difference_interval=(-12.0, -6.0)),
            AgentRow("Bo", 4, 60, 60.0, 0, 0, 0, 60, average_score_difference=-19.0,
                     average_score_difference_interval=(-40.0, 2.0)),
        ]  # fmt: skip
        found = report(
            changes=[figure("average_score", -5.5)],
            scorecard=[criterion("Greets", by=8.0), criterion("Verifies", average=50.0, by=-21.0)],
            agents=agents,
        )

        assert texts(found) == [
            "Average score fell by 5.5 points to 77.1\u00a0% since the period before (600 calls now, 590 "
            "before; 95\u00a0% interval of the change 4.5 to 6.5).",
            "“Verifies” fell by 21.0 points to 50.0\u00a0% (600 calls now, 590 before).",
            "The calls of Ana average 70.0\u00a0%, 9.0 points below all others (60 calls).",
        ]
        subjects = [(each.kind, *each.subjects) for each in write_highlights(found, write)]
        assert subjects == [("figure", "average_score"), ("criterion", "Verifies"), ("agent", "3")]

    def test_name_a_new_reason_before_a_growing_one(self):
        reasons = [
            ContactReasonRow(
                "Billing",
                300,
                75.0,
                change_pct=9.0,
                course="growing",
                previous_calls=231,
                previous_calls_with_reason=350,
            ),
            ContactReasonRow(
                "Double charge",
                80,
                20.0,
                change_pct=20.0,
                course="growing",
                is_new=True,
                previous_calls=0,
                previous_calls_with_reason=350,
            ),
            ContactReasonRow("", 20, 5.0, 4),
        ]

        assert texts(report(contact_reasons=reasons))[1] == (
            "“Double charge” is a new contact reason: 80 of 400 calls with a reason (20.0\u00a0%), and none "
            "of 350 in the period before."
        )
        assert texts(report(contact_reasons=[reasons[0], *reasons[2:]]))[1] == (
            "The contact reason “Billing” grew by 9.0 points to 75.0\u00a0% (300 of 320 calls with a reason "
            "now, 231 of 350 before)."
        )

    def test_compare_nothing_without_a_window_before(self):
        alone = report(previous_headline=None, changes=[])

        assert [each.kind for each in write_highlights(alone, write)] == ["criterion"]

    def test_are_none_without_calls(self):
        assert texts(report(headline=headline(None, 0))) == []

    def test_say_that_calls_are_too_few(self):
        few = report(headline=headline(50.0, 9), changes=[figure("average_score", -40.0)])

        assert texts(few)[0] == "Too few calls to say what changed: 9 scored now, 590 in the period before."

    def test_judge_the_largest_of_many_more_strictly(self):
        assert is_beyond_chance(5.0, (0.5, 9.5))
        assert not is_beyond_chance(5.0, (0.5, 9.5), looked_at=12)
        assert is_beyond_chance(-5.0, (-6.5, -3.5), looked_at=12)
        assert not is_beyond_chance(5.0, None)
        assert not is_beyond_chance(None, (1.0, 2.0))

    def test_claim_no_change_that_the_guard_of_summaries_refuses(self):
        differences = st.tuples(st.floats(-30, 30), st.floats(0.1, 20))

        @given(
            st.lists(differences, min_size=6, max_size=6), st.integers(0, 40), st.sampled_from(["en", "es"])
        )
        @settings(max_examples=150, deadline=None, database=None, derandomize=True)
        def hold(moves, before, language):
            names = ("average_score", "critical_error_pct", "goal_reached_pct", "negative_sentiment_pct")
            changes = [figure(name, *move) for name, move in zip(names, moves, strict=False)]
            rows = [
                criterion(name, by=by, around=around, average=50.0, before=before)
                for name, (by, around) in zip(("Greets", "Verifies"), moves[4:], strict=True)
            ]
            found = report(changes=changes, scorecard=rows, previous_headline=headline(70.0, before))
            with translation.override(language):
                guard = ReportChanges(found, language)
                for each in write_highlights(found, write):
                    assert guard.allow(each.text), each.text

        hold()


def costly(*averages) -> Report:
    rows = [criterion(f"C{n}", average=average) for n, average in enumerate(averages)]
    return report(scorecard=[criterion("Greets", average=99.0), *rows])


def far_below(*differences) -> list[AgentRow]:
    return [
        AgentRow(f"Agent {n}", n, 60, 70.0 + n, 0, 0, 0, 60, average_score_difference=by,
                 average_score_difference_interval=(by - 2, by + 2))
        for n, by in enumerate(differences)
    ]  # fmt: skip


def reason(name, calls, by, *, is_new=False):
    before = {"previous_calls": 0 if is_new else 3, "previous_calls_with_reason": 350}
    return ContactReasonRow(name, calls, calls / 4, change_pct=by, course="growing", is_new=is_new, **before)


class TestTies:
    """What shares the figure that pages show is named together, and nothing is called the most of itself."""

    @pytest.mark.parametrize(
        ("language", "count", "said"),
        [
            (
                "en",
                2,
                "“C0” (54.0 % over 600 calls) and “C1” (54.0 % over 600 calls) cost the most points "
                "of all criteria: 9.2 each.",
            ),
            (
                "en",
                3,
                "“C0” (54.0 % over 600 calls), “C1” (54.0 % over 600 calls) and “C2” (54.0 % over "
                "600 calls) cost the most points of all criteria: 9.2 each.",
            ),
            (
                "en",
                5,
                "“C0” (54.0 % over 600 calls), “C1” (54.0 % over 600 calls), “C2” (54.0 % over 600 "
                "calls) and 2 more cost the most points of all criteria: 9.2 each.",
            ),
            (
                "es",
                2,
                "«C0» (54.0 % en 600 llamadas) y «C1» (54.0 % en 600 llamadas) son los criterios que "
                "más puntos cuestan: 9.2 cada uno.",
            ),
            (
                "es",
                5,
                "«C0» (54.0 % en 600 llamadas), «C1» (54.0 % en 600 llamadas), «C2» (54.0 % en 600 "
                "llamadas) y 2 más son los criterios que más puntos cuestan: 9.2 cada uno.",
            ),
        ],
    )
    def test_criteria_that_cost_as_many_points_are_named_together(self, language, count, said):
        with translation.override(language):
            found = write_highlights(costly(*[54.0] * count), write)[1]

        assert found.text.replace("\u00a0", " ") == said
        assert found.subjects == tuple(f"C{n}" for n in range(min(count, 3)))

    def test_criteria_tie_by_the_points_that_pages_show(self):
        # 9.21 and 9.16 are both shown as 9.2, and 9.14 as 9.1.
        found = costly(54.0, 54.0, 54.0)
        lost = (9.16, 9.21, 9.14)
        rows = [found.scorecard[0]] + [
            replace(row, points_lost=points) for row, points in zip(found.scorecard[1:], lost, strict=True)
        ]

        assert [row.name for row in list_costliest(replace(found, scorecard=rows))] == ["C1", "C0"]

    def test_criteria_that_tie_are_those_of_the_rubric_or_of_enough_calls(self):
        few = criterion("Sums up", average=10.0, calls=9)
        retired = replace(criterion("Greets by name"), points_lost=9.2, weight_pct=None)
        found = costly(54.0, 54.0)

        assert texts(replace(found, scorecard=[few, *found.scorecard]))[1].endswith(
            " cost the most points of the criteria with at least 10 calls: 9.2 each."
        )
        assert texts(replace(found, scorecard=[retired, *found.scorecard]))[1].endswith(
            " cost the most points of the criteria that are still in the rubric and have at least 10 calls: "
            "9.2 each."
        )

    @pytest.mark.parametrize(
        "rows",
        [
            [criterion("Greets", average=54.0)],
            [criterion("Greets", average=54.0), criterion("Verifies", average=54.0)],
            [criterion("Greets", average=54.0), criterion("Verifies", average=10.0, calls=9)],
            [criterion("Greets", average=99.9, weight=10.0), criterion("Verifies", average=100.0)],
        ],
        ids=["one alone", "all alike", "one of enough calls", "none that costs what is shown"],
    )
    def test_nothing_is_said_to_cost_most_of_what_is_alike(self, rows):
        found = report(scorecard=rows, agents=far_below(-9.0))

        assert "the most points" not in " ".join(texts(found))
        # It is said in place of it whose calls differ.
        assert texts(found)[1].startswith("The calls of Agent 0 average")

    @pytest.mark.parametrize(
        ("language", "count", "last"),
        [
            ("en", 2, "“C1” fell by 20.0 points to 50.0\u00a0% (600 calls now, 590 before)."),
            ("en", 4, "1 more criterion had the same effect."),
            ("en", 5, "2 more criteria had the same effect."),
            ("es", 4, "1 criterio más tuvo el mismo efecto."),
            ("es", 5, "2 criterios más tuvieron el mismo efecto."),
        ],
    )
    def test_criteria_that_moved_the_score_as_much_are_named_together(self, language, count, last):
        rows = [criterion(f"C{n}", average=50.0, by=-20.0) for n in range(count)]
        with translation.override(language):
            found = write_highlights(
                report(
                    scorecard=[criterion("Greets", by=8.0), *rows], changes=[figure("average_score", -5.5)]
                ),
                write,
            )

        changed = next(each for each in found if each.kind == "criterion")
        assert changed.text.endswith(last)
        assert changed.subjects == tuple(f"C{n}" for n in range(min(count, 3)))
        assert "Greets" not in changed.text

    def test_of_criteria_that_moved_the_score_one_is_named_where_it_moved_it_more(self):
        rows = [criterion("C0", average=50.0, by=-20.0), criterion("C1", average=50.0, by=-19.0)]

        assert write_highlights(report(scorecard=rows), write)[1].subjects == ("C0",)

    @pytest.mark.parametrize(
        ("language", "is_new", "count", "last"),
        [
            ("en", False, 2, "“R1” grew by 9.0 points to 20.0\u00a0% "),
            ("en", True, 2, "“R1” is a new contact reason: 80 of "),
            ("en", False, 4, "1 more contact reason grew as much."),
            ("en", False, 5, "2 more contact reasons grew as much."),
            ("en", True, 4, "1 more contact reason is new and as frequent."),
            ("en", True, 5, "2 more contact reasons are new and as frequent."),
            ("es", False, 4, "1 motivo de contacto más creció lo mismo."),
            ("es", False, 5, "2 motivos de contacto más crecieron lo mismo."),
            ("es", True, 4, "1 motivo de contacto más es nuevo e igual de frecuente."),
            ("es", True, 5, "2 motivos de contacto más son nuevos e igual de frecuentes."),
        ],
    )
    def test_reasons_that_grew_as_much_are_named_together(self, language, is_new, count, last):
        rows = [reason(f"R{n}", 80, 9.0, is_new=is_new) for n in range(count)]
        with translation.override(language):
            found = write_highlights(report(contact_reasons=[*rows, reason("Small", 12, 2.0)]), write)[1]

        assert last in found.text
        assert found.subjects == tuple(f"R{n}" for n in range(min(count, 3)))

    @pytest.mark.parametrize(
        ("language", "count", "last"),
        [
            ("en", 2, "The calls of Agent 1 average 71.0\u00a0%, 9.0 points below all others (60 calls)."),
            ("en", 4, "1 more agent is as far below."),
            ("en", 5, "2 more agents are as far below."),
            ("es", 4, "1 agente más está igual de lejos."),
            ("es", 5, "2 agentes más están igual de lejos."),
        ],
    )
    def test_agents_that_are_as_far_below_are_named_together(self, language, count, last):
        # They differ by less than pages show.
        agents = far_below(*(-9.04 + n / 100 for n in range(count)), -5.0)
        with translation.override(language):
            found = write_highlights(report(scorecard=[criterion("Greets")], agents=agents), write)[1]

        assert found.text.endswith(last)
        assert found.subjects == tuple(str(n) for n in range(min(count, 3)))
