"""Compaction moves the journal into the rollups, bounded and all at once."""

from contextlib import contextmanager

import pytest
from django.db import IntegrityError
from reports.fact_rows import DAY, make_fact

from callscope.reports.models import JournalEntry, Rollup, StoreState
from callscope.reports.store import compaction, journal, version
from callscope.reports.store.compaction import compact_all, compact_once
from callscope.reports.window import month_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def fact(project):
    return make_fact(project_id=project.pk)


def rollups():
    return sorted(Rollup.objects.values_list("level", "first_day", "calls"))


class TestCompactOnce:
    def test_has_nothing_to_do_without_a_journal(self, django_assert_num_queries):
        with django_assert_num_queries(1):
            assert compact_once() == 0

    def test_adds_the_changes_to_the_rollups_of_their_day_and_month(self, fact):
        journal.append({}, {1: fact, 2: fact._replace(day=DAY + 1)})
        journal.append({}, {3: fact})

        assert compact_once() == 2

        month = month_of(DAY)
        assert rollups() == [(1, DAY, 2), (1, DAY + 1, 1), (2, month, 3)]
        assert not JournalEntry.objects.exists()
        assert StoreState.objects.get().layout == version.LAYOUT

    def test_deletes_a_rollup_that_becomes_empty(self, fact):
        journal.append({}, {1: fact, 2: fact._replace(day=DAY + 1)})
        compact_once()

        journal.append({1: fact}, {})
        compact_once()

        assert rollups() == [(1, DAY + 1, 1), (2, month_of(DAY), 1)]

    def test_gives_a_changed_rollup_another_stamp_and_leaves_others_alone(self, fact):
        journal.append({}, {1: fact, 2: fact._replace(day=DAY + 1)})
        compact_once()
        before = dict(Rollup.objects.filter(level=Rollup.Level.DAY).values_list("first_day", "stamp"))

        journal.append({1: fact}, {1: fact._replace(sentiment=3)})
        compact_once()

        after = dict(Rollup.objects.filter(level=Rollup.Level.DAY).values_list("first_day", "stamp"))
        assert after[DAY] != before[DAY]
        assert after[DAY + 1] == before[DAY + 1]

    @pytest.mark.parametrize(
        ("limit", "value", "moved"),
        [("CALLS_AT_ONCE", 2, [1, 1, 1]), ("CALLS_AT_ONCE", 4, [2, 1]), ("ENTRIES_AT_ONCE", 2, [2, 1])],
    )
    def test_takes_no_more_than_memory_should_hold_but_always_one_entry(
        self, fact, monkeypatch, limit, value, moved
    ):
        monkeypatch.setattr(compaction, limit, value)
        for first in (1, 3, 5):
            journal.append({}, {first: fact, first + 1: fact})

        counts = [compact_once() for _ in range(len(moved) + 1)]

        assert counts == [*moved, 0]
        assert rollups() == [(1, DAY, 6), (2, month_of(DAY), 6)]

    def test_leaves_the_journal_to_another_process_that_compacts(self, fact, monkeypatch):
        @contextmanager
        def held_elsewhere(*, wait):
            assert not wait
            yield False

        journal.append({}, {1: fact})
        monkeypatch.setattr(compaction, "write_lock", held_elsewhere)

        assert compact_once() == 0
        assert JournalEntry.objects.count() == 1

    def test_tries_again_later_when_a_project_is_deleted_meanwhile(self, fact, monkeypatch):
        def refuse(*_arguments, **_options):
            raise IntegrityError("the project is gone")

        journal.append({}, {1: fact})
        with monkeypatch.context() as patch:
            patch.setattr(Rollup.objects, "bulk_create", refuse)
            assert compact_once() == 0
        assert JournalEntry.objects.count() == 1

        assert compact_once() == 1


class TestCompactAll:
    def test_goes_on_until_the_journal_is_empty(self, fact, monkeypatch):
        monkeypatch.setattr(compaction, "ENTRIES_AT_ONCE", 1)
        for number in range(3):
            journal.append({}, {number: fact})

        assert compact_all() == 3
        assert rollups() == [(1, DAY, 3), (2, month_of(DAY), 3)]
