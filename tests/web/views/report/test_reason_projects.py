"""A report of several projects names whose contact reasons and criteria it shows."""

import csv
import datetime as dt
import io

import pikepdf
import pytest

from callscope.projects.services import create_project
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.pdf.pdf import build_report_pdf
from callscope.reports.window import ALL_TIME
from tests.sheets import read_sheet
from tests.web.conftest import CONFIGURATION, bring, line

pytestmark = pytest.mark.django_db


@pytest.fixture
def both(alice, project):
    """Two projects: both have late fees, the second most of them; each has a reason of its own."""
    other = create_project(alice, "Second line", document=CONFIGURATION)
    bring(project, line(1, topic="late fee"), line(2, topic="outage"))
    bring(other, *(line(n, topic="late fee") for n in (3, 4)), line(5, topic="moving house"))
    return project, other


def find_row(html, name):
    return html.partition(f"{name}</a>")[2].partition("</th>")[0]


@pytest.mark.parametrize("part", ["", "reasons/"])
def test_names_the_projects_of_each_reason_most_calls_first(as_alice, both, part):
    html = as_alice.get(f"/report/{part}?project_id=").content.decode()

    assert "Second line · Service line" in find_row(html, "late fee")
    assert find_row(html, "outage").strip() == '<small class="behind">Service line</small>'
    assert find_row(html, "moving house").strip() == '<small class="behind">Second line</small>'


@pytest.mark.parametrize("part", ["", "reasons/"])
def test_names_none_in_a_report_of_one_project(as_alice, both, part):
    html = as_alice.get(f"/report/{part}?project_id={both[0].pk}").content.decode()

    assert find_row(html, "outage").strip() == ""


def test_names_them_in_downloads(as_alice, both):
    text = b"".join(as_alice.get("/report/contact-reasons.csv").streaming_content).decode("utf-8-sig")
    sheet = b"".join(as_alice.get("/report/contact-reasons.xlsx").streaming_content)

    found = {row["topic"]: row["projects"] for row in csv.DictReader(io.StringIO(text))}
    assert found == {
        "late fee": "Second line; Service line",
        "outage": "Service line",
        "moving house": "Second line",
    }
    assert sorted(row[-1] for row in read_sheet(sheet)[1:]) == sorted(found.values())


def test_a_download_holds_all_reasons(as_alice, project):
    bring(project, *(line(n, topic=f"topic {n}") for n in range(1, 13)))

    text = b"".join(as_alice.get("/report/contact-reasons.csv").streaming_content).decode("utf-8-sig")

    found = [row["topic"] for row in csv.DictReader(io.StringIO(text))]
    assert sorted(found) == sorted(f"topic {n}" for n in range(1, 13))


def test_leaves_the_figures_of_the_api_as_they_are(both):
    rows = report_json(build_report(list(both), ALL_TIME))["contact_reasons"]

    assert [row["calls"] for row in rows] == [3, 1, 1]
    assert all("projects" not in row for row in rows)


def test_the_title_of_the_pdf_leaves_out_projects_without_calls(alice, both):
    empty = create_project(alice, "Nothing uploaded yet", document=CONFIGURATION)

    pdf = build_report_pdf(
        [*both, empty], ALL_TIME, language="en", generated_at=dt.datetime(2026, 4, 1, tzinfo=dt.UTC)
    )

    with pikepdf.open(io.BytesIO(pdf.content)) as document, document.open_metadata() as shown:
        assert shown["dc:title"] == "Call report: Service line, Second line"
