"""What is read of each project of a report: its row next to the others, and who judged its calls."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from callscope.analysis.models import CallAnalysis
from callscope.projects.services import create_project
from callscope.reports.overview.by_project.agent_projects import name_agent_projects
from callscope.reports.overview.origin.judges import IMPORTED, RULES, Judge, Versions, read_origin
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.window import ALL_TIME, Window
from tests.web.conftest import CONFIGURATION, bring, line, set_target

pytestmark = pytest.mark.django_db

LATE = Window(dt.date(2026, 3, 11), dt.date(2026, 3, 20))
SINCE_THIRD = Window(dt.date(2026, 3, 3), dt.date(2026, 3, 31))
FIGURES = (
    "total_calls",
    "scored_calls",
    "outcome_calls",
    "average_score",
    "critical_error_pct",
    "goal_reached_pct",
    "average_score_interval",
    "critical_error_pct_interval",
    "goal_reached_pct_interval",
)


def bring_both(owner):
    """Return two projects with calls in both periods: one fell and misses its target, one has few calls."""
    project = create_project(owner, "Service line", document=CONFIGURATION)
    other = create_project(owner, "Second line", document=CONFIGURATION)
    set_target(project, 95)
    set_target(other, None)
    bring(
        project,
        *(line(n) for n in range(1, 11)),
        *(line(n, greeting=0, goal_reached=n % 2 == 0 or None) for n in range(11, 21)),
        *(line(n, greeting=2, identity=0, file_name=f"more-{n}.wav") for n in range(11, 17)),
    )
    bring(
        other,
        *(line(n, agent_name="Bo Lind") for n in (9, 10)),
        *(line(n, agent_name="Bo Lind", identity=20 * (n % 2), greeting=5) for n in range(11, 15)),
    )
    return project, other


@pytest.fixture
def both(alice):
    return bring_both(alice)


def compare(projects, window):
    return build_report(projects, window, compares_projects=True)


class TestRows:
    def test_hold_what_the_report_of_each_project_says(self, both):
        rows = compare(list(both), LATE).projects

        assert [row.name for row in rows] == ["Service line", "Second line"]
        for row, project in zip(rows, both, strict=True):
            alone = build_report([project], LATE)
            assert [getattr(row, name) for name in FIGURES] == [
                getattr(alone.headline, name) for name in FIGURES
            ]
            assert row.previous_average_score == alone.previous_headline.average_score
            assert row.previous_scored_calls == alone.previous_headline.scored_calls
            [change] = [each for each in alone.changes if each.figure == "average_score"]
            assert row.average_score_change_interval == change.difference_interval
        assert [row.target for row in rows] == [95.0, None]

    def test_are_there_only_where_several_projects_have_calls(self, alice, both):
        early = Window(dt.date(2026, 3, 1), dt.date(2026, 3, 8))

        assert compare([both[0]], LATE).projects == []
        assert compare(list(both), early).projects == []

    def test_are_no_part_of_the_interface(self, both):
        assert "projects" not in report_json(compare(list(both), LATE))
        assert build_report(list(both), LATE).projects == []

    def test_take_no_query_for_each_project(self, alice, both):
        def count(projects) -> int:
            with CaptureQueriesContext(
                connection,
            ) as queries:
                compare(projects, LATE)
            return len(queries)

        more = [create_project(alice, f"Line {n}", document=CONFIGURATION) for n in range(4)]
        for project in more:
            bring(project, line(12))
        compare([*both, *more], LATE)  # what is cached after the first time

        assert len(compare([*both, *more], LATE).projects) == 6
        assert count([*both, *more]) == count(list(both))


class TestAgents:
    def test_are_in_the_projects_of_their_calls_most_calls_first(self, both):
        bring(both[1], line(15, agent_name="Ana Ruiz"))
        report = build_report(list(both), LATE)
        names = {row.agent_id: row.agent for row in report.agents}

        found = {names[agent]: owner for agent, owner in name_agent_projects(both, LATE).items()}

        assert found == {"Ana Ruiz": "Service line · Second line", "Bo Lind": "Second line"}
        assert name_agent_projects(both[:1], LATE) == {}
        assert name_agent_projects(both, Window(dt.date(2026, 3, 1), dt.date(2026, 3, 8))) == {}


def judge(call, version, **provenance):
    CallAnalysis.objects.filter(call=call).update(provenance=provenance, config_version=version)


def bring_judged(project):
    """Bring calls judged by rules, by a model and by another system; return their project."""
    first, second, third, fourth, _imported = bring(project, *(line(n) for n in range(1, 6)))
    judge(first, 1, engine="rules", model="")
    judge(second, 2, engine="rules", model="use-multilingual-3")
    judge(third, 4, engine="rules", model="")
    judge(fourth, 4, engine="openai", model="gpt-oss")
    return project


class TestJudges:
    def test_are_counted_by_engine_over_the_window(self, alice):
        judged = bring_judged(create_project(alice, "Service line", document=CONFIGURATION))

        found = read_origin([judged], ALL_TIME)

        assert found.judges == [
            Judge(RULES, "", 3),
            Judge(IMPORTED, "", 1),
            Judge("openai", "gpt-oss", 1),
        ]
        assert found.versions == [Versions("Service line", 1, 4)]
        assert read_origin([judged], SINCE_THIRD).judges[0] == Judge(IMPORTED, "", 1)
        assert read_origin([judged], SINCE_THIRD).versions == [Versions("Service line", 4, 4)]
