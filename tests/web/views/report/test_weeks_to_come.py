"""The trend ends with the current week, whatever years the calls are of."""

import datetime as dt
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from callscope.reports.overview.figure_trend.figures import find_figure
from callscope.reports.overview.figure_trend.weeks import build_figure_trend
from callscope.reports.overview.report import build_report
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.trend_rows import build_trend_table
from callscope.reports.window import ALL_TIME
from tests.web.conftest import bring, line, page
from tests.web.views.sharing.test_share_links import share

pytestmark = pytest.mark.django_db
SAID = "2 calls lie after this week and are not drawn."


@pytest.fixture
def slip(project, monkeypatch):
    """Two calls of a year that is to come, next to those of two weeks."""
    monkeypatch.setattr(timezone, "now", lambda: dt.datetime(2026, 3, 18, 12, tzinfo=dt.UTC))
    days = ("2026-03-03", "2026-03-10", "2026-03-17", "2027-05-01", "2031-05-01")
    bring(project, *(line(i, call_datetime=f"{day}T10:00:00Z") for i, day in enumerate(days)))


def test_pages_end_with_the_current_week_and_lead_to_the_later_calls(as_alice, project, slip):
    found = page(as_alice.get(f"/report/trend/?project_id={project.pk}&date_range="))

    assert SAID in found.text and "Apr 30" not in found.text and "May" not in found.text
    assert "Hollow: incomplete weeks (Mar 16, 2026)" in found.text
    [link] = [each["href"] for each in found.all("a") if "start_date=2026-03-23" in each.get("href", "")]
    assert parse_qs(urlsplit(link).query) == {"project_id": [str(project.pk)], "start_date": ["2026-03-23"]}
    assert "2 calls" in page(as_alice.get(link)).text
    assert SAID in page(as_alice.get(f"/report/?project_id={project.pk}&date_range=")).text


def test_a_shared_report_ends_with_it_and_leads_nowhere(as_alice, project, slip):
    found = page(as_alice.get(share(as_alice, f"project_id={project.pk}&date_range=")))

    assert SAID in found.text
    assert not [each for each in found.all("a") if "start_date" in each.get("href", "")]


def test_a_window_before_it_says_nothing(as_alice, project, slip):
    days = "start_date=2026-03-01&end_date=2026-03-31"

    assert "not drawn" not in page(as_alice.get(f"/report/trend/?project_id={project.pk}&{days}")).text


def test_the_figure_of_choice_is_not_cut_for_years_to_come(project, slip):
    figure = find_figure("calls", [project])

    drawn = build_figure_trend([project], ALL_TIME, figure, is_drawn=True)

    assert [each.now.value for each in drawn.weeks] == [1, 1, 1] and not drawn.is_cut
    assert build_figure_trend([project], ALL_TIME, figure).is_cut  # as the interface answers it


def test_the_pdf_ends_with_the_current_week(project, slip):
    report = build_report([project], ALL_TIME, is_drawn=True)
    table = build_trend_table(report, ReportLocale("en"), {}, is_one_project=True)

    assert len(table["rows"]) == 3
    assert SAID in table["note"]


def test_the_interface_has_all_weeks(as_alice, project, slip):
    weeks = as_alice.get(f"/calls/api/report/?project_id={project.pk}").json()["trend"]

    assert weeks[-1]["week"] == "2031-04-28" and len(weeks) > 200
