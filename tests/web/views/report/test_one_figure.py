"""A criterion has one figure, over the same calls, on every page and in everything that people read.

All calls are of one agent and of one week, so that agent, week and report are the same choice of calls. Of
24 calls "Verifies the caller" applies to 11 and was met in 4: 36.4 %. With full points for the other 13, as
the interface counts, it would be 70.8 %. "Warns" applies to none, which a dash and a reason say.
"""

import copy
import csv
import dataclasses
import datetime as dt
import io
import json
import re
from types import SimpleNamespace

import pypdfium2
import pytest
from django.test import Client
from django.utils import timezone

from callscope.calls.own_calls import link_user
from callscope.interfaces.cli.runtime import tables
from callscope.pipeline.models import ReportMail
from callscope.pipeline.report_mail.sending import write_message
from callscope.projects.services import configure_project
from callscope.reports.overview.highlights import write_highlights
from callscope.reports.overview.report import build_report
from callscope.reports.pdf.narrative import build_messages
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.pdf import build_report_pdf
from callscope.reports.window import Window
from tests.web.conftest import CONFIGURATION, bring, line, page, visitor_of

pytestmark = pytest.mark.django_db

FIRST, LAST = dt.date(2026, 3, 2), dt.date(2026, 3, 8)
DAYS = f"start_date={FIRST}&end_date={LAST}"
NAME, NOWHERE = "Verifies the caller", "Warns"
SHOWN, AVERAGE = ("36.4", "11"), "70.8"


@pytest.fixture
def agent(project, alice):
    """The agent of all 24 calls, which took place in one week."""
    document = copy.deepcopy(CONFIGURATION)
    document["rubric"]["sections"][1]["criteria"].append(
        {"id": "warning", "name": NOWHERE, "max_points": 10, "may_not_apply": True}
    )
    configure_project(project, document, by=alice)
    lines = []
    for n in range(24):
        applies = n < 11
        moment = dt.datetime(2026, 3, 2 + n % 7, 8 + n // 7, tzinfo=dt.UTC)
        made = line(
            n + 1, identity=20 if n < 4 or not applies else 0, applies=applies,
            call_datetime=moment.isoformat(),
        )  # fmt: skip
        warning = {**made["copc"]["criterion_scores"][0], "criterion_id": "warning", "name": NOWHERE}
        warning |= {"section": "Security", "applicability": "not_applicable", "score": 10, "quote": ""}
        made["copc"]["criterion_scores"].append(warning)
        lines.append(made)
    return bring(project, *lines)[0].agent


@pytest.fixture
def query(project, agent):
    return f"project_id={project.pk}&{DAYS}"


def text_of(pdf):
    document = pypdfium2.PdfDocument(pdf)
    return " ".join(" ".join(each.get_textpage().get_text_bounded() for each in document).split())


def table_row(client, address, found):
    answer = client.get(address)
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return next(row for row in csv.DictReader(io.StringIO(text)) if found in row.values())


class TestCriterion:
    def test_has_one_figure_on_the_report_and_the_shared_report(self, as_alice, project, query):
        markup = as_alice.get(f"/report/criteria/?{query}").content.decode()
        shared = as_alice.post(f"/shares/?{query}", {"days": "7"}, follow=True).content.decode()
        address = re.search(r'value="https?://[^/"]+(/shared/[^"]+)"', shared)[1]

        for text in (markup, Client().get(address).content.decode()):
            row = text.split(f'<th scope="row">{NAME}', 1)[1].split("</tr>")[0]
            strong = re.search(r'<td class="n[^"]*strong[^"]*"[^>]*>(.*?)</td>', row, re.DOTALL)
            assert SHOWN[0] in (strong[1] if strong else row)
            assert f"{SHOWN[0]}\u00a0% (n {SHOWN[1]})" in row
            nowhere = text.split(f'<th scope="row">{NOWHERE}', 1)[1].split("</tr>")[0]
            assert "No call in this period recorded that the criterion applies." in nowhere

    def test_has_it_by_week(self, as_alice, query):
        found = page(as_alice.get(f"/report/trend/?{query}&figure=criterion:identity"))
        nowhere = page(as_alice.get(f"/report/trend/?{query}&figure=criterion:warning"))

        assert f"{NAME} {SHOWN[0]} % (n {SHOWN[1]})" in found.text
        assert AVERAGE not in found.text
        assert f"{NOWHERE} – (it applied to no call)" in nowhere.text
        [week] = as_alice.get(f"/calls/api/report/trend/?{query}&figure=criterion:identity").json()["weeks"]
        assert (round(week["value"], 1), week["n"]) == (36.4, 11)

    def test_has_it_on_the_page_of_the_agent_and_in_its_weeks(self, as_alice, carol, project, agent, query):
        link_user(project, carol.email, agent)

        for client in (as_alice, visitor_of(carol)):
            for days in ("", f"&{DAYS}"):
                html = client.get(f"/agents/{agent.pk}/?project_id={project.pk}{days}").content.decode()
                criteria = html.split('id="course-title"')[1].split("</section>")[0]
                row = criteria.split(f"</span>{NAME}</a>")[1].split('<th scope="row">')[0]
                assert f'">{SHOWN[0]}</td>' in row
                assert f'">{SHOWN[1]}</td>' in row
                assert re.search(r"Mar 2, 2026: 36\.4&nbsp;% \([\d.]+–[\d.]+\), 11 calls", row)
                assert AVERAGE not in criteria
                nowhere = criteria.split(f"</span>{NOWHERE}</a>")[1].split('<th scope="row">')[0]
                assert "It applied to no call." in nowhere
                assert "Mar 2, 2026: it applied to no call" in nowhere
                assert ">100" not in nowhere
        assert f"{SHOWN[0]} % (n {SHOWN[1]})" in page(as_alice.get(f"/agents/{agent.pk}/?{query}")).text

    def test_has_it_in_the_map_of_agents(self, as_alice, query):
        html = as_alice.get(f"/report/agents/?{query}").content.decode()

        assert f"Ana Ruiz · {NAME}: {SHOWN[0]}\u00a0% of the points (n {SHOWN[1]})" in html
        assert f"Ana Ruiz · {NOWHERE}: it did not apply to any of the calls" in html
        cell = table_row(as_alice, f"/report/agent-criteria.csv?{query}", "identity")
        assert (round(float(cell["met_pct"]), 1), cell["calls"]) == (36.4, "11")
        cell = table_row(as_alice, f"/report/agent-criteria.csv?{query}", "warning")
        assert (cell["met_pct"], cell["calls"]) == ("", "0")

    def test_has_it_first_in_the_csv_of_the_scorecard(self, as_alice, query):
        row = table_row(as_alice, f"/report/scorecard.csv?{query}", "identity")
        nowhere = table_row(as_alice, f"/report/scorecard.csv?{query}", "warning")

        assert (round(float(row["evaluated_pct"]), 1), row["judged_calls"]) == (36.4, "11")
        assert list(row).index("evaluated_pct") < list(row).index("average_pct")
        assert (nowhere["evaluated_pct"], nowhere["judged_calls"]) == ("", "0")

    @pytest.mark.parametrize("is_mailed", [False, True])
    def test_has_it_in_the_pdf_and_in_the_mail_that_carries_it(
        self, alice, settings, project, agent, is_mailed
    ):
        settings.ENVIRONMENT = dataclasses.replace(
            settings.ENVIRONMENT, email_url="smtp://localhost", public_url="https://calls.example.com"
        )
        document = build_report_pdf(
            [project], Window(FIRST, LAST), language="en", generated_at=timezone.now(), is_mailed=is_mailed
        )
        pdf = document.content
        if is_mailed:
            subscription = ReportMail(pk=1, project=project, user=alice, language="en", rhythm="weekly")
            message = write_message(subscription, FIRST, LAST, document)
            assert NAME not in message.body  # the text gives the average score alone
            assert document.opening in message.body
            pdf = message.attachments[0][1]
            assert "average score of 24 scored calls is 85.4\u00a0%" in document.opening
            assert "Average score, % 85.4 of 24 scored calls" in text_of(pdf)

        text = text_of(pdf)

        assert re.search(rf"{NAME} [^0-9]*not applicable in 13 of 24 50\.0 {SHOWN[0]} \({SHOWN[1]}\) ", text)
        said = (
            f"“{NAME}” costs the most points of all criteria: in {SHOWN[1]} calls, {SHOWN[0]} % of its points"
        )
        assert said in text  # of the summary
        assert f"{SHOWN[0]} n {SHOWN[1]}" in text  # of the map
        assert "it applied to none of the agent's calls" in text

    def test_stands_in_the_same_sentences_on_the_page_and_in_the_pdf(self, as_alice, project, query):
        document = build_report_pdf(
            [project], Window(FIRST, LAST), language="en", generated_at=timezone.now()
        )

        pdf, shown = text_of(document.content), page(as_alice.get(f"/report/?{query}")).text
        report = build_report([project], Window(FIRST, LAST))
        sentences = [each.text for each in write_highlights(report, ReportLocale("en").rounded)]
        assert sentences
        # The text of a PDF and of a page has plain spaces in place of those that do not break.
        plain = [each.replace("\u00a0", " ") for each in sentences]
        assert [each for each in plain if each not in pdf or each not in shown.replace("\u00a0", " ")] == []

    def test_has_it_on_the_command_line(self, as_alice, query, capsys):
        tables.print_report(as_alice.get(f"/calls/api/report/?{query}").json(), is_whole=True)

        shown = capsys.readouterr().out
        [row] = [each for each in shown.splitlines() if each.startswith(NAME)]
        assert row.removeprefix(NAME).split()[:2] == ["Security", "36.36"]
        assert "11" in row.split()
        assert "70.83" not in shown
        assert f"Applied to no call: {NOWHERE}." in shown

    def test_has_it_in_what_a_language_model_is_given(self, project, agent):
        report = build_report([project], Window(FIRST, LAST))

        _, figures = build_messages(report, frozenset(), ReportLocale("en"))

        document = json.loads(figures["content"].removeprefix("<figures>").removesuffix("</figures>"))
        rows = {row["name"]: SimpleNamespace(**row) for row in document["scorecard"]}
        assert (rows[NAME].pct, rows[NAME].calls) == (36.4, 11)
        assert (rows[NOWHERE].pct, rows[NOWHERE].calls) == (None, 0)
        assert AVERAGE not in json.dumps(document["scorecard"])

    def test_keeps_the_average_of_the_interface_in_the_json(self, as_alice, project, agent, query):
        rows = {
            row["criterion_id"]: row
            for row in as_alice.get(f"/calls/api/report/?{query}").json()["scorecard"]
        }
        one = as_alice.get(f"/calls/api/agents/{agent.pk}/?project_id={project.pk}").json()
        found = {row["criterion_id"]: row for row in one["criteria"]}

        for row in (rows["identity"], found["identity"], found["identity"]["weeks"][-1]):
            assert (row["average_pct"], row["calls"]) == (70.83, 24)
            assert (row["evaluated_pct"], row["not_applicable_calls"]) == (36.36, 13)
        assert (rows["warning"]["average_pct"], rows["warning"]["evaluated_pct"]) == (100.0, None)
