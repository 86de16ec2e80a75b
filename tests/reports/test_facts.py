"""Facts after a change of metadata are those that the results would give anew."""

import pytest

from callscope.calls.models import Call
from callscope.pipeline.intake import change_metadata
from callscope.reports import facts
from callscope.reports.fold import fold_all
from callscope.reports.models import CallFact, CallText
from callscope.reports.search import matching
from callscope.reports.verify import verify

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

        change_metadata(call.newest_file, fields, alice)

        described = rows(call)
        facts.refresh([call.pk])
        assert rows(call) == described
        fold_all()
        assert verify([project.pk]) == []

    def test_is_found_by_what_it_says_now(self, project, alice, bring_in):
        bring_in(project, LINE)
        call = Call.objects.get()

        change_metadata(call.newest_file, {"campaign": "Herbst"}, alice)

        assert list(matching("herbst")) == list(matching("rechnung")) == [call.pk]
        assert list(matching("spring")) == []

    def test_leaves_a_call_without_results_out(self, project, alice, bring_in):
        bring_in(project, {"file_name": "c.wav"})
        call = Call.objects.get()

        change_metadata(call.newest_file, {"campaign": "Herbst"}, alice)

        assert not CallFact.objects.exists()
