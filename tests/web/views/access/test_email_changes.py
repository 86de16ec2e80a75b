"""The new e-mail of a user: an administrator asks for it, the person confirms it."""

import dataclasses
import re
import smtplib

import pytest
from django.core import mail as outbox
from django.core import signing

from callscope.accounts import mail
from callscope.accounts.models import AuditEvent, User
from callscope.calls.models import Agent, AgentUser
from callscope.interfaces.web.views.access import email_changes
from callscope.projects.services import share_project
from tests.web.conftest import page, visitor_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NEW = "bob@new.example.com"


@pytest.fixture
def root(db):
    return User.objects.create_user("root@example.com", "root-password", is_superuser=True)


@pytest.fixture
def as_root(root):
    return visitor_of(root)


@pytest.fixture
def mail_server(settings):
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT, email_url="smtp://localhost", public_url="https://calls.example.com"
    )


def ask(client, person, email=NEW, **options):
    return client.post(f"/users/{person.pk}/email/", {"email": email}, **options)


def refuse(*_given):
    raise smtplib.SMTPRecipientsRefused({NEW: (550, b"no such user")})


def read_link():
    mail.wait_until_sent()
    [sent] = [each for each in outbox.outbox if "confirm" in each.body]
    return sent, re.search(r"https://calls\.example\.com(/account/email/\S+)", sent.body)[1]


class TestLink:
    def test_changes_the_email_of_who_is_signed_in_with_the_account(self, mail_server, as_root, root, bob):
        answer = page(ask(as_root, bob, " Bob@new.example.com ", follow=True))
        sent, link = read_link()
        as_bob = visitor_of(bob)

        assert (
            f"A mail with a link was sent to {NEW}: the mail server accepted it." in answer.text
            and sent.to == [NEW]
        )
        assert User.objects.get(pk=bob.pk).email == "bob@example.com"
        confirming = page(as_bob.get(link))
        shown = confirming.text
        assert "Current e-mail bob@example.com New e-mail" in shown
        assert [each for each in confirming.all("link") if "settings" in each["href"]]
        assert "bob@example.com" in shown and NEW in shown
        changed = page(as_bob.post(link, follow=True))
        assert "The e-mail was changed. Sign in with it." in changed.text
        assert changed.all("input", name="username")[0]["value"] == NEW
        assert User.objects.get(pk=bob.pk).email == NEW
        event = AuditEvent.objects.get(action="user.email_changed")
        assert event.actor == root
        assert "E-mail of a user changed" in page(as_root.get("/audit/")).text
        mail.wait_until_sent()
        assert outbox.outbox[-1].to == ["bob@example.com"]

    def test_says_what_to_do_where_the_mail_server_refuses(self, mail_server, as_root, bob, monkeypatch):
        monkeypatch.setattr(outbox.backends.locmem.EmailBackend, "send_messages", refuse)

        said = page(ask(as_root, bob, follow=True)).text
        mail.wait_until_sent()

        assert f"The mail with a link to {NEW} could not be sent. Check the log of the server" in said
        assert not outbox.outbox and "gets a link" not in said

    def test_opens_nothing_to_the_administrator_who_sent_it(
        self, mail_server, as_root, visitor, as_carol, bob
    ):
        ask(as_root, bob)
        _sent, link = read_link()

        assert visitor.get(link)["Location"].startswith("/login/")
        for client in (as_root, as_carol):
            answer = client.post(link, follow=True)
            assert "This link belongs to another account." in page(answer, 410).text
        assert User.objects.get(pk=bob.pk).email == "bob@example.com"

    @pytest.mark.parametrize(
        ("spoiled", "problem"),
        [
            ("forged", "This link is damaged."), ("late", "This link has expired: it worked for three days."),
            ("taken", f"Another account has the e-mail {NEW} by now."),
            ("sender", "Who sent this link does not administer this place any more."),
        ],
    )  # fmt: skip
    def test_does_nothing_where_it_is_not_right_any_more_and_says_why(
        self, mail_server, as_root, root, bob, monkeypatch, spoiled, problem
    ):
        ask(as_root, bob)
        _sent, link = read_link()
        if spoiled == "forged":
            link = f"/account/email/{signing.dumps([bob.pk, bob.email, NEW, root.pk])}/"
        elif spoiled == "late":
            monkeypatch.setattr(email_changes, "VALID_S", -1)
        elif spoiled == "taken":
            User.objects.create_user(NEW, "password")
        else:
            User.objects.filter(pk=root.pk).update(is_superuser=False)

        answer = page(visitor_of(bob).post(link, follow=True), 410)

        assert problem in answer.text and "Nothing was changed." in answer.text
        assert "Your e-mail is still bob@example.com. If it is to change, ask an administrator" in answer.text
        assert User.objects.get(pk=bob.pk).email == "bob@example.com"


class TestAsking:
    @pytest.mark.parametrize(
        ("email", "reason"),
        [
            ("alice@example.com", "already exists"), ("bob@example.com", "has this e-mail already"),
            ("no address", "no address"), ("", "required"),
        ],
    )  # fmt: skip
    def test_says_what_is_wrong_at_the_field(self, mail_server, as_root, alice, bob, email, reason):
        shown = page(ask(as_root, bob, email), 400)

        [field] = shown.all("input", name="email")
        assert field["aria-invalid"] == "true" and field["value"] == email
        assert reason in shown.text
        mail.wait_until_sent()
        assert outbox.outbox == []

    def test_is_for_administrators_and_about_others_alone(self, mail_server, as_root, as_carol, root, bob):
        assert ask(as_carol, bob).status_code == 403
        assert "Administrators can only be changed" in page(ask(as_root, root, follow=True)).text
        User.objects.filter(pk=bob.pk).update(is_active=False)
        assert "No link can be sent to bob@example.com." in page(ask(as_root, bob, follow=True)).text

    def test_leads_to_the_command_line_without_mail(self, as_root, bob):
        shown = page(as_root.get(f"/users/{bob.pk}/"))

        assert "callscope user email OLD NEW" in shown.text
        assert not shown.all("input", name="email")
        assert "No link can be sent" in page(ask(as_root, bob, follow=True)).text


class TestAccess:
    def test_of_a_person_is_shown_whole(self, as_root, alice, bob, project):
        share_project(project, bob, "editor")
        agent = Agent.objects.create(owner=alice, name="Ana Ruiz", name_key="ana ruiz")
        before = page(as_root.get(f"/users/{bob.pk}/")).text
        AgentUser.objects.create(project=project, email=bob.email, agent=agent, created_at=bob.created_at)

        shown = page(as_root.get(f"/users/{bob.pk}/")).text

        assert "Shared projects Service line (Editor)" in shown
        assert "Sees the calls of an agent in Service line" in shown and "Ana Ruiz" not in shown
        assert "Sees the calls of" not in before
        assert "Shared projects –" in page(as_root.get(f"/users/{alice.pk}/")).text
