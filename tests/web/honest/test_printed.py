"""PDF, files, command line and mail: no figure without the calls that it is taken over."""

import datetime as dt
import re
from dataclasses import replace

import pytest
from django.conf import settings as django_settings
from django.test import override_settings
from hypothesis import given, settings

from callscope.accounts.models import User
from callscope.interfaces.cli.runtime import tables
from callscope.interfaces.web.presenters import report_csv
from callscope.pipeline.models import ReportMail
from callscope.pipeline.report_mail.sending import write_message
from callscope.projects.models import Project
from callscope.reports.overview.report import (
    report_json,
)
from callscope.reports.pdf.layout import Summary, build_page_data
from callscope.reports.pdf.narrative import Narrative
from callscope.reports.pdf.number_formats import DASH, ReportLocale
from callscope.reports.pdf.pdf import ReportDocument
from tests.effort import count_examples
from tests.web.honest.report_data import reports

# What each percentage of a table is taken over, as a column of it.
TAKEN_OVER = {
    "average_score": "scored_calls",
    "weighted_compliance": "scored_calls",
    "critical_error_pct": "scored_calls",
    "negative_sentiment_pct": "sentiment_calls",
    "goal_reached_pct": "outcome_calls",
    "volume_pct": "calls_with_reason",
    "change_pct": "previous_calls_with_reason",
    "share_pct": "decided_calls",
    "previous_share_pct": "previous_decided_calls",
    "met_pct": "calls",
    "average_pct": "calls",
    "previous_pct": "previous_calls",
    "delta_pct": "previous_calls",
    "evaluated_pct": "judged_calls",
    "previous_evaluated_pct": "previous_evaluated_calls",
    "evaluated_delta_pct": "previous_evaluated_calls",
    "previous_average_score": "previous_scored_calls",
    "average_score_change": "previous_scored_calls",
    "average_score_difference": "scored_calls",
}
OF_POINTS = {"weight_pct", "mean_talk_share_pct"}


class TestTables:
    @settings(max_examples=count_examples(5), deadline=None)
    @given(report=reports)
    def test_have_the_calls_of_every_percentage_as_a_column(self, report):
        heads = {name: rows_of(report)[0] for name, rows_of in report_csv.TABLES.items()}
        heads["mistakes"] = report_csv.finding_rows([])[0]
        for name, head in heads.items():
            for column in head:
                if column.endswith(("_pct", "_score", "_compliance")) and column not in OF_POINTS:
                    base = TAKEN_OVER[column]
                    if name == "mistakes" and column == "delta_pct":
                        base = "previous_decided_calls"
                    assert base in head, (name, column)


class TestPdf:
    @settings(max_examples=count_examples(25), deadline=None)
    @given(report=reports)
    def test_prints_every_percentage_with_its_calls(self, report):
        data = build_page_data(
            report,
            projects=["P"],
            summary=Summary([]),
            locale=ReportLocale("en"),
            generated_at=dt.datetime(2026, 4, 2, tzinfo=dt.UTC),
        )

        for tile in data["tiles"]:
            if tile["label"].endswith("%") and tile["value"] != DASH:
                assert tile["coverage"] or tile["counts"]
                assert not tile["delta"] or re.search(r"\d+ calls? now, \d+ before", tile["counts"])
        assert all(len(rate) == 3 and rate[2] for rate in data["rates"])
        shares = [cell for row in data["agents"] for cell in row[2:]]
        shares += [cell for row in data["trend"]["rows"] for cell in row[2:]]
        shares += [row["cells"][2] for section in data["sections"] for row in section["rows"]]
        shares += [cell for row in data["shifts"] if row[0].endswith("%") for cell in row[1:]]
        shares += [cell for row in data["causes"] for cell in row[1:3]]
        assert "5" in data["reasons_note"]  # what the shares of reasons are taken over
        texts = [cell["text"] if isinstance(cell, dict) else cell for cell in shares]
        assert all(text == DASH or re.search(r" \(\d+\)$", text) for text in texts)


class TestCommandLine:
    @settings(max_examples=count_examples(25), deadline=None)
    @given(report=reports)
    def test_prints_every_percentage_with_its_calls(self, report):
        shown: dict[str, list[list[str]]] = {}

        def keep(title, columns, rows):
            shown[title.split(",")[0]] = [list(map(str, columns)), *map(list, rows)]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tables, "print_table", keep)
            tables.print_report(report_json(report), is_whole=True)

        for name, figure, calls in (
            ("Busiest agents", "average score", "scored calls"),
            ("Busiest agents", "goal reached %", "outcome known"),
            ("Latest weeks", "average score", "scored calls"),
            ("Shifts", "critical errors %", "scored calls"),
            ("Shifts", "goal reached %", "outcome known"),
            ("Weakest criteria", "points %", "calls"),
        ):
            heads, *rows = shown.get(name, [[figure, calls]])
            assert all(
                row[heads.index(calls)] is not None for row in rows if row[heads.index(figure)] is not None
            ), name
        for label, value, calls in shown["Headline"][1:]:
            assert calls is not None or value is None or not label.endswith("%"), label


@pytest.mark.django_db
class TestMail:
    def test_says_no_figure_that_the_report_does_not_show_with_its_calls(self):
        """Its only figures are in the first paragraph of the PDF's summary, with their calls."""
        subscription = ReportMail(
            pk=1, language="en", project=Project(pk=3, name="Service line"), user=User(email="a@example.com")
        )
        opening = "The average score of 7 scored calls is 82.6 %."
        document = ReportDocument(b"%PDF-", "report.pdf", Narrative(Summary([])), None, opening)
        with override_settings(
            ENVIRONMENT=replace(django_settings.ENVIRONMENT, public_url="https://c.example")
        ):
            message = write_message(subscription, dt.date(2026, 3, 2), dt.date(2026, 3, 8), document)

        assert opening in message.body
        assert "%" not in message.body.replace(opening, "") + message.subject
