"""Arbitrary reports, and what of their pages stands between two marks."""

import datetime as dt

from django.template.loader import render_to_string
from hypothesis import strategies as st

from callscope.analysis.figures import percentage
from callscope.interfaces.web.presenters.report_page.parts import PARTS
from callscope.reports.overview.findings import FindingRow, Findings
from callscope.reports.overview.maps.agent_criteria import AgentMap, MapAgent, MapCell, RowName
from callscope.reports.overview.maps.week_hours import HourFigure, WeekHours
from callscope.reports.overview.report import (
    AgentRow,
    ContactReasonRow,
    CopcRates,
    Headline,
    ProjectRow,
    Report,
    ScorecardRow,
    ShiftHours,
    ShiftRow,
    TrackerRow,
    TrendBucket,
)
from callscope.reports.overview.schemas import MeasureMean, ReviewFigures
from callscope.reports.overview.talk_means import NAMES
from callscope.reports.window import Window

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
trackers = st.builds(TrackerRow, st.just("refund"), st.just("Asks for a refund"), counts, st.just([]))
projects = st.builds(
    lambda calls, scored, known, score, then, then_calls, *shares: ProjectRow(
        1,
        "Service",
        calls + scored + known,
        scored,
        known,
        score,
        None,
        80.0,
        then,
        then_calls,
        None if score is None or then is None else round(score - then, 2),
        None,
        shares[0],
        None,
        shares[1],
        None,
    ),
    *[counts] * 3,
    percents,
    percents,
    counts,
    percents,
    percents,
)
talk = st.dictionaries(st.sampled_from(NAMES), st.builds(MeasureMean, st.floats(0, 100), counts), min_size=1)
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
            lambda before, then, spoken, *rest: AgentRow(
                "Ana",
                1,
                *rest,
                talk=spoken,
                previous_average_score=before,
                previous_scored_calls=then,
                average_score_change=None if None in (before, rest[1]) else round(rest[1] - before, 2),
            ),
            percents,
            counts,
            st.none() | talk,
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
    trackers=st.lists(trackers, max_size=2),
    projects=st.lists(projects, max_size=2),
)
findings = st.builds(
    Findings,
    counts,
    st.none() | counts,
    *[
        st.lists(
            st.builds(
                lambda found, others, found_before, others_before, is_compared: make_finding(
                    found, found + others, *((found_before, found_before + others_before) * is_compared)
                ),
                *[counts] * 4,
                st.booleans(),
            ),
            max_size=3,
        )
    ]
    * 2,
)

agent_maps = st.lists(
    st.builds(lambda calls, pct: MapCell(calls + 1, pct, 0) if pct is not None else MapCell(0, None, 0),
              counts, percents),
    min_size=2, max_size=2,
).map(lambda cells: AgentMap([RowName("a", "Greets"), RowName("b", "Closes")],
                             [MapAgent("Ana", 1, 31, cells)], 1, 2))  # fmt: skip
week_hours = st.lists(st.tuples(counts, counts, percents), min_size=7, max_size=7).map(
    lambda days: WeekHours(
        0,
        [
            HourFigure(day, 9, scored + other, 0 if score is None else scored + 1, score, None)
            for day, (scored, other, score) in enumerate(days)
        ],
    )
)

people = st.tuples(st.integers(5, 40), *[percents.map(lambda value: value or 0.0)] * 4).map(
    lambda drawn: ReviewFigures(
        drawn[0],
        0,
        None,
        true_score=drawn[1],
        true_score_interval=(max(drawn[1] - 5, 0.0), min(drawn[1] + 5, 100.0)),
        sampled_calls=drawn[0],
        sampled_score=drawn[2],
        sampled_machine_score=drawn[3],
        counted_score=drawn[4],
    )
)


def make_finding(found: int, decided: int, found_before: int = 0, decided_before: int = 0) -> FindingRow:
    """Return a mistake with the shares of these calls."""
    now, then = percentage(found, decided), percentage(found_before, decided_before)
    delta = None if now is None or then is None else round(now - then, 2)
    return FindingRow(
        "promise", "Promises a refund", found, now, None, decided, found_before, then, decided_before,
        delta, None, [],
    )  # fmt: skip


def split(html: str, start: str, end: str) -> list[str]:
    return [part.split(end)[0] for part in html.split(start)[1:]]


def render_parts(context) -> str:
    """Return all pages of the report, one after the other."""
    return "".join(render_to_string("web/report/body.html", context | {"part": part}) for part in PARTS)
