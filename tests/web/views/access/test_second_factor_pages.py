"""The second factor at the sign-in, and the page that sets it up."""

import dataclasses

import pyotp
import pytest
from django.test import Client

from callscope.accounts import second_factor
from callscope.accounts.models import AuditEvent
from callscope.accounts.sign_in_limits import CODES
from tests.web.conftest import page, visitor_of
from tests.web.views.test_session import sign_in

pytestmark = pytest.mark.django_db

PAGE = "/account/second-factor/"


@pytest.fixture
def secret(alice):
    """Alice has an app; the code that confirmed it is two steps old."""
    secret = second_factor.start_setup(alice)
    second_factor.confirm(alice, pyotp.TOTP(secret).now())
    alice.second_factor.refresh_from_db()
    alice.second_factor.last_step -= 2
    alice.second_factor.save()
    return secret


@pytest.fixture
def required(settings):
    settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, second_factor="required")


def show(client, code):
    return client.post("/login/code/", {"code": code})


def now_code(secret):
    return pyotp.TOTP(secret).now()


class TestSignIn:
    def test_needs_password_and_code(self, visitor, alice, secret):
        asked = sign_in(visitor, next="/calls/?sentiment=negative")

        assert asked["Location"] == "/login/code/"
        assert visitor.get("/calls/").status_code == 302
        assert visitor.get("/api/projects/").status_code == 401
        assert page(visitor.get("/login/code/")).all("input", name="code")
        assert show(visitor, now_code(secret))["Location"] == "/calls/?sentiment=negative"
        assert visitor.get("/calls/").status_code == 200
        assert AuditEvent.objects.get(action="user.signed_in").detail == {"second_factor": True}

    def test_refuses_a_code_that_was_used(self, visitor, alice, secret):
        code = now_code(secret)
        sign_in(visitor)
        show(visitor, code)
        other = Client()
        sign_in(other)

        assert "already used" in page(show(other, code), 400).text

    def test_takes_a_recovery_code(self, visitor, alice, secret):
        codes = second_factor.make_recovery_codes(alice)
        sign_in(visitor)

        assert show(visitor, codes[0]).status_code == 302
        assert visitor.get("/calls/").status_code == 200

    def test_lets_codes_be_tried_a_few_times(self, visitor, alice, secret):
        sign_in(visitor)
        statuses = [show(visitor, "000000").status_code for _ in range(CODES.pair.free)]

        assert statuses == [400] * (CODES.pair.free - 1) + [429]
        answer = show(visitor, now_code(secret))
        assert "Too many wrong codes." in page(answer, 429).text
        assert int(answer["Retry-After"]) > 0

    def test_asks_nobody_who_has_not_shown_a_password(self, visitor, alice, secret):
        assert show(visitor, now_code(secret))["Location"] == "/login/"
        assert visitor.get("/calls/").status_code == 302

    @pytest.mark.parametrize("change", ["password", "deactivated", "time"])
    def test_is_over_when_something_changed_meanwhile(self, visitor, alice, secret, change, monkeypatch):
        sign_in(visitor)
        if change == "time":
            monkeypatch.setattr("callscope.interfaces.web.views.session_start.time.time", lambda: 9e9)
        alice.is_active = change != "deactivated"
        if change == "password":
            alice.set_password("another password")
        alice.save()

        assert show(visitor, now_code(secret))["Location"] == "/login/"


class TestThePage:
    def test_sets_up_after_the_password_and_ends_other_sessions(self, as_alice, alice):
        elsewhere = visitor_of(alice)
        assert (
            "The password is wrong." in page(as_alice.post(PAGE, {"do": "start", "password": "x"}), 400).text
        )

        shown = page(as_alice.post(PAGE, {"do": "start", "password": "alice-password"}))
        secret = second_factor.start_setup(alice)
        assert shown.all("code", **{"data-key": secret})
        assert shown.all("svg", **{"class": "segno"})
        assert as_alice.post(PAGE, {"do": "confirm", "code": "000000"}).status_code == 400
        done = page(as_alice.post(PAGE, {"do": "confirm", "code": now_code(secret)}))

        assert len([each for each in done.texts if each.count("-") == 3]) == 10
        assert elsewhere.get("/account/").status_code == 302
        assert as_alice.get("/account/").status_code == 200

    @pytest.mark.parametrize("do", ["codes", "remove"])
    def test_changes_nothing_without_the_password(self, as_alice, alice, secret, do):
        before = set(alice.recovery_codes.values_list("digest", flat=True))

        assert as_alice.post(PAGE, {"do": do, "password": "wrong"}).status_code == 400

        assert second_factor.is_set_up(alice)
        assert set(alice.recovery_codes.values_list("digest", flat=True)) == before
        assert as_alice.post(PAGE, {"do": do, "password": "alice-password"}).status_code in (200, 302)
        assert set(alice.recovery_codes.values_list("digest", flat=True)) != before

    def test_lets_nobody_guess_the_password(self, as_alice, alice, secret):
        for _ in range(10):
            as_alice.post(PAGE, {"do": "remove", "password": "wrong"})

        assert as_alice.post(PAGE, {"do": "remove", "password": "alice-password"}).status_code == 429
        assert second_factor.is_set_up(alice)


class TestRequired:
    def test_opens_only_its_own_page_until_it_is_set_up(self, visitor, alice, required):
        sign_in(visitor)

        assert visitor.get("/calls/")["Location"] == PAGE
        assert visitor.get("/api/projects/").status_code == 403
        visitor.post(PAGE, {"do": "start", "password": "alice-password"})
        visitor.post(PAGE, {"do": "confirm", "code": now_code(second_factor.start_setup(alice))})
        assert visitor.get("/calls/").status_code == 200
        assert visitor.get("/api/projects/").status_code == 200

    def test_asks_a_session_from_before_to_sign_in_again(self, as_alice, alice, secret, required):
        assert as_alice.get(PAGE)["Location"] == "/login/"
        assert as_alice.get("/calls/").status_code == 302

    def test_leaves_keys_alone(self, alice, required):
        from tests.api.conftest import client_of

        assert client_of(alice).get("/api/projects/").status_code == 200


class TestKeepingWhatIsShownOnce:
    def test_offers_the_key_in_groups_and_to_copy(self, as_alice):
        shown = page(as_alice.post(PAGE, {"do": "start", "password": "alice-password"}))

        [key] = [each["data-key"] for each in shown.all("code") if each.get("data-key")]
        assert " ".join(key[at : at + 4] for at in range(0, len(key), 4)) in shown.text
        assert [each for each in shown.all("button") if "data-copy" in each]
        assert "autofocus" in shown.all("input", name="code")[0]

    def test_offers_the_recovery_codes_to_copy_and_to_save(self, as_alice, alice):
        key = second_factor.start_setup(alice)

        shown = page(as_alice.post(PAGE, {"do": "confirm", "code": now_code(key)}))

        assert [each for each in shown.all("button") if "data-copy" in each]
        assert shown.all("button", **{"data-save": "callscope-recovery-codes.txt"})
        assert "Set up. 10 recovery codes are left." in page(as_alice.get(PAGE)).text
