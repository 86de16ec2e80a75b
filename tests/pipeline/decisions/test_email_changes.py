"""Users who get another e-mail: what follows, what ends, and what is refused."""

import dataclasses

import pytest
from django.core import mail as outbox
from django.utils import timezone

from callscope.accounts import audit, mail, single_sign_on
from callscope.accounts.models import AuditEvent, Identity, Session, User
from callscope.accounts.services import InvalidAccount, create_key, create_team
from callscope.calls.models import Agent, AgentUser
from callscope.pipeline.decisions.email_changes import change_email
from callscope.pipeline.erasure.users import erase_user
from callscope.projects import invitations
from callscope.projects.models import Invitation, Project

pytestmark = pytest.mark.django_db
NEW = "bob@new.example.com"


@pytest.fixture
def mail_server(settings):
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT, email_url="smtp://localhost", public_url="https://calls.example.com"
    )


class TestChange:
    def test_renames_the_account_and_ends_its_sessions(self, alice, bob):
        key, _plaintext = create_key(bob)
        now = timezone.now()
        for user in (alice, bob):
            Session.objects.create(
                session_key=str(user.pk), user=user, created_at=now, latest_at=now, expire_date=now
            )

        assert change_email(bob, "  Bob@New.Example.com ", by=alice)

        assert User.objects.get(pk=bob.pk).email == bob.email == NEW
        assert list(Session.objects.values_list("user", flat=True)) == [alice.pk]
        key.refresh_from_db()
        assert not key.revoked
        event = AuditEvent.objects.get(action="user.email_changed")
        assert (event.actor, event.subject) == (alice, f"user {bob.pk}")
        assert event.detail == {"former": "bob@example.com", "new": NEW}
        assert outbox.outbox == []

    @pytest.mark.parametrize(
        "email", ["alice@example.com", "Alice@Example.COM", "no address", "", "a" * 250 + "@b.de"]
    )
    def test_refuses_what_is_taken_or_wrong(self, alice, bob, email):
        with pytest.raises(InvalidAccount):
            change_email(bob, email)

        assert User.objects.get(pk=bob.pk).email == "bob@example.com"

    def test_to_the_same_changes_nothing(self, bob):
        assert not change_email(bob, " BOB@example.com")
        assert not AuditEvent.objects.exists()

    def test_tells_the_former_address(self, mail_server, bob):
        change_email(bob, NEW)
        mail.wait_until_sent()

        [sent] = outbox.outbox
        assert sent.to == ["bob@example.com"]
        assert f"was changed to {NEW}" in sent.body and "https://calls.example.com/login/" in sent.body

    def test_takes_links_and_invitations_along(self, alice, bob):
        first, second = (Project.objects.create(name=name, owner=alice) for name in ("First", "Second"))
        team = create_team("North", admin=alice)
        agents = [Agent.objects.create(owner=alice, name=name, name_key=name) for name in ("ana", "ben")]
        now = timezone.now()
        for project, email, agent in (
            (first, bob.email, agents[0]), (second, bob.email, agents[0]), (second, NEW, agents[1]),
        ):  # fmt: skip
            AgentUser.objects.create(project=project, email=email, agent=agent, created_at=now)
        for email, place, role in (
            (bob.email, {"project": first}, "viewer"), (bob.email, {"team": team}, "member"),
            (NEW, {"team": team}, "admin"), (NEW, {}, "user"),
        ):  # fmt: skip
            invitations.invite(email, role, **place, by=alice)

        change_email(bob, NEW)

        links = AgentUser.objects.order_by("project").values_list("project", "email", "agent")
        assert list(links) == [(first.pk, NEW, agents[0].pk), (second.pk, NEW, agents[1].pk)]
        open_ones = Invitation.objects.order_by("role").values_list("email", "role")
        assert list(open_ones) == [(NEW, "admin"), (NEW, "viewer")]
        assert len(invitations.list_for(bob, now=timezone.now())) == 2

    def test_keeps_who_an_identity_provider_signs_in(self, bob):
        Identity.objects.create(user=bob, issuer="https://id.example.com", subject="s-1")
        change_email(bob, NEW)
        claims = {
            "iss": "https://id.example.com",
            "sub": "s-1",
            "email": "bob@example.com",
            "email_verified": True,
        }

        assert single_sign_on.find_user(claims) == bob
        assert User.objects.get(pk=bob.pk).email == NEW


class TestErasure:
    def test_takes_former_addresses_out_of_the_trail(self, alice, bob):
        audit.record(alice, "key.created", "key abc", user="bob@example.com")
        audit.record(alice, "key.created", "key def", user="bob@middle.example.com")
        change_email(bob, "bob@middle.example.com")
        change_email(bob, NEW)
        change_email(alice, "bob@middle.example.com")  # somebody else's from now on

        erase_user(bob)

        trail = str(list(AuditEvent.objects.values_list("detail", flat=True)))
        assert "bob@example.com" not in trail and NEW not in trail
        assert "bob@middle.example.com" in trail
        assert audit.verify_chain().problems == []
