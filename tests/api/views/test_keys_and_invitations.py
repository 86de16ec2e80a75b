"""/api/keys/ and /api/invitations/: list, create, revoke."""

import datetime as dt

import pytest
from django.test import Client
from django.utils import timezone

from callscope.accounts.models import ApiKey, AuditEvent
from callscope.accounts.services import add_team_member, create_key, create_team
from callscope.projects.models import Invitation

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(alice):
    client = Client()
    client.force_login(alice)
    return client


def post(client, path, **document):
    return client.post(path, document, content_type="application/json")


class TestKeys:
    def test_are_created_in_a_session_and_shown_once(self, signed_in, alice, project):
        answer = post(
            signed_in, "/api/keys/", name=" nightly ", project=project.pk, expires="2099-12-31", scope="write"
        )

        created = answer.json()
        assert answer.status_code == 201
        assert created["key"].startswith(created["prefix"] + ".")
        assert (created["name"], created["scope"], created["project"]) == ("nightly", "write", project.pk)
        assert created["expires_at"] == "2100-01-01T00:00:00Z"
        listed = signed_in.get("/api/keys/").json()["results"]
        assert [row["prefix"] for row in listed] == [created["prefix"]]
        assert "key" not in listed[0]
        opened = Client().get("/api/projects/", headers={"Authorization": f"Api-Key {created['key']}"})
        assert [row["id"] for row in opened.json()["results"]] == [project.pk]

    def test_only_read_unless_more_is_asked_for(self, signed_in):
        assert post(signed_in, "/api/keys/").json()["scope"] == "read"

    def test_are_created_by_no_key(self, alice):
        _, key = create_key(alice)

        answer = Client().post(
            "/api/keys/", {}, "application/json", headers={"Authorization": f"Api-Key {key}"}
        )

        assert answer.status_code == 403
        assert ApiKey.objects.count() == 1

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"scope": "all"}, "scope"),
            ({"expires": "2001-01-01"}, "expires"),
            ({"expires": "9999-12-31"}, "expires"),
            ({"expires": "soon"}, "expires"),
            ({"project": 10**30}, "project"),
            ({"project": -1}, "project"),
            ({"name": "x" * 300}, "name"),
            ({"name": "a\x00b"}, "name"),
        ],
    )
    def test_are_refused_with_the_field(self, signed_in, given, field):
        answer = post(signed_in, "/api/keys/", **given)

        assert answer.status_code == 400
        assert list(answer.json()) == [field]

    def test_of_a_foreign_project_are_refused(self, project, carol):
        client = Client()
        client.force_login(carol)

        assert list(post(client, "/api/keys/", project=project.pk).json()) == ["project"]

    def test_are_revoked_by_their_owner_alone(self, signed_in, alice, carol):
        own, _ = create_key(alice)
        foreign, _ = create_key(carol)

        assert signed_in.delete(f"/api/keys/{own.prefix}/").status_code == 204
        assert signed_in.delete(f"/api/keys/{own.prefix}/").status_code == 204
        assert signed_in.delete(f"/api/keys/{foreign.prefix}/").status_code == 404
        assert signed_in.delete("/api/keys/nothing/").status_code == 404
        assert signed_in.get("/api/keys/").json()["results"][0]["state"] == "revoked"
        assert AuditEvent.objects.filter(action="key.revoked").count() == 1

    def test_of_one_project_know_no_others(self, alice, project):
        create_key(alice, name="wide")
        _, key = create_key(alice, name="narrow", project_id=project.pk)
        client, header = Client(), {"Authorization": f"Api-Key {key}"}

        names = [row["name"] for row in client.get("/api/keys/", headers=header).json()["results"]]

        assert names == ["narrow"]
        wide = ApiKey.objects.get(name="wide")
        assert client.delete(f"/api/keys/{wide.prefix}/", headers=header).status_code == 404


class TestInvitations:
    def test_are_sent_listed_and_withdrawn(self, signed_in, alice, project):
        sent = post(
            signed_in, "/api/invitations/", email="Eva@Example.com", role="editor", project=project.pk
        )

        assert sent.status_code == 201
        body = sent.json()
        assert (body["email"], body["role"], body["project"], body["team"], body["invited_by"]) == (
            "eva@example.com", "editor", project.pk, None, alice.email,
        )  # fmt: skip
        assert signed_in.get("/api/invitations/").json()["results"] == [body]
        assert signed_in.delete(f"/api/invitations/{body['id']}/").status_code == 204
        assert signed_in.delete(f"/api/invitations/{body['id']}/").status_code == 404
        assert not Invitation.objects.exists()

    def test_say_nothing_of_accounts(self, signed_in, carol, project):
        known, unknown = (
            post(signed_in, "/api/invitations/", email=email, role="viewer", project=project.pk)
            for email in (carol.email, "nobody@example.com")
        )

        assert known.status_code == unknown.status_code == 201
        assert known.json().keys() == unknown.json().keys()

    def test_are_for_managers(self, project, bob, carol, alice):
        from callscope.projects.services import share_project

        share_project(project, bob, "editor")
        document = {"email": "eva@example.com", "role": "viewer", "project": project.pk}
        for user, status in ((bob, 403), (carol, 400)):
            client = Client()
            client.force_login(user)
            assert post(client, "/api/invitations/", **document).status_code == status
            assert client.get("/api/invitations/").json()["count"] == 0

    def test_to_teams_are_for_their_admins(self, signed_in, alice, bob, carol):
        team = create_team("Sales", admin=alice)
        add_team_member(team, bob)
        document = {"email": "eva@example.com", "role": "member", "team": team.pk}

        assert post(signed_in, "/api/invitations/", **document).status_code == 201
        for user, status in ((bob, 403), (carol, 400)):
            client = Client()
            client.force_login(user)
            assert post(client, "/api/invitations/", **document).status_code == status
            found = Invitation.objects.get()
            assert client.delete(f"/api/invitations/{found.pk}/").status_code == 404

    def test_past_their_end_are_not_listed(self, signed_in, project):
        post(signed_in, "/api/invitations/", email="eva@example.com", role="viewer", project=project.pk)
        Invitation.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))

        assert signed_in.get("/api/invitations/").json()["count"] == 0

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"email": "no", "role": "viewer", "project": 1}, "email"),
            ({"email": "e@example.com", "role": "user", "project": 1}, "role"),
            ({"email": "e@example.com", "role": "admin", "project": 1}, "role"),
            ({"email": "e@example.com", "role": "viewer", "team": 1}, "role"),
            ({"email": "e@example.com", "role": "viewer"}, "project"),
            ({"email": "e@example.com", "role": "viewer", "project": 1, "team": 1}, "project"),
            ({"email": "e@example.com", "role": "member", "team": 10**30}, "team"),
            ({"email": "e@example.com", "role": "member", "team": -1}, "team"),
            ({"email": "e@example.com", "role": "viewer", "project": 10**30}, "project"),
        ],
    )
    def test_that_are_wrong_are_refused_with_the_field(self, signed_in, project, given, field):
        answer = post(signed_in, "/api/invitations/", **given)

        assert answer.status_code == 400
        assert list(answer.json()) == [field]
