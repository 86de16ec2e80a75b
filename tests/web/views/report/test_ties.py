"""What ties: named together on the page and in the PDF, with a link to the part that lists all of it."""

import copy
from types import SimpleNamespace
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.utils import timezone

from callscope.interfaces.web.presenters.report_page.highlights import link_highlight
from callscope.projects.services import configure_project
from callscope.reports.overview.highlights import Highlight
from callscope.reports.pdf.pdf import build_report_pdf
from callscope.reports.window import ALL_TIME
from tests.reports.test_pdf import text_of
from tests.web.conftest import CONFIGURATION, bring, line, page

NAMES = ("Calms", "Sums up", "Offers help", "Gives a name", "Says goodbye")


def bring_ties(alice, project, count: int) -> None:
    """Import twelve calls; so many criteria lose as many points, and "Greets" loses none."""
    document = copy.deepcopy(CONFIGURATION)
    document["rubric"]["sections"][1]["criteria"] = [
        {"id": name.lower().replace(" ", "_"), "name": name, "max_points": 10} for name in NAMES
    ]
    configure_project(project, document, by=alice)
    lines = []
    for n in range(12):
        made = line(n + 1)
        greeting = made["copc"]["criterion_scores"][0]
        others = [
            greeting
            | {"criterion_id": name.lower().replace(" ", "_"), "name": name, "section": "Security"}
            | {"score": 0 if i < count and n < 4 else 10}
            for i, name in enumerate(NAMES)
        ]
        made["copc"]["criterion_scores"] = [greeting, *others]
        lines.append(made)
    bring(project, *lines)


@pytest.mark.django_db
class TestPage:
    @pytest.mark.parametrize(
        ("count", "language", "said"),
        [
            (1, "en", "“Calms” costs the most points of all criteria"),
            (
                2,
                "en",
                "“Calms” (66.7 % over 12 calls) and “Sums up” (66.7 % over 12 calls) cost the most points",
            ),
            (
                3,
                "en",
                "“Sums up” (66.7 % over 12 calls) and “Offers help” (66.7 % over 12 calls) cost the most",
            ),
            (5, "en", "“Offers help” (66.7 % over 12 calls) and 2 more cost the most points of all criteria"),
            (2, "es", "y «Sums up» (66,7 % en 12 llamadas) son los criterios que más puntos cuestan"),
            (5, "es", "y 2 más son los criterios que más puntos cuestan"),
        ],
    )
    def test_says_of_criteria_that_cost_as_much_the_same_as_the_pdf(
        self, alice, as_alice, project, count, language, said
    ):
        bring_ties(alice, project, count)
        as_alice.cookies["django_language"] = language

        shown = page(as_alice.get(f"/report/?project_id={project.pk}"))
        document = build_report_pdf([project], ALL_TIME, language=language, generated_at=timezone.now())

        assert said in shown.text.replace("\u00a0", " ")
        assert said in text_of(document.content)

    def test_leads_to_the_criteria_by_the_points_that_they_cost(self, alice, as_alice, project):
        bring_ties(alice, project, 2)

        html = as_alice.get(f"/report/?project_id={project.pk}").content.decode()

        link = html.partition("See the criteria")[0].rpartition('href="')[2].partition('"')[0]
        address = urlsplit(link.replace("&amp;", "&"))
        assert address.path == "/report/criteria/"
        query = parse_qs(address.query)
        assert (query["project_id"], query["order"]) == ([str(project.pk)], ["lost"])
        # In the rubric “Greets” stands first.
        html = as_alice.get(f"{address.path}?{address.query}").content.decode()
        assert html.index('"row">Calms') < html.index('"row">Sums up') < html.index('"row">Greets')


class TestLinks:
    LINKS = SimpleNamespace(query={"project_id": "3"}, to=lambda **filters: f"/calls/?{urlencode(filters)}")

    @pytest.mark.parametrize(
        ("highlight", "url", "link"),
        [
            (
                Highlight("", "criterion", ("a",)),
                "/calls/?criterion=a&result=not_met",
                "See the calls that did",
            ),
            (Highlight("", "criterion", ("a", "b")), "/report/criteria/?project_id=3", "See the criteria"),
            (
                Highlight("", "criterion", ("a", "b"), is_change=False),
                "/report/criteria/?project_id=3&order=lost",
                "See the criteria",
            ),
            (Highlight("", "reason", ("a", "b")), "/report/reasons/?project_id=3", "See the reasons"),
            (Highlight("", "agent", ("1", "2")), "/report/agents/?project_id=3", "See the agents"),
            (Highlight("", "agent", ("1",)), "/calls/?agent=1&ordering=score_percentage", "See these calls"),
            (Highlight("", "nothing"), "", ""),
        ],
    )
    def test_lead_to_the_calls_of_one_and_to_the_list_of_several(self, highlight, url, link):
        found = link_highlight(highlight, self.LINKS)

        assert found.url == url
        assert found.link.startswith(link)
