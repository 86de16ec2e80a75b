"""Statements written by hand answer alike on both databases, and pass the hooks of Django."""

import pytest
from django.db import DatabaseError, connection

from callscope.db.raw_sql import fetch_rows

pytestmark = pytest.mark.django_db


class TestFetchRows:
    def test_binds_a_parameter_to_each_placeholder_in_order(self):
        statement = "SELECT CAST(%s AS INTEGER) - CAST(%s AS INTEGER), CAST(%s AS TEXT)"

        assert [tuple(row) for row in fetch_rows(statement, [7, 5, "%s or ?"])] == [(2, "%s or ?")]

    def test_returns_an_empty_list_for_no_rows(self):
        assert fetch_rows("SELECT 1 WHERE 1 = %s", [2]) == []

    def test_is_seen_by_wrappers_of_the_connection(self):
        seen = []

        def record(execute, sql, params, many, context):
            seen.append((sql, list(params)))
            return execute(sql, params, many, context)

        with connection.execute_wrapper(record):
            fetch_rows("SELECT 1 WHERE 1 = %s", [1])

        assert seen == [("SELECT 1 WHERE 1 = %s", [1])]

    def test_raises_djangos_error_and_not_the_drivers(self):
        with pytest.raises(DatabaseError):
            fetch_rows("SELECT nothing FROM nowhere WHERE 1 = %s", [1])
