"""The endpoints under /calls/api/, as a client sees them."""

import copy
import io
import json

import pytest

from callscope.accounts.models import User
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A project of Alice's with 28 calls, and what was said of their import."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        return project, bring_calls(project)


@pytest.fixture
def project(made, db):
    return copy.deepcopy(made[0])


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def calls(made, project):
    return made[1]


def bring_calls(project):
    lines = [
        {
            "file_name": f"c{n:02}.wav",
            "call_datetime": f"2026-03-{n:02}T10:00:00+00:00",
            "uploaded_at": "2026-04-01T00:00:00+00:00",
            "agent_name": ["Zoë", "ana", ""][n % 3],
            "topic": "Straße gesperrt" if n % 2 else "wrong invoice",
            "sentiment": ["positive", "negative", None][n % 3],
            "direction": "inbound",
            "no_protocol": {
                "mistakes": [{"id": "m", "description": "Rude"}] * (n % 3),
                "missing_prompts": [],
            },
            "copc": {"criterion_scores": [{"criterion_id": "g", "name": "G", "score": n, "max_points": 30}]}
            if n % 4
            else None,
            "custom_questions": {"answers": {"Why?": {"answer": f"Because {n}", "quotes": ["[00:01] x"]}}}
            if n < 3
            else None,
        }
        for n in range(1, 29)
    ]
    text = "\n".join(json.dumps({k: v for k, v in line.items() if v is not None}) for line in lines)
    result = import_calls(project, io.BytesIO(text.encode()))
    assert not result.errors
    return result


def names(answer):
    return [item["file_name"] for item in answer.json()["results"]]


class TestReport:
    def test_answers_with_every_field_of_the_interface(self, as_alice, calls):
        answer = as_alice.get("/calls/api/report/?start_date=2026-03-01&end_date=2026-03-31")

        report = answer.json()
        assert answer.status_code == 200
        assert report["date_range"] == {
            "start": "2026-03-01T00:00:00+00:00",
            "end": "2026-03-31T23:59:59+00:00",
            "preset": None,
        }
        assert report["headline"]["total_calls"] == 28
        assert [shift["shift"] for shift in report["shifts"]] == ["day", "night"]

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("date_range=last_week", "date_range"),
            ("start_date=2026-13-01", "start_date"),
            ("end_date=20260301", "end_date"),
            ("start_date=2026-03-02&end_date=2026-03-01", "end_date"),
            ("project_id=one", "project_id"),
            ("team=1.5", "team"),
        ],
    )
    def test_names_the_parameter_that_is_wrong(self, as_alice, query, field):
        answer = as_alice.get(f"/calls/api/report/?{query}")

        assert answer.status_code == 400
        assert list(answer.json()) == [field]

    def test_hides_a_project_of_somebody_else(self, as_carol, project):
        assert as_carol.get(f"/calls/api/report/?project_id={project.pk}").status_code == 404
        assert as_carol.get("/calls/api/report/").json()["total_calls_all_time"] == 0


class TestCallList:
    def test_comes_newest_first_in_pages_of_25(self, as_alice, calls):
        first = as_alice.get("/calls/api/calls/?direction=inbound")
        second = as_alice.get(first.json()["next"])

        assert names(first)[:2] == ["c28.wav", "c27.wav"]
        assert first.json()["count"] == 28
        assert first.json()["previous"] is None
        assert names(second) == ["c03.wav", "c02.wav", "c01.wav"]
        assert second.json()["next"] is None
        assert "page" not in second.json()["previous"]
        assert "direction=inbound" in second.json()["previous"]

    def test_shows_the_fields_of_the_interface(self, as_alice, calls):
        item = as_alice.get("/calls/api/calls/?ordering=call_datetime").json()["results"][0]

        assert item["call_datetime"] == "2026-03-01T10:00:00Z"
        assert item["score_percentage"] == 3.33
        assert item["mistake_count"] == 1
        assert item["goal_reached"] is None
        assert item["campaign"] == ""

    @pytest.mark.parametrize("page", ["0", "3", "x", "-1", "1.0", "9" * 400])
    def test_has_no_page_past_the_end(self, as_alice, calls, page):
        answer = as_alice.get(f"/calls/api/calls/?page={page}")

        assert answer.status_code == 404
        assert answer.json() == {"detail": "Invalid page."}

    def test_is_one_empty_page_when_nothing_matches(self, as_alice, project):
        answer = as_alice.get("/calls/api/calls/?project_id=999999")

        assert answer.json() == {"count": 0, "next": None, "previous": None, "results": []}

    def test_jumps_to_the_last_page(self, as_alice, calls):
        assert len(names(as_alice.get("/calls/api/calls/?page=last"))) == 3

    def test_puts_calls_without_a_score_last_in_either_direction(self, as_alice, calls):
        up = names(as_alice.get("/calls/api/calls/?ordering=score_percentage&page=2"))
        down = names(as_alice.get("/calls/api/calls/?ordering=-score_percentage&page=2"))

        assert up == down == ["c12.wav", "c08.wav", "c04.wav"]

    def test_orders_agents_by_folded_name(self, as_alice, calls):
        found = as_alice.get("/calls/api/calls/?ordering=agent__name").json()["results"]

        assert [item["agent"] for item in found] == ["ana"] * 10 + ["Zoë"] * 9 + [""] * 6
        assert found[0]["id"] > found[1]["id"]

    @pytest.mark.parametrize(
        ("query", "count"),
        [
            ("search=STRASSE", 14),
            ("search=wrong+INVOICE", 14),
            ("search=c1", 10),
            ("search=%25", 0),
            ("search=_", 0),
            ("search=%00", 0),
            ("sentiment=negative", 10),
            ("sentiment=angry", 28),
            ("direction=outbound", 0),
            ("direction=sideways", 28),
            ("ordering=nonsense", 28),
            ("agent=none", 9),
            ("critical=true", 0),
            ("critical=no", 28),
            ("start_date=2026-03-28", 1),
            ("agent=999999999999999999999999", 0),
            ("agent=0", 0),
            ("agent=-1", 0),
        ],
    )
    def test_filters(self, as_alice, calls, query, count):
        assert as_alice.get(f"/calls/api/calls/?{query}").json()["count"] == count

    def test_refuses_an_agent_that_is_no_id(self, as_alice):
        answer = as_alice.get("/calls/api/calls/?agent=Ana")

        assert answer.status_code == 400
        assert list(answer.json()) == ["agent"]


class TestCallDetail:
    def test_shows_record_and_findings(self, as_alice, calls):
        call_id = as_alice.get("/calls/api/calls/?search=c01").json()["results"][0]["id"]

        detail = as_alice.get(f"/calls/api/calls/{call_id}/").json()

        assert detail["record"]["call_datetime_source"] == "api"
        assert detail["record"]["total_points"] == 1.0
        assert detail["record"]["max_possible_points"] == 30.0
        entry = detail["copc"]["criterion_scores"][0]
        assert (entry["applicability"], entry["quote"], entry["score"]) == (None, "", 1)
        assert detail["custom_questions"]["answers"]["Why?"]["answer"] == "Because 1"

    def test_leaves_out_what_has_not_run(self, as_alice, calls):
        call_id = as_alice.get("/calls/api/calls/?search=c04").json()["results"][0]["id"]

        detail = as_alice.get(f"/calls/api/calls/{call_id}/").json()

        assert detail["copc"] is None
        assert detail["custom_questions"] is None
        assert detail["record"]["total_points"] is None

    def test_is_absent_for_a_stranger_and_outside_the_named_project(self, as_alice, as_carol, calls, project):
        call_id = as_alice.get("/calls/api/calls/").json()["results"][0]["id"]

        assert as_carol.get(f"/calls/api/calls/{call_id}/").status_code == 404
        assert as_alice.get(f"/calls/api/calls/{call_id}/?project_id=999999").status_code == 404
        assert as_alice.get("/calls/api/calls/999999999999999999999/").status_code == 404


class TestCustomQuestions:
    def test_lists_answers_newest_first_with_the_number_of_quotes(self, as_alice, calls):
        answer = as_alice.get("/calls/api/custom-questions/").json()

        assert answer["questions"] == ["Why?"]
        assert answer["count"] == 2
        assert [c["file"] for c in answer["calls"]] == ["c02.wav", "c01.wav"]
        assert answer["calls"][0]["answers"] == {"Why?": {"answer": "Because 2", "quotes": 1}}

    def test_says_the_same_when_it_is_sent_piece_by_piece(self, as_alice, calls, monkeypatch):
        whole = as_alice.get("/calls/api/custom-questions/").json()
        monkeypatch.setattr("callscope.interfaces.api.views.custom_questions.AT_ONCE", 1)

        streamed = as_alice.get("/calls/api/custom-questions/")

        assert json.loads(b"".join(streamed.streaming_content)) == whole

    def test_is_empty_for_an_unreachable_project(self, as_carol, calls, project):
        answer = as_carol.get(f"/calls/api/custom-questions/?project_id={project.pk}")

        assert answer.json() == {"questions": [], "calls": [], "count": 0}
