"""A failed analysis shows wherever somebody may look for its call."""

import pytest

from callscope.accounts.models import AuditEvent
from callscope.accounts.trail.chaining import chain_notes
from callscope.analysis import analyze
from callscope.calls.models import Call, UploadedFile
from callscope.engines.errors import EngineRejected
from callscope.interfaces.api.serializers.files import serialize_file
from callscope.reports.call_list.call_detail import detail_json, find_call
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.listing import find_calls, iterate_calls
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.window import ALL_TIME, Window
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import accept

pytestmark = pytest.mark.django_db
SENTENCE = "The quota is used up."


@pytest.fixture
def unjudged(judged, monkeypatch):
    """One call without any result."""
    file = accept(judged)
    with monkeypatch.context() as broken:

        def fail(*_, **__):
            raise EngineRejected(SENTENCE)

        broken.setattr(analyze, "analyze", fail)
        run_due_jobs()
    return file


@pytest.fixture
def half_judged(judged, monkeypatch):
    """One call with a scorecard and nothing else."""
    file = accept(judged)
    real = analyze.analyze

    def lose_insights(*arguments, **options):
        findings = real(*arguments, **options)
        findings.insights = None
        findings.errors["calls_analysis_insights"] = SENTENCE
        return findings

    with monkeypatch.context() as broken:
        broken.setattr(analyze, "analyze", lose_insights)
        run_due_jobs()
    return file


class TestFileResource:
    def test_names_the_analyses_that_failed_and_why(self, unjudged):
        shown = serialize_file(UploadedFile.objects.get(pk=unjudged.pk))

        assert shown["status"] == "transcribed"
        assert shown["analysis_states"] == {
            "calls_analysis_copc": "failed",
            "calls_analysis_insights": "failed",
        }
        assert shown["analysis_errors"] == {
            "calls_analysis_copc": SENTENCE,
            "calls_analysis_insights": SENTENCE,
        }

    def test_of_a_good_call_names_none(self, judged):
        file = accept(judged)
        run_due_jobs()

        assert serialize_file(UploadedFile.objects.get(pk=file.pk))["analysis_errors"] == {}


class TestCallDetail:
    def test_says_why_nothing_is_there(self, judged, unjudged):
        shown = detail_json(find_call([judged], unjudged.call_id))

        assert shown["analysis_errors"]["calls_analysis_copc"] == SENTENCE
        assert shown["record"]["has_failed_analysis"]

    def test_says_why_a_newer_file_has_no_results(self, judged, monkeypatch):
        first = accept(judged)
        run_due_jobs()
        accept(judged, name=first.original_filename)

        def fail(*_, **__):
            raise EngineRejected(SENTENCE)

        monkeypatch.setattr(analyze, "analyze", fail)
        run_due_jobs()

        shown = detail_json(find_call([judged], first.call_id))
        assert shown["copc"] is not None
        assert shown["analysis_errors"]["calls_analysis_copc"] == SENTENCE


class TestCallList:
    @pytest.mark.parametrize(
        "ordering", ["-call_datetime", "score_percentage", "mistake_count", "agent__name"]
    )
    def test_marks_and_finds_the_calls_of_which_a_part_failed(self, judged, half_judged, ordering):
        good = accept(judged)
        run_due_jobs()

        every = find_calls([judged], ALL_TIME, CallFilters(ordering=ordering))
        failed = find_calls([judged], ALL_TIME, CallFilters(ordering=ordering, failed=True))

        assert {item.id: item.has_failed_analysis for item in every.items} == {
            half_judged.call_id: True,
            good.call_id: False,
        }
        assert (failed.count, [item.id for item in failed.items]) == (1, [half_judged.call_id])
        streamed = iterate_calls([judged], ALL_TIME, CallFilters(ordering=ordering, failed=True))
        assert [item.id for item in streamed] == [half_judged.call_id]

    def test_combines_with_a_search(self, judged, half_judged):
        found = find_calls([judged], ALL_TIME, CallFilters(search="call-", failed=True))

        assert found.count == 1


class TestReport:
    def test_counts_the_calls_that_are_not_in_it(self, judged, unjudged, half_judged):
        report = report_json(build_report([judged], ALL_TIME))

        assert (report["headline"]["total_calls"], report["failed_calls"]) == (1, 2)

    def test_counts_those_of_its_window_alone(self, judged, unjudged):
        import datetime as dt

        Call.objects.update(call_datetime=dt.datetime(2026, 1, 5, 10, tzinfo=dt.UTC))

        def count(first, last):
            days = Window(start=dt.date(2026, 1, first), end=dt.date(2026, 1, last))
            return build_report([judged], days).failed_calls

        assert (count(5, 5), count(1, 4), count(6, 7)) == (1, 0, 0)


class TestEvent:
    @pytest.fixture(autouse=True)
    def _own_data_folder(self, settings, tmp_path):
        """On SQLite the notes are in a file, and those of earlier tests may wait in it."""
        settings.DATA_DIR = tmp_path

    def test_is_noted_once_for_each_failure_without_words_of_the_call(self, judged, unjudged, half_judged):
        chain_notes()

        events = {e.subject: e.detail for e in AuditEvent.objects.filter(action="file.failed")}

        assert events == {
            f"file {unjudged.pk}": {
                "project": judged.pk,
                "call": unjudged.call_id,
                "stage": "analyze",
                "reason": "",
                "analyses": ["calls_analysis_copc", "calls_analysis_insights"],
            },
            f"file {half_judged.pk}": {
                "project": judged.pk,
                "call": half_judged.call_id,
                "stage": "analyze",
                "reason": "",
                "analyses": ["calls_analysis_insights"],
            },
        }
