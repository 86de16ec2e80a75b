"""Every object has exactly the fields that docs/api.md names, in the types and with the nulls it says."""

import pytest
from cast import with_key
from test_oracle import make_world

pytestmark = pytest.mark.django_db

NUMBER = (int, float)
HEADLINE = {
    "total_calls": int, "analyzed_hours": NUMBER, "average_score": NUMBER, "weighted_compliance": NUMBER,
    "scored_calls": int, "critical_error_pct": NUMBER, "negative_sentiment_pct": NUMBER,
    "goal_reached_pct": NUMBER, "calls_with_metadata": int,
}  # fmt: skip
INTERVAL = (list, type(None))
MAYBE = (int, float, type(None))
SHARES = ("critical_error_pct", "negative_sentiment_pct", "goal_reached_pct")
HEADLINE |= {"sentiment_calls": int, "outcome_calls": int}  # ours, like all that follow each object
HEADLINE |= {f"{name}_interval": INTERVAL for name in ("average_score", "weighted_compliance", *SHARES)}
SCORECARD = {
    "criterion_id": str, "name": str, "section": str, "weight_pct": NUMBER, "average_pct": NUMBER,
    "previous_pct": NUMBER, "delta_pct": NUMBER, "critical_errors": int, "calls": int, "evaluated_calls": int,
    "not_applicable_calls": int, "evaluated_pct": NUMBER,
    "average_pct_interval": INTERVAL, "delta_pct_interval": INTERVAL,
    "changed_in": (dict, type(None)), "for_person": bool,
    "evaluated_pct_interval": INTERVAL, "previous_evaluated_pct": MAYBE,
    "previous_evaluated_calls": (int, type(None)), "evaluated_delta_pct": MAYBE,
    "evaluated_delta_pct_interval": INTERVAL, "is_critical": bool,
}  # fmt: skip
AGENT = {
    "agent": str, "agent_id": int, "calls": int, "average_score": NUMBER, "critical_error_pct": NUMBER,
    "negative_sentiment_pct": NUMBER, "goal_reached_pct": NUMBER,
    "scored_calls": int, "sentiment_calls": int, "outcome_calls": int,
    **{f"{name}_interval": INTERVAL for name in ("average_score", *SHARES)},
    "average_score_difference": MAYBE, "average_score_difference_interval": INTERVAL,
    "talk": (dict, type(None)),
}  # fmt: skip
TREND = {
    "week": str, "calls": int, "average_score": NUMBER, "negative_sentiment_pct": NUMBER,
    "scored_calls": int, "sentiment_calls": int, "average_score_interval": INTERVAL,
    "negative_sentiment_pct_interval": INTERVAL, "average_score_change": MAYBE,
    "average_score_change_interval": INTERVAL,
}  # fmt: skip
COURSE = {
    "reason_id": (int, type(None)), "change_pct": (int, float, type(None)), "is_new": bool,
    "course": (str, type(None)), "calls_with_reason": int, "previous_calls": (int, type(None)),
    "previous_calls_with_reason": (int, type(None)),
}  # fmt: skip
REASON = {"topic": str, "calls": int, "volume_pct": NUMBER}
ITEM = {
    "id": int, "file_id": int, "file_name": str, "call_datetime": str, "agent": str, "direction": str,
    "campaign": str, "topic": str, "sentiment": str, "score_percentage": NUMBER, "has_critical_error": bool,
    "mistake_count": int, "missing_prompt_count": int, "goal_reached": bool,
    "has_failed_analysis": bool, "is_half_heard": bool, "is_blinded": bool,  # ours
}  # fmt: skip
RECORD = {
    **ITEM, "call_datetime_source": str, "caller_number": str, "total_points": NUMBER,
    "max_possible_points": NUMBER,
}  # fmt: skip
FULL = {
    "file_name": "full.wav", "call_datetime": "2026-03-02T10:00:00+00:00", "duration_seconds": 90,
    "agent_name": "Ana", "direction": "inbound", "caller_number": "+34911", "campaign": "spring",
    "sentiment": "negative", "topic": "invoice", "contact_reason": "Billing", "goal_reached": True,
    "copc": {"criterion_scores": [{
        "criterion_id": "g", "name": "G", "section": "S", "score": 1, "max_points": 3, "quote": "[00:03] Hi",
        "applicability": "evaluated", "is_critical_error": False, "justification": "So.",
    }]},
    "no_protocol": {"mistakes": [{"id": "m", "description": "Rude"}], "missing_prompts": []},
    "custom_questions": {"answers": {"Why?": {"answer": "Because", "quotes": ["[00:01] x", "[00:02] y"]}}},
}  # fmt: skip
BARE = {"file_name": "bare.wav", "uploaded_at": "2026-03-01T10:00:00+00:00", "topic": "invoice"}
RUBRIC = {
    "rubric": {"sections": [{"name": "S", "criteria": [{"id": "g", "name": "G", "max_points": 3}]}]},
    "custom_questions": ["Why?"],
}


@pytest.fixture
def api(alice):
    return with_key(alice)[1]


def hold(shown, fields):
    """Exactly these fields, each of its type."""
    assert list(shown) == list(fields)
    for name, kind in fields.items():
        assert isinstance(shown[name], kind), (name, shown[name])
        assert kind in (bool, (bool,)) or not isinstance(shown[name], bool), name


class TestReport:
    def test_has_these_fields(self, alice, api):
        lines = [{**FULL, "file_name": f"{n}", "topic": f"t{n}", "contact_reason": ""} for n in range(12)]
        before = {**FULL, "file_name": "before", "call_datetime": "2026-03-01T10:00:00+00:00"}
        make_world(alice, [RUBRIC], [[*lines, before]])

        report = api.get("/calls/api/report/?start_date=2026-03-02&end_date=2026-03-02").json()

        # These are ours: COPC's own figures, and how many calls are not in the report.
        ours = {
            "copc_rates",
            "failed_calls",
            "trackers",
            "absences",
            "reviews",
            "changes",
            "shift_differences",
            "rubric_versions",
            "reason_groups",
        }
        assert set(report) - ours == {
            "date_range", "total_calls_all_time", "headline", "scorecard", "trend", "contact_reasons",
            "agents", "shifts", "shift_hours",
        }  # fmt: skip
        hold(report["headline"], HEADLINE)
        hold(report["scorecard"][0], SCORECARD)
        hold(report["trend"][0], TREND)
        hold(report["contact_reasons"][0], REASON | COURSE)
        hold(report["contact_reasons"][-1], {**REASON, "other_topics": int, **COURSE})
        hold(report["agents"][0], AGENT)
        assert [row["shift"] for row in report["shifts"]] == ["day", "night"]
        hold(report["shifts"][0], {"shift": str, **HEADLINE})
        hold(report["shift_hours"], {"day_start": int, "day_end": int})
        assert report["contact_reasons"][-1]["topic"] == ""
        assert report["contact_reasons"][-1]["other_topics"] == 2

    def test_has_nulls_where_nothing_was_measured(self, alice, api):
        make_world(alice, [RUBRIC], [[{**BARE, "topic": "", "goal_reached": None, "no_protocol": {}}]])

        report = api.get("/calls/api/report/").json()

        nulls = {n for n, v in report["headline"].items() if v is None and not n.endswith("_interval")}
        assert nulls == {
            "average_score", "weighted_compliance", "critical_error_pct", "negative_sentiment_pct",
            "goal_reached_pct",
        }  # fmt: skip
        assert report["scorecard"][0] == {
            "criterion_id": "g", "name": "G", "section": "S", "weight_pct": 100.0, "average_pct": None,
            "previous_pct": None, "delta_pct": None, "critical_errors": 0, "calls": 0, "evaluated_calls": 0,
            "not_applicable_calls": 0, "average_pct_interval": None, "delta_pct_interval": None,
            "changed_in": None, "for_person": False, "evaluated_pct": None, "evaluated_pct_interval": None,
            "previous_evaluated_pct": None, "previous_evaluated_calls": 0, "evaluated_delta_pct": None,
            "evaluated_delta_pct_interval": None, "is_critical": False,
        }  # fmt: skip
        assert (report["contact_reasons"], report["agents"]) == ([], [])


class TestCall:
    def test_has_these_fields_in_the_list(self, alice, api):
        make_world(alice, [RUBRIC], [[FULL]])

        page = api.get("/calls/api/calls/").json()

        assert list(page) == ["count", "next", "previous", "results"]
        hold(page["results"][0], ITEM)
        assert page["results"][0]["call_datetime"] == "2026-03-02T10:00:00Z"

    def test_has_blank_texts_and_nulls_where_nothing_is_known(self, alice, api):
        make_world(alice, [RUBRIC], [[BARE]])

        item = api.get("/calls/api/calls/").json()["results"][0]

        assert {n: v for n, v in item.items() if n not in ("id", "file_id")} == {
            "file_name": "bare.wav", "call_datetime": "2026-03-01T10:00:00Z", "agent": "", "direction": "",
            "campaign": "", "topic": "invoice", "sentiment": None, "score_percentage": None,
            "has_critical_error": False, "mistake_count": None, "missing_prompt_count": None,
            "goal_reached": None, "has_failed_analysis": False,
            "is_half_heard": False, "is_blinded": False,
        }  # fmt: skip

    def test_has_these_fields_in_its_detail(self, alice, api):
        make_world(alice, [RUBRIC], [[FULL]])
        item = api.get("/calls/api/calls/").json()["results"][0]

        detail = api.get(f"/calls/api/calls/{item['id']}/").json()

        assert {"record", "copc", "no_protocol", "custom_questions"} <= set(detail)
        hold(detail["record"], RECORD)
        assert {name: detail["record"][name] for name in item} == item
        [scored] = detail["copc"]["criterion_scores"]
        assert scored.pop("source") == "machine"
        assert scored.pop("quotes") == [{"group": None, "text": "Hi", "speaker": None, "start": 3.0}]
        assert [scored] == FULL["copc"]["criterion_scores"]
        assert detail["no_protocol"]["mistakes"] == FULL["no_protocol"]["mistakes"]
        assert detail["custom_questions"]["answers"] == FULL["custom_questions"]["answers"]

    def test_has_null_for_each_analysis_that_has_not_run(self, alice, api):
        make_world(alice, [RUBRIC], [[BARE]])
        item = api.get("/calls/api/calls/").json()["results"][0]

        detail = api.get(f"/calls/api/calls/{item['id']}/").json()

        assert (detail["copc"], detail["no_protocol"], detail["custom_questions"]) == (None, None, None)
        assert detail["record"]["total_points"] is None
        assert detail["record"]["max_possible_points"] is None
        assert detail["record"]["call_datetime_source"] == "upload_time"


class TestFile:
    def test_has_these_fields_wherever_it_is_shown(self, alice, api):
        from callscope.projects.services import create_project
        from tests.api.views.test_files import upload

        project = create_project(alice, "Calls", document={})

        created = upload(api, project, agent_id="7").json()
        read = api.get(f"/api/files/{created['id']}/").json()
        (listed,) = api.get(f"/api/files/?project={project.pk}").json()["results"]
        changed = api.patch(f"/api/files/{created['id']}/", {"agent_id": "7"}, format="json").json()

        hold(
            created,
            {
                "id": int, "project": int, "original_filename": str, "file_type": str, "size": int,
                "duration_seconds": type(None), "status": str, "error_reason": str, "error_detail": str,
                "task_id": str, "created_at": str, "content_removed_at": type(None),
                "transcript_removed_at": type(None), "results_removed_at": type(None), "call_id": int,
                "call_metadata": dict, "analysis_states": dict, "analysis_errors": dict,
                "waiting_for": type(None),
            },
        )  # fmt: skip
        hold(
            created["call_metadata"],
            {
                "call_datetime": str, "call_datetime_source": str, "agent_id": str, "agent_name": str,
                "agent_source": str, "direction": str, "caller_number": str, "campaign": str,
            },
        )  # fmt: skip
        assert created == read == listed == changed

    def test_has_a_transcript_of_the_same_id_with_these_fields(self, alice, api):
        from callscope.projects.services import create_project
        from callscope.testing import run_due_jobs
        from tests.api.views.test_files import upload

        file_id = upload(api, create_project(alice, "Calls", document={})).json()["id"]
        run_due_jobs()

        shown = api.get(f"/api/transcripts/{file_id}/").json()

        assert (shown["id"], shown["status"], shown["error_reason"]) == (file_id, "transcribed", "")
        assert shown["segments"]
        for segment in shown["segments"]:
            assert segment["speaker"] in ("agent", "customer", None)
            assert segment.pop("confidence") is None  # subtitles have none
            kinds = {"start": NUMBER, "end": NUMBER, "speaker": (str, type(None)), "text": str}
            hold(segment, kinds)


class TestCustomQuestions:
    def test_have_these_fields(self, alice, api):
        make_world(alice, [RUBRIC], [[FULL, BARE]])

        shown = api.get("/calls/api/custom-questions/").json()

        hold(shown, {"questions": list, "calls": list, "count": int})
        hold(
            shown["calls"][0],
            {"call_analysis_id": int, "file": str, "call_datetime": str, "agent": str, "answers": dict},
        )
        assert shown["calls"][0]["answers"] == {"Why?": {"answer": "Because", "quotes": 2}}
        assert shown["count"] == 1


class TestAnalysisStatus:
    def test_has_these_fields(self, alice, api):
        make_world(alice, [RUBRIC], [[FULL]])

        shown = api.get("/calls/api/analysis-status/").json()

        fields = {
            "analysis_status": dict, "analyzed_calls": int, "duplicate_uploads": int, "in_progress": bool,
            "reclustering": bool, "last_analyzed_at": str, "waiting_for": list,
        }  # fmt: skip
        hold(shown, fields)
        assert all(
            list(s) == ["queued", "processing", "completed", "failed"]
            for s in shown["analysis_status"].values()
        )


class TestRecluster:
    def test_lists_open_ended_projects_that_the_caller_may_change_and_no_others(self, alice, bob, api):
        from callscope.projects.services import create_project, share_project

        frozen = {"contact_reasons": {"mode": "predefined", "codes": [{"code": "Billing"}]}}
        (own,) = make_world(alice, [{}], [[FULL]])
        make_world(alice, [frozen], [[FULL]])
        seen = create_project(bob, "Seen", document={})
        share_project(seen, alice)

        first, second = api.post("/calls/api/recluster/"), api.post("/calls/api/recluster/")

        assert (first.status_code, first.json()) == (202, {"reclustering": [own.id], "count": 1})
        assert second.status_code == 202
        assert api.get("/calls/api/analysis-status/").json()["reclustering"] is True

    def test_of_an_unreachable_project_queues_nothing(self, api):
        response = api.post("/calls/api/recluster/?project_id=99999")

        assert (response.status_code, response.json()) == (202, {"reclustering": [], "count": 0})


class TestTeam:
    def test_narrows_members_and_is_ignored_for_others(self, alice, carol, api):
        from callscope.accounts.services import create_team
        from callscope.projects.models import Project

        team, foreign = create_team("Ours", admin=alice), create_team("Theirs", admin=carol)
        ours, mine = make_world(alice, [{}, {}], [[FULL], [FULL, BARE]])
        Project.objects.filter(pk=ours.id).update(team=team)

        def total(query):
            return api.get(f"/calls/api/report/?{query}").json()["total_calls_all_time"]

        assert [total(q) for q in ("", f"team={team.pk}", f"team={foreign.pk}", "team=99999")] == [3, 1, 3, 3]
        assert api.get(f"/calls/api/report/?team={team.pk}&project_id={mine.id}").status_code == 404
        assert api.get("/calls/api/calls/?team=x").json().keys() == {"team"}


class TestPages:
    def test_link_to_each_other_by_absolute_addresses_that_keep_the_other_parameters(self, alice, api):
        make_world(alice, [{}], [[{**FULL, "file_name": f"{n}.wav"} for n in range(60)]])

        first = api.get("/calls/api/calls/?search=WAV&ordering=call_datetime&agent=").json()
        second = api.get(first["next"]).json()

        assert first["next"].startswith("http://testserver/calls/api/calls/?")
        kept = {"search=WAV", "ordering=call_datetime", "agent="}
        assert set(first["next"].partition("?")[2].split("&")) == kept | {"page=2"}
        assert (first["previous"], first["count"]) == (None, 60)
        assert set(second["previous"].partition("?")[2].split("&")) == kept
        assert api.get(second["next"]).json()["next"] is None
