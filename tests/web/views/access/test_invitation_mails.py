"""What became of the mail of an invitation: kept with it, shown to who may invite, and sent again."""

import dataclasses
import datetime as dt
import re

import pytest
from django.core import mail as outbox
from django.utils import timezone

from callscope.accounts import mail, services
from callscope.accounts.models import AuditEvent, User
from callscope.projects import invitations
from callscope.projects.models import Invitation
from tests.web.conftest import page, send_inline, visitor_of

pytestmark = pytest.mark.django_db

UNSENT = "mail not sent"


def set_up_mail(settings):
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT, email_url="smtp://localhost", public_url="https://calls.example.com"
    )


def break_mail_server(settings):
    """Let mails go to a port at which nobody listens."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1


@pytest.fixture
def mail_server(settings, monkeypatch):
    send_inline(monkeypatch)
    set_up_mail(settings)


@pytest.fixture
def as_root(db):
    return visitor_of(User.objects.create_user("root@example.com", "root-password", is_superuser=True))


def share(client, project, email="new@example.com"):
    return client.post(f"/projects/{project.pk}/people/", {"email": email, "role": "editor"}, follow=True)


def send_again(client):
    return client.post(f"/invitations/{Invitation.objects.get().pk}/", {"do": "send"}, follow=True)


@pytest.mark.django_db(transaction=True)
class TestTheOutcome:
    def test_is_kept_by_the_thread_that_sends_and_shown_with_the_invitation(
        self, as_alice, project, settings
    ):
        set_up_mail(settings)
        works = settings.EMAIL_BACKEND
        break_mail_server(settings)
        share(as_alice, project)
        mail.wait_until_sent()

        failed = page(as_alice.get(f"/projects/{project.pk}/people/"))
        assert f"new@example.com {UNSENT}" in failed.text
        assert failed.all("button", value="send")

        settings.EMAIL_BACKEND = works
        said = page(send_again(as_alice)).text
        mail.wait_until_sent()

        assert "A mail to new@example.com is on its way." in said
        assert Invitation.objects.get().mail_state == "sent"
        assert [each.to for each in outbox.outbox] == [["new@example.com"]]
        sent = page(as_alice.get(f"/projects/{project.pk}/people/"))
        assert UNSENT not in sent.text
        assert not sent.all("button", value="send")


class TestAnUnsentMail:
    def test_is_shown_to_admins_of_a_team_and_to_administrators(
        self, as_alice, alice, as_root, settings, mail_server
    ):
        team = services.create_team("North", admin=alice)
        break_mail_server(settings)

        of_team = as_alice.post(f"/teams/{team.pk}/", {"email": "new@example.com"}, follow=True)
        of_server = as_root.post("/users/", {"email": "other@example.com"}, follow=True)

        assert f"new@example.com {UNSENT}" in page(of_team).text
        assert f"other@example.com {UNSENT}" in page(of_server).text

    def test_looks_alike_with_and_without_an_account(self, as_alice, bob, project, settings, mail_server):
        break_mail_server(settings)

        said = []
        for email in (bob.email, "nobody@example.com"):
            shown = page(share(as_alice, project, email)).text.replace(email, "x")
            said.append(re.sub(r"\d\d:\d\d", "time", shown))
            Invitation.objects.all().delete()

        assert f"x {UNSENT}" in said[0]
        assert said[0] == said[1]

    def test_may_be_the_last_of_too_many(self, as_alice, project, mail_server, monkeypatch):
        monkeypatch.setattr(invitations, "_may_mail", lambda email, by: False)

        assert f"new@example.com {UNSENT}" in page(share(as_alice, project)).text

    def test_is_none_after_an_earlier_one_with_the_same_link(
        self, as_alice, project, mail_server, monkeypatch
    ):
        share(as_alice, project)
        monkeypatch.setattr(invitations, "_may_mail", lambda email, by: False)

        assert UNSENT not in page(share(as_alice, project)).text

    def test_is_one_that_has_waited_for_too_long(self, as_alice, alice, project, mail_server):
        invitations.invite(
            "new@example.com", "viewer", project=project, by=alice, mail_state=Invitation.MailState.WAITING
        )
        address = f"/projects/{project.pk}/people/"

        assert "new@example.com mail on its way" in page(as_alice.get(address)).text
        Invitation.objects.update(created_at=timezone.now() - dt.timedelta(hours=1))
        assert f"new@example.com {UNSENT}" in page(as_alice.get(address)).text

    def test_is_not_expected_where_no_mail_is_sent_nor_of_a_printed_link(
        self, as_alice, project, as_root, request
    ):
        assert UNSENT not in page(share(as_alice, project)).text
        request.getfixturevalue("mail_server")
        invitations.invite("printed@example.com", "user", creates_account=True)

        assert UNSENT not in page(as_root.get("/users/")).text


class TestSendingAgain:
    @pytest.fixture(autouse=True)
    def unsent(self, as_alice, project, settings, mail_server):
        works = settings.EMAIL_BACKEND
        break_mail_server(settings)
        share(as_alice, project)
        settings.EMAIL_BACKEND = works

    def test_invites_as_before_and_is_in_the_trail(self, as_alice, alice):
        send_again(as_alice)

        assert Invitation.objects.get().role == "editor"
        events = AuditEvent.objects.filter(action="invitation.created", actor=alice)
        assert [each.detail["email"] for each in events] == ["new@example.com"] * 2

    def test_is_for_those_who_may_invite(self, as_carol, bob, project):
        for client in (as_carol, visitor_of(bob)):
            assert send_again(client).status_code == 404
        assert not outbox.outbox

    def test_is_limited_as_inviting_is(self, as_alice):
        said = [page(send_again(as_alice)).text for _ in range(3)]

        assert len(outbox.outbox) == 2  # the first mail counted, too
        assert "no mail was sent: the address has had several within the hour" in said[2]

    def test_is_not_possible_without_mail(self, as_alice, settings):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, email_url="")

        assert "This server sends no mail. Invite the person again" in page(send_again(as_alice)).text
        assert Invitation.objects.get().mail_state == "failed"
