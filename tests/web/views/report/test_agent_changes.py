"""How far an agent's score is from the period of the same length just before: on the report and in CSV."""

import csv
import datetime as dt
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from callscope.projects.models import Project
from callscope.reports.overview.report import build_report
from callscope.reports.window import Window
from tests.web.conftest import bring, line, page

pytestmark = pytest.mark.django_db

NOW = "start_date=2026-03-11&end_date=2026-03-20"
# Points of greeting, out of 10 and next to 20 for the identity, by agent: ten days before, then now.
SCORES = {
    "Abe": ([10] * 12, [0] * 12),
    "Bea": ([5] * 10, [5, 5] * 5),
    "Cleo": ([0] * 3, [10] * 14),
    "Dora": ([], [4] * 11),
    "Eve": ([3] * 11, []),
}


@pytest.fixture
def agents(project):
    """Return nothing; there are calls of five agents in two periods of ten days."""
    lines = []
    for name, spans in SCORES.items():
        for begins, points in zip((1, 11), spans, strict=True):
            for n, greeting in enumerate(points):
                moment = f"2026-03-{begins + n % 10:02}T{9 + n // 10:02}:00:00+00:00"
                file_name = f"{name}-{begins}-{n}.wav"
                lines.append(
                    line(1, greeting=greeting, agent_name=name, call_datetime=moment, file_name=file_name)
                )
    bring(project, *lines)


def rows_of(client, query):
    """Return (agent, text of the row) in the order of the table, from the row for all calls on."""
    html = client.get(f"/report/agents/?{query}").content.decode()
    table = html.split('class="cards lined agents-table"')[1].split("</table>")[0]
    found = re.findall(r'<tr[^>]*>\s*<th scope="row">(.*?)</tr>', table, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in found]


class TestAgentChanges:
    def test_leave_room_for_an_interval_where_there_is_none(self, as_alice, agents):
        html = as_alice.get("/report/agents/?start_date=2026-03-01&end_date=2026-03-10").content.decode()

        table = html.split('class="cards lined agents-table"')[1].split("</table>")[0]
        rows = table.split('<th scope="row">')[1:]
        assert {row.count('class="interval"') for row in rows} == {4}  # of each share and mean
        assert '<span class="interval"></span>' in table

    def test_are_those_of_reports_of_both_periods(self, agents):
        projects, window = list(Project.objects.all()), Window(dt.date(2026, 3, 11), dt.date(2026, 3, 20))
        report = build_report(projects, window)
        before = {row.agent: row for row in build_report(projects, window.previous()).agents}

        assert [row.agent for row in report.agents] == ["Cleo", "Abe", "Dora", "Bea"]
        for row in report.agents:
            then = before.get(row.agent)
            assert row.previous_average_score == (then.average_score if then else None)
            assert row.previous_scored_calls == (then.scored_calls if then else 0)
            assert (row.average_score_change is None) == (then is None)
        changes = {row.agent: row.average_score_change for row in report.agents}
        assert changes == {"Abe": -33.33, "Bea": 0.0, "Cleo": 33.33, "Dora": None}
        low, high = report.agents[1].average_score_change_interval
        assert low < -33.33 < high < 0
        assert report.agents[0].average_score_change_interval is None  # three calls before

    def test_stand_next_to_the_score_with_the_calls_of_both_periods(self, as_alice, project, agents):
        rows = {row.split()[0]: row for row in rows_of(as_alice, f"project_id={project.pk}&{NOW}")}

        assert "−33.3 (12 calls now, 12 before)" in rows["Abe"]
        assert "±0.0 (10 calls now, 10 before) within the margin of error" in rows["Bea"]
        assert "+33.3 (14 calls now, 3 before)" in rows["Cleo"]
        assert "No call of the agent was scored in the period before." in rows["Dora"]
        assert "(47 calls now, 36 before)" in rows["All"]
        html = as_alice.get(f"/report/agents/?project_id={project.pk}&{NOW}").content.decode()
        shades = dict(re.findall(r'class="delta ([^"]*)"[^>]*>([^<]*)<', html)[::-1])
        assert {"down bad": "−33.3", "up few": "+33.3", "noise": "±0.0"}.items() <= shades.items()

    @pytest.mark.parametrize(
        ("sort", "names"),
        [
            ("average_score_change", ["Abe", "Bea", "Cleo", "Dora"]),  # Cleo had few calls, Dora none
            ("-average_score_change", ["Bea", "Abe", "Cleo", "Dora"]),
        ],
    )
    def test_sort_the_agents(self, as_alice, project, agents, sort, names):
        query = f"project_id={project.pk}&{NOW}&sort={sort}"

        assert [row.split()[0] for row in rows_of(as_alice, query)] == ["All", *names]
        heads = page(as_alice.get(f"/report/agents/?{query}")).all("th", scope="col")
        direction = "descending" if sort[0] == "-" else "ascending"
        assert [head["aria-sort"] for head in heads if "aria-sort" in head] == [direction]

    def test_are_absent_where_a_side_of_the_period_is_open(self, as_alice, project, agents):
        query = f"project_id={project.pk}&start_date=2026-03-11&end_date=&sort=average_score_change"
        html = as_alice.get(f"/report/agents/?{query}").content.decode()

        assert "sort=average_score_change" not in html.split("agents-table")[1].split("</table>")[0]
        assert [row.split()[0] for row in rows_of(as_alice, query)] == ["All", "Cleo", "Abe", "Dora", "Bea"]
        assert "calls now" not in html.split("agents-table")[1].split("</table>")[0]

    def test_are_in_the_csv_and_not_in_the_json(self, as_alice, project, agents):
        answer = as_alice.get(f"/report/agents.csv?project_id={project.pk}&{NOW}")
        text = b"".join(answer.streaming_content).decode("utf-8-sig")
        rows = {row["agent"]: row for row in csv.DictReader(io.StringIO(text))}
        names = ("previous_average_score", "previous_scored_calls", "average_score_change")

        assert [rows["Abe"][name] for name in names] == ["100.0", "12", "-33.33"]
        assert [rows["Dora"][name] for name in names] == ["", "0", ""]
        assert rows["Abe"]["average_score_change_low"] < rows["Abe"]["average_score_change_high"]
        shown = as_alice.get(f"/calls/api/report/?project_id={project.pk}&{NOW}").json()
        assert not {*names, "average_score_change_interval"} & shown["agents"][0].keys()

    def test_stand_on_the_page_of_the_agent_too(self, as_alice, project, agents):
        rows = build_report([project], Window()).agents
        abe = next(row.agent_id for row in rows if row.agent == "Abe")

        found = page(as_alice.get(f"/agents/{abe}/?project_id={project.pk}&{NOW}"))
        alone = page(as_alice.get(f"/agents/{abe}/?project_id={project.pk}&start_date=2026-03-11&end_date="))

        assert "Average score % 66.7" in found.text
        assert "−33.3 (12 calls now, 12 before)" in found.text
        assert "before)" not in alone.text

    def test_ask_nothing_more(self, as_alice, project, agents):
        """The sums of the window before are read for the figures of the headline in any case."""

        def count(query):
            as_alice.get(f"/report/agents/?project_id={project.pk}&{query}")
            with CaptureQueriesContext(connection) as asked:
                as_alice.get(f"/report/agents/?project_id={project.pk}&{query}")
            return [each["sql"] for each in asked if "reports_" in each["sql"]]

        compared, alone = count(NOW), count("start_date=2026-03-11&end_date=")
        assert len(compared) - len(alone) == 2  # rollups and journal of the window before
