"""A report of several projects puts them next to each other, and says whose the agents are."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from callscope.projects.owners import Owners
from callscope.reports.overview.by_project.agent_projects import name_agent_projects
from callscope.reports.pdf.agent_rows import list_project_rows
from callscope.reports.pdf.layout import Summary, build_page_data
from callscope.reports.pdf.noise import write_interval
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.printing import print_pdf
from tests.reports.overview.test_by_project import LATE, bring_both, compare
from tests.reports.test_pdf import NOW, text_of
from tests.web.conftest import bring, line, page

pytestmark = pytest.mark.django_db

QUERY = "start_date=2026-03-11&end_date=2026-03-20"


@pytest.fixture
def both(alice):
    return bring_both(alice)


class TestOverview:
    def test_compares_the_projects_in_words(self, as_alice, both):
        shown = page(as_alice.get(f"/report/?project_id=&{QUERY}"))

        table = shown.text.partition("Projects and their figures")[2].partition("Criteria that cost")[0]
        first, second = table.partition("Second line")[::2]
        assert "95 % below" in first
        assert "16 calls now, 10 before" in first
        assert "few calls" in second
        assert "4 calls now, 2 before" in second
        assert "none" in second

    def test_names_the_projects_of_what_its_sentences_are_about(self, as_alice, both):
        shown = page(as_alice.get(f"/report/?project_id=&{QUERY}")).text

        assert "” (Service line · Second line) costs the most points" in shown or (
            "” (Service line · Second line) fell by" in shown
        )

    def test_leads_to_the_report_of_a_project_and_to_the_calls_of_its_figures(self, as_alice, both):
        html = as_alice.get(f"/report/?project_id=&{QUERY}").content.decode()

        rows = html.partition('class="cards lined agents-table projects-table"')[2].partition("</table>")[0]
        links = [part.partition('"')[0].replace("&amp;", "&") for part in rows.split('href="')[1:]]
        mine = [urlsplit(link) for link in links if f"project_id={both[1].pk}&" in link]
        assert mine[0].path == "/report/"
        asked = {"project_id": [str(both[1].pk)], "start_date": ["2026-03-11"], "end_date": ["2026-03-20"]}
        assert all(asked.items() <= parse_qs(link.query).items() for link in mine)
        for link, calls in zip(mine[1:], (4, 4, 2, 4), strict=True):
            assert link.path == "/calls/"
            found = page(as_alice.get(f"{link.path}?{link.query}")).text
            assert f"{calls} calls" in found

    def test_compares_no_projects_in_a_report_of_one(self, as_alice, both):
        html = as_alice.get(f"/report/?project_id={both[0].pk}&{QUERY}").content.decode()

        assert "projects-table" not in html


class TestAgents:
    def test_have_their_projects_below_their_names(self, as_alice, alice, both):
        bring(both[1], line(15, agent_name="Ana Ruiz"))

        html = as_alice.get(f"/report/agents/?project_id=&{QUERY}").content.decode()

        for name, owner in (("Bo Lind", "Second line"), ("Ana Ruiz", "Service line · Second line")):
            row = html.partition(f"{name}</a>")[2].partition("</th>")[0]
            assert f'<small class="owner">{owner}</small>' in row
        assert html.count('class="owner"') == 2

    def test_have_none_in_a_report_of_one(self, as_alice, both):
        html = as_alice.get(f"/report/agents/?project_id={both[1].pk}&{QUERY}").content.decode()

        assert 'class="owner"' not in html


class TestPdf:
    @pytest.mark.parametrize("language", ["en", "es"])
    def test_compares_the_projects_and_names_those_of_agents(self, both, language):
        report = compare(list(both), LATE)
        agents = name_agent_projects(both, LATE)

        data = build_page_data(
            report,
            projects=[project.name for project in both],
            summary=Summary([]),
            locale=ReportLocale(language),
            generated_at=NOW,
            owners=Owners(both, agents),
        )

        verdicts = {
            "en": ("95: missed", "none"),
            "es": ("95: no cumplida", "ninguna"),
        }[language]
        first, second = data["projects"]
        assert (first[0], first[1], first[3]) == ("Service line", "16", verdicts[0])
        assert (second[0], second[1], second[3]) == ("Second line", "4", verdicts[1])
        assert [cell["is_few"] for cell in (first[2], second[2])] == [False, True]
        assert first[2]["text"].endswith("(16)")
        assert first[2]["below"] == write_interval(
            report.projects[0].average_score_interval, ReportLocale(language)
        )
        assert first[4]["text"].endswith("(10)")
        assert not first[5].endswith("~")
        assert second[5].endswith("~")
        assert first[7]["text"].endswith("(11)")
        assert {row[0]["text"]: row[0]["below"] for row in data["agents"]} == {
            "Ana Ruiz": "Service line",
            "Bo Lind": "Second line",
        }
        text = text_of(print_pdf(data))
        assert verdicts[0] in text
        assert "Bo Lind Second line" in text

    def test_says_what_is_not_certain_about_a_target(self, both):
        [row, _few] = compare(list(both), LATE).projects
        locale = ReportLocale("en")

        def target_of(**changes):
            return list_project_rows([replace(row, **changes)], locale)[0][3]

        assert target_of(target=45.0) == "45: within the margin of error"
        assert target_of(target=25.5) == "25.5: met"
        assert target_of(scored_calls=9) == "95: few calls"
        assert target_of(average_score=None) == "95"

    def test_compares_no_projects_where_one_has_calls(self, both):
        data = build_page_data(
            compare([both[0]], LATE),
            projects=["Service line"],
            summary=Summary([]),
            locale=ReportLocale("en"),
            generated_at=NOW,
        )

        assert data["projects"] == []
        assert "below" not in data["agents"][0][0]
