"""Report: no percentage without the calls it is taken over, no change without those of both sides."""

import datetime as dt
import re

import pytest
from django.template.loader import render_to_string
from hypothesis import given, settings
from hypothesis import strategies as st

from callscope.interfaces.web.presenters.report import build_report_context
from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.findings import build_tables
from callscope.interfaces.web.presenters.report_page.maps import present_agent_map, present_week_hours
from callscope.interfaces.web.presenters.report_page.scorecard import describe_dots
from callscope.interfaces.web.presenters.report_page.wide_trend import present_wide_trend
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import label_of, number
from callscope.projects.scope import Scope
from callscope.reports.overview.coverage import COUNTED_OVER
from callscope.reports.overview.figure_trend.figures import FigureName
from callscope.reports.overview.figure_trend.weeks import FigureTrend, FigureWeek, WeekFigure
from callscope.reports.overview.people.sentences import describe_difference, describe_people
from callscope.reports.overview.scorecard import judge_row
from callscope.reports.overview.talk_means import NAMES
from callscope.reports.window import find_week
from tests.effort import count_examples
from tests.web.honest.page_tables import read_rows, read_text
from tests.web.honest.report_data import (
    agent_maps,
    counts,
    findings,
    people,
    percents,
    render_parts,
    reports,
    split,
    week_hours,
)


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
            if '<span class="unit">%</span>' in figure and 'class="gap' not in figure:
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
        shown += [line.change for line in context["projects_compared"] if line.change]
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
                assert len(re.findall(r"\bn\s\d", said)) == len(known)
            assert len(re.findall(r"\d\s% ", re.sub(r"\b95\s%", "", slot.said))) == len(known)


class TestOtherTables:
    @pytest.mark.django_db
    @settings(max_examples=count_examples(16), deadline=None)
    @given(report=reports, found=findings)
    def test_show_no_share_of_a_finding_and_no_change_without_its_calls(self, report, found):
        request = ReportRequest(Scope(), window=report.window, query={})
        tables = build_tables(found, Links(request))
        html = render_to_string("web/report/findings.html", {"findings": tables, "has_previous": True})

        rows = split(html, "<tbody><tr>", "</tbody>")
        lines = [line.split("</tr>")[0] for table in rows for line in table.split("<tr>")]
        for line, row in zip(lines, [*found.mistakes, *found.missed_prompts], strict=True):
            share, change = split(line, '<td class="n', "</td>")[1:]
            assert row.share_pct is None or f" n {row.decided_calls}" in read_text(share)
            assert ("delta" in change) == (row.delta_pct is not None)
            if row.delta_pct is not None:
                counts = f"{row.decided_calls} calls? now, {row.previous_decided_calls} before"
                assert len(re.findall(counts, change)) == 2  # in the title, and next to the change
        assert html.count("Looked for in") == len(tables)

    @pytest.mark.django_db
    @settings(max_examples=count_examples(16), deadline=None)
    @given(report=reports)
    def test_show_no_measure_of_talk_and_no_figure_of_a_project_without_its_calls(self, report):
        request = ReportRequest(Scope(), window=report.window, query={})
        context = build_report_context(report, request)
        html = render_parts(context | {"report_request": request, "here": "/"})

        by_agent = sorted(report.agents, key=lambda row: -row.calls)
        shown = read_rows(html)
        talk = [row for row in shown if label_of("interruptions") in row]
        assert len(talk) == (len(by_agent) if any(row.talk for row in by_agent) else 0)
        for row, agent in zip(talk, by_agent, strict=bool(talk)):
            cells = [text for name, text in row.items() if name]
            for cell, measure in zip(cells, NAMES, strict=True):
                known = (agent.talk or {}).get(measure)
                assert cell.endswith(f" n {known.calls}" if known else "–")
        compared = [row for row in shown if "Score target" in row]
        for cells, row in zip(compared, report.projects, strict=True):
            assert cells[label_of("total_calls")] == str(row.total_calls)
            for name in ("average_score", "critical_error_pct", "goal_reached_pct"):
                base, cell = getattr(row, COUNTED_OVER[name]), cells[label_of(name)]
                # The calls of the row are those of the figure, or it has its own next to it.
                assert cell.endswith(f" n {base}") or base == row.total_calls or getattr(row, name) is None

    @pytest.mark.django_db
    @settings(max_examples=count_examples(16), deadline=None)
    @given(report=reports, agents=agent_maps, hours=week_hours)
    def test_show_no_cell_of_a_map_without_its_calls(self, report, agents, hours):
        request = ReportRequest(Scope(), window=report.window, query={}, view={"hours": "score"})
        maps = (
            ("agent_map", present_agent_map(agents, Links(request))),
            ("week_hours", present_week_hours(hours, request, Links(request))),
        )
        for name, found in maps:
            html = render_to_string(f"web/report/{name}.html", {name: found})
            cells = split(html.partition("<tbody>")[2], "<td", "</td>")
            assert cells or found is None
            for cell in cells:
                assert bool(re.search(r"<small>n \d+</small>", cell)) == ('class="square"' in cell)

    @pytest.mark.django_db
    @settings(max_examples=count_examples(16), deadline=None)
    @given(report=reports)
    def test_count_the_calls_of_trackers_and_show_no_share_of_them(self, report):
        request = ReportRequest(Scope(), window=report.window, query={})
        context = build_report_context(report, request)
        html = render_to_string("web/report/trackers.html", context)

        assert "%" not in html
        assert html.count("<tr>") == len(report.trackers) + bool(report.trackers)


class TestPeople:
    @settings(max_examples=count_examples(25))
    @given(figures=people)
    def test_are_quoted_with_the_calls_that_were_drawn_and_reviewed(self, figures):
        said = describe_people(figures, number)
        differ = describe_difference(figures, number)

        sentences = re.split(r"(?<=\.) (?=[A-Z])", said) if said else []
        for sentence in sentences:
            assert f"{figures.sampled_calls} call" in sentence or sentence.startswith("95")
        assert not differ or differ.endswith(f"(n {figures.sampled_calls})")
