"""Whose key is this: what decides, and that how long it takes tells nothing."""

import datetime as dt
import hmac
import secrets

import pytest
from django.utils import crypto, timezone

from callscope.accounts import keys
from callscope.accounts.models import ApiKey


@pytest.fixture
def key(alice):
    return ApiKey.objects.create_key(name="k", user=alice)[1]


def owner_of(key):
    return keys.find_owner(key.partition(".")[0], key, now=timezone.now())


def same_but_for_the_last_letter(key):
    return key[:-1] + ("a" if key[-1] != "a" else "b")


class TestTheOwner:
    def test_is_found_by_the_whole_key_alone(self, key, alice):
        assert owner_of(key) == alice
        assert owner_of(same_but_for_the_last_letter(key)) is None
        assert owner_of("a" * 8 + key[8:]) is None

    def test_is_nobody_once_the_key_is_revoked_or_past(self, key):
        ApiKey.objects.update(expiry_date=timezone.now() - dt.timedelta(seconds=1))
        assert owner_of(key) is None

        ApiKey.objects.update(expiry_date=None, revoked=True)
        assert owner_of(key) is None


class _Compared:
    """Stands in the place of the comparison in constant time; remembers what it was given."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.pairs = []
        self.really = hmac.compare_digest

    def __call__(self, one, other):
        self.pairs.append((one, other))
        return self.answers.pop(0) if self.answers else self.really(one, other)


@pytest.fixture
def compared(monkeypatch):
    def stand_in(*answers):
        place = _Compared(*answers)
        # Django's constant_time_compare() reaches it by the first of these names.
        for module in (secrets, hmac):
            monkeypatch.setattr(module, "compare_digest", place)
        return place

    assert crypto.secrets is secrets
    return stand_in


class TestTheComparison:
    """An `==` in its place would not hear what the stand-in answers."""

    def test_in_constant_time_alone_refuses(self, key, compared):
        compared(False)

        assert owner_of(key) is None

    def test_in_constant_time_alone_accepts(self, key, alice, compared):
        compared(True)

        assert owner_of(same_but_for_the_last_letter(key)) == alice

    def test_is_of_two_hashes_and_never_of_what_was_sent(self, key, compared):
        seen = compared()

        owner_of(key)

        ((stored, sent),) = seen.pairs
        assert stored == sent == ApiKey.objects.get().hashed_key.encode()
        assert key.partition(".")[2].encode() not in stored

    def test_takes_the_same_steps_where_there_is_no_such_key(self, key, compared):
        seen = compared()

        for wrong in (same_but_for_the_last_letter(key), "a" * 8 + key[8:]):
            owner_of(wrong)

        known, unknown = seen.pairs
        assert [len(part) for part in known] == [len(part) for part in unknown]

    def test_lets_nobody_in_by_a_prefix_that_does_not_exist(self, key, compared):
        compared(True)

        assert owner_of("a" * 8 + key[8:]) is None

    def test_hashes_with_what_needs_no_rounds(self, key):
        # One hash of a random key is enough; a slow one at every request would not be.
        assert ApiKey.objects.get().hashed_key.startswith("sha512$$")


class TestTheStatement:
    def test_asks_by_the_prefix_and_never_by_the_secret(self, key, django_assert_num_queries):
        owner_of(key)  # the first of a minute is noted
        with django_assert_num_queries(1) as asked:
            owner_of(key)

        assert key.partition(".")[2] not in asked.captured_queries[0]["sql"]
        assert ApiKey.objects.get().hashed_key not in asked.captured_queries[0]["sql"]
