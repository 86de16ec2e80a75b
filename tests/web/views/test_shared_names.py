"""Agents of one name are shown with the ids that clients gave them, wherever they are shown together."""

import csv
import io
import re

import pytest
from django.utils.translation import override

from callscope.accounts.services import create_team
from callscope.calls.models import Agent, Call
from callscope.calls.namesakes import find_namesakes, label_agents, label_alone, label_known, label_names
from callscope.calls.own_calls import link_user
from callscope.contact_reasons.models import ContactReason
from callscope.interfaces.web.presenters.reviewing.places import compare_places
from callscope.interfaces.web.views.reviewing.draw_filters import describe_filters, list_choices
from callscope.pipeline.decisions.filtered_draws import draw_filtered
from callscope.projects.models import Project
from callscope.projects.owners import Owners
from callscope.projects.services import create_project
from callscope.reports.overview.highlights import write_agent
from callscope.reports.overview.report import AgentRow, build_report, report_json
from callscope.reports.pdf.agent_rows import list_agent_rows, list_talk_rows
from callscope.reports.pdf.map_rows import build_maps
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.pdf import read_figures
from callscope.reports.window import ALL_TIME
from callscope.reviews.sampling.draw import SamplePlan
from callscope.reviews.waiting import list_waiting
from tests.sheets import read_sheet
from tests.web.conftest import CONFIGURATION, bring, line, page, visitor_of
from tests.web.test_waiting import appeal

pytestmark = pytest.mark.django_db

NAME = "Dana Kowalski"
LABELS = {"CL-103": f"{NAME} (CL-103)", "555": f"{NAME} (555)", "": f"{NAME} (no ID)"}


@pytest.fixture
def danas(project):
    """Return three agents of one name by their ids, one of whom has none; Ana Ruiz has a name of her own."""
    talk = {"talk": {"hold_seconds": 3.5}}
    bring(
        project,
        line(1, agent_name=NAME, agent_id="CL-103", insights=talk),
        line(2, agent_name=NAME, agent_id="555", insights=talk),
        line(3, agent_name=NAME, agent_source="llm", insights=talk),
        line(4, insights=talk),
    )
    return {agent.external_id: agent for agent in Agent.objects.filter(name=NAME)}


class TestLabels:
    def test_are_the_names_where_these_differ(self):
        assert label_names([(1, "Ana", "7"), (2, "Bo", "")]) == {1: "Ana", 2: "Bo"}

    def test_of_one_name_hold_the_id_or_say_that_there_is_none(self):
        found = label_names([(1, "Ana", "7"), (2, " ana ", ""), (3, "Bo", "8"), (4, "ANA", "x-9")])

        assert found == {1: "Ana (7)", 2: " ana  (no ID)", 3: "Bo", 4: "ANA (x-9)"}
        with override("es"):
            assert label_names([(1, "Ana", "7"), (2, "Ana", "")])[2] == "Ana (sin ID)"

    def test_of_an_agent_who_is_named_twice_is_the_name(self, danas):
        dana = danas["555"]

        assert label_agents([dana, None, dana]) == {dana.pk: NAME}

    def test_read_ids_only_where_names_are_shared(self, danas, django_assert_num_queries):
        names = {agent.pk: NAME for agent in danas.values()}
        with django_assert_num_queries(1):
            assert label_known(names) == {danas[key].pk: label for key, label in LABELS.items()}
        with django_assert_num_queries(0):
            assert label_known({1: "Ana", 2: "Bo"}) == {1: "Ana", 2: "Bo"}

    def test_of_one_agent_alone_depend_on_the_others_of_the_project(self, danas, project):
        ana = Agent.objects.get(name="Ana Ruiz")

        assert label_alone(project.pk, danas["555"].pk) == LABELS["555"]
        assert (label_alone(project.pk, ana.pk), label_alone(project.pk, 10**6)) == ("Ana Ruiz", "")


@pytest.fixture
def alike(project, alice):
    """Return four Danas with the id 555: of Alice herself, of one team, and of two teams of one name."""
    agents = [bring(project, line(1, agent_name=NAME, agent_id="555"))[0].agent]
    for number, name in enumerate(["North", "South", "South"], 2):
        team = create_team(name, admin=alice)
        of_team = create_project(alice, f"{name} {number}", team=team, document=CONFIGURATION)
        agents.append(bring(of_team, line(number, agent_name=NAME, agent_id="555"))[0].agent)
    return agents


def label_alike(alike):
    own, north, *south = alike
    return {
        own.pk: f"{NAME} (555, {own.owner.email})",
        north.pk: f"{NAME} (555, North)",
        **{each.pk: f"{NAME} (555, South #{each.pk})" for each in south},
    }


class TestAgentsOfOneNameAndId:
    def test_are_named_with_team_owner_or_number(self, alike):
        names = {each.pk: NAME for each in alike}

        assert label_agents(alike) == label_known(names) == label_alike(alike)

    def test_keep_the_id_alone_where_it_is_enough(self, alike):
        own, north, *_south = alike

        assert label_names([(own.pk, NAME, "555"), (north.pk, NAME, "556")]) == {
            own.pk: f"{NAME} (555)",
            north.pk: f"{NAME} (556)",
        }

    def test_without_an_id_are_named_alike(self, alike):
        own, north, *_south = alike

        with override("es"):
            found = label_names([(own.pk, NAME, ""), (north.pk, NAME, "")])

        assert found[north.pk] == f"{NAME} (sin ID, North)"

    def test_that_are_gone_meanwhile_have_numbers(self, db):
        assert label_names([(7, "Ana", ""), (8, "Ana", "")]) == {7: "Ana (no ID, #7)", 8: "Ana (no ID, #8)"}

    def test_read_where_they_belong_only_then(self, alike, django_assert_num_queries):
        own, north, *_south = alike
        with django_assert_num_queries(1):
            label_names([(own.pk, NAME, "555"), (north.pk, NAME, "555")])
        with django_assert_num_queries(0):
            label_names([(own.pk, NAME, "555"), (north.pk, NAME, "556")])

    def test_have_labels_of_their_own_in_the_report_and_its_map(self, as_alice, alike):
        html = as_alice.get("/report/agents/?project_id=").content.decode()

        assert all(html.count(f">{label}</a>") == 2 for label in label_alike(alike).values())

    def test_have_labels_of_their_own_in_lists_and_choices(self, as_alice, alike):
        north = alike[1]
        html = as_alice.get(f"/calls/?project_id=&agent={north.pk}").content.decode()

        labels = label_alike(alike)
        assert set(labels.values()) <= set(options_of(html, "agent"))
        assert f"Agent: {labels[north.pk]}" in html
        shown = page(as_alice.get("/calls/?project_id=")).text
        assert all(label in shown for label in labels.values())


class TestReport:
    def test_names_them_apart_in_both_tables_of_agents_and_in_the_map(self, as_alice, danas, project):
        found = as_alice.get(f"/report/agents/?project_id={project.pk}").content.decode()

        for label in LABELS.values():
            assert found.count(f">{label}</a>") == 3  # figures, how agents talk, and the map
        assert found.count(">Ana Ruiz</a>") == 3
        assert f"{LABELS['555']} · Greets" in found
        assert f">{NAME}</a>" not in found and "Ana Ruiz (" not in found

    def test_names_in_a_sentence_the_one_who_is_meant(self):
        figures = {"average_score_difference": -9.0, "average_score_difference_interval": (-12.0, -6.0)}
        row = AgentRow(NAME, 3, 60, 70.0, 0, 0, 0, 60, **figures, external_id="555", place="")

        said = write_agent([row], lambda value, _decimals: str(value))

        assert said.text.startswith(f"The calls of {LABELS['555']} average 70.0")

    def test_is_the_same_in_the_interface(self, danas, project):
        rows = report_json(build_report([project], ALL_TIME))["agents"]

        assert [row["agent"] for row in rows] == ["Ana Ruiz", NAME, NAME, NAME]
        assert not {"external_id", "place", "label"} & rows[0].keys()

    def test_names_them_apart_in_the_tables_of_the_pdf(self, danas, project):
        figures, locale = read_figures([project], ALL_TIME, None, ()), ReportLocale("en")
        owners = Owners([project])

        rows = list_agent_rows(figures.report.agents, locale, owners)
        talk = list_talk_rows(figures.report.agents, locale, owners)
        [agent_map] = build_maps(figures.agent_map, figures.week_hours, locale, owners)["agent_maps"]

        assert sorted(row[0]["text"] for row in rows) == ["Ana Ruiz", *sorted(LABELS.values())]
        assert [row[0] for row in talk] == [{**row[0], "note": ""} for row in rows]
        assert sorted(agent_map["heads"]) == ["Ana Ruiz", *sorted(LABELS.values())]


def options_of(html, name):
    """Return the words of the options of a field."""
    field = re.search(rf'<select[^>]*name="{name}".*?</select>', html, re.DOTALL).group()
    return [" ".join(each.split()) for each in re.findall(r"<option[^>]*>([^<]*)", field)]


class TestCall:
    def shown(self, client, call):
        """Return the link to the agent on the page of the call."""
        html = client.get(f"/calls/{call.pk}/").content.decode()
        return re.search(rf'<dt>Agent</dt><dd>(?:<a href="/agents/{call.agent_id}/[^"]*">)?([^<]*)<', html)[1]

    def test_names_its_agent_apart(self, as_alice, danas, project):
        calls = Call.objects.filter(project=project)

        found = {self.shown(as_alice, call) for call in calls}

        assert found == {"Ana Ruiz", *LABELS.values()}

    def test_does_not_where_the_other_one_has_no_call_in_the_project(self, as_alice, danas, project):
        Call.objects.exclude(agent=danas["555"]).delete()

        assert self.shown(as_alice, Call.objects.get()) == NAME

    def test_names_nobody_else_to_the_agent(self, danas, project, bob):
        link_user(project, bob.email, danas["555"])

        assert self.shown(visitor_of(bob), Call.objects.get(agent=danas["555"])) == NAME

    def test_asks_for_it_in_one_query(self, danas, project, django_assert_num_queries):
        ana = Agent.objects.get(name="Ana Ruiz")

        with django_assert_num_queries(1):
            label_alone(project.pk, ana.pk)


class TestFiles:
    @pytest.mark.parametrize("table", ["calls/export", "report/agents", "report/agent-criteria"])
    def test_end_with_the_id(self, as_alice, danas, project, table):
        answer = as_alice.get(f"/{table}.csv?project_id={project.pk}")
        sheet = as_alice.get(f"/{table}.xlsx?project_id={project.pk}")
        chosen = {"do": "export", "call": list(Call.objects.values_list("pk", flat=True))}
        files = [answer, *([as_alice.post("/calls/chosen/", chosen)] if table == "calls/export" else [])]

        for file in files:
            head, *rows = csv.reader(io.StringIO(b"".join(file.streaming_content).decode("utf-8-sig")))
            if head[-1] == "figures_hidden":
                head, rows = head[:-1], [row[:-1] for row in rows]
            assert head[-1] == "agent_external_id" and head.count("agent_external_id") == 1
            assert all(len(row) == len(head) for row in rows)
            found = {(row[head.index("agent")], row[-1]) for row in rows}
            assert found == {("Ana Ruiz", ""), *((NAME, key) for key in LABELS)}
        head, *rows = read_sheet(b"".join(sheet.streaming_content))
        if head[-1] == "Figures hidden because of":
            head, rows = head[:-1], [row[:-1] for row in rows]
        assert head[-1] == "ID of the agent in your systems"
        assert {row[-1] for row in rows} - {None, ""} == {"CL-103", "555"}  # texts, no numbers


class TestChoices:
    """A wrong choice would show one person's calls to another, or give them away."""

    ALL = ["Ana Ruiz", *LABELS.values()]

    def test_of_the_agent_whose_calls_somebody_sees(self, as_alice, danas, project):
        html = as_alice.get(f"/projects/{project.pk}/people/").content.decode()

        first, *agents = options_of(html, "agent_id")
        assert first == "Choose an agent" and sorted(agents) == sorted(self.ALL)

    def test_are_named_apart_once_they_are_made(self, as_alice, danas, project):
        address = f"/projects/{project.pk}/agent-users/"
        sent = {"email": "dana@callscope.example", "agent_id": danas["555"].pk}

        said = page(as_alice.post(address, sent, follow=True)).text
        asked = page(as_alice.post(address, {**sent, "agent_id": danas["CL-103"].pk}), 400).text

        assert f"sees the calls of {LABELS['555']}, and nothing else" in said
        assert f"Calls of {LABELS['CL-103']}, {LABELS['']} are not among them." in said
        [row] = as_alice.get(f"/projects/{project.pk}/people/").context["agent_users"]
        assert row.agent == LABELS["555"]
        assert f"dana@callscope.example already sees the calls of {LABELS['555']}." in asked

    def test_of_the_agent_whose_calls_are_listed(self, as_alice, danas, project):
        address, pk = f"/calls/?project_id={project.pk}", danas["CL-103"].pk
        html = as_alice.get(f"{address}&agent={pk}").content.decode()

        later = as_alice.get(f"/calls/choices/?project_id={project.pk}").content.decode()
        assert sorted(options_of(html, "agent")[2:]) == sorted(self.ALL)
        assert all(f">{label}</option>" in later for label in self.ALL)
        assert f"Agent: {LABELS['CL-103']}" in html

    def test_of_the_agent_whose_call_it_is(self, as_alice, danas, project):
        call = Call.objects.get(agent=danas["555"])
        address = f"/calls/{call.pk}/review/"
        html = as_alice.get(address).content.decode()

        assert sorted(options_of(html, "place:agent")[1:-1]) == sorted(self.ALL)

    def test_of_the_agent_of_whom_calls_are_drawn(self, danas, project):
        options = list_choices(project, {})[0].options

        assert sorted(label for _pk, label in options[1:]) == sorted(self.ALL)
        assert describe_filters(project, {"agent": str(danas[""].pk)})[0][1] == LABELS[""]


class TestPageOfAnAgent:
    def test_shows_the_id_under_the_name(self, as_alice, danas, project):
        texts = {
            key: page(as_alice.get(f"/agents/{agent.pk}/?project_id={project.pk}")).text
            for key, agent in danas.items()
        }

        assert f"{NAME} ID CL-103 · Service line" in texts["CL-103"]
        assert f"{NAME} ID 555 · Service line" in texts["555"]
        assert f"{NAME} Service line" in texts[""] and "ID" not in texts[""]

    def test_shows_it_to_the_agent_too(self, danas, project, bob):
        link_user(project, bob.email, danas["555"])

        found = page(visitor_of(bob).get(f"/agents/{danas['555'].pk}/?project_id={project.pk}"))

        assert "ID 555" in found.text

    def test_says_apart_who_else_may_be_meant(self, danas, project, as_alice):
        [dana] = [call.agent for call in bring(project, line(9, agent_name="Dana", agent_source="llm"))]

        found = find_namesakes(project, dana)
        html = as_alice.get(f"/agents/{dana.pk}/?project_id={project.pk}").content.decode()

        assert sorted(each.label for each in found.fuller) == sorted(LABELS.values())
        assert all(f">{label}</a>" in html for label in LABELS.values())


class TestLists:
    @pytest.mark.parametrize("address", ["/calls/", "/questions/"])
    def test_of_calls_name_them_apart(self, as_alice, danas, project, address):
        answers = {"Was it solved?": {"answer": "Yes", "quotes": ["[00:05] it is"]}}
        for agent in danas.values():
            fields = {"agent_id": agent.external_id} if agent.external_id else {}
            number = 10 + agent.pk % 10
            bring(project, line(number, agent_name=NAME, custom_questions={"answers": answers}, **fields))

        html = as_alice.get(f"{address}?project_id={project.pk}").content.decode()

        cells = [
            " ".join(re.sub("<[^>]*>", "", each).split())
            for each in re.findall(r'<td class="c-agent.*?</td>', html, re.DOTALL)
        ]
        assert set(cells) - {"Ana Ruiz"} == set(LABELS.values())

    def test_of_calls_are_the_same_in_the_interface(self, as_alice, danas, project):
        rows = as_alice.get(f"/calls/api/calls/?project_id={project.pk}").json()["results"]

        assert {row["agent"] for row in rows} == {NAME, "Ana Ruiz"}
        assert not {"agent_id", "external_id"} & rows[0].keys()

    def test_of_appeals_name_them_apart(self, as_alice, danas, carol):
        for call in Call.objects.filter(agent__in=danas.values()):
            appeal(call, carol)

        text = page(as_alice.get("/appeals/")).text

        assert all(f"{label} · Service line" in text for label in LABELS.values())
        of_one = page(as_alice.get(f"/appeals/?agent={danas['555'].pk}")).text
        assert f"About calls of {LABELS['555']} alone." in of_one and LABELS["CL-103"] not in of_one

    def test_of_work_name_them_apart(self, as_alice, danas, project, alice):
        sample = draw_filtered(project, SamplePlan(per_agent=5, reviewers=[alice.email]), None)

        drawn = page(as_alice.get(f"/projects/{project.pk}/samples/{sample.pk}/")).text
        calls = Call.objects.filter(project=project).values_list("pk", flat=True)
        offered = page(
            as_alice.get(f"/projects/{project.pk}/calibrations/?call={'&call='.join(map(str, calls))}")
        ).text
        waiting = list_waiting(alice, Project.objects.filter(pk=project.pk), most=10)

        assert sorted(each.agent for each in waiting) == sorted(TestChoices.ALL)
        assert all(
            drawn.count(label) == 2 and label in offered for label in TestChoices.ALL
        )  # also on phones

    def test_of_the_agents_of_a_reason_name_them_apart(self, as_alice, project):
        bring(
            project,
            line(1, agent_name=NAME, agent_id="CL-103", contact_reason="Outage"),
            line(2, agent_name=NAME, agent_id="555", contact_reason="Outage"),
        )
        reason = ContactReason.objects.get(name="Outage")

        text = page(as_alice.get(f"/projects/{project.pk}/reasons/{reason.pk}/")).text

        assert LABELS["CL-103"] in text and LABELS["555"] in text

    def test_of_what_happened_name_them_apart(self, as_alice, danas, project, alice):
        link_user(project, "dana@callscope.example", danas["555"], by=alice)
        link_user(project, "dana@callscope.example", danas["CL-103"], by=alice)

        text = page(as_alice.get("/audit/")).text

        assert LABELS["555"] in text and LABELS["CL-103"] in text

    def test_of_what_a_review_changed_name_them_apart(self, danas):
        before, after = danas["555"], danas[""]
        row = {"agent_id": after.pk, "name": NAME, "machine_agent_id": before.pk, "machine_name": NAME}

        [(_what, was, now)] = compare_places({**row, "is_outdated": False}, None)

        assert (was, now) == (LABELS["555"], LABELS[""])
        [(_what, was, now)] = compare_places(
            {**row, "agent_id": None, "name": "", "is_outdated": False}, None
        )
        assert (was, now) == (NAME, "none")
