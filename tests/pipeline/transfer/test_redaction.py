"""What an import brings is redacted as the project redacts its transcripts."""

import datetime as dt
import io
import json

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.calls.fields import CALL_FIELDS, FREE_TEXTS
from callscope.calls.models import Call
from callscope.contact_reasons.models import ContactReason
from callscope.pipeline.transfer import redaction
from callscope.pipeline.transfer.importer import import_calls
from callscope.pipeline.transfer.line_parser import Rules
from callscope.pipeline.transfer.prepare import prepare_batch
from callscope.transcription.redaction.redaction import redact_text

pytestmark = pytest.mark.django_db
CARD = "4111 1111 1111 1111"
ROW = {
    "criterion_id": "greeting", "name": "Greets", "section": "Opening", "score": 10, "max_points": 10,
    "applicability": "evaluated", "is_critical_error": False, "justification": f"The caller gave {CARD}.",
    "quote": f"[00:03] it is {CARD}",
}  # fmt: skip
LINE = {
    "file_name": "c1.wav", "call_datetime": "2026-01-05T10:00:00+00:00", "caller_number": CARD,
    "topic": f"card {CARD}", "contact_reason": f"card {CARD}", "campaign": "spring 2026",
    "sentiment": "neutral",
    "copc": {"criterion_scores": [ROW]},
    "no_protocol": {
        "mistakes": [{"id": "m", "description": "M", "quote": "[01:10] my PIN is 4829"}],
        "missing_prompts": [],
    },
    "custom_questions": {"answers": {"Which?": {
        "answer": "four one one one, one one one one, one one one one, one one one one", "quotes": [CARD]}}},
}  # fmt: skip


def bring(project, line=LINE):
    return import_calls(project, io.BytesIO(json.dumps(line).encode()))


def stored(call):
    analysis = CallAnalysis.objects.get(call=call, is_live=True)
    parts = [analysis.copc, analysis.no_protocol, analysis.custom_questions, analysis.insights]
    return json.dumps([*parts, call.caller_number, call.campaign])


class TestImport:
    def test_redacts_every_text_of_a_line(self, project):
        bring(project)

        call = Call.objects.get()
        found = stored(call)
        assert "1111" not in found
        assert "four one" not in found
        assert "4829" not in found
        assert call.caller_number == "[card number]"
        assert '"quote": "[00:03] it is [card number]"' in found
        assert '"quote": "[01:10] my PIN is [security code]"' in found
        assert "spring 2026" in found

    @pytest.mark.parametrize("name", [*FREE_TEXTS, "topic", "contact_reason"])
    def test_redacts_what_lines_have_in_common_in_each_of_them(self, project, name):
        for number in range(2):
            bring(project, {"file_name": f"c{number}.wav", "sentiment": "neutral", name: f"card {CARD}"})

        calls = Call.objects.select_related("agent")
        found = [stored(call) + (call.agent.name if call.agent else "") for call in calls]
        reasons = ContactReason.objects.values_list("name", flat=True)
        assert len(found) == 2
        assert "1111" not in "".join([*found, *reasons])

    def test_knows_each_text_of_a_call(self):
        """One that is neither redacted nor an id would keep a card number."""
        texts = {field.name for field in CALL_FIELDS if field.kind == "text"}

        assert texts - redaction.KEPT - {"caller_number"} == set(FREE_TEXTS)

    def test_takes_no_time_for_numbers_that_are_kept(self, project, monkeypatch):
        """As in the agents, campaigns and topics of nearly all lines: 19 ms for each line otherwise."""
        asked = []
        monkeypatch.setattr(
            redaction, "redact_text", lambda text, kinds: asked.append(text) or redact_text(text, kinds)
        )
        row = {**ROW, "justification": "It was said.", "quote": "[00:03] It was said."}
        line = {
            **LINE, "caller_number": "+34911222333", "agent_name": "Agent 012", "topic": "topic 123",
            "contact_reason": "Reason 100", "no_protocol": None, "custom_questions": None,
            "copc": {"criterion_scores": [row]},
        }  # fmt: skip
        lines = [(n, json.dumps({**line, "file_name": f"{n}.wav"}).encode()) for n in range(50)]

        batch = prepare_batch(lines, Rules("flag", dt.UTC, {}, ("cards", "security_codes")))

        assert {call.details.agent_name for call in batch.calls} == {"Agent 012"}
        assert len(asked) <= 4

    def test_redacts_a_line_of_a_call_that_is_there_already(self, project):
        bring(project, {**LINE, "topic": "before"})

        assert bring(project).replaced == 1
        assert "1111" not in stored(Call.objects.get())
        assert bring(project).unchanged == 1

    def test_keeps_what_the_project_keeps(self, project):
        project.config = {**project.config, "redact": []}
        project.save()

        bring(project)

        call = Call.objects.get()
        assert call.caller_number == CARD
        assert f"it is {CARD}" in stored(call)

    def test_keeps_phone_numbers_of_callers(self, project):
        project.config = {**project.config, "redact": ["cards", "phones", "digit_runs"]}
        project.save()

        bring(project, {**LINE, "caller_number": "+34 911 22 33 44"})

        assert Call.objects.get().caller_number == "+34 911 22 33 44"
