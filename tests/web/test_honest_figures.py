"""No percentage without how many calls it is taken over, no change without those of both sides."""

import datetime as dt
import re
from dataclasses import replace

import pytest
from django.conf import settings as django_settings
from django.template.loader import render_to_string
from django.test import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from callscope.accounts.models import User
from callscope.calls.models import Agent
from callscope.interfaces.cli.runtime import tables
from callscope.interfaces.web.presenters import report_csv
from callscope.interfaces.web.presenters.agent import build_figures
from callscope.interfaces.web.presenters.report import build_report_context
from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.parts import PARTS
from callscope.interfaces.web.presenters.report_page.scorecard import describe_dots
from callscope.interfaces.web.presenters.report_page.wide_trend import present_wide_trend
from callscope.interfaces.web.report_request import ReportRequest
from callscope.pipeline.models import ReportMail
from callscope.pipeline.report_mail.sending import write_message
from callscope.projects.models import Project
from callscope.projects.scope import Scope
from callscope.reports.details.agent_page import AgentPage
from callscope.reports.details.reason_detail import AgentLine, Mean, Rate, ReasonDetail
from callscope.reports.overview.course import Course
from callscope.reports.overview.coverage import COUNTED_OVER
from callscope.reports.overview.figure_trend.figures import FigureName
from callscope.reports.overview.figure_trend.weeks import FigureTrend, FigureWeek, WeekFigure
from callscope.reports.overview.report import (
    AgentRow,
    ContactReasonRow,
    CopcRates,
    Headline,
    Report,
    ScorecardRow,
    ShiftHours,
    ShiftRow,
    TrendBucket,
    report_json,
)
from callscope.reports.overview.scorecard import judge_row
from callscope.reports.pdf.layout import Summary, build_page_data
from callscope.reports.pdf.narrative import Narrative
from callscope.reports.pdf.number_formats import DASH, ReportLocale
from callscope.reports.pdf.pdf import ReportDocument
from callscope.reports.window import Window, find_week
from tests.effort import count_examples

counts = st.integers(0, 30)
percents = st.none() | st.floats(0, 100).map(lambda value: round(value, 2))
headlines = st.builds(
    lambda calls, *rest: Headline(calls + 1, 1.0, *rest),
    counts,
    percents,
    percents,
    counts,
    percents,
    percents,
    percents,
    counts,
    counts,
    counts,
)
rows = st.builds(
    lambda average, before, errors, calls, evaluated, skipped, applied, then, then_calls: ScorecardRow(
        "greeting",
        "Greets",
        "Opening",
        50.0,
        average,
        before,
        None if average is None or before is None else round(average - before, 2),
        errors,
        calls + evaluated + skipped,
        evaluated,
        skipped,
        evaluated_pct=applied,
        previous_calls=then_calls,
        previous_evaluated_pct=then,
        previous_evaluated_calls=then_calls,
        evaluated_delta_pct=None if applied is None or then is None else round(applied - then, 2),
    ),
    percents,
    percents,
    *[counts] * 4,
    percents,
    percents,
    counts,
)
reports = st.builds(
    Report,
    window=st.just(Window(dt.date(2026, 3, 2), dt.date(2026, 3, 31))),
    total_calls_all_time=counts,
    headline=headlines,
    scorecard=st.lists(rows, max_size=3),
    trend=st.lists(
        st.builds(
            TrendBucket,
            st.dates(dt.date(2026, 3, 2), dt.date(2026, 3, 30)),
            counts,
            *[percents] * 4,
            counts,
            counts,
            st.booleans(),
        ),
        max_size=3,
    ),
    contact_reasons=st.tuples(counts, counts, st.sampled_from(["growing", "steady"])).map(
        lambda before: [
            ContactReasonRow(
                "Billing",
                3,
                60.0,
                change_pct=60.0 - 100 * min(before[:2]) / max(before[:2]) if max(before[:2]) else None,
                course=before[2],
                calls_with_reason=5,
                previous_calls=min(before[:2]),
                previous_calls_with_reason=max(before[:2]),
            ),
            ContactReasonRow("", 2, 40.0, 2, calls_with_reason=5),
        ]
    ),
    agents=st.lists(
        st.builds(
            lambda before, then, *rest: AgentRow(
                "Ana",
                1,
                *rest,
                previous_average_score=before,
                previous_scored_calls=then,
                average_score_change=None if None in (before, rest[1]) else round(rest[1] - before, 2),
            ),
            percents,
            counts,
            counts,
            *[percents] * 4,
            *[counts] * 3,
        ),
        max_size=3,
    ),
    shifts=st.tuples(headlines, headlines).map(
        lambda two: [ShiftRow("day", two[0]), ShiftRow("night", two[1])]
    ),
    shift_hours=st.just(ShiftHours(8, 20)),
    copc_rates=st.builds(CopcRates, *[percents] * 4, *[st.none() | counts] * 3, counts, counts),
    previous_headline=headlines,
)


def split(html: str, start: str, end: str) -> list[str]:
    return [part.split(end)[0] for part in html.split(start)[1:]]


def render_parts(context) -> str:
    """Return all pages of the report, one after the other."""
    return "".join(render_to_string("web/report/body.html", context | {"part": part}) for part in PARTS)


class TestReportPage:
    @pytest.mark.django_db
    @settings(max_examples=count_examples(25), deadline=None)
    @given(report=reports)
    def test_shows_no_percentage_without_its_calls(self, report):
        request = ReportRequest(Scope(), window=report.window, query={})
        context = build_report_context(report, request)
        html = render_parts(context | {"report_request": request, "here": "/"})

        figures = split(html, '<div class="tile', "</div>") + [
            part
            for rates in split(html, '<dl class="rates">', "</dl>")
            for part in split(rates, "<div>", "</div>")
        ]
        for figure in figures:
            if '<span class="unit">%</span>' in figure and 'class="gap"' not in figure:
                assert 'class="coverage"' in figure or 'class="behind"' in figure
        ordered = sorted(report.agents, key=lambda row: -row.calls)
        for line, agent in zip(context["agents"], ordered, strict=True):
            for cell, base in zip(
                line.cells[1:],
                ("scored_calls", "scored_calls", "sentiment_calls", "outcome_calls"),
                strict=True,
            ):
                assert cell.out_of == getattr(agent, base) or getattr(agent, base) == agent.calls
        for row in context["shifts"]:
            for cell, shift in zip(row.cells, report.shifts, strict=True):
                base = getattr(shift.headline, COUNTED_OVER.get(row.name, "total_calls"))
                is_share = row.name in COUNTED_OVER
                assert not is_share or cell.out_of == base or 10 <= base == shift.headline.total_calls
                assert ("few" in cell.css_class) == (is_share and base < 10)
        assert "Shares of 5 calls with a reason" in html
        for row in report.scorecard:
            # Each row of the dot plot says its figures, with the calls behind each.
            said, judged = describe_dots(row), judge_row(row)
            assert (f"(n {judged.calls})" in said) == (judged.pct is not None)
            if "before" in said:
                assert f"(n {judged.previous_calls})" in said.split("before")[1]
            assert said in html

    @pytest.mark.django_db
    @settings(max_examples=count_examples(25), deadline=None)
    @given(report=reports)
    def test_shows_no_change_of_a_percentage_without_the_calls_of_both_sides(self, report):
        request = ReportRequest(Scope(), window=report.window, query={})
        context = build_report_context(report, request)
        html = render_parts(context | {"report_request": request, "here": "/"})

        compared = re.findall(
            r'<span class="delta([^"]*)"\s+title="([^"]*)">[^<]*</span>(.{0,80})', html, re.DOTALL
        )
        shown = [tile.change for tile in (*context["tiles"], *context["more_tiles"]) if tile.change]
        shown += [line.change for section in context["sections"] for line in section.rows if line.change]
        shown += [each for each in (context["all_calls_change"],) if each and len(report.agents) > 1]
        shown += [line.change for line in context["agents"] if line.change]
        shown += [line.change for line in context["reasons"] if line.change]
        assert len(compared) == len(shown)
        for section in context["sections"]:  # whose columns of calls a narrow screen leaves out
            for line in section.rows:
                assert not line.change or f">{line.change.short}</small>" in html
        assert [bool(line.change) for line in context["reasons"]] == [
            bool(row.change_pct is not None) for row in report.contact_reasons
        ]
        for (css_class, title, after), change in zip(compared, shown, strict=True):
            if change.compared:
                now, before = map(int, re.findall(r"\d+", change.compared))
                assert change.compared in title
                assert change.compared in after
                assert ("few" in css_class) == (min(now, before) < 10)


week_figures = st.builds(
    lambda week, value, calls, interval, is_part: WeekFigure(
        find_week(week.toordinal()), value, 0 if value is None else calls + 1, interval, is_part
    ),
    st.dates(dt.date(2026, 3, 2), dt.date(2026, 3, 30)),
    percents,
    counts,
    st.none() | st.just((12.5, 87.5)),
    st.booleans(),
)
figure_trends = st.builds(
    lambda pairs: FigureTrend(
        FigureName("average_score"), [FigureWeek(*pair) for pair in pairs], is_compared=True, is_cut=False
    ),
    st.lists(st.tuples(week_figures, st.none() | week_figures), min_size=1, max_size=6),
)


class TestWideTrend:
    @settings(max_examples=count_examples(50), deadline=None)
    @given(trend=figure_trends, report=reports)
    def test_shows_no_value_of_a_week_without_its_calls(self, trend, report):
        request = ReportRequest(Scope(), window=report.window, query={})

        wide = present_wide_trend(trend, report, request, Links(request))

        for slot, row, week in zip(wide.slots, wide.rows, trend.weeks, strict=True):
            known = [each for each in (week.now, week.previous) if each and each.value is not None]
            for said in (slot.said, str(row.figures)):
                assert len(re.findall(r"\bn \d", said)) == len(known)
            assert len(re.findall(r"\d % ", slot.said.replace("95 %", ""))) == len(known)


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


class TestAgentPage:
    @pytest.mark.django_db
    @settings(max_examples=count_examples(25), deadline=None)
    @given(own=headlines, everyone=headlines, before=st.none() | headlines)
    def test_shows_no_percentage_and_no_change_without_its_calls(self, own, everyone, before):
        page = AgentPage(
            Agent(pk=1, name="Ana"), Project(pk=1, name="P"), Window(), own, [], [], [], [], {},
            everyone=everyone, previous=before,
        )  # fmt: skip

        for figure in build_figures(page, {}):
            base = COUNTED_OVER.get(figure.name)
            if base is None:
                continue
            said = figure.coverage + (figure.change.compared if figure.change else "")
            assert figure.value is None or f"{getattr(own, base)}" in said
            assert not figure.everyone or f"(n {getattr(everyone, base)})" in figure.everyone
            if figure.change:
                now, then = map(int, re.findall(r"\d+", figure.change.compared))
                assert (now, then) == (getattr(own, base), getattr(before, base))


class TestReasonPage:
    def test_shows_no_share_and_no_average_without_its_calls(self):
        known = Rate(40, 10, 25.0, 14.2, 40.2)
        agents = [AgentLine(1, "Ana", 9, 80.0, 7)]
        figures = ReasonDetail(
            weeks=[], share=known, share_before=known, course=Course(2.5, False, "growing"),
            change_low_pct=1.0, change_high_pct=4.0, change_confidence_pct=95.0, compared_reasons=1,
            untimed_calls=0, untimed_project_calls=0, score=Mean(31, 82.0, 75.0, 88.0), negative=known,
            goal=known, agents=agents, quotes=[], neighbors=[],
        )  # fmt: skip

        html = render_to_string("web/reasons/figures.html", {"figures": figures})

        facts = re.findall(r"<dd>(.*?)</dd>", html, re.DOTALL)
        percents = [fact for fact in facts if "&nbsp;%" in fact]
        assert len(percents) == 4
        assert all(re.search(r"10 of 40|31 calls", fact) for fact in percents)
        assert "10 of 40 calls then" in html  # of the change
        assert re.search(r"80\.0&nbsp;% <small [^>]*>n 7</small>", html)


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
