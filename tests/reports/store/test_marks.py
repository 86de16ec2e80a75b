"""Marks: which trackers hold in a call and which criteria nobody could judge, kept with its fact."""

import datetime as dt

import pytest

from callscope.calls.models import Call
from callscope.reports.models import CallFact, CallMark
from callscope.reports.store import facts, version
from callscope.reports.store.marks import MISSED_PROMPT, MISTAKE, NOT_EVALUATED, TRACKER, find_marks

QUOTE = {"group": None, "text": "Acme is cheaper", "speaker": "customer", "start": 4.5}
LINE = {
    "file_name": "a.wav",
    "call_datetime": "2026-03-02T23:30:00+00:00",
    "copc": {"criterion_scores": [], "not_evaluated": [{"criterion_id": "closing", "name": "Closes"}]},
    "no_protocol": {
        "mistakes": [{"id": "rude", "description": "Is rude", "quote": "[00:02] no"}],
        "missing_prompts": [{"id": "recording", "description": "Says it is recorded"}],
    },
    "insights": {"trackers": [{"id": "rival", "quotes": [QUOTE]}, {"id": "unquoted", "quotes": []}]},
}
MARKS = {(TRACKER, "rival"), (NOT_EVALUATED, "closing"), (MISTAKE, "rude"), (MISSED_PROMPT, "recording")}


def stored(call):
    return set(CallMark.objects.filter(call=call).values_list("kind", "key"))


@pytest.fixture
def call(project, bring_in):
    bring_in(project, LINE)
    return Call.objects.get(project=project)


class TestFinding:
    def test_takes_trackers_with_a_quote_and_criteria_that_were_not_evaluated(self):
        assert set(find_marks(LINE["copc"], LINE["insights"], LINE["no_protocol"])) == MARKS

    @pytest.mark.parametrize(
        "results",
        [(None, None, None), ({}, {}, {}), ({"not_evaluated": []}, {"trackers": None}, {"mistakes": None})],
    )
    def test_of_results_without_any_is_empty(self, results):
        assert find_marks(*results) == ()

    def test_names_each_once(self):
        twice = {"trackers": [{"id": "rival", "quotes": [QUOTE]}] * 2}

        assert find_marks(None, twice, None) == ((TRACKER, "rival"),)


class TestKeeping:
    def test_an_import_writes_them_with_the_day_of_the_fact(self, call):
        assert stored(call) == MARKS
        assert set(CallMark.objects.values_list("day", flat=True)) == {CallFact.objects.get().day}

    def test_a_refresh_writes_the_same_and_none_twice(self, call):
        facts.refresh([call.pk])

        assert stored(call) == MARKS
        assert CallMark.objects.count() == len(MARKS)

    def test_other_results_of_the_call_replace_them(self, project, bring_in, call):
        later = {"analyzed_at": "2026-11-01T00:00:00+00:00", "insights": {"trackers": []}}
        later["no_protocol"] = {"mistakes": [], "missing_prompts": []}
        bring_in(project, LINE | later)

        assert stored(call) == {(NOT_EVALUATED, "closing")}

    def test_a_changed_moment_moves_their_day(self, call):
        call.call_datetime += dt.timedelta(days=3)
        call.save()
        facts.update_metadata(call)

        assert set(CallMark.objects.values_list("day", flat=True)) == {CallFact.objects.get().day}

    def test_another_time_zone_moves_their_day(self, call, settings):
        before = CallFact.objects.get().day
        version.record_version()
        settings.TIME_ZONE = "Asia/Tokyo"
        version.ensure_current()

        assert CallFact.objects.get().day == before + 1
        assert set(CallMark.objects.values_list("day", flat=True)) == {before + 1}

    def test_trackers_outlast_the_quotes_that_retention_removes(self, call):
        from callscope.analysis.results.quote_removal import remove_quotes

        analysis = call.analyses.get()
        analysis.insights = remove_quotes(analysis.insights)
        analysis.save()
        call.files.update(transcript_removed_at=call.uploaded_at)
        facts.refresh([call.pk])

        assert (TRACKER, "rival") in stored(call)

    def test_a_deleted_call_takes_them_along(self, call):
        pk = call.pk
        call.delete()
        facts.refresh([pk])

        assert not CallMark.objects.exists()
