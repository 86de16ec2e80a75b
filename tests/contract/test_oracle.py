"""The report over HTTP equals the naive oracle's, for any world of imported calls."""

import datetime as dt
import io
import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracles.report import Oracle, OracleProject
from worlds import DAYS, ZONES, configs, lines

from callscope.accounts.models import User
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import create_project
from tests.effort import EFFORT, count_examples


def tried(examples: int) -> settings:
    """Return how often a test of random worlds is run, without the shrinking that outlasts the run."""
    return settings(
        max_examples=count_examples(examples) * EFFORT,
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


def make_world(
    owner: User, documents: list[dict[str, Any]], drawn: list[list[dict[str, Any]]]
) -> list[OracleProject]:
    """Import the lines into new projects of `owner` and return what the oracle needs."""
    made = []
    for document, project_lines in zip(documents, drawn, strict=False):
        project = create_project(
            owner=owner, name="World", type="call", team=None, document=document, by=owner
        )
        content = b"\n".join(json.dumps(line).encode() for line in project_lines)
        result = import_calls(project, io.BytesIO(content), by=owner)
        assert result.errors == []
        made.append(OracleProject(project.pk, "owner", document, project_lines))
    return made


def without_ids(report: dict[str, Any]) -> dict[str, Any]:
    """Drop what the oracle cannot know: internal ids, and the order of namesakes with as many calls."""
    agents = [{k: v for k, v in row.items() if k != "agent_id"} for row in report["agents"]]
    assert agents == sorted(agents, key=lambda row: (-row["calls"], row["agent"].casefold()))
    agents.sort(key=lambda row: (-row["calls"], row["agent"].casefold(), json.dumps(row)))
    judged = ("reason_id", "is_new", "course")  # by tests of their own
    reasons = [{k: v for k, v in row.items() if k not in judged} for row in report["contact_reasons"]]
    known = {**report, "agents": agents, "contact_reasons": reasons}
    unknown = ("copc_rates", "failed_calls", "reviews", "changes", "shift_differences", "rubric_versions")
    unknown += ("reason_groups",)  # of regroupings, which imports make none of
    return without_intervals({k: v for k, v in known.items() if k not in unknown})


def without_intervals(part: Any) -> Any:
    """Drop what tests/reports/naive_report.py counts again: intervals, and the calls they are made of."""
    if isinstance(part, list):
        return [without_intervals(each) for each in part]
    if not isinstance(part, dict):
        return part
    counts = ("sentiment_calls", "outcome_calls", "average_score_change", "average_score_difference")
    counts += ("talk", "changed_in", "for_person", "is_critical")
    counts += ("evaluated_pct", "previous_evaluated_pct", "previous_evaluated_calls", "evaluated_delta_pct")
    is_of_headline = "total_calls" in part
    return {
        name: without_intervals(value)
        for name, value in part.items()
        if not name.endswith("_interval")
        and name not in counts
        and (name != "scored_calls" or is_of_headline)
    }


@pytest.fixture
def signed_in(alice):
    client = Client()
    client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
    return client


class TestReport:
    @given(
        documents=st.lists(configs(), min_size=1, max_size=3),
        drawn=st.lists(st.lists(lines(), max_size=14), min_size=3, max_size=3),
        days=st.tuples(st.sampled_from([None, *DAYS]), st.sampled_from([None, *DAYS])),
        zone=st.sampled_from(ZONES),
    )
    @tried(30)
    def test_equals_the_oracle(self, alice, signed_in, documents, drawn, days, zone):
        from django.test import override_settings

        Project.objects.all().delete()
        alice.agents.all().delete()
        start, end = days if not (days[0] and days[1] and days[0] > days[1]) else days[::-1]
        with override_settings(TIME_ZONE=zone):
            timezone.deactivate()
            projects = make_world(alice, documents, drawn)
            query = {k: v.isoformat() for k, v in (("start_date", start), ("end_date", end)) if v}

            answer = signed_in.get("/calls/api/report/", query)

        assert answer.status_code == 200
        got = without_ids(answer.json())
        expected = without_ids(Oracle(projects, zone).report(start, end, None))
        differing = {k: (got.get(k), v) for k, v in expected.items() if got.get(k) != v}
        assert not differing, json.dumps(differing, indent=1)
        assert got.keys() == expected.keys()

    def test_of_no_projects_is_empty_with_nulls(self, signed_in):
        report = signed_in.get("/calls/api/report/").json()

        assert without_ids(report) == Oracle([], "UTC").report(None, None, None)

    def test_counts_the_days_of_both_sides(self, alice, signed_in):
        moment = dt.datetime(2026, 3, 1, 23, 59, 59, 999999, dt.UTC)
        drawn = [
            {
                "file_name": f"{n}.wav",
                "call_datetime": (moment + dt.timedelta(microseconds=n)).isoformat(),
                "topic": "x",
            }
            for n in range(2)
        ]
        make_world(alice, [{}], [drawn])

        def total(start: str, end: str) -> int:
            report = signed_in.get("/calls/api/report/", {"start_date": start, "end_date": end}).json()
            return report["headline"]["total_calls"]

        assert (total("2026-03-01", "2026-03-01"), total("2026-03-02", "2026-03-02")) == (1, 1)
