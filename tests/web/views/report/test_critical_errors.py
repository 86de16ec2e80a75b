"""Critical errors are counted where there can be some: elsewhere a dash or an empty cell says that, not 0."""

import csv
import io

import pytest

from callscope.projects.owners import Owners
from callscope.projects.services import configure_project
from callscope.reports.overview.report import build_report
from callscope.reports.pdf.criterion_rows import list_sections
from callscope.reports.pdf.number_formats import DASH, ReportLocale
from callscope.reports.window import ALL_TIME
from tests.web.conftest import CONFIGURATION, bring, line

pytestmark = pytest.mark.django_db

NOT_CRITICAL = "It is not a critical criterion."


@pytest.fixture
def shown(as_alice, project):
    def cell_of(name):
        html = as_alice.get(f"/report/criteria/?project_id={project.pk}&date_range=").content.decode()
        row = html.split(f'<th scope="row">{name}', 1)[1].split("</tr>")[0]
        return row.split('data-label="Critical errors">')[1].split("</td>")[0]

    return cell_of


@pytest.fixture
def printed(project):
    """The last cell of each criterion in the PDF."""

    def cells():
        rows = build_report([project], ALL_TIME).scorecard
        sections = list_sections(rows, ReportLocale("en"), {}, Owners([]), is_compared=False)
        return {row["name"]: row["cells"][-1] for section in sections for row in section["rows"]}

    return cells


@pytest.fixture
def stated(as_alice, project):
    """The cell of each criterion in the CSV, and its number in the interface."""

    def cells():
        answer = as_alice.get(f"/report/scorecard.csv?project_id={project.pk}")
        text = b"".join(answer.streaming_content).decode("utf-8-sig")
        table = {row["criterion_id"]: row["critical_errors"] for row in csv.DictReader(io.StringIO(text))}
        report = as_alice.get(f"/calls/api/report/?project_id={project.pk}").json()
        numbers = {
            row["criterion_id"]: (row["critical_errors"], row["is_critical"]) for row in report["scorecard"]
        }
        return table, numbers

    return cells


class TestCriticalErrors:
    def test_are_counted_of_a_critical_criterion(self, project, shown, printed, stated):
        bring(project, line(1), line(2))

        assert ">0<" in shown("Verifies the caller")
        assert printed()["Verifies the caller"] == "0"
        table, numbers = stated()
        assert (table["identity"], numbers["identity"]) == ("0", (0, True))

        bring(project, line(3, identity=0))

        assert "found=critical" in shown("Verifies the caller")
        assert printed()["Verifies the caller"] == "1"
        table, numbers = stated()
        assert (table["identity"], numbers["identity"]) == ("1", (1, True))

    def test_are_not_counted_of_another(self, project, shown, printed, stated):
        bring(project, line(1, greeting=0))

        assert NOT_CRITICAL in shown("Greets")
        assert ">0<" not in shown("Greets")
        assert printed()["Greets"] == DASH
        table, numbers = stated()
        assert (table["greeting"], numbers["greeting"]) == ("", (0, False))

    def test_are_not_counted_where_the_criterion_applied_to_no_call(self, project, shown, printed, stated):
        bring(project, line(1, applies=False))

        assert "No call in this period recorded that the criterion applies." in shown("Verifies the caller")
        assert printed()["Verifies the caller"] == DASH
        assert stated()[0]["identity"] == ""

    def test_are_counted_of_a_criterion_that_was_critical_then(self, alice, project, shown, printed, stated):
        bring(project, line(1, identity=0))
        document = {**CONFIGURATION, "rubric": {"sections": [CONFIGURATION["rubric"]["sections"][0]]}}
        configure_project(project, document, by=alice)
        project.refresh_from_db()

        assert "found=critical" in shown("Verifies the caller")
        assert printed()["Verifies the caller"] == "1"
        table, numbers = stated()
        assert (table["identity"], numbers["identity"]) == ("1", (1, None))

    def test_are_not_known_of_a_criterion_that_no_rubric_has(self, alice, project, shown, printed):
        bring(project, line(1))
        document = {**CONFIGURATION, "rubric": {"sections": [CONFIGURATION["rubric"]["sections"][0]]}}
        configure_project(project, document, by=alice)
        project.refresh_from_db()

        assert "This criterion is no longer in the rubric." in shown("Verifies the caller")
        assert printed()["Verifies the caller"] == DASH
