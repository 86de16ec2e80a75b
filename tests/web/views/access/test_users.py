"""The pages on which administrators invite, deactivate and erase users."""

import dataclasses
import datetime as dt
import re
import smtplib
import threading

import pytest
from django.core import mail as outbox
from django.utils import timezone

from callscope.accounts import mail
from callscope.accounts.models import AuditEvent, SecondFactor, Team, User
from callscope.accounts.services import create_key, create_team, revoke_key
from callscope.calls.models import Agent, AgentUser, Call
from callscope.interfaces.web.views.access import users
from callscope.projects.models import Invitation, Project
from callscope.projects.services import share_project
from tests.web.conftest import bring, page, send_inline, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_root(db):
    return visitor_of(User.objects.create_user("root@example.com", "root-password", is_superuser=True))


@pytest.fixture
def mail_server(settings, monkeypatch):
    send_inline(monkeypatch)
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT, email_url="smtp://localhost", public_url="https://calls.example.com"
    )


def address(user):
    return f"/users/{user.pk}/erase/"


class TestUsers:
    def test_are_listed_for_administrators_alone(self, as_root, as_carol, alice, project):
        found = page(as_root.get("/users/"))

        assert "alice@example.com User active" in found.text
        assert found.all("a", href=f"/users/{alice.pk}/")
        assert as_carol.get("/users/").status_code == as_carol.get(address(alice)).status_code == 403
        assert as_carol.post(address(alice), {"email": alice.email}).status_code == 403
        assert User.objects.filter(pk=alice.pk).exists()

    def test_stand_in_the_menu_of_administrators_alone(self, as_root, as_carol):
        assert page(as_root.get("/account/")).all("a", href="/users/")
        assert not page(as_carol.get("/account/")).all("a", href="/users/")

    def test_leave_out_on_a_phone_what_is_as_usual(self, as_root, alice, bob, project):
        User.objects.filter(pk=bob.pk).update(is_active=False)

        html = as_root.get("/users/").content.decode()
        owner, left = (
            html.split(f">{user.email}</a>".replace("@", "<wbr>@"))[1].split("</tr>")[0]
            for user in (alice, bob)
        )

        assert 'class="blank" data-label="State">active' in owner
        assert 'class="n" data-label="Own projects">1' in owner
        assert '<td data-label="State"><span class="mark warn"><svg' in left and "deactivated" in left
        assert 'class="n blank" data-label="Own projects">0' in left

    def test_show_who_uses_a_second_factor_and_when_they_signed_in(self, as_root, alice, bob):
        SecondFactor.objects.create(user=alice, secret="x", confirmed_at=timezone.now())
        SecondFactor.objects.create(user=bob, secret="x")  # never confirmed
        User.objects.filter(pk=alice.pk).update(last_login=dt.datetime(2026, 3, 4, 5, 6, tzinfo=dt.UTC))

        found = page(as_root.get("/users/")).text

        assert "alice@example.com User active Mar 4, 2026 05:06 on" in found
        assert "bob@example.com User active never off" in found


def person_page(user):
    return f"/users/{user.pk}/"


def invite(visitor, email="new@example.com"):
    [shown] = page(visitor.post("/users/", {"email": email})).all(
        "input", **{"aria-label": "Link of the invitation"}
    )
    return shown["value"].removeprefix("http://testserver")


def refuse(*_given):
    raise smtplib.SMTPRecipientsRefused({"carol@example.com": (550, b"no such user")})


def change(visitor, user, do):
    return visitor.post(f"/users/{user.pk}/change/", {"do": do}, follow=True)


class TestInviting:
    def test_shows_the_link_that_creates_the_account_once(self, as_root, visitor):
        link = invite(as_root, "New@Example.com")

        assert "new@example.com" in page(as_root.get("/users/")).text  # waits, and can be withdrawn
        assert link not in as_root.get("/users/").content.decode()
        words = {"new_password1": "a-quiet-river-7", "new_password2": "a-quiet-river-7"}
        assert visitor.post(link, words).status_code == 302
        created = User.objects.get(email="new@example.com")
        assert created.check_password("a-quiet-river-7") and not created.is_superuser

    def test_gives_nobody_the_access_that_others_gave(self, as_root, as_alice, alice, project):
        """Anyone who sees the link could create the account and accept what waits for it."""
        as_alice.post(f"/projects/{project.pk}/people/", {"email": "new@example.com", "role": "viewer"})

        assert (
            "Others have given new@example.com access"
            in page(as_root.post("/users/", {"email": "new@example.com"}), 400).text
        )
        as_root.post("/teams/", {"name": "North"})
        team = Team.objects.get()
        answer = page(as_root.post(f"/teams/{team.pk}/", {"email": "new@example.com"}))
        assert "needs one from the administrator" in answer.text
        assert not Invitation.objects.filter(creates_account=True).exists()

    def test_gives_nobody_the_calls_of_a_linked_agent(self, as_root, project):
        agent = Agent.objects.create(owner=project.owner, name="Ana", name_key="ana")
        now = timezone.now()
        AgentUser.objects.create(created_at=now, project=project, email="ana@example.com", agent=agent)

        assert as_root.post("/users/", {"email": "Ana@example.com"}).status_code == 400

    def test_ends_when_its_sender_administers_no_more(self, as_root, visitor):
        link = invite(as_root)
        User.objects.filter(email="root@example.com").update(is_superuser=False)

        assert visitor.get(link).status_code == 404

    def test_can_be_withdrawn(self, as_root, as_carol, visitor):
        link = invite(as_root)
        invitation = Invitation.objects.get()

        assert as_carol.post(f"/invitations/{invitation.pk}/", {"do": "withdraw"}).status_code == 404
        assert as_root.post(f"/invitations/{invitation.pk}/", {"do": "withdraw"}).url == "/users/"
        assert visitor.get(link).status_code == 404

    def test_is_mailed_where_mail_is_set_up_whatever_others_may_invite(self, as_root, mail_server, visitor):
        answer = as_root.post("/users/", {"email": "new@example.com"}, follow=True)

        assert "A mail to new@example.com is on its way." in page(answer).text
        assert Invitation.objects.get().creates_account

    @pytest.mark.parametrize(
        "email", ["", "nobody", "alice@example.com", "a" * 300 + "@example.com", '"a\x85b"@example.com']
    )
    def test_refuses_what_is_no_e_mail_or_has_an_account(self, as_root, alice, email):
        answer = as_root.post("/users/", {"email": email})

        assert answer.status_code == 400
        assert not Invitation.objects.exists()

    def test_is_for_administrators(self, as_carol):
        assert as_carol.post("/users/", {"email": "new@example.com"}).status_code == 403


class TestSearch:
    def test_finds_users_by_a_part_of_their_e_mail_in_any_case(self, as_root, alice, bob):
        shown = page(as_root.get("/users/", {"search": " ALI"}))

        assert "1 user whose e-mail has “ALI”" in shown.text
        assert alice.email in shown.text
        assert bob.email not in shown.text
        assert shown.all("a", href="/users/")

    def test_keeps_the_words_on_the_next_page(self, as_root, monkeypatch, alice, bob, carol):
        monkeypatch.setattr(users, "PAGE_SIZE", 2)

        shown = page(as_root.get("/users/", {"search": "@example.com"}))

        assert "1 to 2" in shown.text
        assert shown.all("a", rel="next", href="?search=%40example.com&page=2")

    @pytest.mark.parametrize("search", ["nobody", "\x00", "%", "_"])
    def test_says_that_nobody_is_found(self, as_root, search):
        text = page(as_root.get("/users/", {"search": search})).text

        assert ("0 users whose e-mail has" in text) == (search != "\x00")


class TestOneUser:
    def test_is_shown_to_administrators_with_what_it_can_open(self, as_root, as_carol, alice, project):
        create_team("North", admin=alice)
        create_key(alice)
        revoke_key(create_key(alice)[0].prefix)

        found = page(as_root.get(person_page(alice))).text

        assert "Own projects Service line API keys 1 Teams North (Admin)" in found
        assert as_carol.get(person_page(alice)).status_code == 403
        assert as_root.get("/users/99999999999999999999/").status_code == 404

    def test_is_deactivated_and_activated_again(self, as_root, as_carol, carol):
        assert "carol@example.com is deactivated." in page(change(as_root, carol, "deactivate")).text
        assert as_carol.get("/calls/").status_code == 302
        assert not User.objects.get(pk=carol.pk).is_active
        assert "carol@example.com is active again." in page(change(as_root, carol, "activate")).text
        assert User.objects.get(pk=carol.pk).is_active
        event = AuditEvent.objects.get(action="user.deactivated")
        assert event.actor.email == "root@example.com"

    def test_is_signed_out_everywhere(self, as_root, as_carol, carol):
        assert "1 session ended." in page(change(as_root, carol, "sign_out")).text
        assert as_carol.get("/calls/").status_code == 302

    def test_gets_a_link_for_a_new_password_by_mail_alone(self, as_root, carol, mail_server, visitor):
        answer = change(as_root, carol, "send_password_link")

        mail.wait_until_sent()
        [sent] = outbox.outbox
        link = re.search(r"https://calls\.example\.com(/\S+)", sent.body)[1]
        event = AuditEvent.objects.get(action="user.password_link_sent")
        assert (event.actor.email, event.subject) == ("root@example.com", f"user {carol.pk}")
        assert sent.to == [carol.email] and "root@example.com" in sent.body
        said = f"A mail with a link was sent to {carol.email}: the mail server accepted it."
        assert said in page(answer).text
        assert "/reset" not in answer.content.decode() and link not in answer.content.decode()
        assert visitor.get(link, follow=True).status_code == 200

    def test_gets_a_link_of_which_the_page_says_whether_it_was_sent(
        self, as_root, carol, mail_server, monkeypatch
    ):
        monkeypatch.setattr(outbox.backends.locmem.EmailBackend, "send_messages", refuse)
        failed = page(change(as_root, carol, "send_password_link"))
        monkeypatch.setattr(mail, "_places", threading.Semaphore(0))  # too many wait
        dropped = page(change(as_root, carol, "send_password_link"))
        monkeypatch.setattr(mail, "send_later", lambda *_given, **_options: None)
        monkeypatch.setattr(mail, "MOST_WAIT_S", 0.0)
        unknown = page(change(as_root, carol, "send_password_link"))

        unsent = f"The mail with a link to {carol.email} could not be sent. Check the log of the server"
        assert unsent in failed.text and unsent in dropped.text
        assert f"A mail with a link is on its way to {carol.email}." in unknown.text

    def test_gets_no_more_than_a_few_links(self, as_root, carol, mail_server):
        for _ in range(5):
            answer = change(as_root, carol, "send_password_link")

        assert "several mails" in page(answer).text
        mail.wait_until_sent()
        assert len(outbox.outbox) == 3

    def test_gets_no_link_without_mail_or_without_a_password(self, as_root, carol):
        assert "No link can be sent" in page(change(as_root, carol, "send_password_link")).text
        assert "Send a link" not in page(as_root.get(person_page(carol))).text

    def test_is_left_alone_by_others_and_if_it_administers(self, as_root, as_carol, alice):
        other = User.objects.create_superuser("second@example.com", "root-password")

        assert change(as_carol, alice, "deactivate").status_code == 403
        assert "only be changed on the command line" in page(change(as_root, other, "deactivate")).text
        assert User.objects.filter(pk=other.pk, is_active=True).exists()
        assert change(as_root, alice, "x" * 5000).status_code == 200  # an unknown button changes nothing
        assert User.objects.filter(pk=alice.pk, is_active=True).exists()


class TestErasing:
    def test_somebody_without_projects_leaves_a_receipt_without_names(self, as_root, bob):
        answer = as_root.post(address(bob), {"email": " Bob@Example.com "})

        event = AuditEvent.objects.get(action="user.erased")
        assert answer.status_code == 200
        assert "Users: 1" in page(answer).text
        assert event.digest in page(answer).text
        assert "bob@" not in answer.content.decode()
        assert event.actor.email == "root@example.com"
        assert not User.objects.filter(pk=bob.pk).exists()

    def test_needs_the_e_mail_once_more(self, as_root, bob):
        answer = as_root.post(address(bob), {"email": "alice@example.com"})

        assert answer.status_code == 400
        assert "does not match" in answer.content.decode()
        assert User.objects.filter(pk=bob.pk).exists()

    def test_gives_projects_to_somebody_who_may_change_them_already(
        self, as_root, alice, bob, carol, project
    ):
        share_project(project, bob, "editor")
        share_project(project, carol, "viewer")

        form = page(as_root.get(address(alice)))
        assert "They are transferred to bob@example.com" in form.text
        assert "carol@example.com" not in form.text and "to root@example.com" not in form.text
        for chosen in ("", "99999999", str(carol.pk), str(User.objects.get(email="root@example.com").pk)):
            refused = as_root.post(address(alice), {"email": alice.email, "projects": chosen})
            assert refused.status_code == 400
        as_root.post(address(alice), {"email": alice.email, "projects": str(bob.pk)})

        assert Project.objects.get().owner == bob
        assert not User.objects.filter(pk=alice.pk).exists()

    def test_erases_projects_if_that_is_chosen(self, as_root, alice, project):
        bring(project, {"file_name": "zqjx.wav", "topic": "bill"})

        answer = as_root.post(address(alice), {"email": alice.email, "projects": "erase"})

        assert "Projects: 1 Calls: 1" in page(answer).text
        assert not Project.objects.exists() and not Call.objects.exists()
        assert not User.objects.filter(pk=alice.pk).exists()

    def test_of_the_only_admin_of_a_team_is_refused_before_anything_goes(self, as_root, alice, project):
        create_team("Sales", admin=alice)

        answer = as_root.post(address(alice), {"email": alice.email, "projects": "erase"})

        assert answer.status_code == 400
        assert "only admin of team" in answer.content.decode()
        assert Project.objects.count() == 1

    def test_of_an_administrator_is_for_the_command_line(self, as_root):
        root = User.objects.get(email="root@example.com")

        answer = as_root.post(address(root), {"email": root.email}, follow=True)

        assert "can only be erased on the command line" in page(answer).text
        assert User.objects.filter(pk=root.pk).exists()

    def test_of_nobody_is_404(self, as_root):
        assert as_root.get("/users/99999999999999999999/erase/").status_code == 404
