"""Invitations: nobody is put anywhere unasked, nobody learns who has an account, links open once."""

import dataclasses
import datetime as dt
import re

import pytest
from django.core import mail as outbox
from django.test import Client
from django.utils import timezone

from callscope.accounts import audit, mail, organization, services
from callscope.accounts.models import AuditEvent, User
from callscope.interfaces.web.templatetags.formatting import moment
from callscope.projects import invitations
from callscope.projects.models import Invitation
from callscope.projects.services import share_project
from tests.web.conftest import page, send_inline, visitor_of
from tests.web.views.test_session import sign_in

pytestmark = pytest.mark.django_db

LINK = {"aria-label": "Link of the invitation"}
NEW = {"new_password1": "a new long one", "new_password2": "a new long one"}


@pytest.fixture
def team(alice):
    return services.create_team("North", admin=alice)


@pytest.fixture
def mail_server(settings, monkeypatch):
    send_inline(monkeypatch)
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT,
        email_url="smtp://localhost",
        public_url="https://calls.example.com",
        invited_sign_up=True,
    )


def share(client, project, email="bob@example.com", role="viewer"):
    return client.post(f"/projects/{project.pk}/people/", {"email": email, "role": role})


def answer(client, invitation, do):
    return client.post(f"/invitations/{invitation.pk}/", {"do": do})


def link_in_mail():
    mail.wait_until_sent()
    return re.search(r"https://calls\.example\.com(/\S+)", outbox.outbox[-1].body)[1]


class TestSharing:
    def test_answers_alike_whether_or_not_there_is_an_account(self, as_alice, bob, project, team):
        for address, fields in (
            (f"/projects/{project.pk}/people/", {"role": "viewer"}),
            (f"/teams/{team.pk}/", {"admin": "on"}),
        ):
            answers = []
            for email in ("bob@example.com", "nobody@example.com"):
                answered = as_alice.post(address, {"email": email, **fields}, follow=True)
                answers.append(page(answered).text.replace(email, "x"))
                Invitation.objects.all().delete()
            assert answers[0] == answers[1]

    def test_opens_nothing_before_it_is_accepted(self, as_alice, bob, project, team):
        as_bob = visitor_of(bob)
        share(as_alice, project)
        as_alice.post(f"/teams/{team.pk}/", {"email": "bob@example.com", "admin": "on"})

        assert as_bob.get(f"/projects/{project.pk}/").status_code == 404
        assert not bob.memberships.exists()
        for invitation in Invitation.objects.all():
            assert answer(as_bob, invitation, "accept").status_code == 302
        assert as_bob.get(f"/projects/{project.pk}/").status_code == 200
        assert bob.memberships.get().is_admin
        assert audit.verify_chain().problems == []

    def test_changes_the_role_of_who_has_access_at_once(self, as_alice, bob, project):
        share(as_alice, project)
        invitations.accept(Invitation.objects.get().pk, bob)

        share(as_alice, project, role="editor")

        assert project.shares.get().role == "editor"
        assert not Invitation.objects.exists()

    def test_changes_a_role_in_its_row_and_invites_nobody_who_has_left(self, as_alice, bob, project):
        share(as_alice, project)
        invitations.accept(Invitation.objects.get().pk, bob)
        address = f"/projects/{project.pk}/people/"
        form = {"do": "change", "email": bob.email, "role": "editor"}

        shown = page(as_alice.get(address))
        as_alice.post(address, form)

        assert shown.all("select", **{"aria-label": f"Role of {bob.email}"})
        assert project.shares.get().role == "editor"
        project.shares.all().delete()
        as_alice.post(address, form)
        assert not Invitation.objects.exists()

    def test_again_says_from_which_role_to_which(self, as_alice, bob, project):
        share_project(project, bob, role="editor")
        address = f"/projects/{project.pk}/people/"

        def said(role):
            sent = {"email": bob.email, "role": role}
            return page(as_alice.post(address, sent, follow=True)).text

        assert f"The role of {bob.email} was changed from Editor to Viewer." in said("viewer")
        assert f"{bob.email} already has the role Viewer." in said("viewer")

    def test_again_replaces_the_invitation(self, as_alice, bob, project):
        share(as_alice, project)
        share(as_alice, project, role="editor")

        assert Invitation.objects.get().role == "editor"


def shown_link(answered):
    """Return the path of the link that the answer to an invitation shows, with its text."""
    shown = page(answered)
    [field] = shown.all("input", **LINK)
    return field["value"].removeprefix("http://testserver"), shown.text


class TestWithoutMail:
    def test_shows_the_link_at_once_and_says_that_no_mail_is_sent(self, as_alice, bob, project, team):
        before = page(as_alice.get(f"/projects/{project.pk}/people/"))
        link, text = shown_link(share(as_alice, project))
        of_team, text_of_team = shown_link(as_alice.post(f"/teams/{team.pk}/", {"email": "bob@example.com"}))

        assert "This server sends no mail: you get a link" in before.text
        for each in (text, text_of_team):
            assert "This server sends no mail, so send this link to bob@example.com yourself." in each
        assert not before.all("input", **LINK)
        for each in (link, of_team):
            assert "Sign in as bob@example.com" in page(visitor_of(bob).get(each)).text

    def test_tells_nobody_who_has_an_account(self, as_alice, bob, project, visitor):
        read = []
        for email in ("bob@example.com", "nobody@example.com"):
            link, _text = shown_link(share(as_alice, project, email))
            read.append(page(visitor.post(link, NEW)).text.replace(email, "x"))

        assert read[0] == read[1]
        assert "Without an account, ask the administrator" in read[0]
        assert not User.objects.filter(email="nobody@example.com").exists()

    def test_lets_the_link_of_an_administrator_create_the_account(self, as_alice, alice, project, visitor):
        User.objects.filter(pk=alice.pk).update(is_superuser=True)

        link, text = shown_link(share(as_alice, project, "new@example.com"))
        visitor.post(link, NEW)

        assert "can create one with it" in text
        assert project.shares.get().user.email == "new@example.com"
        assert User.objects.get(email="new@example.com").check_password("a new long one")

    def test_is_what_holds_the_link_back(self, as_alice, project, mail_server):
        answered = share(as_alice, project)

        assert answered.status_code == 302
        assert not page(as_alice.get(answered.url)).all("input", **LINK)


class TestTheInvited:
    def test_hear_of_it_at_the_sign_in_and_may_decline(self, as_alice, bob, project):
        share(as_alice, project)
        visitor = Client()
        sign_in(visitor, "bob@example.com", "bob-password")

        shown = page(visitor.get("/invitations/"))
        assert "You have been invited" in shown.text
        assert "Project “Service line”" in shown.text
        assert "A viewer sees everything in the project and changes nothing." in shown.text
        assert f"{moment(Invitation.objects.get().expires_at)}" in shown.text
        answer(visitor, Invitation.objects.get(), "decline")
        assert not project.shares.exists()
        assert AuditEvent.objects.filter(action="invitation.declined", actor=bob).exists()

    @pytest.mark.parametrize("do", ["accept", "decline", "withdraw"])
    def test_are_the_only_ones_to_answer(self, as_alice, as_carol, bob, project, do):
        share(as_alice, project)

        assert answer(as_carol, Invitation.objects.get(), do).status_code == 404
        assert Invitation.objects.exists()

    def test_accept_once(self, as_alice, bob, project):
        share(as_alice, project)
        invitation, as_bob = Invitation.objects.get(), visitor_of(bob)

        assert [answer(as_bob, invitation, "accept").status_code for _ in range(2)] == [302, 404]

    @pytest.mark.parametrize("end", ["old", "withdrawn", "sender deactivated", "sender lost the right"])
    def test_cannot_accept_what_has_ended(self, as_alice, alice, bob, carol, project, end):
        share(as_alice, project)
        invitation = Invitation.objects.get()
        if end == "old":
            Invitation.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
        elif end == "withdrawn":
            assert answer(as_alice, invitation, "withdraw").status_code == 302
        elif end == "sender deactivated":
            services.deactivate_user(alice)
        else:
            type(project).objects.update(owner=carol)

        assert answer(visitor_of(bob), invitation, "accept").status_code == 404
        assert not project.shares.exists()


class TestTheLink:
    def test_creates_the_account_of_its_e_mail_once(self, as_alice, visitor, project, mail_server):
        share(as_alice, project, "new@example.com", "editor")
        link = link_in_mail()

        shown = page(visitor.get(link))
        assert shown.all("input", name="new_password1")
        said = f"alice@example.com invites you to the project “{project.name}”, with the role Editor."
        assert f"{said} An editor also uploads, reviews," in shown.text
        assert not page(as_alice.get(link)).all("nav")
        assert visitor.post(link, NEW)["Location"] == "/"

        user = User.objects.get(email="new@example.com")
        assert user.check_password("a new long one")
        assert project.shares.get(user=user).role == "editor"
        assert visitor.get(f"/projects/{project.pk}/").status_code == 200
        gone = page(Client().get(link), 404)
        assert "no longer valid" in gone.text
        assert gone.all("a", href="/login/")
        assert Client().post(link, NEW).status_code == 404

    def test_offers_language_and_theme_also_to_who_is_signed_in(self, as_alice, project):
        link, _text = shown_link(share(as_alice, project, "new@example.com"))

        shown = page(as_alice.get(link))

        assert shown.all("form", action="/preferences/language/")
        assert shown.all("form", action="/preferences/theme/")
        assert not shown.all("form", action="/logout/")  # the page is that of another person
        assert "Signed in as" not in shown.text

    def test_leads_who_has_an_account_to_the_sign_in(self, as_alice, bob, visitor, project, mail_server):
        share(as_alice, project)
        link = link_in_mail()

        assert page(visitor.post(link, NEW)).all("a", href="/invitations/")
        bob.refresh_from_db()
        assert bob.check_password("bob-password")

    def test_creates_none_unless_the_operator_allows_it(
        self, as_alice, visitor, project, mail_server, settings
    ):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, invited_sign_up=False)
        share(as_alice, project, "new@example.com")

        assert "ask the administrator of this server" in page(visitor.post(link_in_mail(), NEW)).text
        assert not User.objects.filter(email="new@example.com").exists()

    def test_refuses_a_weak_password(self, as_alice, visitor, project, mail_server):
        share(as_alice, project, "new@example.com")

        weak = {"new_password1": "short", "new_password2": "short"}
        assert visitor.post(link_in_mail(), weak).status_code == 400
        assert not User.objects.filter(email="new@example.com").exists()

    def test_says_who_invites_to_what_in_its_subject(self, as_alice, project, mail_server):
        project.name = "Service\nline"
        project.save()
        share(as_alice, project, "new@example.com")
        mail.wait_until_sent()

        [sent] = outbox.outbox
        assert sent.subject == "alice@example.com invites you to the project “Service line”"
        assert ">Accept the invitation</a>" in sent.alternatives[0][0]
        assert sent.body.startswith(f"{sent.subject}. Callscope scores customer calls")
        assert "Accept the invitation, or decline it, within two weeks:\nhttps://" in sent.body

    def test_names_the_team_or_the_product_alone(self, as_alice, alice, team, mail_server):
        User.objects.filter(pk=alice.pk).update(is_superuser=True)
        as_alice.post(f"/teams/{team.pk}/", {"email": "new@example.com"})
        as_alice.post("/users/", {"email": "other@example.com"})
        visitor_of(alice, headers={"accept-language": "es"}).post("/users/", {"email": "tercero@example.com"})
        mail.wait_until_sent()

        to_team, alone, spanish = outbox.outbox
        assert to_team.subject == "alice@example.com invites you to the team “North”"
        assert alone.subject == "alice@example.com invites you to Callscope"
        assert "Callscope in Callscope" not in alone.body
        assert spanish.subject == "alice@example.com le invita a participar en Callscope"
        assert ">Aceptar la invitación</a>" in spanish.alternatives[0][0]

    def test_is_from_the_organization_where_it_has_a_name(self, as_alice, project, mail_server):
        organization.set_name("Union")
        share(as_alice, project, "new@example.com")
        mail.wait_until_sent()

        [sent] = outbox.outbox
        assert sent.subject == f"alice@example.com invites you to the project “{project.name}” at Union"
        assert f"the project “{project.name}” at Union. Callscope scores" in sent.body
        assert sent.from_email.startswith('"Union" <')

    def test_is_not_sent_without_end(self, as_alice, project, mail_server):
        said = []
        for _ in range(5):
            share(as_alice, project, "new@example.com")
            said.append(page(as_alice.get(f"/projects/{project.pk}/people/")).text)
        mail.wait_until_sent()

        assert len(outbox.outbox) == 3
        assert Invitation.objects.count() == 1
        assert all("A mail to new@example.com is on its way." in each for each in said[:3])
        for each in said[3:]:
            assert "is on its way" not in each
            assert "new@example.com was invited, but no mail was sent" in each

    def test_keeps_the_link_of_the_mail_before_where_none_is_sent(
        self, as_alice, visitor, project, mail_server
    ):
        for _ in range(5):
            share(as_alice, project, "new@example.com")

        assert visitor.get(link_in_mail()).status_code == 200

    def test_is_stored_as_a_hash(self, as_alice, project, mail_server):
        share(as_alice, project, "new@example.com")

        token = link_in_mail().rstrip("/").rpartition("/")[2]
        assert Invitation.objects.get().token_digest != token
        assert not Invitation.objects.filter(token_digest__contains=token).exists()


class TestTooManyMails:
    """An address that has had enough mails gets none, and what an earlier link does, it does as before."""

    @pytest.fixture(autouse=True)
    def no_mail_is_left(self, monkeypatch):
        monkeypatch.setattr(invitations, "_may_mail", lambda email, by: False)

    def invite(self, alice, project):
        return invitations.send("new@example.com", "viewer", project=project, by=alice)

    def test_gives_no_account_to_who_knows_a_link_that_was_shown(self, alice, project, request):
        shown = self.invite(alice, project)
        assert shown.token
        assert not shown.invitation.creates_account
        request.getfixturevalue("mail_server")

        kept = self.invite(alice, project).invitation

        assert kept.token_digest == shown.invitation.token_digest
        assert not kept.creates_account

    def test_keeps_a_link_that_was_mailed(self, alice, project, mail_server):
        mailed, _ = invitations.invite(
            "new@example.com", "viewer", project=project, by=alice, creates_account=True
        )

        kept = self.invite(alice, project).invitation

        assert (kept.token_digest, kept.creates_account) == (mailed.token_digest, True)

    def test_does_not_revive_a_link_that_has_expired(self, alice, project, mail_server):
        old, _ = invitations.invite("new@example.com", "viewer", project=project, by=alice)
        Invitation.objects.update(expires_at=timezone.now() - dt.timedelta(days=1))

        assert self.invite(alice, project).invitation.token_digest != old.token_digest

    def test_promises_no_link_where_there_was_none(self, as_alice, project, mail_server):
        share(as_alice, project, email="new@example.com")

        said = page(as_alice.get(f"/projects/{project.pk}/people/")).text
        assert "no mail was sent" in said
        assert "The link of an earlier mail, if there was one, works until it expires." in said
