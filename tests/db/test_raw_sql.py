"""Statements written by hand answer alike on both databases, and pass the hooks of Django."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.transaction import TransactionManagementError

from callscope.db.raw_sql import fetch_prepared, fetch_rows

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("fetch", [fetch_rows, fetch_prepared])
class TestFetchRows:
    def test_binds_a_parameter_to_each_placeholder_in_order(self, fetch):
        statement = "SELECT CAST(%s AS INTEGER) - CAST(%s AS INTEGER), CAST(%s AS TEXT)"

        assert [tuple(row) for row in fetch(statement, [7, 5, "%s or ?"])] == [(2, "%s or ?")]

    def test_returns_an_empty_list_for_no_rows(self, fetch):
        assert fetch("SELECT 1 WHERE 1 = %s", [2]) == []

    def test_is_seen_by_wrappers_of_the_connection(self, fetch):
        seen = []

        def record(execute, sql, params, many, context):
            seen.append((sql, list(params)))
            return execute(sql, params, many, context)

        with connection.execute_wrapper(record):
            fetch("SELECT 1 WHERE 1 = %s", [1])

        assert seen == [("SELECT 1 WHERE 1 = %s", [1])]

    def test_raises_djangos_error_and_not_the_drivers(self, fetch):
        with pytest.raises(DatabaseError):
            fetch("SELECT nothing FROM nowhere WHERE 1 = %s", [1])


class TestFetchPrepared:
    @pytest.fixture(autouse=True)
    def on_postgresql(self):
        if connection.vendor != "postgresql":
            pytest.skip("SQLite keeps statements by itself")

    def test_lets_postgresql_plan_a_statement_once(self):
        for number in range(3):
            assert fetch_prepared("SELECT CAST(%s AS INTEGER) + 0 AS asked_again", [number]) == [(number,)]

        kept = "SELECT COUNT(*) FROM pg_prepared_statements WHERE statement LIKE %s"
        with connection.cursor() as cursor:
            cursor.execute(kept, ["%+ 0 AS asked_again"])
            assert cursor.fetchone() == (1,)

    def test_refuses_in_a_transaction_that_must_be_rolled_back(self):
        with transaction.atomic():
            transaction.set_rollback(True)
            with pytest.raises(TransactionManagementError):
                fetch_prepared("SELECT 1 WHERE 1 = %s", [1])
