"""The shapes of the endpoints under /calls/api/, for the OpenAPI document.

The views build their answers from the reports room; these classes only describe
them, and a test holds the answers against them.
"""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from callscope.interfaces.api import openapi
from callscope.reports.call_filters import DIRECTIONS, ORDERINGS, SENTIMENTS
from callscope.reports.window import PRESETS

Shape = serializers.Serializer[Any]


ERRORS = openapi.errors(400)
NOT_FOUND = openapi.errors(404)[404]


def _query(
    name: str, kind: OpenApiTypes, description: str, enum: list[str] | None = None
) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=description, enum=enum)


SCOPE = [
    _query("project_id", OpenApiTypes.INT, "Limit to one project; without it, all visible call projects"),
    _query("team", OpenApiTypes.INT, "Limit to a team; ignored unless the caller is a member"),
]
WINDOW = [
    _query("start_date", OpenApiTypes.DATE, "First day, inclusive"),
    _query("end_date", OpenApiTypes.DATE, "Last day, inclusive"),
    _query("date_range", OpenApiTypes.STR, "A named range; wins over the dates", enum=list(PRESETS)),
]
FILTERS = [
    _query("agent", OpenApiTypes.STR, 'An agent_id of the report, or "none" for calls without an agent'),
    _query("sentiment", OpenApiTypes.STR, f"{', '.join(SENTIMENTS)}; others are ignored"),
    _query("direction", OpenApiTypes.STR, f"{', '.join(DIRECTIONS)}; others are ignored"),
    _query("critical", OpenApiTypes.STR, "true or 1: only calls with a critical error"),
    _query("search", OpenApiTypes.STR, "Text in file name, topic, contact reason, caller number or campaign"),
    _query(
        "ordering",
        OpenApiTypes.STR,
        f"{', '.join(ORDERINGS)}, - before it turns it round; others are ignored",
    ),
    _query("page", OpenApiTypes.STR, 'A number from 1, or "last"'),
]


class Percent(serializers.FloatField):
    """Two decimals; null when nothing could be measured."""

    def __init__(self) -> None:
        super().__init__(allow_null=True)


class DateRange(Shape):
    start = serializers.DateTimeField(allow_null=True)
    end = serializers.DateTimeField(allow_null=True)
    preset = serializers.CharField(allow_null=True)


class Headline(Shape):
    total_calls = serializers.IntegerField()
    analyzed_hours = serializers.FloatField()
    average_score = Percent()
    weighted_compliance = Percent()
    scored_calls = serializers.IntegerField()
    critical_error_pct = Percent()
    negative_sentiment_pct = Percent()
    goal_reached_pct = Percent()
    calls_with_metadata = serializers.IntegerField()


class Shift(Headline):
    shift = serializers.ChoiceField(["day", "night"])


class ScorecardRow(Shape):
    criterion_id = serializers.CharField()
    name = serializers.CharField()
    section = serializers.CharField()
    weight_pct = Percent()
    average_pct = Percent()
    previous_pct = Percent()
    delta_pct = Percent()
    critical_errors = serializers.IntegerField()
    calls = serializers.IntegerField()
    evaluated_calls = serializers.IntegerField()
    not_applicable_calls = serializers.IntegerField()


class TrendBucket(Shape):
    week = serializers.DateField()
    calls = serializers.IntegerField()
    average_score = Percent()
    negative_sentiment_pct = Percent()


class ContactReason(Shape):
    topic = serializers.CharField(allow_blank=True)
    calls = serializers.IntegerField()
    volume_pct = serializers.FloatField()
    other_topics = serializers.IntegerField(required=False)


class AgentFigures(Shape):
    agent = serializers.CharField()
    agent_id = serializers.IntegerField()
    calls = serializers.IntegerField()
    average_score = Percent()
    critical_error_pct = Percent()
    negative_sentiment_pct = Percent()
    goal_reached_pct = Percent()


class ShiftHours(Shape):
    day_start = serializers.IntegerField(allow_null=True)
    day_end = serializers.IntegerField(allow_null=True)


class CopcRates(Shape):
    customer_critical_accuracy_pct = Percent()
    business_critical_accuracy_pct = Percent()
    compliance_critical_accuracy_pct = Percent()
    non_critical_accuracy_pct = Percent()


class Report(Shape):
    date_range = DateRange()
    total_calls_all_time = serializers.IntegerField()
    headline = Headline()
    scorecard = ScorecardRow(many=True)
    trend = TrendBucket(many=True)
    contact_reasons = ContactReason(many=True)
    agents = AgentFigures(many=True)
    shifts = Shift(many=True)
    shift_hours = ShiftHours()
    copc_rates = CopcRates()


class CallItem(Shape):
    id = serializers.IntegerField()
    file_id = serializers.IntegerField(allow_null=True)
    file_name = serializers.CharField()
    call_datetime = serializers.DateTimeField()
    agent = serializers.CharField(allow_blank=True)
    direction = serializers.ChoiceField(["", *DIRECTIONS])
    campaign = serializers.CharField(allow_blank=True)
    topic = serializers.CharField(allow_blank=True)
    sentiment = serializers.ChoiceField(list(SENTIMENTS), allow_null=True)
    score_percentage = serializers.FloatField(allow_null=True)
    has_critical_error = serializers.BooleanField()
    mistake_count = serializers.IntegerField(allow_null=True)
    missing_prompt_count = serializers.IntegerField(allow_null=True)
    goal_reached = serializers.BooleanField(allow_null=True)


class CallPage(Shape):
    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = CallItem(many=True)


class CallRecord(CallItem):
    call_datetime_source = serializers.ChoiceField(["api", "manifest", "upload_time"])
    caller_number = serializers.CharField(allow_blank=True)
    total_points = serializers.FloatField(allow_null=True)
    max_possible_points = serializers.FloatField(allow_null=True)


class CriterionScore(Shape):
    criterion_id = serializers.CharField()
    name = serializers.CharField()
    section = serializers.CharField(allow_blank=True)
    justification = serializers.CharField(allow_blank=True)
    quote = serializers.CharField(allow_blank=True)
    applicability = serializers.ChoiceField(["evaluated", "not_applicable"], allow_null=True)
    score = serializers.FloatField()
    max_points = serializers.FloatField()
    is_critical_error = serializers.BooleanField()


class Copc(Shape):
    criterion_scores = CriterionScore(many=True)


class CallDetail(Shape):
    record = CallRecord()
    copc = Copc(allow_null=True)
    no_protocol = serializers.DictField(allow_null=True)
    custom_questions = serializers.DictField(allow_null=True)
    insights = serializers.DictField(allow_null=True)
    analysis_errors = serializers.DictField(child=serializers.CharField())
    provenance = serializers.DictField(allow_null=True)
    transcript = serializers.DictField(allow_null=True)


class Answer(Shape):
    answer = serializers.CharField(allow_blank=True)
    quotes = serializers.IntegerField()


class AnsweredCall(Shape):
    call_analysis_id = serializers.IntegerField()
    file = serializers.CharField()
    call_datetime = serializers.DateTimeField()
    agent = serializers.CharField(allow_blank=True)
    answers = serializers.DictField(child=Answer())


class CustomQuestions(Shape):
    questions = serializers.ListField(child=serializers.CharField())
    calls = AnsweredCall(many=True)
    count = serializers.IntegerField()


class AnalysisStatus(Shape):
    analysis_status = serializers.DictField(child=serializers.DictField(child=serializers.IntegerField()))
    analyzed_calls = serializers.IntegerField()
    duplicate_uploads = serializers.IntegerField()
    in_progress = serializers.BooleanField()
    reclustering = serializers.BooleanField()
    last_analyzed_at = serializers.DateTimeField(allow_null=True)


class Recluster(Shape):
    reclustering = serializers.ListField(child=serializers.IntegerField())
    count = serializers.IntegerField()
