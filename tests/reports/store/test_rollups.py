"""A rollup holds the aggregates of a day or month, and its stamp is a digest of its content."""

import pytest
from django.db import connection
from reports.fact_rows import DAY, make_fact

from callscope.reports.models import Rollup
from callscope.reports.store.aggregate import aggregate_calls, call_matrix, criterion_entries
from callscope.reports.store.aggregates import TABLES, Aggregates, merge
from callscope.reports.store.rollups import (
    FIGURES,
    LISTING,
    MAPS,
    RollupKey,
    build_rollup,
    changes_by_rollup,
    decode_rollup,
    write_lock,
)
from callscope.reports.window import month_of

KEY = RollupKey(1, Rollup.Level.DAY, DAY)


def aggregate(*rows):
    return aggregate_calls(call_matrix(rows), criterion_entries(rows))


class TestBuildRollup:
    def test_keeps_everything_in_its_parts(self):
        aggregates = aggregate(make_fact(agent_id=1), make_fact(max_points=4, sentiment=3))

        rollup = build_rollup(KEY, aggregates)

        assert merge(decode_rollup(rollup)) == aggregates
        assert (rollup.project_id, rollup.level, rollup.first_day, rollup.calls) == (1, 1, DAY, 2)
        assert sorted((*FIGURES, *LISTING, *MAPS)) == sorted(TABLES)

    def test_is_none_for_a_day_without_calls(self):
        assert build_rollup(KEY, Aggregates()) is None

    def test_has_the_stamp_of_its_content_alone(self):
        one = build_rollup(KEY, aggregate(make_fact(), make_fact(topic_id=3)))
        same = build_rollup(
            RollupKey(2, Rollup.Level.MONTH, 5), aggregate(make_fact(topic_id=3), make_fact())
        )
        other = build_rollup(KEY, aggregate(make_fact(), make_fact(topic_id=4)))

        assert one.stamp == same.stamp != other.stamp
        assert all(-(2**63) <= rollup.stamp < 2**63 for rollup in (one, other))


class TestChangesByRollup:
    def test_are_of_each_day_and_its_month(self):
        days = [DAY, DAY + 1, DAY + 40]
        rows = [make_fact(day=day, project_id=2) for day in days]

        changes = changes_by_rollup(call_matrix(rows), criterion_entries(rows))

        assert [(key, aggregates.calls) for key, aggregates in changes] == [
            (RollupKey(2, Rollup.Level.DAY, DAY), 1),
            (RollupKey(2, Rollup.Level.DAY, DAY + 1), 1),
            (RollupKey(2, Rollup.Level.MONTH, month_of(DAY)), 2),
            (RollupKey(2, Rollup.Level.DAY, DAY + 40), 1),
            (RollupKey(2, Rollup.Level.MONTH, month_of(DAY + 40)), 1),
        ]


@pytest.mark.django_db(transaction=True)
class TestWriteLock:
    def test_is_held_until_the_block_ends(self):
        for _ in range(2):
            with write_lock(wait=False) as is_held:
                assert is_held

    def test_is_given_back_after_an_error(self):
        with pytest.raises(ZeroDivisionError), write_lock(wait=True):
            raise ZeroDivisionError

        with write_lock(wait=False) as is_held:
            assert is_held
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT COUNT(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                    " WHERE locktype = 'advisory' AND d.datname = current_database()"
                )
                assert cursor.fetchone() == (0,)
