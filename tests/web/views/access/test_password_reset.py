"""A forgotten password: the same answer for everybody, a link that opens once, other sessions ended."""

import dataclasses
import re

import pytest
from django.core import mail as outbox

from callscope.accounts import audit, mail, organization
from callscope.accounts.models import AuditEvent, User
from callscope.accounts.sign_in_limits import MAILS
from tests.web.conftest import page, visitor_of
from tests.web.views.test_session import sign_in

pytestmark = pytest.mark.django_db

NEW = {"new_password1": "a new long one", "new_password2": "a new long one"}


@pytest.fixture(autouse=True)
def mail_server(settings):
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT, email_url="smtp://localhost", public_url="https://calls.example.com"
    )


def ask(visitor, email="alice@example.com", **headers):
    return visitor.post("/password/forgotten/", {"email": email}, **headers)


def sent():
    mail.wait_until_sent()
    return outbox.outbox


def open_link(visitor):
    """Open the link of the newest mail; return the page's address, where Django has hidden the token."""
    link = re.search(r"https://calls\.example\.com(/\S+)", sent()[-1].body)[1]
    answer = visitor.get(link)
    return answer["Location"] if answer.status_code == 302 else link


class TestAsking:
    def test_answers_alike_whether_or_not_there_is_an_account(self, visitor, alice):
        known = page(ask(visitor, "Alice@Example.com"))
        unknown = page(ask(visitor, "nobody@example.com"))

        assert known.text.replace("alice@", "x@") == unknown.text.replace("nobody@", "x@")
        assert [each.to for each in sent()] == [["alice@example.com"]]

    def test_links_to_our_own_address_whatever_the_request_says_of_its_host(self, visitor, alice, settings):
        settings.ALLOWED_HOSTS = ["*"]

        ask(visitor, headers={"host": "evil.example"})

        assert "https://calls.example.com/password/" in sent()[0].body
        assert "evil" not in sent()[0].body

    def test_names_the_organization_or_else_the_product(self, visitor, alice):
        ask(visitor)
        organization.set_name("Union")
        ask(visitor)

        before, after = sent()
        assert before.subject == "Your new password for Callscope"
        assert after.subject == "Your new password for Union"
        assert "asked for a new password for Union." in after.body

    def test_sends_nothing_to_who_has_no_password_or_was_deactivated(self, visitor, alice):
        User.objects.create_user("keys@example.com")
        alice.is_active = False
        alice.save()

        ask(visitor)
        ask(visitor, "keys@example.com")

        assert sent() == []

    @pytest.mark.parametrize("email", ["alice@example.com", "nobody@example.com"])
    def test_is_limited_for_everybody_alike(self, visitor, alice, email):
        statuses = [ask(visitor, email).status_code for _ in range(MAILS.pair.free + 2)]

        assert statuses == [200] * MAILS.pair.free + [429] * 2
        assert "Wait 1 minute" in page(ask(visitor, email), 429).text
        assert sign_in(visitor).status_code == 302  # passwords are counted apart

    def test_is_not_there_without_a_mail_server(self, visitor, settings):
        assert page(visitor.get("/login/")).all("a", href="/password/forgotten/")
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, email_url="")

        assert ask(visitor).status_code == 404
        assert not page(visitor.get("/login/")).all("a", href="/password/forgotten/")

    def test_speaks_the_language_of_the_page(self, visitor, alice):
        ask(visitor, headers={"accept-language": "es"})

        assert "contraseña" in sent()[0].subject


class TestTheLink:
    def test_says_in_plain_words_what_to_repeat(self, visitor, alice):
        ask(visitor)
        text = page(visitor.get(open_link(visitor))).text

        assert "Repeat the new password." in text
        assert "alice@example.com" in text
        assert "for verification" not in text

    def test_sets_a_password_once_and_ends_all_sessions(self, visitor, alice):
        elsewhere = visitor_of(alice)
        ask(visitor)
        address = open_link(visitor)

        assert visitor.post(address, NEW)["Location"] == "/login/"

        alice.refresh_from_db()
        assert alice.check_password("a new long one")
        assert elsewhere.get("/account/").status_code == 302
        assert "no longer valid" in page(visitor.get(open_link(visitor))).text
        assert AuditEvent.objects.filter(action="user.password_reset", actor=alice).exists()
        assert audit.verify_chain().problems == []

    def test_leads_to_a_sign_in_that_has_the_e_mail_once(self, visitor, alice):
        ask(visitor)
        visitor.post(open_link(visitor), NEW)

        shown, again = (page(visitor.get("/login/")).all("input", name="username")[0] for _ in range(2))

        assert shown["value"] == "alice@example.com"
        assert not again.get("value")

    def test_does_not_open_after_its_hour(self, visitor, alice, settings):
        ask(visitor)
        settings.PASSWORD_RESET_TIMEOUT = -1

        assert "no longer valid" in page(visitor.get(open_link(visitor))).text

    def test_does_not_open_after_a_sign_in(self, visitor, alice):
        ask(visitor)
        sign_in(visitor)

        assert "no longer valid" in page(visitor.get(open_link(visitor))).text

    def test_refuses_a_weak_password(self, visitor, alice):
        ask(visitor)
        weak = {"new_password1": "short", "new_password2": "short"}

        assert "too short" in page(visitor.post(open_link(visitor), weak)).text
        alice.refresh_from_db()
        assert alice.check_password("alice-password")

    @pytest.mark.parametrize(
        "address", ["/password/x/y/", "/password/MQ/c-0/", "/password/%00/set-password/"]
    )
    def test_of_somebodys_invention_opens_nothing(self, visitor, alice, address):
        assert "no longer valid" in page(visitor.get(address)).text


class TestSending:
    def test_that_fails_is_logged_without_the_address(self, visitor, alice, settings, caplog):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1

        assert ask(visitor).status_code == 200

        mail.wait_until_sent()
        assert [each.message for each in caplog.records] == [
            "A mail could not be sent: ConnectionRefusedError."
        ]
