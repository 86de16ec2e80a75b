"""Agents of one name are shown with the ids that clients gave them, wherever they are shown together."""

import pytest
from django.utils.translation import override

from callscope.calls.models import Agent
from callscope.calls.namesakes import label_agents, label_names
from callscope.projects.owners import Owners
from callscope.reports.overview.highlights import write_agent
from callscope.reports.overview.report import AgentRow, build_report, report_json
from callscope.reports.pdf.agent_rows import list_agent_rows, list_talk_rows
from callscope.reports.pdf.map_rows import build_maps
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.pdf import read_figures
from callscope.reports.window import ALL_TIME
from tests.web.conftest import bring, line

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
        row = AgentRow(NAME, 3, 60, 70.0, 0, 0, 0, 60, **figures, external_id="555", has_namesake=True)

        said = write_agent([row], lambda value, _decimals: str(value))

        assert said.text.startswith(f"The calls of {LABELS['555']} average 70.0")

    def test_is_the_same_in_the_interface(self, danas, project):
        rows = report_json(build_report([project], ALL_TIME))["agents"]

        assert [row["agent"] for row in rows] == ["Ana Ruiz", NAME, NAME, NAME]
        assert not {"external_id", "has_namesake", "label"} & rows[0].keys()

    def test_names_them_apart_in_the_tables_of_the_pdf(self, danas, project):
        figures, locale = read_figures([project], ALL_TIME, None, ()), ReportLocale("en")
        owners = Owners([project])

        rows = list_agent_rows(figures.report.agents, locale, owners)
        talk = list_talk_rows(figures.report.agents, locale, owners)
        [agent_map] = build_maps(figures.agent_map, figures.week_hours, locale, owners)["agent_maps"]

        assert sorted(row[0]["text"] for row in rows) == ["Ana Ruiz", *sorted(LABELS.values())]
        assert [row[0] for row in talk] == [{**row[0], "note": ""} for row in rows]
        assert sorted(agent_map["heads"]) == ["Ana Ruiz", *sorted(LABELS.values())]
