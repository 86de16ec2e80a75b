"""A snapshot reads as of one moment, and leaves the connection as it was."""

import pytest
from django.db import connection, transaction

from callscope.db.snapshot import snapshot

pytestmark = pytest.mark.django_db(transaction=True)
SHOW = "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')"


def read_settings():
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL has levels of isolation")
    with connection.cursor() as cursor:
        cursor.execute(SHOW)
        return cursor.fetchone()


class TestSnapshot:
    def test_is_repeatable_and_writes_nothing(self):
        with snapshot():
            assert read_settings() == ("repeatable read", "on")

    def test_leaves_later_transactions_as_they_were(self):
        before = read_settings()
        with snapshot():
            read_settings()

        assert read_settings() == before == ("read committed", "off")
        with transaction.atomic():
            assert read_settings() == before

    def test_leaves_them_so_after_an_error(self):
        with pytest.raises(ZeroDivisionError), snapshot():
            read_settings()
            raise ZeroDivisionError

        assert read_settings() == ("read committed", "off")

    def test_leaves_an_open_transaction_alone(self):
        with transaction.atomic(), snapshot():
            assert read_settings() == ("read committed", "off")
