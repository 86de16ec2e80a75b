"""Mistakes and missed prompts on the criteria part of the report."""

import csv
import importlib
import io
import re

import pytest
from django.apps import apps
from django.db import connection

from callscope.calls.models import AgentUser, Call
from callscope.interfaces.web.presenters.report_page import findings
from callscope.projects.services import create_project
from callscope.reports.models import CallMark
from callscope.reports.store.marks import MISSED_PROMPT, MISTAKE
from tests.reports.test_pdf import text_of
from tests.web.conftest import CONFIGURATION, bring, line, page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

HERE = "/report/criteria/"
MARCH = "start_date=2026-03-01&end_date=2026-03-31"
RUDE = {"id": "rude", "description": "Is rude", "quote": "[00:02] no"}
SILENT = {"id": "recording", "description": "Says it is recorded"}


def found_in(number, *, month=3, rude=False, silent=False, **fields):
    findings = {"mistakes": [RUDE] if rude else [], "missing_prompts": [SILENT] if silent else []}
    moment = f"2026-{month:02d}-{number % 28 + 1:02d}T10:00:00+00:00"
    return line(number, call_datetime=moment, no_protocol=findings, **fields)


@pytest.fixture
def calls(project):
    """In March 12 calls, 3 rude, 6 without the prompt, one more not looked into; in February 10, 1 rude."""
    march = [found_in(n, rude=n < 3, silent=n < 6) for n in range(12)]
    february = [found_in(n, month=2, rude=n == 20) for n in range(20, 30)]
    return bring(
        project, *march, line(40, call_datetime="2026-03-05T10:00:00+00:00", no_protocol=None), *february
    )


class TestFindings:
    def test_are_counted_over_the_calls_that_were_looked_into_next_to_the_window_before(
        self, as_alice, project, calls
    ):
        shown = page(as_alice.get(f"{HERE}?project_id={project.pk}&{MARCH}")).text

        assert "Mistakes Looked for in 12 calls. Each share is of the calls in which it could be" in shown
        # 3 of 12 against 1 of 10: within chance
        assert "rude 3 25.0 n 12 8.9–53.2 +15.0 (12 calls now, 10 before) within the margin of error" in shown
        assert "Says it is recorded 6 50.0 n 12" in shown

    def test_have_a_sign_for_a_change_that_may_be_chance_and_say_what_it_means(
        self, as_alice, project, calls
    ):
        html = as_alice.get(f"{HERE}?project_id={project.pk}&{MARCH}").content.decode()

        for place, also in (("scorecard", ", or over too few calls to say"), ("mistakes", "")):
            section = html.split(f'id="{place}-title"')[1].split("</section>")[0]
            assert '<small class="behind" data-short="~">within the margin of error</small>' in section
            assert f"~ within the margin of error{also}</p>" in section

    def test_name_their_projects_in_a_report_of_several(self, as_alice, alice, project, calls):
        one = page(as_alice.get(f"{HERE}?project_id={project.pk}")).text
        other = create_project(alice, "Another line", document=CONFIGURATION | {"no_protocol": {}})
        bring(other, found_in(1))

        several = page(as_alice.get(f"{HERE}?project_id=")).text

        assert "Says it is recorded 6 " in one
        assert "Says it is recorded Service line 6 " in several

    @pytest.mark.parametrize(("kind", "id", "count"), [("mistake", "rude", 3), ("prompt", "recording", 6)])
    def test_lead_to_their_calls_and_say_there_what_was_asked(
        self, as_alice, project, calls, kind, id, count
    ):
        query = f"project_id={project.pk}&{MARCH}&{kind}={id}"
        found = page(as_alice.get(f"{HERE}?project_id={project.pk}&{MARCH}"))
        assert found.all("a", href=f"/calls/?{query}")

        listed = page(as_alice.get(f"/calls/?{query}")).text

        assert f"1 – {count} of {count}" in listed
        assert ("Mistake: rude" if kind == "mistake" else "Missed: Says it is recorded") in listed

    def test_say_of_how_many_calls_the_shares_are(self, as_alice, project, calls, monkeypatch):
        address = f"/report/criteria/?project_id={project.pk}"
        whole = page(as_alice.get(address)).text
        monkeypatch.setattr(findings, "MAX_CALLS", 21)
        cut = page(as_alice.get(address)).text

        looked_for = "Looked for in 22 calls."
        newest = "the shares are of the newest 21 alone"
        assert f"{looked_for} Each share is of the calls in which it could be decided (n)." in whole
        assert newest not in whole
        assert f"{looked_for} All of them are in “Calls”; {newest}" in cut

    def test_that_no_call_has_are_none(self, as_alice, calls):
        for odd in ("nothing", "x" * 500, "%00", "<b>", "é"):
            assert as_alice.get(f"/calls/?mistake={odd}&prompt={odd}").status_code == 200
        assert "1 – " not in page(as_alice.get("/calls/?mistake=nothing")).text

    def test_of_an_agents_user_are_those_of_own_calls(self, as_carol, carol, project, calls):
        from django.utils import timezone

        bring(project, found_in(50, rude=True, silent=True, agent_name="Ben Okafor"))
        agent = Call.objects.get(file_name="call-50.wav").agent
        AgentUser.objects.create(created_at=timezone.now(), project=project, email=carol.email, agent=agent)

        shown = page(as_carol.get(f"{HERE}?project_id={project.pk}")).text

        assert "Looked for in 1 call." in shown
        assert "rude 1 100.0" in shown

    def test_of_an_agents_user_are_those_of_own_calls_in_the_api_too(self, as_carol, carol, project, calls):
        from django.utils import timezone

        bring(project, found_in(50, rude=True, agent_name="Ben Okafor"))
        agent = Call.objects.get(file_name="call-50.wav").agent
        AgentUser.objects.create(created_at=timezone.now(), project=project, email=carol.email, agent=agent)

        found = as_carol.get(f"/calls/api/report/findings/?project_id={project.pk}").json()

        assert (found["checked_calls"], [row["calls"] for row in found["mistakes"]]) == (1, [1])

    def test_are_the_same_figures_in_the_api(self, as_alice, project, calls):
        found = as_alice.get(f"/calls/api/report/findings/?project_id={project.pk}&{MARCH}").json()

        assert (found["checked_calls"], found["previous_checked_calls"]) == (12, 10)
        [rude] = [row for row in found["mistakes"] if row["id"] == "rude"]
        assert rude == {
            "id": "rude", "name": "rude", "calls": 3, "share_pct": 25.0, "share_pct_interval": [8.89, 53.23],
            "decided_calls": 12, "previous_decided_calls": 10, "previous_calls": 1,
            "previous_share_pct": 10.0, "delta_pct": 15.0, "within_noise": True, "weeks": rude["weeks"],
        }  # fmt: skip
        trend = as_alice.get(f"/calls/api/report/?project_id={project.pk}&{MARCH}").json()["trend"]
        assert [each["week"] for each in rude["weeks"]] == [bucket["week"] for bucket in trend]
        assert sum(each["calls"] for each in rude["weeks"]) == 3
        assert [row["calls"] for row in found["missed_prompts"] if row["id"] == "recording"] == [6]

    def test_of_no_calls_are_none_in_the_api(self, as_alice, project):
        path = "/calls/api/report/findings/"

        assert as_alice.get(path).json() == {
            "checked_calls": 0, "previous_checked_calls": None, "mistakes": [], "missed_prompts": [],
        }  # fmt: skip
        assert as_alice.get(f"{path}?{MARCH}").json()["previous_checked_calls"] == 0
        assert as_alice.get(f"{path}?start_date=tomorrow").status_code == 400
        assert as_alice.get(f"{path}?project_id=999999").status_code == 404

    def test_are_tables_for_a_spreadsheet(self, as_alice, project, calls):
        answer = as_alice.get(f"/report/mistakes.csv?project_id={project.pk}&{MARCH}")

        text = b"".join(answer.streaming_content).decode().removeprefix("\ufeff")
        [rude] = [row for row in csv.DictReader(io.StringIO(text)) if row["id"] == "rude"]
        assert (rude["calls"], rude["share_pct"], rude["share_pct_low"]) == ("3", "25.0", "8.89")
        assert "weeks" not in rude

    @pytest.mark.parametrize(
        ("language", "said"), [("en", "Missed prompts"), ("es", "Frases obligadas omitidas")]
    )
    def test_are_tables_of_the_pdf(self, as_alice, project, calls, language, said):
        path = f"/calls/api/report/pdf/?project_id={project.pk}&{MARCH}"

        printed = text_of(as_alice.get(path, headers={"Accept-Language": language}).content)

        assert said in printed
        row = "rude 3 25.0 (12) 8.9–53.2 10.0 (10) +15.0 ~"
        assert (row if language == "en" else row.replace(".", ",")) in printed

    def test_say_in_the_pdf_how_often_each_was_there_before(self, as_alice, project):
        march = [found_in(n, rude=n == 0) for n in range(3)]
        bring(project, *march, *[found_in(n, month=2, rude=n == 20) for n in range(20, 26)])

        printed = text_of(as_alice.get(f"/calls/api/report/pdf/?project_id={project.pk}&{MARCH}").content)

        # 33.3 less 16.7, each rounded, would be 16.6.
        assert re.search(r"rude 1 33\.3 \(3\) \S+ 16\.7 \(6\) \+16\.7", printed), printed

    def test_are_left_out_where_nothing_is_looked_for(self, as_alice, project):
        project.config = {**project.config, "no_protocol": {}}
        project.save()
        bring(project, line(1))

        assert "looked for" not in page(as_alice.get(f"{HERE}?project_id={project.pk}")).text

    def test_of_calls_of_before_are_marked_by_the_migration(self, calls):
        kinds = [MISTAKE, MISSED_PROMPT]
        before = set(CallMark.objects.filter(kind__in=kinds).values_list("call", "kind", "key", "day"))
        CallMark.objects.filter(kind__in=kinds).delete()
        migration = importlib.import_module("callscope.reports.migrations.0013_mark_findings")

        for _ in range(2):
            migration.mark_calls(apps, connection.schema_editor())

        assert (
            set(CallMark.objects.filter(kind__in=kinds).values_list("call", "kind", "key", "day")) == before
        )
        assert len(before) == 10
