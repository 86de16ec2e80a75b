"""The answers of the endpoints under /calls/api/, as the OpenAPI document describes them.

The rows are computed, named and typed in the reports room, which also makes them
JSON; their serializers are derived from them, so that no field is listed twice.
"""

from typing import Any

import msgspec
from rest_framework import serializers

from callscope.calls.fields import CALL_FIELDS
from callscope.interfaces.api.serializers.derived import serializer_for
from callscope.interfaces.api.serializers.fields import response_field
from callscope.interfaces.api.serializers.files import EngineWaitSerializer
from callscope.interfaces.api.serializers.places import ReviewedAgentSerializer, ReviewedReasonSerializer
from callscope.projects.rubric_changes import RubricChange
from callscope.reports.call_list.call_rows import CallItem
from callscope.reports.call_list.filters import DIRECTIONS, SENTIMENTS
from callscope.reports.call_list.snippets import Snippet
from callscope.reports.overview import schemas
from callscope.reports.overview.findings import FindingRow, Findings
from callscope.reports.overview.report import (
    NOT_IN_AGENTS,
    NOT_IN_RATES,
    NOT_IN_REASONS,
    NOT_IN_REVIEWS,
    NOT_IN_SCORECARD,
    NOT_IN_TREND,
    NOT_IN_VERSIONS,
)
from callscope.reports.overview.talk_means import NAMES

HeadlineSerializer = serializer_for(schemas.Headline, "HeadlineSerializer")
CHANGES = ("added", "changed", "removed")
DefinitionChangeSerializer = serializer_for(
    schemas.CriterionChange,
    "DefinitionChangeSerializer",
    fields={"change": serializers.ChoiceField(CHANGES[:2])},
)
ScorecardRowSerializer = serializer_for(
    schemas.ScorecardRow,
    "ScorecardRowSerializer",
    without=NOT_IN_SCORECARD,
    fields={
        "changed_in": DefinitionChangeSerializer(
            allow_null=True,
            help_text="The last version in the period that changed the criterion and judged calls.",
        )
    },
)
RubricChangeSerializer = serializer_for(
    RubricChange,
    "RubricChangeSerializer",
    without=NOT_IN_VERSIONS,
    fields={
        "criteria": serializers.DictField(
            child=serializers.ChoiceField(CHANGES),
            help_text="By id; empty where only settings of the whole rubric changed.",
        ),
        "week": serializers.DateField(help_text="Its Monday; the week of the trend."),
    },
)
TrendBucketSerializer = serializer_for(schemas.TrendBucket, "TrendBucketSerializer", without=NOT_IN_TREND)
ContactReasonSerializer = serializer_for(
    schemas.ContactReasonRow,
    "ContactReasonSerializer",
    without=NOT_IN_REASONS,
    fields={
        "topic": serializers.CharField(allow_blank=True),
        "other_topics": serializers.IntegerField(required=False),
        "course": serializers.ChoiceField(["growing", "shrinking", "steady"], allow_null=True),
    },
)
ReasonGroupSerializer = serializer_for(schemas.ReasonGroupRow, "ReasonGroupSerializer")
TrackerWeekSerializer = serializer_for(schemas.TrackerWeek, "TrackerWeekSerializer")
TrackerSerializer = serializer_for(
    schemas.TrackerRow, "TrackerSerializer", fields={"weeks": TrackerWeekSerializer(many=True)}
)
ReportFindingSerializer = serializer_for(
    FindingRow, "ReportFindingSerializer", fields={"weeks": TrackerWeekSerializer(many=True)}
)
ReportFindingsSerializer = serializer_for(
    Findings,
    "ReportFindingsSerializer",
    fields={
        "mistakes": ReportFindingSerializer(many=True),
        "missed_prompts": ReportFindingSerializer(many=True),
    },
)
MeasureMeanSerializer = serializer_for(schemas.MeasureMean, "MeasureMeanSerializer")
AgentTalkSerializer = type(
    "AgentTalkSerializer",
    (serializers.Serializer,),
    {name: MeasureMeanSerializer(required=False) for name in NAMES},
)
AgentFiguresSerializer = serializer_for(
    schemas.AgentRow,
    "AgentFiguresSerializer",
    without=NOT_IN_AGENTS,
    fields={
        "talk": AgentTalkSerializer(
            allow_null=True,
            help_text="Means over the calls of which a measure is known. A measure that is known of no call "
            "is left out; null where none is.",
        )
    },
)
ShiftSerializer = serializer_for(
    schemas.Headline,
    "ShiftSerializer",
    fields={"shift": serializers.ChoiceField(["day", "night"])},
)
FigureDifferenceSerializer = serializer_for(schemas.FigureDifference, "FigureDifferenceSerializer")
ShiftHoursSerializer = serializer_for(schemas.ShiftHours, "ShiftHoursSerializer")
ReviewFiguresSerializer = serializer_for(
    schemas.ReviewFigures, "ReviewFiguresSerializer", without=NOT_IN_REVIEWS
)
CopcRatesSerializer = serializer_for(schemas.CopcRates, "CopcRatesSerializer", without=NOT_IN_RATES)


class DateRangeSerializer(serializers.Serializer[Any]):
    start = serializers.DateTimeField(allow_null=True)
    end = serializers.DateTimeField(allow_null=True)
    preset = serializers.CharField(allow_null=True)


class ReportSerializer(serializers.Serializer[Any]):
    date_range = DateRangeSerializer()
    total_calls_all_time = serializers.IntegerField()
    headline = HeadlineSerializer()
    scorecard = ScorecardRowSerializer(many=True)
    trend = TrendBucketSerializer(many=True)
    contact_reasons = ContactReasonSerializer(many=True)
    reason_groups = ReasonGroupSerializer(
        many=True, help_text="Reasons by parent reason; empty where none has a parent."
    )
    trackers = TrackerSerializer(many=True)
    agents = AgentFiguresSerializer(many=True)
    shifts = ShiftSerializer(many=True)
    shift_hours = ShiftHoursSerializer()
    copc_rates = CopcRatesSerializer()
    changes = FigureDifferenceSerializer(
        many=True, help_text="The headline minus that of the previous period."
    )
    shift_differences = FigureDifferenceSerializer(many=True, help_text="Day minus night.")
    failed_calls = serializers.IntegerField(
        help_text="Calls of the period that could not be analyzed, or only in part."
    )
    reviews = ReviewFiguresSerializer()
    rubric_versions = RubricChangeSerializer(
        many=True, help_text="Versions that changed a rubric within the period, earliest first."
    )


CHOICES: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "direction": serializers.ChoiceField(["", *DIRECTIONS]),
    "sentiment": serializers.ChoiceField(list(SENTIMENTS), allow_null=True),
}
SnippetSerializer = serializer_for(
    Snippet,
    "SnippetSerializer",
    fields={
        "found": serializers.ListField(
            child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
            help_text="Where the text says what was looked for: first character, and the one after the last.",
        )
    },
)
CallItemSerializer = serializer_for(
    CallItem,
    "CallItemSerializer",
    fields=CHOICES
    | {
        "snippets": SnippetSerializer(
            many=True, required=False, help_text="Passages that match; only with the filter transcript."
        )
    },
)
CallRecordSerializer = serializer_for(
    CallItem,
    "CallRecordSerializer",
    fields=CHOICES
    | {field.name: response_field(field) for field in CALL_FIELDS if field.in_record}
    | {
        "total_points": serializers.FloatField(allow_null=True),
        "max_possible_points": serializers.FloatField(allow_null=True),
    },
)


class CallPage(msgspec.Struct, gc=False):
    """A page of the call list, with the addresses of the pages around it."""

    count: int  # calls on all pages together
    next: str | None
    previous: str | None
    results: list[CallItem]


CallPageSerializer = serializer_for(
    CallPage,
    "CallPageSerializer",
    fields={
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": CallItemSerializer(many=True),
    },
)


def encode_json(answer: CallPage | dict[str, object]) -> bytes:
    """Return a page of calls, or a report, as JSON, byte for byte what DRF makes of it."""
    # Every client polls these. 25 calls take 0.2 ms here; dictionaries took 0.9 ms, DRF's fields 8 ms.
    # A report of 320 agents takes a quarter of the time of Python's own encoder.
    # DRF escapes the two characters that end a line in JavaScript but not in JSON.
    # Figures are no plain floats.
    text = msgspec.json.encode(answer, enc_hook=float)
    return text.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")


class PartQuoteSerializer(serializers.Serializer[Any]):
    group = serializers.IntegerField(allow_null=True)
    text = serializers.CharField(allow_blank=True)
    speaker = serializers.ChoiceField(["agent", "customer"], allow_null=True)
    start = serializers.FloatField(allow_null=True)


class TrackedRuleSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    quotes = PartQuoteSerializer(many=True)


class CriterionScoreSerializer(serializers.Serializer[Any]):
    criterion_id = serializers.CharField()
    name = serializers.CharField()
    section = serializers.CharField(allow_blank=True)
    justification = serializers.CharField(allow_blank=True)
    quote = serializers.CharField(allow_blank=True)
    applicability = serializers.ChoiceField(["evaluated", "not_applicable"], allow_null=True)
    score = serializers.FloatField()
    max_points = serializers.FloatField()
    is_critical_error = serializers.BooleanField()
    source = serializers.ChoiceField(  # type: ignore[assignment]  # a field, not the serializer's own
        ["machine", "person"]
    )
    quotes = PartQuoteSerializer(many=True)


class CopcSerializer(serializers.Serializer[Any]):
    criterion_scores = CriterionScoreSerializer(many=True)


class CountingReviewSerializer(serializers.Serializer[Any]):
    """The review whose answers are the result of the call."""

    id = serializers.IntegerField()
    reviewer = serializers.EmailField(allow_null=True)
    revision = serializers.IntegerField()
    blind = serializers.BooleanField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    comment = serializers.CharField(allow_blank=True)
    outdated_criteria = serializers.ListField(
        child=serializers.CharField(), help_text="Criteria that changed since: the machine counts there."
    )
    agent = ReviewedAgentSerializer(
        allow_null=True, help_text="null: the review says nothing of it, or you are the agent of the call."
    )
    contact_reason = ReviewedReasonSerializer(allow_null=True)


class AppliedSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    start_s = serializers.FloatField()


class AbsenceSerializer(serializers.Serializer[Any]):
    criterion_id = serializers.CharField()
    applied = AppliedSerializer(
        allow_null=True, help_text="The words that made it apply; null where it always does."
    )
    looked_for = serializers.ListField(child=serializers.CharField(), help_text="Empty for agents' users.")
    speaker = serializers.CharField(help_text="Who should have said it: agent, customer or any.")
    start = serializers.FloatField(
        allow_null=True, help_text="Second from which it counts; null: at any time."
    )
    end = serializers.FloatField(allow_null=True)


class CallDetailSerializer(serializers.Serializer[Any]):
    record = CallRecordSerializer()
    copc = CopcSerializer(allow_null=True)
    machine = CopcSerializer(
        allow_null=True, help_text="The machine's answers, where a person's answers count."
    )
    review = CountingReviewSerializer(allow_null=True, help_text="The review that counts.")
    review_outdated = serializers.BooleanField(
        help_text="There is a review, but it no longer fits these results."
    )
    no_protocol = serializers.DictField(allow_null=True)
    machine_no_protocol = serializers.DictField(
        allow_null=True, help_text="The machine's findings, where a person's findings count."
    )
    custom_questions = serializers.DictField(allow_null=True)
    insights = serializers.DictField(allow_null=True)
    machine_insights = serializers.DictField(
        allow_null=True, help_text="The machine's findings, where a person's findings count."
    )
    trackers = TrackedRuleSerializer(many=True)
    absences = AbsenceSerializer(
        many=True, help_text="What criteria that were not met looked for, by the rules that judged the call."
    )
    talk = serializers.DictField(allow_null=True, help_text="Talk measures; see docs/analysis.md.")
    analysis_errors = serializers.DictField(child=serializers.CharField())
    provenance = serializers.DictField(allow_null=True)
    transcript = serializers.DictField(allow_null=True)


class AnswerSerializer(serializers.Serializer[Any]):
    answer = serializers.CharField(allow_blank=True)
    quotes = serializers.IntegerField()


class AnsweredCallSerializer(serializers.Serializer[Any]):
    call_analysis_id = serializers.IntegerField()
    file = serializers.CharField()
    call_datetime = serializers.DateTimeField()
    agent = serializers.CharField(allow_blank=True)
    answers = serializers.DictField(child=AnswerSerializer())


class CustomQuestionsSerializer(serializers.Serializer[Any]):
    questions = serializers.ListField(child=serializers.CharField())
    calls = AnsweredCallSerializer(many=True)
    count = serializers.IntegerField()


class WaitOfFilesSerializer(EngineWaitSerializer):
    files = serializers.IntegerField(help_text="How many files of these projects wait for it.")


class AnalysisStatusSerializer(serializers.Serializer[Any]):
    analysis_status = serializers.DictField(child=serializers.DictField(child=serializers.IntegerField()))
    analyzed_calls = serializers.IntegerField()
    duplicate_uploads = serializers.IntegerField()
    in_progress = serializers.BooleanField()
    reclustering = serializers.BooleanField()
    last_analyzed_at = serializers.DateTimeField(allow_null=True)
    waiting_for = WaitOfFilesSerializer(many=True)


class ReclusterSerializer(serializers.Serializer[Any]):
    reclustering = serializers.ListField(child=serializers.IntegerField())
    count = serializers.IntegerField()
