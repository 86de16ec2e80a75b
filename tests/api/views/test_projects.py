"""Projects over HTTP."""

import json

import pytest

from callscope.accounts.models import Team, TeamMember
from callscope.projects.models import ConfigVersion, Project

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(bob):
    team = Team.objects.create(name="Team")
    TeamMember.objects.create(team=team, user=bob, is_admin=True)
    return team


class TestCreating:
    def test_answers_201_with_the_project_and_its_whole_configuration(self, as_alice, alice):
        response = as_alice.post(
            "/api/projects/", {"name": " Service  line ", "config": {"language": "es"}}, format="json"
        )

        body = response.json()
        assert response.status_code == 201
        assert (body["name"], body["type"], body["owner"], body["team"], body["role"]) == (
            "Service line",
            "call",
            alice.email,
            None,
            "owner",
        )
        assert body["config"]["language"] == "es"
        assert body["config"]["shift_hours"] == {"day_start": 8, "day_end": 20}
        assert body["created_at"].endswith("Z")

    @pytest.mark.parametrize("sent", [{}, {"config": {"custom_questions": []}}, {"config": "{}"}])
    def test_finds_the_language_by_itself_unless_one_is_named(self, as_alice, sent):
        body = as_alice.post("/api/projects/", {"name": "x", **sent}, format="json").json()

        assert body["config"]["language"] == "auto"

    def test_takes_the_configuration_as_yaml_too(self, as_alice):
        body = as_alice.post("/api/projects/", {"name": "x", "config": "language: auto\n"}).json()

        assert body["config"]["language"] == "auto"

    @pytest.mark.parametrize(
        ("document", "message"),
        [
            ({"language": "de"}, "language: must be en, es or auto, not 'de'"),
            ({"unknown": 1}, "unknown: is not a known setting"),
            (
                {"shift_hours": {"day_start": 8, "day_end": 8}},
                "shift_hours: day_start and day_end are both 8",
            ),
            ([], "the configuration must be a mapping, not a list"),
            (7, "the configuration must be a mapping, not a number"),
            ("a: [", "not readable as YAML"),
        ],
    )
    def test_refuses_a_wrong_configuration_with_path_and_reason(self, as_alice, document, message):
        response = as_alice.post("/api/projects/", {"name": "x", "config": document}, format="json")

        assert response.status_code == 400
        assert list(response.json()) == ["config"]
        assert response.json()["config"][0].startswith(message)

    @pytest.mark.parametrize(
        ("fields", "where"),
        [
            ({}, "name"),
            ({"name": ""}, "name"),
            ({"name": None}, "name"),
            ({"name": ["x"]}, "name"),
            ({"name": "x" * 256}, "name"),
            ({"name": "a\x00b"}, "name"),
            ({"name": "\ud800"}, "name"),
            ({"name": "x", "type": "video"}, "type"),
            ({"name": "x", "team": "abc"}, "team"),
            ({"name": "x", "team": 2**70}, "team"),
            ({"name": "x", "team": 99999999}, "team"),
            ({"name": "x", "team": "9" * 2000}, "team"),
        ],
    )
    def test_refuses_wrong_fields_by_name(self, as_alice, fields, where):
        body = json.dumps(fields)  # with escapes, so that half a surrogate pair arrives

        response = as_alice.generic("POST", "/api/projects/", body, content_type="application/json")

        assert response.status_code == 400
        assert list(response.json()) == [where]
        assert all(isinstance(text, str) for text in response.json()[where])

    def test_in_a_team_is_for_its_members(self, as_alice, as_bob, team):
        assert as_bob.post("/api/projects/", {"name": "x", "team": team.pk}).json()["team"] == team.pk
        assert list(as_alice.post("/api/projects/", {"name": "x", "team": team.pk}).json()) == ["team"]


class TestReading:
    def test_lists_visible_projects_by_id_with_the_callers_role(
        self, as_bob, bob, project, bob_views, team, carol
    ):
        own = Project.objects.create(name="Own", owner=bob)
        teams = Project.objects.create(name="Team's", owner=carol, team=team)
        Project.objects.create(name="Foreign", owner=carol)

        body = as_bob.get("/api/projects/").json()

        assert [(p["id"], p["role"]) for p in body["results"]] == [
            (project.pk, "viewer"),
            (own.pk, "owner"),
            (teams.pk, "admin"),
        ]
        assert (body["count"], body["next"], body["previous"]) == (3, None, None)

    def test_comes_in_pages_of_a_hundred(self, as_alice, alice):
        Project.objects.bulk_create(Project(name=f"P{n}", owner=alice) for n in range(101))

        first = as_alice.get("/api/projects/").json()
        second = as_alice.get(first["next"]).json()

        assert (first["count"], len(first["results"]), len(second["results"])) == (101, 100, 1)
        assert second["next"] is None

    def test_of_a_foreign_project_is_404(self, as_carol, project):
        for method in ("get", "patch", "delete"):
            assert getattr(as_carol, method)(f"/api/projects/{project.pk}/").status_code == 404


class TestChanging:
    def test_replaces_the_configuration_and_keeps_the_former(self, as_alice, project):
        response = as_alice.patch(
            f"/api/projects/{project.pk}/", {"config": {"language": "es"}}, format="json"
        )

        assert response.json()["config"]["language"] == "es"
        assert ConfigVersion.objects.filter(project=project).count() >= 1

    def test_with_a_wrong_configuration_changes_nothing(self, as_alice, project):
        response = as_alice.patch(
            f"/api/projects/{project.pk}/", {"name": "New", "config": {"language": "xx"}}, format="json"
        )

        assert response.status_code == 400
        project.refresh_from_db()
        assert project.name == "Service line"

    def test_is_configuring_for_editors_and_renaming_for_owners(self, as_bob, bob_edits, project):
        path = f"/api/projects/{project.pk}/"

        assert as_bob.patch(path, {"config": {"language": "es"}}, format="json").status_code == 200
        assert as_bob.patch(path, {"name": "New"}, format="json").status_code == 403

    def test_is_not_for_viewers(self, as_bob, bob_views, project):
        assert as_bob.patch(f"/api/projects/{project.pk}/", {"config": {}}, format="json").status_code == 403

    def test_refuses_to_change_type_and_team(self, as_alice, project):
        path = f"/api/projects/{project.pk}/"

        assert list(as_alice.patch(path, {"type": "general"}, format="json").json()) == ["type"]
        assert list(as_alice.patch(path, {"team": 7}, format="json").json()) == ["team"]
        assert as_alice.patch(path, {"type": "call", "team": None}, format="json").status_code == 200


class TestDeleting:
    def test_erases_the_project_and_its_recordings(
        self, as_alice, project, django_capture_on_commit_callbacks
    ):
        from callscope.calls import storage
        from callscope.calls.models import Call, UploadedFile
        from tests.api.views.test_files import upload

        upload(as_alice, project)
        path = storage.path_of(UploadedFile.objects.get().storage_key)

        with django_capture_on_commit_callbacks(execute=True):
            response = as_alice.delete(f"/api/projects/{project.pk}/")

        assert response.status_code == 204
        assert not path.exists()
        assert not Call.objects.exists()
        assert as_alice.get(f"/api/projects/{project.pk}/").status_code == 404

    def test_is_not_for_editors(self, as_bob, bob_edits, project):
        assert as_bob.delete(f"/api/projects/{project.pk}/").status_code == 403
