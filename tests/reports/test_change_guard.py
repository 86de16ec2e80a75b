"""No sentence of a summary calls a rise or a fall what may be chance."""

from dataclasses import replace

import pytest
from reports.test_pdf import ScriptedModel, example

from callscope.reports.overview.report import ContactReasonRow, FigureDifference
from callscope.reports.pdf.change_guard import ReportChanges
from callscope.reports.pdf.narrative import write_narrative
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.template_summary import write_opening, write_template_summary

pytestmark = pytest.mark.one_database


def change(figure, difference, low, high):
    return FigureDifference(figure, difference, (low, high), low <= 0 <= high)


def compared(**changes):
    """Return a report whose score is in the noise while critical errors fell, and day is above night."""
    report = example()
    greeting, identity, closing = report.scorecard
    return replace(
        report,
        changes=[
            change("average_score", 3.57, -0.4, 7.1),
            change("critical_error_pct", -4.2, -6.0, -2.0),
            FigureDifference("goal_reached_pct", 9.0, None, None),
        ],
        shift_differences=[
            change("average_score", 9.9, 5.0, 14.0),
            change("goal_reached_pct", 1.0, -3.0, 5.0),
        ],
        scorecard=[
            # The averages over calls to which they do not apply say the opposite, and count for nothing.
            replace(greeting, evaluated_delta_pct_interval=(1.0, 5.0), delta_pct_interval=(-1.0, 7.0)),
            identity,
            replace(closing, evaluated_delta_pct_interval=(-9.0, 1.0), delta_pct_interval=(-6.0, -3.0)),
        ],
        contact_reasons=[
            ContactReasonRow("Billing", 512, 51.83, change_pct=8.0, course="growing"),
            ContactReasonRow("Delivery", 100, 10.0, change_pct=1.0, course="steady"),
        ],
        **changes,
    )


class TestReportChanges:
    @pytest.mark.parametrize(
        ("language", "sentence", "is_allowed"),
        [
            ("en", "The average score rose by 3.57 points.", False),
            ("en", "The average score has increased since the window before.", False),
            ("en", "Scores improved.", False),
            ("en", "The average score hardly differs from the window before.", True),
            ("en", "Critical errors fell to 12.34 %.", True),
            ("en", "Critical errors improved.", True),
            ("en", "Critical errors rose to 12.34 %.", False),
            ("en", "Critical errors fell while the average score rose.", False),
            ("en", "The goal was reached more often and rose to 67.89 %.", False),
            ("en", "Greets & names improved by 3.28 points.", True),
            ("en", "Closes dropped by 4.81 points.", False),
            ("en", "Billing is growing.", True),
            ("en", "Delivery is growing.", False),
            ("en", "Calls by day scored higher than calls by night.", True),
            ("en", "The goal was reached at a higher rate by day than by night.", False),
            ("en", "Things got better.", False),
            ("en", "The average score rose in the last week.", False),
            ("es", "La puntuación media subió 3,57 puntos.", False),
            ("es", "La puntuación mejoró.", False),
            ("es", "Los errores críticos bajaron.", True),
            ("es", "Los errores críticos aumentaron.", False),
            ("es", "Billing crece.", True),
            ("es", "Closes empeoró.", False),
        ],
    )
    def test_allow_a_rise_or_fall_only_outside_the_noise(self, language, sentence, is_allowed):
        assert ReportChanges(compared(), language).allow(sentence) is is_allowed


class TestNarrative:
    def test_drops_a_rise_that_may_be_chance(self):
        model = ScriptedModel(["The average score rose to 78.6 %. Critical errors fell to 12.3 %."])

        written = write_narrative(
            compared(), reasons=frozenset(), locale=ReportLocale("en"), model=model, limit_s=5
        )

        assert written.summary.paragraphs == ["Critical errors fell to 12.3 %."]
        assert written.dropped == ["The average score rose to 78.6 %."]


class TestTemplateSummary:
    @pytest.mark.parametrize(
        ("interval", "said"),
        [
            ((-0.4, 7.1), "the difference of 3.6 points is within the margin of error"),
            ((0.4, 7.1), "The average score rose by 3.6 points"),
            (None, "too few calls to say whether it changed"),
        ],
    )
    def test_says_of_a_change_whether_it_may_be_chance(self, interval, said):
        within_noise = None if interval is None else interval[0] <= 0 <= interval[1]
        found = FigureDifference("average_score", 3.57, interval, within_noise)
        report = replace(compared(), changes=[found])

        assert said in write_opening(report, ReportLocale("en"))

    def test_passes_its_own_guard_in_every_language(self):
        for language in ("en", "es"):
            guard = ReportChanges(compared(), language)
            locale = ReportLocale(language)
            for paragraph in (write_opening(compared(), locale), *write_template_summary(compared(), locale)):
                for sentence in paragraph.split(". "):
                    assert guard.allow(sentence), sentence
