"""Facts after a change of metadata are those that the results would give."""

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.pipeline.files.intake import update_metadata
from callscope.projects.models import Project
from callscope.reports.models import CallFact, CallText, CriterionSeen, JournalEntry, Rollup, Topic
from callscope.reports.search.call_texts import find_matching_calls
from callscope.reports.store import facts
from callscope.reports.store.compaction import compact_all
from callscope.reports.store.verify import find_discrepancies

LINE = {
    "file_name": "c.wav",
    "uploaded_at": "2026-03-01T10:00:00+00:00",
    "campaign": "Spring",
    "topic": "Rechnung",
    "contact_reason": "Billing",
    "copc": {"criterion_scores": [{"criterion_id": "g", "name": "G", "score": 5, "max_points": 10}]},
}


def rows(call):
    return (
        list(CallFact.objects.filter(pk=call.pk).values()),
        list(CallText.objects.filter(pk=call.pk).values()),
    )


class TestAChangeOfMetadata:
    @pytest.mark.parametrize(
        "fields",
        [
            {"call_datetime": "2026-04-02T23:30:00+00:00"},
            {"agent_name": "Ana", "direction": "inbound"},
            {"campaign": "Strasse", "caller_number": "+34911"},
            {"campaign": ""},
        ],
        ids=["time", "agent", "texts", "cleared"],
    )
    def test_leaves_what_the_results_give(self, project, alice, bring_in, fields):
        bring_in(project, LINE)
        call = Call.objects.get()

        update_metadata(call.newest_file, fields, alice)

        described = rows(call)
        facts.refresh([call.pk])
        assert rows(call) == described
        compact_all()
        assert find_discrepancies([project.pk]) == []

    def test_is_found_by_what_it_says_now(self, project, alice, bring_in):
        bring_in(project, LINE)
        call = Call.objects.get()

        update_metadata(call.newest_file, {"campaign": "Herbst"}, alice)

        assert list(find_matching_calls("herbst")) == list(find_matching_calls("rechnung")) == [call.pk]
        assert list(find_matching_calls("spring")) == []

    def test_leaves_a_call_without_results_out(self, project, alice, bring_in):
        bring_in(project, {"file_name": "c.wav"})
        call = Call.objects.get()

        update_metadata(call.newest_file, {"campaign": "Herbst"}, alice)

        assert not CallFact.objects.exists()


@pytest.mark.django_db
class TestRefresh:
    def test_gives_what_an_import_wrote(self, project, bring_in):
        scores = [
            {"criterion_id": "b", "name": "B", "score": 2.5, "max_points": 10, "applicability": "evaluated"},
            {"criterion_id": "a", "name": "A", "score": 0, "max_points": 5, "is_critical_error": True},
        ]
        bring_in(project, {**LINE, "sentiment": "negative", "copc": {"criterion_scores": scores}})
        bring_in(project, {**LINE, "file_name": "d.wav", "goal_reached": True, "duration_seconds": 17.5})
        calls = list(Call.objects.order_by("pk"))
        imported = [rows(call) for call in calls]
        CallFact.objects.all().delete()
        CallText.objects.all().delete()

        facts.refresh(call.pk for call in calls)

        assert [rows(call) for call in calls] == imported

    def test_writes_nothing_into_the_journal_where_nothing_changed(self, project, bring_in):
        bring_in(project, LINE)
        compact_all()

        facts.refresh([Call.objects.get().pk])

        assert not JournalEntry.objects.exists()

    def test_removes_the_fact_of_a_call_without_live_results(self, project, bring_in):
        bring_in(project, LINE)
        call = Call.objects.get()
        CallAnalysis.objects.update(is_live=False)

        facts.refresh([call.pk, call.pk + 1])

        assert rows(call) == ([], [])
        assert list(find_matching_calls("rechnung")) == []
        compact_all()
        assert not Rollup.objects.exists()

    def test_reads_many_calls_in_portions(self, project, bring_in, monkeypatch):
        monkeypatch.setattr(facts, "CALLS_AT_ONCE", 2)
        bring_in(project, *({**LINE, "file_name": f"{n}.wav"} for n in range(5)))
        CallFact.objects.all().delete()
        CallText.objects.all().delete()

        facts.refresh(Call.objects.values_list("pk", flat=True))

        assert CallFact.objects.count() == CallText.objects.count() == 5

    def test_prefers_the_contact_reason_to_the_raw_topic(self, project, bring_in):
        bring_in(project, LINE, {**LINE, "file_name": "d.wav", "contact_reason": None})

        topics = CallFact.objects.order_by("pk").values_list("topic__text", flat=True)

        assert list(topics) == ["Billing", "Rechnung"]


@pytest.mark.django_db
class TestIdsOfNames:
    def test_are_given_once_for_each_topic_and_criterion(self, project, bring_in):
        bring_in(project, LINE)
        bring_in(project, {**LINE, "file_name": "d.wav"})

        assert list(Topic.objects.values_list("project_id", "text")) == [(project.pk, "Billing")]
        assert CriterionSeen.objects.count() == 1
        assert CallFact.objects.values("topic", "pack").distinct().count() == 1

    @pytest.mark.parametrize(
        "change", [{"name": "Greets"}, {"section": "Opening"}, {"max_points": 20}, {"criterion_id": "h"}]
    )
    def test_are_new_for_a_criterion_that_changed(self, project, bring_in, change):
        (score,) = LINE["copc"]["criterion_scores"]
        bring_in(project, LINE)

        bring_in(project, {**LINE, "file_name": "d.wav", "copc": {"criterion_scores": [score | change]}})

        assert CriterionSeen.objects.count() == 2

    def test_are_apart_for_each_project(self, project, alice, bring_in):
        other = Project.objects.create(name="Other", owner=alice)
        for each in (project, other):
            bring_in(each, LINE)

        assert sorted(Topic.objects.values_list("project_id", flat=True)) == [project.pk, other.pk]

    def test_are_found_where_another_process_inserts_the_row_first(self, project, monkeypatch):
        insert = type(Topic.objects.all()).bulk_create

        def insert_late(queryset, new, **options):
            Topic.objects.create(project=project, digest=new[0].digest, text=new[0].text)
            return insert(queryset, new, **options)

        monkeypatch.setattr(type(Topic.objects.all()), "bulk_create", insert_late)

        ids = facts._topic_ids({(project.pk, "Billing")})

        assert ids == {(project.pk, "Billing"): Topic.objects.get().pk}

    def test_are_given_for_texts_longer_than_an_index_takes(self, project):
        long = {(project.pk, letter * 10_000) for letter in "ab"}

        first, again = facts._topic_ids(long), facts._topic_ids(long)

        assert first == again
        assert len(set(first.values())) == 2
