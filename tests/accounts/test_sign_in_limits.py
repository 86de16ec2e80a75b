"""How often a password may be tried: by spelling, by address, by name, and by people who are known."""

import datetime as dt

import pytest
from django.utils import timezone

from callscope.accounts import sign_in_limits
from callscope.accounts.models import SignInCounter
from callscope.accounts.sign_in_limits import EMAIL, ORIGIN, PAIR, TooManyAttempts, start_attempt

pytestmark = pytest.mark.django_db
ALICE = "alice@example.com"
HERE, ELSEWHERE = "198.51.100.1", "203.0.113.9"


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands until a test moves it."""

    class Clock:
        now = timezone.now()

        def advance(self, seconds):
            self.now += dt.timedelta(seconds=seconds)

    clock = Clock()
    monkeypatch.setattr(sign_in_limits.timezone, "now", lambda: clock.now)
    return clock


def fail(times, email=ALICE, origin=HERE, **options):
    for _ in range(times):
        start_attempt(email, origin, **options)


def wait_of(email=ALICE, origin=HERE, **options):
    """Return the wait that refuses this attempt; None if it is let in."""
    try:
        start_attempt(email, origin, **options).cancel()
    except TooManyAttempts as error:
        return error.wait_s
    return None


class TestGuessesOfOneName:
    def test_wait_after_ten_under_any_spelling(self, clock):
        for spelling in [ALICE, "Alice@Example.com", " aLICE@example.com "] * 3:
            start_attempt(spelling, HERE)
        assert start_attempt("ALICE@EXAMPLE.COM", HERE).wait_s == 60

        assert wait_of(ALICE) == wait_of("Alice@example.com") == 60

    def test_wait_twice_as_long_each_time_and_a_quarter_of_an_hour_at_most(self, clock):
        fail(PAIR.free - 1)
        waits = []
        for _ in range(6):
            waits.append(start_attempt(ALICE, HERE).wait_s)
            clock.advance(waits[-1])

        assert waits == [60, 120, 240, 480, 900, 900]

    def test_are_forgotten_with_time(self, clock):
        fail(PAIR.free)
        clock.advance(PAIR.free * PAIR.forget_s)

        assert start_attempt(ALICE, HERE).wait_s == 0

    def test_are_forgiven_by_the_right_password(self, clock):
        fail(PAIR.free - 1)
        start_attempt(ALICE, HERE).succeed()

        fail(PAIR.free - 1)
        assert wait_of() is None

    def test_from_one_address_close_no_other(self, clock):
        fail(PAIR.free)

        assert wait_of(origin=HERE) == 60
        assert wait_of(origin=ELSEWHERE) is None

    def test_from_many_addresses_wait_as_well(self, clock):
        for number in range(EMAIL.free):
            start_attempt(ALICE, f"192.0.2.{number}")

        assert wait_of(origin=ELSEWHERE) == 60
        assert wait_of("bob@example.com", ELSEWHERE) is None

    def test_keep_nobody_out_of_a_place_that_is_known(self, clock):
        start_attempt(ALICE, HERE).succeed()
        for number in range(EMAIL.free):
            start_attempt(ALICE, f"192.0.2.{number}")

        assert wait_of(origin=ELSEWHERE) == 60
        assert wait_of(origin=HERE) is None
        clock.advance(sign_in_limits.KNOWN_FOR.total_seconds() - 1)
        assert wait_of(origin=HERE) is None

    def test_do_not_race_past_the_limit(self, clock):
        """Attempts that are still being checked count already."""
        attempts = [start_attempt(ALICE, HERE) for _ in range(PAIR.free)]

        assert wait_of() == 60
        assert [each.wait_s for each in attempts] == [0.0] * (PAIR.free - 1) + [60]


class TestGuessesFromOneAddress:
    def test_wait_whatever_name_they_try(self, clock):
        for number in range(ORIGIN.free):
            start_attempt(f"user-{number}@example.com", HERE)

        assert wait_of("new@example.com", HERE) == 60
        assert wait_of("new@example.com", ELSEWHERE) is None

    def test_count_a_network_of_ipv6_as_one(self):
        assert sign_in_limits.name_origin("2001:db8::1") == sign_in_limits.name_origin("2001:db8::ffff:1")
        assert sign_in_limits.name_origin("2001:db8::1") != sign_in_limits.name_origin("2001:db8:1::1")
        assert sign_in_limits.name_origin("::ffff:192.0.2.1") == "192.0.2.1"
        assert sign_in_limits.name_origin("<script>") == "unknown"


class TestPasswordsAskedInASession:
    def test_count_over_all_addresses(self, clock):
        for number in range(PAIR.free):
            start_attempt(ALICE, f"192.0.2.{number}", is_signed_in=True)

        assert wait_of(origin=ELSEWHERE, is_signed_in=True) == 60

    def test_do_not_wait_for_guesses_from_elsewhere(self, clock):
        for number in range(EMAIL.free):
            start_attempt(ALICE, f"192.0.2.{number}")

        assert wait_of(origin=ELSEWHERE) == 60
        assert wait_of(origin=ELSEWHERE, is_signed_in=True) is None


class TestCounters:
    def test_tell_neither_an_e_mail_nor_an_address(self, clock):
        fail(1)

        stored = str(list(SignInCounter.objects.values()))
        assert "alice" not in stored
        assert HERE not in stored

    def test_go_after_thirty_days(self, clock):
        fail(1)
        clock.advance(29 * 86_400)
        fail(1, "bob@example.com", ELSEWHERE)
        clock.advance(2 * 86_400)

        assert sign_in_limits.forget_old_counters(now=clock.now) == 3
        assert SignInCounter.objects.count() == 3

    def test_stay_out_of_a_backup(self):
        from callscope.pipeline.backup.archive import stored_models

        assert SignInCounter not in stored_models()
