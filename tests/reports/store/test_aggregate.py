"""Calls become matrices and tables: each figure equals a count by hand over the facts."""

from collections import Counter
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.fact_rows import DAY, FEW, MILLION, facts, make_fact

from callscope.reports.models import Sentiment
from callscope.reports.store import aggregate as aggregate_module
from callscope.reports.store.aggregate import (
    CALL_COLUMNS,
    COLUMN_INDEX,
    aggregate_by_day,
    aggregate_calls,
    call_matrix,
    criterion_entries,
    select_calls,
)
from callscope.reports.store.aggregates import TABLES, CallCounts, HourCounts, merge
from callscope.reports.store.packing import (
    CRITICAL_ERROR,
    EVALUATED,
    NOT_APPLICABLE,
    pack_entries,
    unpack_entries,
)


def aggregate(rows):
    return aggregate_calls(call_matrix(rows), criterion_entries(rows))


def count_by(rows, key, amount=lambda row: 1):
    """Return [key…, total] rows, ordered and without zeros: one count of a table, by hand."""
    totals = Counter()
    for row in rows:
        if key(row) is not None:
            totals[key(row)] += amount(row)
    return sorted([*key, total] for key, total in totals.items() if total)


def column_of(rows, name, count):
    """Return the keys of a table with one of its counts, without zeros."""
    schema = TABLES[name]
    width, at = len(schema.keys), schema.column(count)
    return [[*row[:width], row[at]] for row in aggregate(rows).rows(name) if row[at]]


class TestCallMatrix:
    @pytest.mark.parametrize(
        ("field", "column", "codes"),
        [
            ("project_id", "project", {7: 7}),
            ("day", "day", {DAY: DAY}),
            ("hour", "hour", {None: -1, 0: 0, 23: 23}),
            ("agent_id", "agent", {None: 0, 5: 5}),
            ("topic_id", "topic", {None: 0, 5: 5}),
            ("direction", "direction", {0: 0, 2: 2}),
            ("sentiment", "sentiment", {None: 0, 3: 3}),
            ("goal_reached", "goal", {None: 0, False: 1, True: 2}),
            ("duration_us", "duration", {0: 0, 2**60: 2**60}),
            ("max_points", "max_points", {None: 0, 5: 5}),
            ("points", "points", {5: 5}),
            ("counted_points", "counted_points", {5: 5}),
            ("critical", "critical", {False: 0, True: 1}),
            ("error_classes", "error_classes", {7: 7}),
            ("plain_judged", "plain_judged", {2: 2}),
            ("plain_met", "plain_met", {2: 2}),
            ("mistakes", "mistakes", {None: -1, 0: 0, 4: 4}),
            ("pack", "criteria", {b"": 0, pack_entries([(1, 2, 3), (2, 3, 4)]): 2}),
        ],
    )
    def test_writes_each_field_into_its_column(self, field, column, codes):
        for value, code in codes.items():
            (row,) = call_matrix([make_fact(**{field: value})]).tolist()

            assert row[COLUMN_INDEX[column]] == code

    def test_takes_one_sign_or_one_for_each_call(self):
        rows = [make_fact(), make_fact()]

        assert call_matrix(rows)[:, 0].tolist() == [1, 1]
        assert call_matrix(rows, signs=-1)[:, 0].tolist() == [-1, -1]
        assert call_matrix(rows, signs=(-1, 1))[:, 0].tolist() == [-1, 1]

    def test_of_no_facts_has_its_columns(self):
        assert call_matrix([]).shape == (0, len(CALL_COLUMNS))

    def test_keeps_the_columns_of_stored_journals(self):
        assert " ".join(CALL_COLUMNS) == (
            "sign project day hour agent topic direction sentiment goal duration max_points points"
            " counted_points critical error_classes plain_judged plain_met mistakes"
            " talk_share_bp monologue_ms silence_ms interruptions words_per_100_minutes hold_ms criteria"
        )


class TestAggregateCalls:
    @given(st.lists(facts(), max_size=8))
    @FEW
    def test_counts_calls_under_every_key(self, rows):
        hour = lambda f: -1 if f.hour is None else f.hour  # noqa: E731
        assert column_of(rows, "days", "calls") == count_by(rows, lambda f: (f.day,))
        assert column_of(rows, "hours", "calls") == count_by(rows, lambda f: (f.project_id, hour(f)))
        assert column_of(rows, "agents", "calls") == count_by(rows, lambda f: f.agent_id and (f.agent_id,))
        assert column_of(rows, "topics", "calls") == count_by(rows, lambda f: f.topic_id and (f.topic_id,))

    @given(st.lists(facts(), max_size=8))
    @FEW
    def test_counts_findings_of_each_day(self, rows):
        for count, is_counted in (
            ("scored", lambda f: f.max_points is not None),
            ("critical", lambda f: f.critical),
            ("sentiments", lambda f: f.sentiment is not None),
            ("negative", lambda f: f.sentiment == Sentiment.NEGATIVE),
            ("known", lambda f: f.goal_reached is not None),
            ("reached", lambda f: f.goal_reached is True),
        ):
            by_hand = count_by(rows, lambda f: (f.day,), lambda f, is_counted=is_counted: int(is_counted(f)))
            assert column_of(rows, "days", count) == by_hand

    @given(st.lists(facts(), max_size=8))
    @FEW
    def test_counts_error_classes_by_their_bits(self, rows):
        for bit, name in enumerate(("customer_errors", "business_errors", "compliance_errors")):
            total = sum(f.error_classes >> bit & 1 for f in rows)
            assert sum(row[-1] for row in column_of(rows, "hours", name)) == total

    @given(st.lists(facts(), max_size=8))
    @FEW
    def test_keeps_scores_apart_by_maximum(self, rows):
        schema = TABLES["agent_scores"]
        table = aggregate(rows).rows("agent_scores")
        points = [[*row[:2], row[3] * MILLION + row[4]] for row in table]

        def key(f):
            return (f.agent_id, f.max_points) if f.agent_id and f.max_points else None

        assert [[*row[:2], row[schema.column("scored")]] for row in table] == count_by(rows, key)
        assert [row for row in points if row[2]] == count_by(rows, key, lambda f: f.counted_points)

    @given(st.lists(facts(), max_size=8))
    @FEW
    def test_splits_durations_into_units_and_millionths_without_loss(self, rows):
        high, low = (
            sum(row[-1] for row in column_of(rows, "hours", f"duration_{part}")) for part in ("hi", "lo")
        )

        assert high * MILLION + low == sum(f.duration_us for f in rows)

    @given(st.lists(facts(), max_size=8))
    @FEW
    def test_counts_criteria_by_their_flags(self, rows):
        entries = [entry for f in rows for entry in unpack_entries(f.pack).tolist()]
        for count, flag in (
            ("critical_errors", CRITICAL_ERROR),
            ("evaluated", EVALUATED),
            ("not_applicable", NOT_APPLICABLE),
        ):
            by_hand = count_by(entries, lambda e: (e[0],), lambda e, flag=flag: int(bool(e[2] & flag)))
            assert column_of(rows, "criteria", count) == by_hand
        points = {row[0]: row[5] * MILLION + row[6] for row in aggregate(rows).rows("criteria")}
        assert points == {
            criterion: sum(e[1] for e in entries if e[0] == criterion) for criterion, *_ in entries
        }

    def test_counts_what_the_list_is_filtered_by(self):
        scored = make_fact(agent_id=2, direction=1, sentiment=3, critical=True, mistakes=0, max_points=5)
        plain = make_fact()

        table = aggregate([scored, plain, plain]).rows("list")

        assert table == [[1, 0, 0, 0, 0, -1, 0, 2], [1, 2, 1, 3, 1, 0, 1, 1]]

    @given(st.integers(1, 10**12), st.data())
    @FEW
    def test_puts_a_score_under_the_percent_that_is_shown(self, maximum, data):
        points = data.draw(st.integers(0, maximum))
        shown = (Decimal(points) * 100 / maximum).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
        row = make_fact(max_points=maximum, points=points, counted_points=points)

        (((_, percent, calls),)) = aggregate([row]).rows("percents")

        assert (percent, calls) == (int(shown), 1)

    @pytest.mark.parametrize(("points", "percent"), [(99_994, 99), (99_995, 100), (99_985, 99), (0, 0)])
    def test_rounds_to_hundredths_before_it_cuts_the_percent(self, points, percent):
        row = make_fact(max_points=100_000, points=points, counted_points=points)

        assert aggregate([row]).rows("percents") == [[1, percent, 1]]

    @given(st.lists(facts(), max_size=4), st.sets(st.sampled_from(sorted(TABLES))))
    @FEW
    def test_counts_only_the_named_tables_and_those_alike(self, rows, names):
        some = aggregate_calls(call_matrix(rows), criterion_entries(rows), tuple(names))

        whole = aggregate(rows)
        assert set(some.tables) <= names
        assert all(np.array_equal(some.table(name), whole.table(name)) for name in names)

    def test_reads_back_as_the_rows_with_names(self):
        rows = [make_fact(day=DAY, sentiment=3, goal_reached=True, max_points=9, plain_judged=2, plain_met=1)]

        ((_, *by_day),) = aggregate(rows).rows("days")
        ((_, _, *by_hour),) = aggregate(rows).rows("hours")

        assert CallCounts._make(by_day) == CallCounts(1, 1, 0, 1, 1, 1, 1)
        counts = HourCounts._make(by_hour)
        assert (counts.calls, counts.negative, counts.plain_judged, counts.plain_met) == (1, 1, 2, 1)


class TestSelectCalls:
    @given(st.lists(st.tuples(facts(), st.booleans()), max_size=8))
    @FEW
    def test_keeps_the_criteria_of_the_chosen_calls(self, pairs):
        rows = [row for row, _ in pairs]
        chosen = np.array([is_chosen for _, is_chosen in pairs], bool)

        calls, entries = select_calls(call_matrix(rows), criterion_entries(rows), chosen)

        kept = [row for row, is_chosen in pairs if is_chosen]
        assert np.array_equal(calls, call_matrix(kept))
        assert entries.tobytes() == criterion_entries(kept).tobytes()


class TestAggregateByDay:
    @given(st.lists(facts(), max_size=10), st.sampled_from([1, 3, 2048]))
    @FEW
    def test_gives_each_project_and_day_what_its_own_calls_add_up_to(self, rows, at_once):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(aggregate_module, "CALLS_AT_ONCE", at_once)
            days = list(aggregate_by_day(call_matrix(rows), criterion_entries(rows)))

        assert [(project, day) for project, day, _ in days] == sorted({(f.project_id, f.day) for f in rows})
        for project, day, aggregates in days:
            assert aggregates == aggregate([f for f in rows if (f.project_id, f.day) == (project, day)])
        assert merge(part for _, _, part in days) == aggregate(rows)
