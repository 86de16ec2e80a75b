"""When sessions end, who can see and end them, and what the table gives away."""

import datetime as dt
import sqlite3

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from callscope.accounts import services, sessions
from callscope.accounts.models import AuditEvent, Session
from tests.web.conftest import page, visitor_of
from tests.web.views.test_session import sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = timezone.now()

        def advance(self, **span):
            self.now += dt.timedelta(**span)

    clock = Clock()
    monkeypatch.setattr(sessions.timezone, "now", lambda: clock.now)
    return clock


def is_signed_in(client):
    return client.get("/account/").status_code == 200


class TestASession:
    def test_ends_half_an_hour_after_the_latest_request(self, alice, clock):
        visitor = visitor_of(alice)
        for _ in range(3):
            clock.advance(minutes=29)
            assert is_signed_in(visitor)

        clock.advance(minutes=30)
        assert not is_signed_in(visitor)

    def test_ends_twelve_hours_after_the_sign_in_even_in_use(self, alice, clock):
        visitor = visitor_of(alice)
        for _ in range(35):
            clock.advance(minutes=20)
            assert is_signed_in(visitor)
            visitor.post("/account/", {"old_password": ""})  # stores a message or not: the end stays
        clock.advance(minutes=20)

        assert not is_signed_in(visitor)

    def test_has_a_cookie_of_that_age(self, alice):
        assert sign_in(Client()).cookies["callscope_session"]["max-age"] == 12 * 3600

    def test_is_noted_as_used_about_once_a_minute(self, alice, clock, django_assert_num_queries):
        visitor = visitor_of(alice)
        began = Session.objects.get().latest_at
        clock.advance(seconds=59)
        visitor.get("/account/")
        assert Session.objects.get().latest_at == began

        clock.advance(seconds=2)
        visitor.get("/account/")
        assert Session.objects.get().latest_at == clock.now

    def test_is_stored_without_what_the_browser_sends(self, alice):
        visitor = Client(HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko Firefox/140.0")
        sign_in(visitor)

        key = visitor.cookies["callscope_session"].value
        row = Session.objects.get()
        assert key not in str(Session.objects.values())
        thief = Client()
        thief.cookies["callscope_session"] = row.pk
        assert not is_signed_in(thief)
        assert (row.user, row.address, row.browser) == (alice, "127.0.0.1", "Firefox, Linux")

    def test_gets_a_new_key_at_the_sign_in(self, alice):
        visitor = Client()
        visitor.cookies["callscope_session"] = "x" * 32
        sign_in(visitor)

        assert visitor.cookies["callscope_session"].value != "x" * 32

    def test_stays_out_of_a_backup(self):
        from callscope.pipeline.backup.archive import stored_models

        assert Session not in stored_models()

    def test_is_deleted_once_it_has_ended(self, alice, bob, clock):
        visitor_of(alice)
        clock.advance(minutes=20)
        visitor_of(bob)
        clock.advance(minutes=20)

        assert sessions.forget_ended(now=clock.now) == 1
        assert Session.objects.get().user == bob


@pytest.mark.django_db(transaction=True)
def test_a_held_writer_delays_no_page(alice, clock):
    """A long import holds SQLite's writer: the use of a session is noted by a later request."""
    if connection.vendor != "sqlite":
        pytest.skip("other databases have more than one writer")
    visitor = visitor_of(alice)
    began = Session.objects.get().latest_at
    clock.advance(minutes=2)
    holder = sqlite3.connect(django_settings.DATABASES["default"]["NAME"], isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        assert is_signed_in(visitor)
    finally:
        holder.execute("ROLLBACK")
        holder.close()

    assert Session.objects.get().latest_at == began
    assert is_signed_in(visitor)
    assert Session.objects.get().latest_at == clock.now


class TestTheAccountPage:
    def test_lists_own_sessions_and_ends_one(self, alice, bob):
        here, there, stranger = visitor_of(alice), visitor_of(alice), visitor_of(bob)
        shown = page(here.get("/account/"))
        (other,) = shown.all("button", name="session")

        here.post("/account/sessions/end/", {"session": other["value"]})

        assert is_signed_in(here)
        assert not is_signed_in(there)
        assert is_signed_in(stranger)

    def test_ends_nobody_else_s_session(self, alice, bob):
        stranger = visitor_of(bob)
        theirs = Session.objects.get().pk

        visitor_of(alice).post("/account/sessions/end/", {"session": theirs})

        assert is_signed_in(stranger)

    def test_signs_out_everywhere(self, alice, bob):
        here, there, stranger = visitor_of(alice), visitor_of(alice), visitor_of(bob)

        answer = here.post("/account/sessions/end/")

        assert answer["Clear-Site-Data"] == '"cache", "storage"'
        assert not is_signed_in(here)
        assert not is_signed_in(there)
        assert is_signed_in(stranger)
        assert AuditEvent.objects.get(action="user.signed_out").detail == {"sessions": 2}

    def test_lists_no_session_that_a_new_password_ended(self, alice):
        here, _there = visitor_of(alice), visitor_of(alice)
        fields = {"new_password1": "a new long one", "new_password2": "a new long one"}

        here.post("/account/", {"old_password": "alice-password", **fields})

        assert Session.objects.filter(user=alice).count() == 1
        assert is_signed_in(here)


class TestServices:
    def test_a_new_password_ends_all_sessions(self, alice):
        visitor = visitor_of(alice)

        services.set_password(alice, "another long one")

        assert not is_signed_in(visitor)
        assert alice.check_password("another long one")
        assert AuditEvent.objects.filter(action="user.password_set").count() == 1
