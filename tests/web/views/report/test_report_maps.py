"""The two maps of the report: criteria by agent, calls by weekday and hour."""

import csv
import datetime as dt
import io
import random
import re
from collections import defaultdict
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Agent, Call
from callscope.calls.own_calls import link_user
from callscope.interfaces.web.presenters.report_page.maps import present_agent_map
from callscope.pipeline.erasure.removal import erase_chosen
from callscope.projects.owners import Owners
from callscope.reports.models import JournalEntry, Rollup, StoreState
from callscope.reports.overview.maps import agent_criteria
from callscope.reports.overview.maps.agent_criteria import AgentMap, MapAgent, MapCell, RowName
from callscope.reports.overview.maps.shades import find_shade, shade_share
from callscope.reports.store.compaction import compact_all
from callscope.reports.store.verify import find_discrepancies
from tests.sheets import read_sheet
from tests.web.conftest import bring, line, page

pytestmark = pytest.mark.django_db

AGENTS = ("Ana Ruiz", "Ben Okafor", "Cy Young")
MARCH = "start_date=2026-03-01&end_date=2026-03-20"


class LinksOfTwo:
    """Links to nowhere in a report of two projects, which have a criterion each."""

    owners = Owners([])

    def __init__(self, monkeypatch):
        monkeypatch.setattr(self.owners, "name_by_criterion", lambda criterion_id, _name: criterion_id)

    def to(self, **_filters):
        return "/"

    def to_agent(self, _agent_id):
        return "/"


def test_each_project_has_a_map_of_its_own_agents(monkeypatch):
    some, none = MapCell(12, 80.0, 2), MapCell(0, None, 0)
    names = [RowName("Sales", "Greets"), RowName("Service", "Checks")]
    agents = [MapAgent("Ana", 1, 12, [some, none]), MapAgent("Leo", 2, 12, [none, some])]

    shown = present_agent_map(AgentMap(names, agents, 2, 2), LinksOfTwo(monkeypatch))

    found = [(part.project, part.criteria, [line.name for line in part.lines]) for part in shown.parts]
    assert found == [("Sales", ["Greets"], ["Ana"]), ("Service", ["Checks"], ["Leo"])]


@pytest.fixture
def calls(project):
    """60 calls by three agents and by none, over six weeks, at all hours, some without scores."""
    dice = random.Random(7)
    lines = []
    for number in range(60):
        moment = dt.datetime(2026, 3, 1, tzinfo=dt.UTC) + dt.timedelta(hours=dice.randrange(1000))
        fields = {"agent_name": dice.choice([*AGENTS, *AGENTS, ""]), "call_datetime": moment.isoformat()}
        if number % 9 == 0:
            fields["copc"] = None
        applies = dice.random() < 0.6
        identity = dice.choice((0, 20)) if applies else 20
        greeting = dice.choice((0, 5, 10))
        lines.append(line(number, greeting=greeting, identity=identity, applies=applies, **fields))
    return bring(project, *lines)


def in_march(call):
    return dt.date(2026, 3, 1) <= local(call).date() <= dt.date(2026, 3, 20)


def local(call):
    return call.call_datetime.astimezone(ZoneInfo(settings.TIME_ZONE))


def rounded(fraction):
    return float(round(fraction * 100, 2))


def count_agents(calls):
    """Return (agent, criterion) → (calls, percent, calls without points), from the stored results."""
    found = defaultdict(list)
    for call in calls:
        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        for score in (analysis.copc or {}).get("criterion_scores", []):
            if call.agent_id and score["applicability"] != "not_applicable":
                found[call.agent.name, score["criterion_id"]].append((score["score"], score["max_points"]))
    return {
        key: (
            len(scores),
            rounded(sum(Fraction(a, b) for a, b in scores) / len(scores)),
            sum(a == 0 for a, _ in scores),
        )
        for key, scores in found.items()
    }


def read_csv(answer):
    text = b"".join(answer.streaming_content).decode().removeprefix("\ufeff")
    return list(csv.DictReader(io.StringIO(text)))


def as_counted(answer):
    return {
        (agent["agent"], criterion["criterion_id"]): (cell["calls"], cell["met_pct"], cell["not_met"])
        for agent in answer["agents"]
        for criterion, cell in zip(answer["criteria"], agent["cells"], strict=True)
        if cell["calls"]
    }


class TestAgentMap:
    ADDRESS = "/calls/api/report/agent-criteria/"

    def test_equals_a_count_call_by_call_before_and_after_compaction(self, as_alice, project, calls):
        inside = [call for call in calls if in_march(call)]
        for _ in range(2):
            assert as_counted(as_alice.get(self.ADDRESS).json()) == count_agents(calls)
            assert as_counted(as_alice.get(f"{self.ADDRESS}?{MARCH}").json()) == count_agents(inside)
            compact_all()
        assert find_discrepancies() == []

    def test_loses_calls_that_are_deleted(self, as_alice, project, calls):
        compact_all()
        assert not JournalEntry.objects.exists()
        erase_chosen(project, [call.pk for call in calls[:30]])

        for _ in range(2):
            assert as_counted(as_alice.get(self.ADDRESS).json()) == count_agents(calls[30:])
            compact_all()
        assert find_discrepancies() == []

    def test_is_counted_again_where_the_store_is_of_an_older_version(self, as_alice, project, calls):
        compact_all()
        expected = as_alice.get(self.ADDRESS).json()
        Rollup.objects.update(maps=b"", stamp=1)
        StoreState.objects.update(layout="older")

        assert as_alice.get(self.ADDRESS).json() == expected
        assert expected["agents"]

    def test_shows_the_agents_with_most_calls_and_the_criteria_that_cost_most(
        self, as_alice, project, calls, monkeypatch
    ):
        monkeypatch.setattr(agent_criteria, "AGENTS", 2)
        monkeypatch.setattr(agent_criteria, "CRITERIA", 1)
        report = as_alice.get("/calls/api/report/").json()

        found = as_alice.get(self.ADDRESS).json()
        shown = page(as_alice.get(f"/report/agents/?project_id={project.pk}")).text

        assert [each["agent_id"] for each in found["agents"]] == [a["agent_id"] for a in report["agents"][:2]]
        costly = max(report["scorecard"], key=lambda row: row["weight_pct"] * (100 - row["average_pct"]))
        assert [each["criterion_id"] for each in found["criteria"]] == [costly["criterion_id"]]
        assert (found["agents_in_all"], found["criteria_in_all"]) == (3, 2)
        assert "The 2 agents (of 3) with the most calls." in shown
        assert "The 1 criteria (of 2) that cost the most points." in shown

    def test_leaves_out_criteria_that_cost_nothing_and_counts_the_others(
        self, as_alice, project, monkeypatch
    ):
        monkeypatch.setattr(agent_criteria, "CRITERIA", 3)
        scored = line(1, greeting=4, identity=5)
        greeting = scored["copc"]["criterion_scores"][0]
        for name in ("Calms", "Closes", "Thanks"):
            kept = {"criterion_id": name.lower(), "name": name, "score": 10}
            scored["copc"]["criterion_scores"].append(greeting | kept)
        bring(project, scored)

        found = as_alice.get(self.ADDRESS).json()
        shown = page(as_alice.get(f"/report/agents/?project_id={project.pk}")).text

        assert [each["criterion_id"] for each in found["criteria"]] == ["greeting", "identity"]
        assert found["criteria_in_all"] == 5
        assert "The 2 criteria (of 5) that cost points." in shown

    def test_shows_each_number_with_its_calls_and_leads_to_those_that_did_not_meet_it(
        self, as_alice, project, calls
    ):
        found = page(as_alice.get(f"/report/agents/?project_id={project.pk}"))
        answer = as_alice.get(self.ADDRESS).json()

        cells = [cell for agent in answer["agents"] for cell in agent["cells"] if cell["calls"]]
        squares = [td for td in found.all("td") if "% of the points" in td.get("title", "")]
        assert len(squares) == len(cells) == 6
        for square, cell in zip(squares, cells, strict=True):
            assert f"(n {cell['calls']})" in square["title"]
            assert ("few" in square["class"].split()) == (cell["calls"] < 10)
            assert square["class"].split()[0] == f"shade-{find_shade(cell['met_pct'])}"  # few calls or not
        links = [a["href"] for a in found.all("a") if "result=not_met" in a["href"] and "agent=" in a["href"]]
        missed = [cell["not_met"] for cell in cells if cell["not_met"]]
        counts = []
        for link in links:
            listed = page(as_alice.get(link)).text
            counts.append(int(listed.split("Calls 1 to ")[1].split(" of ")[1].split()[0]))
        assert counts == missed

    def test_has_all_agents_and_criteria_as_csv(self, as_alice, project, calls, monkeypatch):
        monkeypatch.setattr(agent_criteria, "AGENTS", 2)
        monkeypatch.setattr(agent_criteria, "CRITERIA", 1)

        rows = read_csv(as_alice.get(f"/report/agent-criteria.csv?project_id={project.pk}&{MARCH}"))

        assert len(rows) == 6
        counted = {
            (row["agent"], row["criterion_id"]): (
                int(row["calls"]),
                float(row["met_pct"]),
                int(row["not_met"]),
            )
            for row in rows
            if row["met_pct"]
        }
        assert counted == count_agents([call for call in calls if in_march(call)])

    def test_is_of_the_visitors_own_calls_alone(self, as_carol, carol, project, calls):
        agent = Agent.objects.get(name=AGENTS[0])
        link_user(project, carol.email, agent)

        found = as_carol.get(f"{self.ADDRESS}?project_id={project.pk}").json()
        shown = as_carol.get(f"/report/agents/?project_id={project.pk}", follow=True)

        own = [call for call in calls if call.agent == agent]
        assert as_counted(found) == count_agents(own)
        assert shown.redirect_chain == [(f"/agents/{agent.pk}/?project_id={project.pk}", 302)]
        assert not any(name in page(shown).text for name in AGENTS[1:])

    def test_is_not_there_without_agents(self, as_alice, project):
        bring(project, line(1, agent_name=""))

        assert as_alice.get(self.ADDRESS).json()["agents"] == []
        shown = page(as_alice.get(f"/report/agents/?project_id={project.pk}"))
        assert not shown.all("h2", id="agent-map-title")


class TestWeekHours:
    ADDRESS = "/calls/api/report/week-hours/"

    def count(self, calls):
        found = defaultdict(list)
        for call in calls:
            analysis = CallAnalysis.objects.get(call=call, is_live=True)
            scores = (analysis.copc or {}).get("criterion_scores")
            moment = local(call)
            score = Fraction(sum(s["score"] for s in scores), 30) if scores else None
            found[moment.weekday(), moment.hour].append(score)
        return {
            key: (
                len(all_of),
                len(scored := [each for each in all_of if each is not None]),
                rounded(sum(scored) / len(scored)) if scored else None,
            )
            for key, all_of in found.items()
        }

    def read(self, client, query=""):
        answer = client.get(self.ADDRESS + query).json()
        assert [(each["weekday"], each["hour"]) for each in answer["hours"]] == [
            (day, hour) for day in range(7) for hour in range(24)
        ]
        return {
            (each["weekday"], each["hour"]): (each["calls"], each["scored_calls"], each["average_score"])
            for each in answer["hours"]
            if each["calls"]
        }

    def test_equal_a_count_call_by_call_before_and_after_compaction(self, as_alice, project, calls):
        inside = [call for call in calls if in_march(call)]
        for _ in range(2):
            assert self.read(as_alice) == self.count(calls)
            assert self.read(as_alice, f"?{MARCH}") == self.count(inside)
            compact_all()

    def test_have_a_row_each_as_csv(self, as_alice, project, calls):
        rows = read_csv(as_alice.get("/report/week-hours.csv"))

        found = {(int(row["weekday"]), int(row["hour"])): int(row["calls"]) for row in rows}
        counted = self.count(calls)
        assert len(rows) == 168
        assert found == {key: counted.get(key, (0,))[0] for key in found}

    def test_name_their_weekdays_in_downloads(self, as_alice, project, calls):
        spanish = {"accept-language": "es"}
        rows = read_csv(as_alice.get("/report/week-hours.csv", headers=spanish))
        sheet = read_sheet(
            b"".join(as_alice.get("/report/week-hours.xlsx", headers=spanish).streaming_content)
        )

        assert (rows[0]["weekday"], rows[0]["weekday_name"]) == ("0", "Monday")
        assert (rows[-1]["weekday"], rows[-1]["weekday_name"]) == ("6", "Sunday")
        assert [sheet[1][:2], sheet[-1][:2]] == [[0, "Lunes"], [6, "Domingo"]]

    def test_leave_out_calls_whose_time_is_not_known(self, as_alice, project):
        bring(project, line(1), line(2, call_datetime=None, uploaded_at="2026-03-02T10:00:00+00:00"))

        assert as_alice.get(self.ADDRESS).json()["untimed_calls"] == 1
        shown = page(as_alice.get(f"/report/trend/?project_id={project.pk}")).text
        assert "1 call without a known time is in no cell." in shown

    def test_show_calls_or_scores_with_their_calls(self, as_alice, project, calls):
        address = f"/report/trend/?project_id={project.pk}"

        by_calls, by_score, odd = (
            page(as_alice.get(address + more)) for more in ("", "&hours=score", "&hours=7")
        )

        scored = [each for each in self.count(calls).values() if each[1]]
        assert by_score.text.count(" n ") >= len(scored)
        classes = [td.get("class", "").split() for td in by_score.all("td")]
        # Each has the color of its value, and is hatched as well.
        assert sum(each[0].startswith("shade-") for each in classes if "few" in each) == len(scored)
        assert odd.text == by_calls.text
        assert "Average score in percent." not in by_calls.text
        titles = [td["title"] for td in by_calls.all("td") if "title" in td]
        assert sum("average score" in title and "(n " in title for title in titles) == len(scored)

    def test_keep_the_figure_of_the_chart_above(self, as_alice, project, calls):
        address = f"/report/trend/?project_id={project.pk}&figure=goal_reached_pct"

        found = page(as_alice.get(address))

        (scores,) = [a["href"] for a in found.all("a") if "hours=score" in a["href"]]
        assert "figure=goal_reached_pct" in scores

    def test_begin_and_end_with_calls_and_draw_one_call_pale(self, as_alice, project):
        bring(
            project,
            *(line(n, call_datetime=f"2026-03-02T{hour}:30:00+00:00") for n, hour in ((1, "09"), (2, 11))),
        )

        found = page(as_alice.get(f"/report/trend/?project_id={project.pk}"))

        heads = found.text.split("Weekday ")[1]
        assert heads.startswith("09 10 11 Monday 1 Monday 10:00: no calls 1 Tuesday")
        assert len(found.all("td", **{"class": "shade-1"})) == 2
        assert shade_share(1, 1) == 1
        assert [shade_share(calls, 40) for calls in (0, 1, 20, 40)] == [0, 1, 3, 5]

    def test_begin_on_a_phone_with_the_six_hours_that_have_the_most_calls(self, as_alice, project):
        hours = [4, *[9] * 2, *[10] * 4, *[15] * 3]
        bring(
            project,
            *(
                line(n, call_datetime=f"2026-03-{2 + n:02d}T{hour:02d}:00:00+00:00", file_name=f"{n}.wav")
                for n, hour in enumerate(hours)
            ),
        )

        html = as_alice.get(f"/report/trend/?project_id={project.pk}").content.decode()

        assert re.findall(r"data-begin>([^<]*)<", html) == ["10"]  # 10 to 15: 7 of 10

    def test_are_of_the_visitors_own_calls_alone(self, as_carol, carol, project, calls):
        agent = Agent.objects.get(name=AGENTS[1])
        link_user(project, carol.email, agent)

        own = [call for call in calls if call.agent == agent]
        assert self.read(as_carol, f"?project_id={project.pk}") == self.count(own)

    def test_are_empty_without_calls(self, as_alice, project):
        assert self.read(as_alice) == {}
        assert Call.objects.count() == 0
