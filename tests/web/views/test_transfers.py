"""Projects that get another owner: who may, who can be chosen, and what everybody may do then."""

import datetime as dt
import itertools

import pytest
from django.utils import timezone, translation

from callscope.accounts.models import AuditEvent
from callscope.accounts.services import add_team_member, create_key, create_team, deactivate_user
from callscope.calls.models import Agent, Call, ShareLink
from callscope.interfaces.web.project_access import ROLE_NAMES
from callscope.pipeline.decisions import ownership
from callscope.projects import invitations, permissions, services
from callscope.projects.models import ProjectShare
from callscope.reports.overview.report import build_report
from callscope.reports.window import ALL_TIME
from callscope.reviews.models import Review
from tests.web.conftest import bring, line, page, visitor_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def shared(project, bob):
    services.share_project(project, bob, "viewer")
    return project


def settings_of(client, project):
    return page(client.get(f"/projects/{project.pk}/settings/general/"))


def transfer(client, project, person, **options):
    return client.post(f"/projects/{project.pk}/owner/", {"owner": getattr(person, "pk", person)}, **options)


class TestTransfer:
    def test_swaps_the_roles_and_says_so(self, as_alice, alice, bob, shared):
        answer = page(transfer(as_alice, shared, bob, follow=True))

        shared.refresh_from_db()
        assert "bob@example.com owns the project now. alice@example.com is an editor." in answer.text
        assert permissions.get_role(bob, shared) == "owner"
        assert permissions.get_role(alice, shared) == "editor"
        assert list(ProjectShare.objects.values_list("user", "role")) == [(alice.pk, "editor")]
        event = AuditEvent.objects.get(action="project.moved")
        assert event.subject == f"project {shared.pk}" and event.actor == alice
        assert event.detail == {"former": "alice@example.com", "owner": "bob@example.com"}
        trail = page(visitor_of(bob).get("/audit/")).text
        assert "Project transferred to another owner" in trail
        assert "Before alice@example.com" in trail and "Owner bob@example.com" in trail
        assert "Transfer the project" not in settings_of(as_alice, shared).text

    def test_offers_active_people_who_see_the_project(self, as_alice, alice, bob, carol, shared):
        team = create_team("North", admin=alice)
        add_team_member(team, carol, admin=True)
        shared.team = team
        shared.save()
        assert [each.email for each in ownership.list_heirs(shared)] == [
            "bob@example.com",
            "carol@example.com",
        ]
        deactivate_user(bob)

        shown = settings_of(as_alice, shared)

        assert "Choose a person carol@example.com" in shown.text
        [button] = [each for each in shown.all("button") if "Transfer the" in each.get("data-confirm", "")]
        assert (
            button["data-confirm"] == "Transfer the project to “{choice}”? alice@example.com stays an editor."
        )

    def test_is_for_managers_and_to_people_with_access_alone(
        self, as_alice, as_carol, alice, bob, carol, shared
    ):
        services.share_project(shared, bob, "editor")

        for client, person, status in (
            (visitor_of(bob), bob, 403), (as_carol, carol, 404),
            (as_alice, carol, 302), (as_alice, alice, 302), (as_alice, "", 302), (as_alice, 10**30, 302),
        ):  # fmt: skip
            assert transfer(client, shared, person).status_code == status, person
        assert "Nothing was transferred" in page(transfer(as_alice, shared, carol, follow=True)).text
        with pytest.raises(services.InvalidProject, match=r"carol@example\.com cannot own the project"):
            ownership.transfer_project(shared.pk, carol, alice)
        with pytest.raises(ownership.MayNotTransfer):
            ownership.transfer_project(shared.pk, bob, bob)
        shared.refresh_from_db()
        assert shared.owner == alice
        assert not AuditEvent.objects.filter(action="project.moved").exists()

    def test_is_for_admins_of_the_team_too(self, alice, bob, project):
        project.team = create_team("North", admin=bob)
        project.save()

        assert transfer(visitor_of(bob), project, bob).status_code == 302

        project.refresh_from_db()
        assert (project.owner, permissions.get_role(alice, project)) == (bob, "editor")

    def test_leaves_keys_with_the_new_roles_of_their_owners(self, client, as_alice, alice, bob, shared):
        keys = {user: create_key(user, project_id=shared.pk)[1] for user in (alice, bob)}
        address, numbers = f"/api/projects/{shared.pk}/", itertools.count()

        def rename(user):
            header = {"Authorization": f"Api-Key {keys[user]}"}
            given = {"name": f"Name {next(numbers)}"}
            return client.patch(address, given, "application/json", headers=header).status_code

        assert (rename(alice), rename(bob)) == (200, 403)
        transfer(as_alice, shared, bob)

        assert (rename(alice), rename(bob)) == (403, 200)
        seen = client.get(address, headers={"Authorization": f"Api-Key {keys[alice]}"}).json()
        assert (seen["role"], seen["owner"]) == ("editor", "bob@example.com")

    def test_gives_the_agents_of_its_calls_to_the_new_owner(self, as_alice, alice, bob, shared):
        [call] = bring(shared, line(1))
        other = services.create_project(alice, "Stays")
        bring(other, line(1))

        transfer(as_alice, shared, bob)

        assert Call.objects.get(pk=call.pk).agent.owner == bob
        assert sorted(Agent.objects.values_list("owner", "name")) == sorted(
            [(alice.pk, "Ana Ruiz"), (bob.pk, "Ana Ruiz")]
        )
        shared.refresh_from_db()
        assert [row.agent for row in build_report([shared], ALL_TIME, None).agents] == ["Ana Ruiz"]

    def test_keeps_open_invitations_valid(self, as_alice, alice, bob, carol, shared):
        invitation, _token = invitations.invite("carol@example.com", "viewer", project=shared, by=alice)

        transfer(as_alice, shared, bob)

        assert invitations.list_for(carol, now=timezone.now()) == [invitation]
        invitations.accept(invitation.pk, carol)
        assert permissions.get_role(carol, shared) == "viewer"


class TestNames:
    def test_that_stay_are_not_called_changed(self, as_alice, project):
        address = f"/projects/{project.pk}/name/"

        same = page(as_alice.post(address, {"name": " Service  line "}, follow=True)).text
        new = page(as_alice.post(address, {"name": "Second line"}, follow=True)).text

        assert "Nothing changed: the project has this name already." in same
        assert "The project was renamed." not in same and "The project was renamed." in new
        assert AuditEvent.objects.filter(action="project.renamed").count() == 1


class TestLosses:
    def test_are_counted_before_the_project_is_deleted(self, as_alice, alice, bob, shared):
        assert "You would lose" not in settings_of(as_alice, shared).text
        calls = bring(shared, line(1), line(2))
        now = timezone.now()
        for call in calls:
            for revision, state in ((1, "submitted"), (2, "submitted"), (3, "draft")):
                if (call, state) != (calls[1], "submitted"):
                    Review.objects.create(
                        call=call, project=shared, file=call.newest_file, revision=revision, state=state,
                        created_at=now, changed_at=now, criteria=[],
                        submitted_at=now if state == "submitted" else None,
                    )  # fmt: skip
        for digest, days in (("a", 1), ("b", 1), ("c", -1)):
            ShareLink.objects.create(
                project=shared, created_by=alice, token_digest=digest, created_at=now,
                expires_at=now + dt.timedelta(days=days),
            )  # fmt: skip

        text = settings_of(as_alice, shared).text

        assert "You would lose 2 files, 1 reviewed call, 2 share links." in text
        assert "You would lose" not in settings_of(visitor_of(bob), shared).text


class TestRoles:
    def test_are_nouns_of_one_kind_in_spanish(self):
        with translation.override("es"):
            names = [str(ROLE_NAMES[role]) for role in permissions.ROLES]

        assert names == ["Propiedad", "Administración del equipo", "Edición", "Lectura"]
