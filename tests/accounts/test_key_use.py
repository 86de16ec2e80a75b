"""When a key was used last: noted, and not at every request."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from callscope.accounts import keys, services
from callscope.accounts.models import ApiKey

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 3, 2, 10, 0, tzinfo=dt.UTC)


def use(plaintext, now):
    """Return how many statements one request of the key costs here."""
    with CaptureQueriesContext(connection) as queries:
        assert keys.find_owner(plaintext[:8], plaintext, now=now)
    return len([each for each in queries if "PRAGMA" not in each["sql"]])


class TestTheLastUse:
    def test_is_written_once_a_minute_at_most(self, alice):
        key, plaintext = services.create_key(alice, name="k")
        key.refresh_from_db()
        assert key.used_at is None

        assert use(plaintext, NOW) == 2
        assert use(plaintext, NOW + dt.timedelta(seconds=59)) == 1
        key.refresh_from_db()
        assert key.used_at == NOW

        later = NOW + dt.timedelta(seconds=61)
        assert use(plaintext, later) == 2
        key.refresh_from_db()
        assert key.used_at == later

    def test_is_not_written_for_a_key_that_is_refused(self, alice):
        key, plaintext = services.create_key(alice, name="k")
        ApiKey.objects.update(revoked=True)

        assert keys.find_owner(key.prefix, plaintext, now=timezone.now()) is None

        key.refresh_from_db()
        assert key.used_at is None


class TestScope:
    def test_is_everything_for_a_key_that_names_none(self, alice):
        _key, plaintext = services.create_key(alice, name="k")

        owner = keys.find_owner(plaintext[:8], plaintext, now=NOW)

        assert (owner.key_is_read_only, owner.key_project_id) == (False, None)

    def test_of_another_name_is_refused(self, alice):
        with pytest.raises(
            services.InvalidAccount, match=r'"admin" is not a scope of a key\. Allowed: read, write\.'
        ):
            services.create_key(alice, name="k", scope="admin")
