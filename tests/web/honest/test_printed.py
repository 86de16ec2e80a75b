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
from callscope.reports.overview.report import report_json
from callscope.reports.pdf.layout import Summary, build_page_data
from callscope.reports.pdf.narrative import Narrative
from callscope.reports.pdf.number_formats import DASH, ReportLocale
from callscope.reports.pdf.pdf import ReportDocument
from callscope.reports.pdf.template_summary import write_template_summary
from tests.effort import count_examples
from tests.web.honest.report_data import agent_maps, findings, reports, week_hours

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


OVER = re.compile(r" \(\d+\)$")  # how many calls a figure is taken over, behind it


def print_data(report, **parts):
    """Return what the PDF prints of a report and these parts."""
    return build_page_data(
        report,
        projects=["P"],
        summary=Summary(write_template_summary(report, ReportLocale("en"))),
        locale=ReportLocale("en"),
        generated_at=dt.datetime(2026, 4, 2, tzinfo=dt.UTC),
        **parts,
    )


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
        data = print_data(report)

        for tile in (data["hero"], *data["tiles"]):
            if tile["label"].endswith("%") and tile["value"] != DASH:
                assert tile["coverage"] or tile["counts"]
                assert not tile["delta"] or re.search(r"\d+ calls? now, \d+ before", tile["counts"])
        assert all(len(rate) == 3 and rate[2] for rate in data["rates"])
        shares = [cell for row in data["agents"] for cell in row[2:]]
        shares += [cell for row in data["trend"]["rows"] for cell in row[2:]]
        shares += [row["cells"][2] for section in data["sections"] for row in section["rows"]]
        shares += [cell for row in data["shifts"] if row[0].endswith("%") for cell in row[1:]]
        shares += [cell for row in data["causes"] for cell in row[1:3]]
        texts = [cell["text"] if isinstance(cell, dict) else cell for cell in shares]
        assert all(text == DASH or OVER.search(text) for text in texts)

    @settings(max_examples=count_examples(16), deadline=None)
    @given(report=reports, found=findings)
    def test_prints_findings_trackers_talk_and_projects_with_their_calls(self, report, found):
        data = print_data(report, findings=found)

        for table, rows in zip(
            data["findings"], filter(None, (found.mistakes, found.missed_prompts)), strict=True
        ):
            assert str(found.checked_calls) in table["note"]
            for (_name, _calls, share, _interval, before, change), row in zip(
                table["rows"], rows, strict=True
            ):
                assert share["text"] == DASH or share["text"].endswith(f" ({row.decided_calls})")
                assert before == DASH or before.endswith(f" ({row.previous_decided_calls})")
                assert change == DASH or DASH not in (share["text"], before)
        total = report.headline.total_calls
        assert data["trackers_note"] == (
            f"Shares of {total} call{'s' * (total > 1)}." if data["trackers"] else ""
        )
        for row in data["talk"]:
            for cell in row[1:]:
                assert cell == "unknown" or OVER.search(cell["text"])
        for row in data["projects"]:
            score, _target, before, change, *shares = row[2:]
            assert all(cell["text"] == DASH or OVER.search(cell["text"]) for cell in (score, before, *shares))
            if change != DASH:
                assert OVER.search(score["text"])
                assert OVER.search(before["text"])

    @settings(max_examples=count_examples(16), deadline=None)
    @given(report=reports)
    def test_prints_no_change_of_a_reason_without_the_calls_of_both_sides(self, report):
        data = print_data(report)

        compared = [row for row in report.contact_reasons if row.change_pct is not None]
        numbers = list(map(int, re.findall(r"\d+", data["reasons_note"])))
        assert numbers == [5, *(row.previous_calls_with_reason for row in compared)]
        for cells, row in zip(data["reasons"], report.contact_reasons, strict=True):
            assert (cells[3]["text"] != DASH) == (row in compared)
        for said in data["summary"]["changed"] + data["summary"]["look"]:
            if "contact reason" in said and "%" in said:
                assert "of 5 calls" in said
                assert "grew" not in said or re.search(r"now, \d+ of \d+ before", said)

    @settings(max_examples=count_examples(16), deadline=None)
    @given(report=reports, agents=agent_maps, hours=week_hours)
    def test_prints_every_cell_of_a_map_with_its_calls(self, report, agents, hours):
        data = print_data(report, agent_map=agents, week_hours=hours)

        cells = [cell for found in data["agent_maps"] for row in found["rows"] for cell in row["cells"]]
        cells += [cell for row in data["hour_scores"]["rows"] for cell in row["cells"]]
        assert len(data["agent_maps"]) == 1
        assert all(cell["calls"].startswith("n ") for cell in cells if cell["text"] not in (DASH, ""))


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
