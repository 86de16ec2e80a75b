"""What the shares of mistakes and missed prompts are taken over: the calls in which each was decided."""

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.projects.models import Project
from callscope.reports.models import CallFact
from callscope.reports.overview import decided_findings
from callscope.reports.overview.findings import find_in_window
from callscope.reports.store import facts
from callscope.reports.window import Window
from tests.web.conftest import bring, line, project  # noqa: F401

pytestmark = pytest.mark.django_db

PROMPT = {"id": "recording", "description": "Says it is recorded", "quote": ""}
RUDE = {"id": "rude", "description": "Is rude", "quote": ""}
EVER = Window(None, None)


def result(*, said=False, missed=False, rude=False):
    return {
        "mistakes": [RUDE] if rude else [],
        "missing_prompts": [PROMPT] if missed else [],
        "prompts": [PROMPT] if said else [],
    }


def call(number, **found):
    return line(number, no_protocol=result(**found))


def share_of(rows, key):
    [row] = [row for row in rows if row.id == key]
    return row.calls, row.share_pct, row.decided_calls


class TestPrompts:
    def test_are_shares_of_the_calls_in_which_they_were_said_or_missed(self, project):  # noqa: F811
        # 2 said, 1 missed, 3 of which nobody can tell.
        calls = [call(1, said=True), call(2, said=True), call(3, missed=True), call(4), call(5), call(6)]
        bring(project, *calls)

        found = find_in_window([project], EVER)

        assert found.checked_calls == 6
        assert share_of(found.missed_prompts, "recording") == (1, 33.33, 3)

    def test_have_no_share_where_nobody_can_tell_in_any_call(self, project):  # noqa: F811
        bring(project, call(1), call(2))

        assert share_of(find_in_window([project], EVER).missed_prompts, "recording") == (0, None, 0)

    def test_of_imported_results_that_list_those_missed_alone_are_of_all_calls(self, project):  # noqa: F811
        missed = {"mistakes": [], "missing_prompts": [PROMPT]}
        bring(project, line(1, no_protocol=missed), line(2), line(3), line(4))

        assert share_of(find_in_window([project], EVER).missed_prompts, "recording") == (1, 25.0, 4)

    def test_that_a_person_found_to_be_said_decide_their_call_alone(self, project):  # noqa: F811
        brought = bring(project, call(1), line(2))
        for each in brought:
            analysis = CallAnalysis.objects.get(call=each)
            analysis.machine_no_protocol = analysis.no_protocol
            analysis.no_protocol = result(said=True)
            analysis.save()

        other = {"id": "farewell", "description": "Says goodbye"}
        bring(project, line(3, no_protocol={**result(), "missing_prompts": [other]}))
        found = find_in_window([project], EVER).missed_prompts

        assert share_of(found, "recording") == (0, 0.0, 2)
        assert share_of(found, "farewell") == (
            1,
            50.0,
            2,
        )  # the import that names only what was missed says so

    def test_are_read_from_the_newest_calls(self, project, monkeypatch):  # noqa: F811
        monkeypatch.setattr(decided_findings, "MAX_CALLS", 3)
        newest = [call(3, said=True), call(4, said=True), call(5)]
        bring(project, call(1, missed=True), call(2, missed=True), *newest)

        # Of the 3 newest calls 2 decide it, and both say it.
        assert share_of(find_in_window([project], EVER).missed_prompts, "recording") == (2, 0.0, 2)

    def test_of_an_agent_are_those_of_own_calls(self, project):  # noqa: F811
        other = call(3, missed=True) | {"agent_name": "Ben Okafor"}
        brought = bring(project, call(1, said=True), call(2), other)

        found = find_in_window([project], EVER, brought[0].agent_id)

        assert share_of(found.missed_prompts, "recording") == (0, 0.0, 1)

    def test_change_by_the_shares_of_the_calls_that_decide(self, project):  # noqa: F811
        import datetime as dt

        before = [call(n) | {"call_datetime": f"2026-02-{n:02d}T10:00:00+00:00"} for n in (20, 21)]
        decided = [call(22, missed=True), call(23, said=True)]
        before += [each | {"call_datetime": "2026-02-25T10:00:00+00:00"} for each in decided]
        bring(project, call(1, missed=True), call(2), *before)

        march = Window(dt.date(2026, 3, 1), dt.date(2026, 3, 31))
        [row] = find_in_window([project], march).missed_prompts

        assert (row.share_pct, row.decided_calls) == (100.0, 1)
        assert (row.previous_share_pct, row.previous_decided_calls) == (50.0, 2)
        assert (row.previous_calls, row.delta_pct) == (1, 50.0)


class TestMistakes:
    def test_leave_out_unreliable_transcripts_that_do_not_show_them(self, project):  # noqa: F811
        brought = bring(project, call(1, rude=True), call(2, rude=True), call(3), call(4), call(5))
        for each in (brought[0], brought[2]):
            analysis = CallAnalysis.objects.get(call=each)
            analysis.insights = {"transcript_quality": {"ok": False, "reasons": [], "half_heard": True}}
            analysis.save()
        facts.refresh([each.pk for each in brought])
        assert CallFact.objects.filter(half_heard=True).count() == 2

        assert share_of(find_in_window([project], EVER).mistakes, "rude") == (2, 50.0, 4)


class TestSeveralProjects:
    def test_count_the_calls_of_those_that_look_for_it(self, project):  # noqa: F811
        """Calls of a project that does not look for a mistake say nothing about it."""
        other = Project.objects.create(owner=project.owner, name="Another", type=project.type, config={})
        bring(project, call(1, rude=True), call(2))
        missed = {"mistakes": [], "missing_prompts": [{"id": "farewell", "description": "Says goodbye"}]}
        bring(other, line(1, no_protocol=missed), line(2), line(3))

        found = find_in_window([project, other], EVER)

        assert found.checked_calls == 5
        assert share_of(found.mistakes, "rude") == (1, 50.0, 2)
        assert share_of(found.missed_prompts, "farewell") == (1, 33.33, 3)
