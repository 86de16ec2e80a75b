"""A rebuild makes the rollups from the facts alone, and empties the journal."""

import pytest
from reports.fact_rows import make_fact

from callscope.projects.models import Project
from callscope.reports.models import CallFact, JournalEntry, Rollup
from callscope.reports.store import journal, reader, rebuild
from callscope.reports.store.compaction import compact_all
from callscope.reports.store.rebuild import (
    aggregate_days,
    rebuild_rollups,
    recount_rollups,
    resolve_project_ids,
)
from callscope.reports.window import month_of

pytestmark = pytest.mark.django_db
LINES = [
    {"file_name": f"{day}-{n}.wav", "call_datetime": f"2026-{day}T10:00:00+00:00", "topic": "x"}
    for day, calls in (("03-30", 2), ("03-31", 1), ("04-01", 3))
    for n in range(calls)
]


def stored():
    fields = ("project_id", "level", "first_day", "calls", "stamp", "figures", "listing")
    return sorted(Rollup.objects.values_list(*fields))


class TestRebuildRollups:
    def test_makes_what_compaction_made_and_returns_the_calls(self, project, bring_in):
        bring_in(project, *LINES)
        compact_all()
        compacted = stored()
        Rollup.objects.all().delete()

        assert rebuild_rollups() == 6
        assert stored() == compacted

    @pytest.mark.parametrize(("facts", "rollups"), [(1, 200), (2, 1), (20_000, 2)])
    def test_is_the_same_in_whatever_portions_it_reads_and_writes(
        self, project, bring_in, monkeypatch, facts, rollups
    ):
        bring_in(project, *LINES)
        compact_all()
        compacted = stored()
        monkeypatch.setattr(rebuild, "FACTS_AT_ONCE", facts)
        monkeypatch.setattr(rebuild, "ROLLUPS_AT_ONCE", rollups)

        assert rebuild_rollups() == 6
        assert stored() == compacted

    def test_empties_the_journal_of_the_named_projects_alone(self, project, alice, bring_in):
        other = Project.objects.create(name="Other", owner=alice)
        for each in (project, other):
            bring_in(each, LINES[0])
        for each in (project, other):
            journal.append({}, {0: make_fact(project_id=each.pk)})

        assert rebuild_rollups([other.pk]) == 1
        assert list(JournalEntry.objects.values_list("project_id", flat=True)) == [project.pk]
        assert reader.count_calls([other.pk]) == 1

    def test_forgets_rollups_of_calls_that_are_gone(self, project, bring_in):
        bring_in(project, LINES[0])
        compact_all()
        CallFact.objects.all().delete()

        assert rebuild_rollups() == 0
        assert stored() == []


class TestRecountRollups:
    def test_yields_each_month_after_its_days(self, project, bring_in):
        bring_in(project, *LINES)

        keys = [(key.level, key.first_day, part.calls) for key, part in recount_rollups(project.pk)]

        march, april = (month_of(CallFact.objects.order_by(order).first().day) for order in ("day", "-day"))
        last = april - 1
        assert keys == [(1, last - 1, 2), (1, last, 1), (2, march, 3), (1, april, 3), (2, april, 3)]


class TestAggregateDays:
    def test_gives_a_day_in_several_parts_where_it_is_read_in_several(self, project, bring_in, monkeypatch):
        bring_in(project, *LINES)
        monkeypatch.setattr(rebuild, "FACTS_AT_ONCE", 2)

        parts = [(day, part.calls) for day, part in aggregate_days(project.pk)]

        assert [calls for _, calls in parts] == [2, 1, 1, 2]
        assert len({day for day, _ in parts}) == 3


class TestResolveProjectIds:
    def test_orders_the_given_ids_and_takes_all_call_projects_otherwise(self, project, alice):
        Project.objects.create(name="Texts", owner=alice, type=Project.Type.GENERAL)

        assert resolve_project_ids([5, 3, 5]) == [3, 5]
        assert resolve_project_ids([]) == []
        assert resolve_project_ids(None) == [project.pk]
