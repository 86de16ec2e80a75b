"""The journal holds what leads from the former facts to the present ones, and no more."""

import pytest
from reports.fact_rows import DAY, make_fact

from callscope.projects.models import Project
from callscope.reports.models import JournalEntry
from callscope.reports.store import journal
from callscope.reports.store.aggregate import aggregate_calls, call_matrix, criterion_entries
from callscope.reports.store.aggregates import merge
from callscope.reports.store.packing import pack_entries

pytestmark = pytest.mark.django_db
PACK = pack_entries([(1, 5, 1), (2, 6, 1)])


@pytest.fixture
def fact(project):
    return make_fact(project_id=project.pk, pack=PACK, agent_id=1)


def entries():
    return list(JournalEntry.objects.order_by("pk").values_list("first_day", "last_day", "calls", "rows"))


def aggregate(*rows):
    return aggregate_calls(call_matrix(rows), criterion_entries(rows))


def journaled():
    content = journal.read_entries(JournalEntry.objects.all())
    return aggregate_calls(content.calls, content.entries)


class TestAppend:
    def test_adds_a_new_call(self, fact):
        journal.append({}, {1: fact})

        assert entries() == [(DAY, DAY, 1, 1)]
        assert journaled() == aggregate(fact)

    def test_takes_a_deleted_call_away(self, fact):
        journal.append({1: fact}, {})

        assert entries() == [(DAY, DAY, -1, 1)]
        assert merge([journaled(), aggregate(fact)]).is_empty

    @pytest.mark.parametrize(
        "change", [{}, {"at_us": 5}, {"score_bp": 7, "missing_prompts": 1}, {"has_answers": True}]
    )
    def test_writes_nothing_where_no_figure_changes(self, fact, change):
        journal.append({1: fact}, {1: fact._replace(**change)})

        assert entries() == []

    @pytest.mark.parametrize(
        "change",
        [{"agent_id": 2}, {"hour": 3}, {"day": DAY + 1}, {"pack": b""}, {"sentiment": 3, "mistakes": 2}],
        ids=["agent", "hour", "day", "criteria", "findings"],
    )
    def test_leads_from_the_former_fact_to_the_present_one(self, fact, change):
        present = fact._replace(**change)

        journal.append({1: fact}, {1: present})

        assert merge([aggregate(fact), journaled()]) == aggregate(present)

    def test_leaves_the_criteria_out_where_they_would_cancel_out(self, fact):
        journal.append({1: fact}, {1: fact._replace(sentiment=3)})

        entry = JournalEntry.objects.get()
        assert bytes(entry.entries) == b""
        assert (entry.calls, entry.rows) == (0, 2)

    def test_keeps_the_criteria_of_a_call_that_moves_to_another_day(self, fact):
        journal.append({1: fact}, {1: fact._replace(day=DAY + 3)})

        assert entries() == [(DAY, DAY + 3, 0, 2)]
        assert bytes(JournalEntry.objects.get().entries) == PACK + PACK

    def test_keeps_the_criteria_of_a_call_of_another_agent(self, fact):
        journal.append({1: fact}, {1: fact._replace(agent_id=2)})

        assert bytes(JournalEntry.objects.get().entries) == PACK + PACK

    def test_writes_one_entry_for_each_project(self, fact, alice):
        other = Project.objects.create(name="Other", owner=alice)

        journal.append({}, {1: fact, 2: fact._replace(project_id=other.pk), 3: fact})

        by_project = dict(JournalEntry.objects.values_list("project_id", "rows"))
        assert by_project == {fact.project_id: 2, other.pk: 1}


class TestReadEntries:
    def test_joins_entries_with_their_criteria_in_order(self, fact):
        plain = fact._replace(pack=b"")
        journal.append({}, {1: fact})
        journal.append({}, {2: plain})

        content = journal.read_entries(JournalEntry.objects.order_by("pk"))

        assert len(content.ids) == 2
        assert content.calls.tolist() == call_matrix([fact, plain]).tolist()
        assert content.entries.tobytes() == PACK

    def test_of_an_empty_journal_has_no_calls(self):
        content = journal.read_entries(JournalEntry.objects.none())

        assert content.ids == []
        assert content.calls.shape == (0, call_matrix([]).shape[1])
        assert len(content.entries) == 0
