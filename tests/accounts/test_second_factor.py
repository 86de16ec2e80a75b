"""Codes of an app: each opens once, within its time; recovery codes too."""

import datetime as dt
from urllib.parse import parse_qs, unquote, urlsplit

import pyotp
import pytest
from django.utils import timezone

from callscope.accounts import audit, second_factor
from callscope.accounts.models import AuditEvent, RecoveryCode, SecondFactor
from callscope.accounts.organization import set_name

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 3, 2, 10, 0, 5, tzinfo=dt.UTC)


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = NOW

    monkeypatch.setattr(timezone, "now", lambda: Clock.now)
    return Clock


def code_at(secret, moment, steps=0):
    return pyotp.TOTP(secret).at(moment + dt.timedelta(seconds=30 * steps))


@pytest.fixture
def secret(alice, clock):
    secret = second_factor.start_setup(alice)
    assert second_factor.confirm(alice, code_at(secret, NOW))
    clock.now = NOW + dt.timedelta(minutes=5)
    return secret


class TestSetup:
    def test_counts_only_once_a_code_was_confirmed(self, alice, clock):
        secret = second_factor.start_setup(alice)

        assert second_factor.start_setup(alice) == secret  # a page that is loaded again shows the same
        assert not second_factor.is_set_up(alice)
        assert second_factor.confirm(alice, "000000") == []
        assert not second_factor.check_code(alice, code_at(secret, NOW))
        assert len(second_factor.confirm(alice, code_at(secret, NOW))) == 10
        assert second_factor.is_set_up(alice)
        assert second_factor.confirm(alice, code_at(secret, NOW, 1)) == []  # no second time

    def test_stores_neither_secret_nor_codes_readably(self, alice, clock):
        secret = second_factor.start_setup(alice)
        codes = second_factor.confirm(alice, code_at(secret, NOW))

        assert secret not in SecondFactor.objects.get().secret
        stored = set(RecoveryCode.objects.values_list("digest", flat=True))
        assert not stored & {code.replace("-", "") for code in codes}


class TestACode:
    def test_opens_once(self, alice, secret, clock):
        code = code_at(secret, clock.now)

        assert second_factor.check_code(alice, f"{code[:3]} {code[3:]}")
        assert not second_factor.check_code(alice, code)
        assert not second_factor.check_code(alice, code_at(secret, clock.now, -1))  # nor one from before it

    @pytest.mark.parametrize(("steps", "opens"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
    def test_opens_half_a_minute_early_or_late(self, alice, secret, clock, steps, opens):
        assert second_factor.check_code(alice, code_at(secret, clock.now, steps)) is opens

    def test_of_somebody_else_does_not_open(self, alice, bob, secret, clock):
        assert not second_factor.check_code(bob, code_at(secret, clock.now))

    def test_is_of_no_use_without_the_key_of_the_server(self, alice, secret, clock, settings):
        (recovery, *_rest) = second_factor.make_recovery_codes(alice)
        settings.SECRET_KEY = "another-key-another-key-another-key-another-key"

        assert not second_factor.check_code(alice, code_at(secret, clock.now))
        assert second_factor.check_code(alice, recovery)


class TestARecoveryCode:
    def test_opens_once_in_any_writing(self, alice, secret):
        codes = second_factor.make_recovery_codes(alice)

        assert second_factor.check_code(alice, codes[0].lower().replace("-", " "))
        assert not second_factor.check_code(alice, codes[0])
        assert AuditEvent.objects.get(action="user.recovery_code_used").detail == {"left": 9}
        assert audit.verify_chain().problems == []

    def test_ends_with_new_ones(self, alice, secret):
        old = second_factor.make_recovery_codes(alice)
        second_factor.make_recovery_codes(alice)

        assert not second_factor.check_code(alice, old[0])


def test_removal_takes_the_codes_along(alice, secret):
    codes = second_factor.make_recovery_codes(alice)

    assert second_factor.remove(alice)
    assert not second_factor.is_set_up(alice)
    assert not second_factor.check_code(alice, codes[0])
    assert not second_factor.remove(alice)


class TestTheQrCode:
    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("", "Callscope"),
            ("Copper Lane", "Copper Lane"),
            ("Lane: support", "Lane support"),
            (":", "Callscope"),
        ],
    )
    def test_bears_the_name_of_the_organization(self, alice, name, shown):
        set_name(name)

        address = urlsplit(second_factor.setup_address(alice, second_factor.start_setup(alice)))

        assert parse_qs(address.query)["issuer"] == [shown]
        assert unquote(address.path) == f"/{shown}:{alice.email}"
