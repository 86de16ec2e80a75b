"""A page rounds the exact figure, not what the interface has rounded before: 6 of 11 are 54.5 %, not 54.6.

Eleven calls of one agent and one week earn 6 of 11 points each; 6 of them reach their goal, have a negative
sentiment and one reason. With two decimals each of these is 54.55, with one decimal it is 54.5.
"""

import csv
import datetime as dt
import io

import pypdfium2
import pytest
from django.utils import timezone

from callscope.contact_reasons.models import ContactReason
from callscope.projects.services import create_project
from callscope.reports.pdf.pdf import build_report_pdf
from callscope.reports.window import Window
from tests.web.conftest import bring, line, page

pytestmark = pytest.mark.django_db

RUBRIC = {
    "sections": [{"name": "Opening", "criteria": [{"id": "greeting", "name": "Greets", "max_points": 11}]}]
}
REASONS = [{"name": "Late fee", "description": "A fee"}, {"name": "Outage", "description": "No service"}]


@pytest.fixture
def project(alice):
    return create_project(alice, "Service line", document={"rubric": RUBRIC})


@pytest.fixture
def first_day():
    """The Monday of the week before this one: the page of a reason is about the latest days."""
    today = timezone.localdate()
    return today - dt.timedelta(days=today.weekday() + 7)


@pytest.fixture
def calls(project, first_day):
    lines = []
    for number in range(1, 12):
        is_one = number <= 6
        made = line(
            number,
            goal_reached=is_one,
            sentiment="negative" if is_one else "neutral",
            contact_reason="Late fee" if is_one else "Outage",
            call_datetime=f"{first_day + dt.timedelta(days=number % 5)}T10:00:00+00:00",
            custom_questions=None,
        )
        score = made["copc"]["criterion_scores"][0] | {"score": 6, "max_points": 11}
        lines.append(made | {"copc": {"criterion_scores": [score]}})
    return bring(project, *lines)


@pytest.fixture
def query(project, first_day):
    last_day = first_day + dt.timedelta(days=6)
    return f"project_id={project.pk}&start_date={first_day}&end_date={last_day}"


class TestPages:
    @pytest.mark.parametrize(("language", "right", "wrong"), [("en", "54.5", "54.6"), ("es", "54,5", "54,6")])
    def test_show_the_exact_figure_with_one_decimal(
        self, as_alice, project, calls, query, language, right, wrong
    ):
        reason = ContactReason.objects.get(project=project, name="Late fee")
        addresses = [
            f"/report/?{query}",
            f"/report/criteria/?{query}",
            f"/report/agents/?{query}",
            f"/report/reasons/?{query}",
            f"/report/trend/?{query}",
            f"/report/trend/?{query}&figure=goal_reached_pct",
            f"/agents/{calls[0].agent_id}/?{query}",
            f"/calls/?{query}",
            f"/calls/{calls[0].pk}/",
            f"/projects/{project.pk}/reasons/",
            f"/projects/{project.pk}/reasons/{reason.pk}/",
        ]

        for address in addresses:
            found = page(as_alice.get(address, headers={"accept-language": language}))
            assert right in found.text, address
            assert wrong not in found.text, address

    def test_leave_two_decimals_to_interface_and_tables(self, as_alice, calls, query):
        report = as_alice.get(f"/calls/api/report/?{query}").json()
        listed = as_alice.get(f"/calls/api/calls/?{query}").json()["results"]
        answer = as_alice.get(f"/report/scorecard.csv?{query}")
        [row] = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig")))

        assert report["headline"]["average_score"] == report["scorecard"][0]["average_pct"] == 54.55
        assert {call["score_percentage"] for call in listed} == {54.55}
        assert (row["evaluated_pct"], row["points_lost"]) == ("54.55", "45.45")


class TestPdf:
    @pytest.mark.parametrize(("language", "right", "wrong"), [("en", "54.5", "54.6"), ("es", "54,5", "54,6")])
    def test_prints_the_exact_figure_with_one_decimal(
        self, project, calls, first_day, language, right, wrong
    ):
        window = Window(first_day, first_day + dt.timedelta(days=6))

        document = build_report_pdf([project], window, language=language, generated_at=timezone.now())

        pages = pypdfium2.PdfDocument(document.content)
        text = " ".join(each.get_textpage().get_text_bounded() for each in pages)
        assert right in text
        assert wrong not in text


class TestChange:
    def test_is_of_the_exact_figures(self, as_alice, project, first_day):
        """2 of 3 less 1 of 3 are 33.33 %; 66.67 less 33.33 would be 33.34."""
        before = first_day - dt.timedelta(days=7)
        days = [(before, 1), (first_day, 2)]
        lines = []
        for at, (day, points) in enumerate((day, points) for day, points in days for _ in range(10)):
            made = line(at + 1, call_datetime=f"{day}T10:00:00+00:00", custom_questions=None)
            score = made["copc"]["criterion_scores"][0] | {"score": points, "max_points": 3}
            lines.append(made | {"copc": {"criterion_scores": [score]}})
        bring(project, *lines)
        last_day = first_day + dt.timedelta(days=6)
        query = f"project_id={project.pk}&start_date={first_day}&end_date={last_day}"

        [change] = [
            each
            for each in as_alice.get(f"/calls/api/report/?{query}").json()["changes"]
            if each["figure"] == "average_score"
        ]

        assert change["difference"] == 33.33
