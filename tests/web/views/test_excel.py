"""The list of calls and the tables of the report as Excel files, of what the visitor may see."""

import csv
import io

import pytest

from callscope.projects.models import ProjectShare
from tests.sheets import read_cells, read_sheet
from tests.web.conftest import bring, line, page, visitor_of

TABLES = (
    "headline", "scorecard", "mistakes", "missed-prompts", "trend", "contact-reasons", "reason-groups",
    "agents", "agent-criteria", "shifts", "week-hours",
)  # fmt: skip


def content(answer):
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def columns_and_rows(answer):
    head, *rows = csv.reader(io.StringIO(content(answer).decode("utf-8-sig")))
    return head, len(rows)


def rows_by_column(workbook, table):
    """Return the rows of an Excel file as cells by the columns of the same CSV, whose names programs know."""
    names, count = columns_and_rows(table)
    _, *rows = read_cells(content(workbook))
    assert len(rows) == count
    return [dict(zip(names, row, strict=True)) for row in rows]


@pytest.mark.django_db
class TestCalls:
    def test_are_those_of_the_list_in_its_order(self, as_alice, world):
        query = "ordering=score_percentage&goal=true"
        answer = as_alice.get(f"/calls/export.xlsx?{query}")

        cells = rows_by_column(answer, as_alice.get(f"/calls/export.csv?{query}"))
        assert [each["file_name"][0] for each in cells] == ["call-3.wav", "call-1.wav"]
        assert cells[0]["score_percentage"] == (83.33, '0.00" %"')
        assert cells[1]["call_datetime"] == (pytest.approx(46082 + 10 / 24), "yyyy-mm-dd hh:mm:ss")
        assert cells[0]["has_critical_error"][0] is False
        assert cells[0]["criterion:greeting"][0] == "partly"
        assert answer["Content-Disposition"] == 'attachment; filename="callscope-calls.xlsx"'
        assert answer["X-Content-Type-Options"] == "nosniff"

    def test_hold_no_formula(self, as_alice, project):
        bring(project, line(1, topic="=cmd|'/c calc'!A0", agent_name="@SUM(A1)", campaign="+1"))

        head, row = read_sheet(content(as_alice.get("/calls/export.xlsx")))

        found = dict(zip(head, row, strict=True))
        texts = (found["Contact reason"], found["Agent"], found["Campaign"])
        assert texts == ("=cmd|'/c calc'!A0", "@SUM(A1)", "+1")

    def test_are_headed_in_words_with_the_names_of_the_criteria(self, as_alice, world):
        english, spanish = (
            read_sheet(content(as_alice.get("/calls/export.xlsx", headers={"accept-language": code})))[0]
            for code in ("en", "es")
        )

        assert english[:3] == ["ID of the call", "File", "Time (UTC)"]
        assert english[-3:-1] == spanish[-3:-1] == ["Greets", "Verifies the caller"]
        assert (english[-1], spanish[-1]) == (
            "ID of the agent in your systems",
            "ID del agente en sus sistemas",
        )
        assert spanish[3] == "Agente"
        assert not [name for name in english + spanish if "_" in name]

    def test_of_others_are_not_there(self, as_carol, world, project):
        assert as_carol.get(f"/calls/export.xlsx?project_id={project.pk}").status_code == 404
        assert len(read_sheet(content(as_carol.get("/calls/export.xlsx")))) == 1  # the heads

    def test_are_for_viewers_too(self, bob, world, project):
        ProjectShare.objects.create(project=project, user=bob, role="viewer")

        assert len(read_sheet(content(visitor_of(bob).get("/calls/export.xlsx")))) == 4

    def test_lead_to_sign_in_without_a_session(self, visitor, world):
        assert visitor.get("/calls/export.xlsx")["Location"].startswith("/login/")

    def test_that_are_too_many_are_left_to_the_csv(self, as_alice, world, monkeypatch):
        monkeypatch.setattr("callscope.interfaces.web.views.calls.MOST_ROWS", 2)

        listed = page(as_alice.get("/calls/?sentiment=neutral"))
        assert listed.all("a", href="/calls/export.xlsx?sentiment=neutral")
        assert not [
            a for a in page(as_alice.get("/calls/?project_id=")).all("a") if "xlsx" in a.get("href", "")
        ]

        answer = as_alice.get("/calls/export.xlsx?ordering=call_datetime")
        assert answer["Location"] == "/calls/?ordering=call_datetime"
        assert "An Excel file holds at most 2 calls." in page(as_alice.get(answer["Location"])).text

    def test_of_a_wrong_filter_are_not_there(self, as_alice, world):
        assert as_alice.get("/calls/export.xlsx?agent=x").status_code == 404


@pytest.mark.django_db
class TestReport:
    @pytest.mark.parametrize("table", TABLES)
    def test_has_every_table_of_the_csv(self, as_alice, world, table):
        answer = as_alice.get(f"/report/{table}.xlsx")

        head, *rows = read_sheet(content(answer))
        names, count = columns_and_rows(as_alice.get(f"/report/{table}.csv"))
        assert (len(head), len(rows)) == (len(names), count)
        name = f"callscope-{'summary' if table == 'headline' else table}-service-line-whole-history.xlsx"
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'

    @pytest.mark.parametrize("table", TABLES)
    @pytest.mark.parametrize("language", ["en", "es"])
    def test_is_headed_in_the_words_of_its_reader(self, as_alice, world, table, language):
        answer = as_alice.get(f"/report/{table}.xlsx", headers={"accept-language": language})
        [head, *_] = read_sheet(content(answer))
        names, _ = columns_and_rows(as_alice.get(f"/report/{table}.csv", headers={"accept-language": "es"}))

        assert len(set(head)) == len(head)
        assert not set(head) & set(names)
        assert all(name.isidentifier() and name.islower() for name in names)
        assert not [heading for heading in head if "_" in heading]

    def test_holds_figures_as_figures(self, as_alice, world):
        rows = rows_by_column(as_alice.get("/report/agents.xlsx"), as_alice.get("/report/agents.csv"))

        [found] = [row for row in rows if row["agent"][0] == "Ana Ruiz"]
        assert found["average_score"] == (91.67, '0.00" %"')
        assert found["calls"] == (2.0, "")

    def test_gives_weeks_as_days(self, as_alice, world):
        row, *_ = rows_by_column(as_alice.get("/report/trend.xlsx"), as_alice.get("/report/trend.csv"))

        assert row["week"] == (46076.0, "yyyy-mm-dd")

    def test_is_of_the_projects_of_the_visitor_alone(self, as_carol, world, project):
        assert as_carol.get(f"/report/agents.xlsx?project_id={project.pk}").status_code == 404
        assert len(read_sheet(content(as_carol.get("/report/agents.xlsx")))) == 1  # the heads

    def test_knows_no_other_tables(self, as_alice, world):
        assert as_alice.get("/report/secrets.xlsx").status_code == 404

    def test_is_offered_next_to_the_csv(self, as_alice, world):
        shown = page(as_alice.get("/report/?project_id="))

        offered = [a["href"] for a in shown.all("a", **{"class": "menu-item"})]
        assert [href for href in offered if ".xlsx" in href] == [
            href.replace(".csv", ".xlsx") for href in offered if ".csv" in href
        ]


@pytest.mark.django_db
class TestAnswers:
    def test_are_those_of_the_csv(self, as_alice, world):
        workbook, table = (as_alice.get(f"/questions/export.{ending}") for ending in ("xlsx", "csv"))
        head, *rows = read_cells(content(workbook))
        names, count = columns_and_rows(table)
        for answer in (workbook, table):
            assert "callscope-questions-service-line-whole-history." in answer["Content-Disposition"]

        question = "Was a refund promised?"
        assert names[3:] == ["agent", question, f"{question} quote", f"{question} quote_start"]
        headings = ["Agent", question, f"{question} (quote)", f"{question} (second of the quote)"]
        assert [name for name, _ in head][3:] == headings
        assert len(rows) == count == 3
        assert page(as_alice.get("/questions/?project_id=")).all("a", href="/questions/export.xlsx")

    def test_of_too_many_calls_lead_back_with_a_reason(self, as_alice, world, monkeypatch):
        monkeypatch.setattr("callscope.interfaces.web.views.questions.MOST_ROWS", 2)

        back = as_alice.get("/questions/export.xlsx?project_id=")
        assert back["Location"] == "/questions/?project_id="
        assert "An Excel file holds at most 2 calls" in page(as_alice.get(back["Location"])).text
