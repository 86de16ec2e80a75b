"""docs/api.md, "Smaller points" and what else is settled in one sentence, as a client sees it."""

import pytest
from cast import person, with_key
from test_oracle import make_world

from callscope.projects.services import create_project, share_project
from tests.api.samples import SRT, VTT, named, wav

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(alice):
    return with_key(alice)[1]


def upload(api, project, content=SRT, name="a.srt", **fields):
    form = {"project": project.pk, "file": named(content, name), **fields}
    return api.post("/api/files/", form, format="multipart")


def report(api, query=""):
    return api.get(f"/calls/api/report/?{query}").json()


def scored(name, *entries, **more):
    criteria = [
        {"criterion_id": i, "name": n, "section": "", "score": s, "max_points": m} for i, n, s, m in entries
    ]
    when = "2026-03-02T10:00:00+00:00"
    return {"file_name": name, "call_datetime": when, "copc": {"criterion_scores": criteria}, **more}


def rubric(*criteria, **more):
    listed = [{"id": i, "name": n, "max_points": m} for i, n, m in criteria]
    return {"rubric": {"sections": [{"name": "S", "criteria": listed}], **more}}


class TestPointsOfACriterion:
    def test_have_two_decimals_as_the_record_has(self, api, alice):
        make_world(alice, [{}], [[scored("a.wav", ("g", "Greets", 1.875, 7.5), ("b", "Bye", 3, 10))]])
        call_id = api.get("/calls/api/calls/").json()["results"][0]["id"]

        detail = api.get(f"/calls/api/calls/{call_id}/").json()

        entries = [(e["score"], e["max_points"]) for e in detail["copc"]["criterion_scores"]]
        assert entries == [(1.88, 7.5), (3.0, 10.0)]
        assert all(isinstance(points, float) for entry in entries for points in entry)
        assert detail["record"]["total_points"] == detail["copc"]["total_points"] == 4.88  # 4.875, to even


class TestFileType:
    @pytest.mark.parametrize(
        ("content", "name", "named_type"),
        [(VTT, "a.vtt", "srt"), (SRT, "a.srt", "vtt"), (SRT, "a.srt", "audio")],
    )
    def test_that_does_not_fit_is_refused_on_the_file(self, api, project, content, name, named_type):
        response = upload(api, project, content, name, file_type=named_type)

        assert (response.status_code, list(response.json())) == (400, ["file"])

    def test_that_is_unknown_is_refused_on_its_field(self, api, project):
        response = upload(api, project, file_type="video")

        assert (response.status_code, list(response.json())) == (400, ["file_type"])

    @pytest.mark.parametrize(("content", "detected"), [(SRT, "srt"), (VTT, "vtt"), (wav(12), "audio")])
    def test_is_detected_from_the_content_when_omitted(self, api, project, content, detected):
        assert upload(api, project, content, "x.bin").json()["file_type"] == detected

    def test_of_nothing_is_refused_on_the_file(self, api, project):
        response = upload(api, project, b"")

        assert (response.status_code, list(response.json())) == (400, ["file"])


class TestProjectInAForm:
    def test_gets_the_same_words_absent_and_not_visible(self, api, project):
        foreign = create_project(person("outsider"), "Foreign")

        answers = []
        for project_id in (foreign.pk, foreign.pk + 1000):
            form = {"project": project_id, "file": named(SRT, "a.srt")}
            response = api.post("/api/files/", form, format="multipart")
            assert (response.status_code, list(response.json())) == (400, ["project"])
            answers.append(response.json()["project"][0].replace(str(project_id), "N"))
        assert answers[0] == answers[1]


class TestPatch:
    @pytest.mark.parametrize(
        "field", ["call_datetime", "agent_id", "agent_name", "direction", "caller_number", "campaign"]
    )
    def test_of_null_is_refused_on_any_field(self, api, project, field):
        file = upload(api, project).json()["id"]

        response = api.patch(f"/api/files/{file}/", {field: None}, format="json")

        assert (response.status_code, list(response.json())) == (400, [field])

    def test_with_a_number_as_agent_id_shows_it_as_name(self, api, project):
        file = upload(api, project).json()["id"]

        shown = api.patch(f"/api/files/{file}/", {"agent_id": "417"}, format="json").json()["call_metadata"]

        assert (shown["agent_id"], shown["agent_name"], shown["agent_source"]) == ("417", "417", "api")

    def test_changes_nothing_when_one_field_is_wrong(self, api, project):
        file = upload(api, project, campaign="Spring").json()["id"]

        response = api.patch(f"/api/files/{file}/", {"campaign": "Autumn", "direction": "up"}, format="json")

        assert response.status_code == 400
        assert api.get(f"/api/files/{file}/").json()["call_metadata"]["campaign"] == "Spring"


class TestScorecardOverSeveralProjects:
    def test_comes_by_project_then_rubric_with_a_merged_row_at_its_first_place(self, alice, api):
        make_world(
            alice,
            [rubric(("b", "B", 1), ("a", "A", 3)), rubric(("c", "C", 2), ("a", "A", 3), ("b", "Other B", 1))],
            [[], []],
        )

        rows = report(api)["scorecard"]

        assert [(r["criterion_id"], r["name"]) for r in rows] == [
            ("b", "B"), ("a", "A"), ("c", "C"), ("b", "Other B")
        ]  # fmt: skip
        assert [r["weight_pct"] for r in rows] == [0.0, 0.0, 0.0, 0.0]

    def test_puts_the_retired_criteria_of_all_projects_last_by_id(self, alice, api):
        make_world(
            alice,
            [rubric(("a", "A", 3)), rubric(("d", "D", 2)), rubric(("b", "B", 1), ("z", "Z", 1))],
            [
                [scored("x", ("z", "Z", 1, 2), ("old-2", "Old", 1, 2), ("old-1", "First", 1, 2))],
                [scored("y", ("old-1", "Second", 2, 2), ("a", "Former A", 1, 2))],
                [scored("w", ("old-2", "Old", 2, 2))],
            ],
        )

        rows = report(api)["scorecard"]

        assert [(r["criterion_id"], r["name"], r["calls"]) for r in rows] == [
            ("a", "A", 0), ("d", "D", 0), ("b", "B", 0), ("z", "Z", 1),
            ("a", "Former A", 1), ("old-1", "First", 1), ("old-1", "Second", 1), ("old-2", "Old", 2),
        ]  # fmt: skip
        assert [r["weight_pct"] is None for r in rows] == [False] * 4 + [True] * 4

    def test_weighs_by_the_points_of_the_window(self, alice, api):
        documents = [rubric(("a", "A", 3)), rubric(("a", "A", 3), ("b", "B", 1))]
        make_world(alice, documents, [[scored("x", ("a", "A", 1, 3))], [scored("y", ("b", "B", 1, 1))]])

        assert [r["weight_pct"] for r in report(api)["scorecard"]] == [75.0, 25.0]

    def test_with_one_project_in_scope_weighs_by_the_rubric_named_or_not(self, alice, api):
        (world,) = make_world(
            alice, [rubric(("a", "A", 3), ("b", "B", 1))], [[scored("x", ("a", "A", 1, 3))]]
        )

        for query in ("", f"project_id={world.id}"):
            assert [r["weight_pct"] for r in report(api, query)["scorecard"]] == [75.0, 25.0]


class TestRetiredCriterion:
    def test_appears_only_when_the_window_has_calls_with_it_and_has_no_weight(self, alice, api):
        make_world(alice, [rubric(("a", "A", 3))], [[scored("x", ("old", "Old", 1, 2))]])

        inside = report(api, "start_date=2026-03-02&end_date=2026-03-02")["scorecard"]
        outside = report(api, "start_date=2026-03-03&end_date=2026-03-03")["scorecard"]

        assert [(r["criterion_id"], r["weight_pct"], r["average_pct"]) for r in inside] == [
            ("a", 100.0, None), ("old", None, 50.0)
        ]  # fmt: skip
        assert [r["criterion_id"] for r in outside] == ["a"]


class TestShiftHours:
    def test_are_null_without_a_project_in_scope(self, api):
        assert report(api)["shift_hours"] == {"day_start": None, "day_end": None}

    def test_are_null_when_projects_differ_and_each_call_keeps_its_own(self, alice, api):
        hours = [
            {"shift_hours": {"day_start": 9, "day_end": 17}},
            {"shift_hours": {"day_start": 11, "day_end": 17}},
        ]
        make_world(alice, hours, [[scored("x", ("a", "A", 1, 3))], [scored("y", ("a", "A", 1, 3))]])

        shown = report(api)

        assert shown["shift_hours"] == {"day_start": None, "day_end": None}
        assert [row["total_calls"] for row in shown["shifts"]] == [1, 1]

    def test_that_are_equal_are_refused(self, api):
        body = {"name": "New", "config": {"shift_hours": {"day_start": 8, "day_end": 8}}}

        response = api.post("/api/projects/", body, format="json")

        assert (response.status_code, list(response.json())) == (400, ["config"])


class TestRecluster:
    def test_leaves_out_projects_that_the_caller_may_only_view(self, alice, bob, api):
        viewed, edited = create_project(bob, "Viewed"), create_project(bob, "Edited")
        share_project(viewed, alice)
        share_project(edited, alice, role="editor")

        assert api.post("/calls/api/recluster/").json() == {"reclustering": [edited.pk], "count": 1}


class TestCritical:
    @pytest.mark.parametrize(
        ("value", "count"), [("true", 1), ("TRUE", 1), ("1", 1), ("yes", 2), ("0", 2), ("", 2)]
    )
    def test_is_true_or_1_in_any_case(self, alice, api, value, count):
        line = scored("critical", ("a", "A", 0, 3))
        line["copc"]["criterion_scores"][0]["is_critical_error"] = True
        make_world(alice, [{}], [[line, scored("fine", ("a", "A", 3, 3))]])

        assert api.get(f"/calls/api/calls/?critical={value}").json()["count"] == count


class TestZeroScore:
    def test_zeroes_the_score_and_leaves_the_points_as_earned(self, alice, api):
        line = scored("x", ("a", "A", 0, 1), ("b", "B", 3, 3))
        line["copc"]["criterion_scores"][0]["is_critical_error"] = True
        make_world(alice, [rubric(("a", "A", 1), ("b", "B", 3), on_critical_error="zero_score")], [[line]])

        headline = report(api)["headline"]
        call = api.get("/calls/api/calls/").json()["results"][0]
        record = api.get(f"/calls/api/calls/{call['id']}/").json()["record"]

        assert (headline["average_score"], headline["weighted_compliance"]) == (0.0, 75.0)
        assert (record["score_percentage"], record["total_points"], record["max_possible_points"]) == (
            0,
            3,
            4,
        )


class TestWhatIsUnreachable:
    def test_is_a_404_for_report_and_pdf_and_empty_elsewhere(self, alice, api):
        general = create_project(alice, "Notes", type="general")

        for project in (general.pk, 99999, 0, -1, 2**70):
            query = f"?project_id={project}"
            assert api.get(f"/calls/api/report/{query}").json() == {"detail": "Not found."}
            assert api.get(f"/calls/api/report/pdf/{query}").status_code == 404
            page = {"count": 0, "next": None, "previous": None, "results": []}
            assert api.get(f"/calls/api/calls/{query}").json() == page
            empty = {"questions": [], "calls": [], "count": 0}
            assert api.get(f"/calls/api/custom-questions/{query}").json() == empty
        assert api.get("/api/files/?project=99999").json() == page


class TestOrdering:
    def test_of_agents_goes_by_code_point_of_the_folded_name(self, alice, api):
        names = ["Zoë", "Ángel", "ana", "Bob", "ñu", "straße", "STRASSF"]
        make_world(alice, [{}], [[{"file_name": n, "agent_name": n, "topic": "x"} for n in names]])
        by_code_point = sorted(names, key=str.casefold)

        listed = api.get("/calls/api/calls/?ordering=agent__name").json()["results"]

        assert [c["agent"] for c in listed] == by_code_point
        assert [a["agent"] for a in report(api)["agents"]] == by_code_point
