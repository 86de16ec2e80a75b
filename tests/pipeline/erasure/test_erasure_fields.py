"""A canary in every field of every table that can hold a word of a call: an erasure finds each of them.

A new field has to be added to one of the two lists below, else the first test fails.
"""

import pytest
from django.apps import apps
from django.db import models, transaction

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Agent, Call, ManifestRow
from callscope.contact_reasons.models import ContactReason
from callscope.db.fields import CompressedJSONField
from callscope.pipeline.decisions.review_edits import create_review
from callscope.pipeline.erasure import removal
from callscope.pipeline.models import EngineState
from callscope.pipeline.workers.stages import run_stage
from callscope.pipeline.workers.worker import claim_and_start
from callscope.reports.search.spoken_words import index_transcript
from callscope.reports.store import facts
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.appeals.filing import file_appeal
from callscope.reviews.findings import GivenFinding
from callscope.reviews.notes import create_note
from callscope.reviews.revisions import GivenReview
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import TALK, accept, configure, srt

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = "zqcanarx"  # its own stem
NAME = "canary.srt"
TEXTS = (models.CharField, models.TextField, models.JSONField, models.BinaryField)

#: Fields that hold what a call is about, what was said in it or who took part.
OF_A_CALL = {
    "Agent": {"external_id", "name", "name_key"},
    "Call": {"file_name", "name_stem", "caller_number", "campaign"},
    "UploadedFile": {"original_filename", "error_detail"},
    "ManifestRow": {"file_name", "values", "name_stem"},
    "Transcript": {"segments", "speech", "waveform", "quality", "redactions"},
    "CallAnalysis": {
        "copc",
        "machine_copc",
        "no_protocol",
        "machine_no_protocol",
        "custom_questions",
        "insights",
        "machine_insights",
        "provenance",
        "errors",
    },
    "ContactReason": {"name", "description"},
    "Review": {"comment", "criteria", "outdated_criteria"},
    "ReviewAnswer": {"comment", "quote"},
    "ReviewPlacement": {"reason_name", "machine_reason_name"},
    "ReviewFinding": {"item_id", "description", "comment", "quote"},
    "Appeal": {"reason", "decision_reason"},
    "CoachingNote": {"text"},
    "Job": {"error"},
    "EngineState": {"detail"},
}
#: Fields that are computed from those: `facts.refresh` brings the canary into them.
COMPUTED = {
    "Topic": {"text", "digest"},
    "CallText": {"text"},
    "SpokenWords": {"text"},  # from Transcript.segments: spoken_words.index_transcript()
    "CallFact": {"pack"},
    "Rollup": {"figures", "listing", "maps"},
    "JournalEntry": {"heads", "entries"},
    "ContactReason": {"centroid"},
    "ReasonChange": {"summary", "rows_before", "calls_before"},  # from names
}
#: Fields of people, settings and machines, and random or closed values.
OF_OTHERS = {
    "User", "Team", "TeamMember", "ApiKey", "Identity", "SecondFactor", "RecoveryCode", "Session",
    "SignInCounter", "AuditEvent", "AuditEventProject", "AuditQueue", "AuditFold", "AuditHead", "Project",
    "ProjectShare", "Invitation", "ConfigVersion", "BytesToErase", "UsageEntry", "StoreState",
    "CriterionSeen", "CallMark", "RequestCount", "SiteProcess", "ReviewSample", "Replay", "ReplayedCall",
    "SpokenCall", "ReviewedCall", "HeldCriteria", "Probe", "ProbedCall", "AgentUser", "SamplingPlan",
    "Calibration", "CalibrationRater", "CalibratedCall", "ResultsRead",
    "SavedView", "ReportMail", "ShareLink", "Organization",
}  # fmt: skip
CLOSED = {
    "Call": {"call_datetime_source", "agent_source", "direction"},
    "UploadedFile": {"file_type", "storage_key", "playback_key", "sha256", "status", "error_reason"},
    "Transcript": {"language", "engine", "model", "hosts"},
    "Review": {"state", "transcript_digest", "on_critical_error", "engine"},
    "SampledCall": {"reason"},
    "ReviewFinding": {"kind", "answer", "speaker", "machine_answer"},
    "ReviewPlacement": {"kind"},
    "ReviewedAgent": {"agent_source"},
    "ReviewAnswer": {"criterion_id", "answer", "speaker", "machine_answer"},
    "Appeal": {"criterion_id", "criterion_name", "answer", "state", "new_answer"},
    "ContactReason": {"embedder"},
    "ReasonChange": {"kind"},
    "Rescore": {"call_ids"},
    "Job": {"kind", "queue", "state", "worker", "needs"},
    "EngineState": {"kind", "address", "state", "reason"},
}


def tables() -> list[type[models.Model]]:
    return [m for m in apps.get_models() if m.__module__.startswith("callscope.") and m._meta.managed]


def text_fields(table: type[models.Model]) -> set[str]:
    return {f.attname for f in table._meta.concrete_fields if isinstance(f, TEXTS) and not f.is_relation}


def table_named(name: str) -> type[models.Model]:
    return next(table for table in tables() if table.__name__ == name)


def fill_with_canaries() -> set[str]:
    """Write the canary into every field of a call; return the fields that have one in some row."""
    filled = set()
    for name, fields in OF_A_CALL.items():
        table = table_named(name)
        for row in table._base_manager.all():
            for field in fields:
                setattr(row, field, with_canary(table._meta.get_field(field), getattr(row, field)))
            row.save()
            filled |= {f"{name}.{field}" for field in fields}
    return filled


def with_canary(field: models.Field, value: object) -> object:
    if isinstance(field, CompressedJSONField | models.JSONField):
        if isinstance(value, list):
            return [{**value[0], "text": CANARY}] if value and isinstance(value[0], dict) else [CANARY]
        return {**(value or {}), "topic": f"{CANARY} topic", "canary": CANARY}
    return f"{CANARY}-{field.name}"


def find_canaries() -> set[str]:
    """Return Table.field of every field of any table that holds a canary, and the files that have one."""
    found = set()
    every = [m for m in apps.get_models(include_auto_created=True) if m._meta.managed and not m._meta.proxy]
    for table in every:
        names = [field.attname for field in table._meta.concrete_fields]
        for row in table._base_manager.values_list(*names):
            for name, value in zip(names, row, strict=True):
                shown = bytes(value) if isinstance(value, memoryview) else value
                if CANARY in repr(shown).lower():
                    found.add(f"{table.__name__}.{name}")
    return found


@pytest.fixture
def filled(judged):
    """One call with everything that a call can have: an agent, a replaced result, a reason, a waiting row."""
    document = {**judged.config, "custom_questions": ["Was an invoice named?"]}
    configure(judged, document)
    for _ in range(2):
        file = accept(judged, srt(TALK), name=NAME)
        while (job := claim_and_start()) is not None:
            run_stage(job)
    call = Call.objects.get(pk=file.call_id)
    values = {"caller_number": "1"}
    stem = NAME.removesuffix(".srt")
    ManifestRow.objects.create(
        project=judged, file_name=f"{stem}.wav", name_stem=stem, values=values, updated_at=call.uploaded_at
    )
    EngineState.objects.create(kind="language", address="http://127.0.0.1:9/v1")
    if call.agent is None:
        call.agent = Agent.objects.create(owner=judged.owner, name="Ana", name_key="ana")
        call.agent_source = "api"
        call.save()
    answers = [GivenAnswer("greeting", "met", "Friendly.", "good morning")]
    findings = [GivenFinding("goal", "", "not_reached", "Not solved.", "good morning")]
    places = {"contact_reason": ContactReason.objects.get_or_create(project=judged, name="Other thing")[0].pk}
    given = GivenReview(answers, "Good.", submits=True, findings=findings, sent_placements=places)
    create_review(call.pk, given, judged.owner)
    with transaction.atomic():
        file_appeal(call, "greeting", "That was no greeting.", judged.owner)
    create_note(call, "Ask what else.", 2.0, judged.owner, is_shared=True)
    return call


class TestEveryTextField:
    def test_is_in_one_of_the_lists(self):
        for table in tables():
            if table.__name__ in OF_OTHERS:
                continue
            known = [lists.get(table.__name__, set()) for lists in (OF_A_CALL, COMPUTED, CLOSED)]
            unknown = text_fields(table) - set().union(*known)
            assert not unknown, f"{table.__name__}: {unknown} can hold words of a call or not?"

    def test_is_empty_after_an_erasure(self, filled):
        written = fill_with_canaries()
        with transaction.atomic():
            facts.refresh([filled.pk])
            for transcript in Transcript.objects.all():
                index_transcript(transcript)
        before = find_canaries()
        assert written <= before
        assert {"Topic.text", "CallText.text", "SpokenWords.text"} <= before
        assert CallAnalysis.objects.count() == 2

        removal.erase_call(Call.objects.get())

        assert find_canaries() == set()
