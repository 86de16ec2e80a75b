"""A report says who judged its calls, by which settings, and how far people agree with the machine."""

import io
from dataclasses import replace

import pikepdf
import pytest
from django.test import override_settings

from callscope.projects.services import create_project
from callscope.reports.overview.origin.judges import RULES, Judge, Origin, Versions
from callscope.reports.overview.origin.sentences import (
    describe_agreement,
    describe_judges,
    explain_no_estimate,
)
from callscope.reports.pdf.cover import link_report
from callscope.reports.pdf.pdf import build_report_pdf
from callscope.reports.window import ALL_TIME
from callscope.reviews.agreement.measures import ANSWERS, AnswerPair, measure_pairs
from tests.reports.overview.test_by_project import SINCE_THIRD, bring_judged
from tests.reports.test_pdf import NOW, example, text_of
from tests.web.conftest import CONFIGURATION, page

pytestmark = pytest.mark.django_db

NONE = measure_pairs([], ANSWERS)


def write(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}"


@pytest.fixture
def judged(project):
    return bring_judged(project)


def agreed(same: int, different: int) -> Origin:
    said = [("met", "met"), ("not_met", "not_met")] * (same // 2) + [("met", "not_met")] * different
    pairs = [AnswerPair(n, "greeting", "Greets", *answers) for n, answers in enumerate(said)]
    return Origin([], [], measure_pairs(pairs, ANSWERS), same + different)


class TestJudges:
    def test_are_named_with_the_versions_of_the_settings(self):
        several = [Judge(RULES, "", 1200), Judge("openai", "gpt-oss", 1)]
        two = [Versions("Sales", 3, 3), Versions("Service", 2, 5)]

        def said(judges, versions):
            return describe_judges(Origin(judges, versions, NONE, 0), write)

        assert said([Judge(RULES, "", 9)], two[:1]) == "rules, settings version 3"
        assert said([Judge("openai", "gpt-oss", 9)], two[1:]) == "gpt-oss (openai), settings versions 2 to 5"
        assert said(several, []) == "rules (1,200 calls), gpt-oss (openai) (1 call)"
        assert said(several[:1], two) == "rules, Sales: settings version 3; Service: settings versions 2 to 5"
        assert said(several[:1], [two[0], replace_name(two[0])]) == "rules, settings version 3"
        assert said([], []) == ""


def replace_name(versions: Versions) -> Versions:
    return versions._replace(project="Another")


class TestAgreement:
    def test_says_how_many_answers_are_the_same_beyond_chance_too(self):
        found = agreed(36, 4)

        assert describe_agreement(found, write) == (
            "In 40 blind reviews, 90.0\u00a0% of 40 answers were the same as the machine's "
            f"(κ\u00a0{found.agreement.kappa:.2f}, 95\u00a0% interval {found.agreement.kappa_low:.2f} to "
            f"{found.agreement.kappa_high:.2f})."
        )

    def test_says_nothing_of_few_answers(self):
        assert describe_agreement(agreed(16, 3), write) == (
            "Too few blind reviews to say how far people agree: 19 answers, 20 are needed."
        )

    def test_says_that_there_are_none(self):
        assert describe_agreement(Origin([], [], NONE, 0), write).startswith("Nobody has reviewed")


class TestEstimate:
    @pytest.mark.parametrize(
        ("drawn", "interval", "said"),
        [
            (0, None, "no call drawn at random has been reviewed"),
            (1, None, "only 1 call drawn at random was reviewed, 5 are needed."),
            (4, None, "only 4 calls drawn at random were reviewed, 5 are needed."),
            (6, (70.0, 80.0), ""),
        ],
    )
    def test_is_missing_for_a_reason(self, drawn, interval, said):
        reviews = replace(example().reviews, sampled_calls=drawn, true_score_interval=interval)

        text = explain_no_estimate(example(reviews=reviews), write)

        assert said in text
        assert bool(text) == bool(said)


class TestPdf:
    def make(self, project, language="en", **options):
        found = build_report_pdf([project], SINCE_THIRD, language=language, generated_at=NOW, **options)
        return found.content

    def test_says_who_judged_and_how_many_people_reviewed(self, judged):
        text = text_of(self.make(judged))

        assert (
            "Judged by: results imported from another system (1 call), gpt-oss (openai) (1 call), rules"
            in text
        )
        assert "settings version 4" in text
        assert "Reviewed by people: 0 of 3 calls" in text
        assert "Nobody has reviewed these calls without seeing the machine's answers." in text
        assert "What people would score is not estimated" in text
        assert "Evaluado por: resultados importados" in text_of(self.make(judged, "es"))

    def test_tells_an_agent_of_own_calls_nothing_of_engines(self, judged):
        agent = judged.calls.first().agent_id

        assert "Judged by" not in text_of(self.make(judged, agent_id=agent))

    def test_leads_to_the_page_of_the_report(self, settings, judged):
        environment = replace(settings.ENVIRONMENT, public_url="https://calls.example.com")
        assert link_report([judged], SINCE_THIRD, {}) == ""
        with override_settings(ENVIRONMENT=environment):
            content = self.make(judged)
            other = create_project(judged.owner, "Second line", document=CONFIGURATION)
            team = link_report([judged, other], ALL_TIME, {"team": "7"})

        with pikepdf.open(io.BytesIO(content)) as pdf:
            links = [str(each.A.URI) for each in pdf.pages[0].Annots if "/A" in each]
        days = "start_date=2026-03-03&end_date=2026-03-31"
        assert links[0] == f"https://calls.example.com/report/?project_id={judged.pk}&{days}"
        assert team == "https://calls.example.com/report/?project_id=&team=7"


class TestPage:
    def test_asks_who_judged_once_the_meanings_are_unfolded(self, as_alice, judged):
        shown = page(as_alice.get(f"/report/?project_id={judged.pk}&date_range="))
        address = f"/report/origin/?project_id={judged.pk}"

        [asking] = [attributes for _tag, attributes in shown.elements if attributes.get("hx-get") == address]
        assert asking["hx-trigger"] == "toggle from:closest details once"
        text = page(as_alice.get(address)).text
        assert "Judged by rules (3 calls)" in text
        assert "settings versions 1 to 4" in text
        assert "Nobody has reviewed these calls" in text

    def test_answers_for_the_projects_and_days_that_a_visitor_sees(self, as_carol, as_alice, judged):
        late = page(as_alice.get("/report/origin/?project_id=&start_date=2026-03-05")).text

        assert "results imported from another system" in late
        assert "rules" not in late
        assert as_carol.get(f"/report/origin/?project_id={judged.pk}").status_code == 404
        assert "Judged" not in as_carol.get("/report/origin/?project_id=").content.decode()
