"""Whose live key or session a body comes with."""

import datetime as dt

import pytest
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from callscope.accounts import keys
from callscope.accounts.models import ApiKey, Session
from callscope.interfaces.gate import senders

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _remember_nobody(monkeypatch):
    monkeypatch.setattr(senders, "_remembered", {})


def make_key(user) -> str:
    return str(ApiKey.objects.create_key(name="tests", user=user)[1])


@pytest.fixture
def session_key(client, alice):
    client.force_login(alice)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def with_cookie(key: str, *, prefix: str = "") -> dict[str, str]:
    return {"HTTP_COOKIE": f"theme=dark; {prefix}callscope_session={key}; csrftoken=x"}


class TestSender:
    def test_is_the_owner_of_a_live_key(self, alice):
        assert senders.find_user({"HTTP_AUTHORIZATION": f"Api-Key {make_key(alice)}"}) == alice.pk

    @pytest.mark.parametrize(
        "change", [{"revoked": True}, {"expiry_date": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)}]
    )
    def test_is_a_stranger_with_a_dead_key(self, alice, change):
        key = make_key(alice)
        ApiKey.objects.update(**change)
        assert senders.find_user({"HTTP_AUTHORIZATION": f"Api-Key {key}"}) is None

    def test_is_a_stranger_with_any_other_header_even_next_to_a_session(self, alice, session_key):
        key = make_key(alice)
        wrong = f"{key[:-1]}{'a' if key[-1] != 'a' else 'b'}"
        for header in (
            f"Api-Key {wrong}",
            f"Api-Key  {key}",
            f"Bearer {key}",
            "Api-Key " + "x" * 5000,
            "\x00",
        ):
            environ = {"HTTP_AUTHORIZATION": header, **with_cookie(session_key)}
            assert senders.find_user(environ) is None

    @pytest.mark.parametrize("prefix", ["", "__Host-"])
    def test_is_the_user_of_a_live_session(self, alice, session_key, prefix):
        assert senders.find_user(with_cookie(session_key, prefix=prefix)) == alice.pk

    def test_is_a_stranger_with_a_session_of_nobody_or_an_ended_one(self, alice, session_key):
        assert senders.find_user(with_cookie("a" * 32)) is None
        assert senders.find_user(with_cookie("\x00'; --")) is None
        assert senders.find_user({}) is None

        Session.objects.update(expire_date=timezone.now())
        assert senders.find_user(with_cookie(session_key)) is None

    def test_is_a_stranger_once_deactivated(self, alice, session_key):
        key = make_key(alice)
        alice.is_active = False
        alice.save()

        assert senders.find_user(with_cookie(session_key)) is None
        assert senders.find_user({"HTTP_AUTHORIZATION": f"Api-Key {key}"}) is None

    def test_is_asked_for_once_in_a_while(self, alice, django_assert_num_queries):
        environ = {"HTTP_AUTHORIZATION": f"Api-Key {make_key(alice)}"}
        assert senders.find_user(environ) == alice.pk

        with django_assert_num_queries(0):
            assert senders.find_user(environ) == alice.pk

    def test_is_a_stranger_while_the_database_does_not_answer(self, alice, monkeypatch):
        def fail(*_args, **_named):
            raise OperationalError

        environ = {"HTTP_AUTHORIZATION": f"Api-Key {make_key(alice)}"}
        with monkeypatch.context() as broken:
            broken.setattr(keys, "find_owner", fail)
            assert senders.find_user(environ) is None

        assert senders.find_user(environ) == alice.pk
