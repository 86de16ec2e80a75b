"""Replays of drafts, their publication, and the re-scoring of history."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from callscope.interfaces.api.serializers.fields import Text
from callscope.interfaces.api.serializers.probes import EstimateSerializer
from callscope.interfaces.api.serializers.projects import ConfigurationInputField
from callscope.pipeline.rubric_changes.replays.besides import KINDS
from callscope.pipeline.rubric_changes.replays.drafts import MOST_CALLS
from callscope.reports.window import ALL_TIME, InvalidWindow, Window, parse_window

ANSWER_COUNTS = {
    "type": "object",
    "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}},
}
RESCORE = {
    "oneOf": [
        {"type": "string", "enum": ["none", "all"]},
        {
            "type": "object",
            "properties": {"start_date": {"type": "string", "format": "date"}},
            "required": ["start_date"],
            "additionalProperties": False,
        },
    ]
}


class WindowSerializer(serializers.Serializer[Any]):
    """Days in the server's time zone, both included; without one, that side is open."""

    start_date = Text(required=False, help_text="YYYY-MM-DD.")
    end_date = Text(required=False, help_text="YYYY-MM-DD.")


class ReplayRequestSerializer(WindowSerializer):
    """A draft, and the calls to judge by it."""

    config = ConfigurationInputField()
    sample = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_CALLS, help_text="How many calls to draw at random."
    )
    estimate_only = serializers.BooleanField(required=False, help_text="Queue nothing.")


class ReplayIdSerializer(serializers.Serializer[Any]):
    """The replay that was queued, and what it is expected to cost."""

    id = serializers.IntegerField(allow_null=True, help_text="null where only the estimate was requested.")
    estimate = EstimateSerializer()


class BucketSerializer(serializers.Serializer[Any]):
    """How many calls scored from `low` to under `high`."""

    low = serializers.IntegerField()
    high = serializers.IntegerField()
    calls = serializers.IntegerField()


class ScoresSerializer(serializers.Serializer[Any]):
    """Scores of one side; `low` to `high` is the 95 % interval of the mean over calls."""

    calls = serializers.IntegerField()
    average_score = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    critical_errors = serializers.IntegerField()
    distribution = BucketSerializer(many=True)


class ScoreChangeSerializer(serializers.Serializer[Any]):
    """Score after minus score before over calls with both; `low` to `high` is the 95 % interval."""

    calls = serializers.IntegerField()
    average = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class ReplayBaselineSerializer(serializers.Serializer[Any]):
    """What `before` is: the answers by one version of the settings."""

    version = serializers.IntegerField(help_text="The version that was current when the replay started.")
    judged_again = serializers.IntegerField(
        help_text="Compared calls judged with it for this replay; the others keep their stored results."
    )


@extend_schema_field(ANSWER_COUNTS)
class AnswerCountsField(serializers.Field[Any, Any, Any, Any]):
    """Answer before → answer after → calls."""

    def to_representation(self, value: Any) -> Any:
        return value


class ChangedCriterionSerializer(serializers.Serializer[Any]):
    """How the answers to one criterion moved."""

    criterion_id = serializers.CharField()
    changed = serializers.IntegerField()
    kappa = serializers.FloatField(allow_null=True, help_text="Cohen's; null where it is undefined.")
    table = AnswerCountsField()


class SaidSerializer(serializers.Serializer[Any]):
    """The segment in which a quote begins."""

    start = serializers.FloatField(help_text="Seconds")
    speaker = serializers.CharField(allow_null=True)
    text = serializers.CharField()


class CriterionChangeSerializer(serializers.Serializer[Any]):
    """A criterion whose answer moved, with what each judgment quotes; no quotes once the words are gone."""

    criterion_id = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    before_quotes = SaidSerializer(many=True)
    after_quotes = SaidSerializer(many=True)


class ChangedCallSerializer(serializers.Serializer[Any]):
    """The score of a call before and after, and the answers that moved."""

    call_id = serializers.IntegerField()
    before = serializers.FloatField(allow_null=True)
    after = serializers.FloatField(allow_null=True)
    criteria = CriterionChangeSerializer(many=True)


class FoundItemSerializer(serializers.Serializer[Any]):
    """In how many calls something was found."""

    id = serializers.CharField(
        allow_blank=True,
        help_text="goal: `reached`, `missed`, `unknown`; reason: the code, empty where none fits; mistakes, "
        "prompts (missed), trackers: the id; questions (with an answer or passage): the question.",
    )
    before = serializers.IntegerField(allow_null=True, help_text="null: these settings do not look for it.")
    after = serializers.IntegerField(allow_null=True)


class CallChangeSerializer(serializers.Serializer[Any]):
    """What was found in a call before and not after, and the reverse; ids as in `items`."""

    call_id = serializers.IntegerField()
    before = serializers.ListField(child=serializers.CharField(allow_blank=True))
    after = serializers.ListField(child=serializers.CharField(allow_blank=True))


class ChangedKindSerializer(serializers.Serializer[Any]):
    """How what was found of one kind changed."""

    kind = serializers.ChoiceField([(kind, kind) for kind in KINDS])
    calls = serializers.IntegerField(
        help_text="Calls judged on both sides; 0 for reasons that only one side takes from a list of codes."
    )
    changed = serializers.IntegerField()
    items = FoundItemSerializer(many=True)
    changed_calls = CallChangeSerializer(many=True)


class GoalShareSerializer(serializers.Serializer[Any]):
    """The share of calls that reached the goal, of those whose outcome is known."""

    known = serializers.IntegerField()
    reached = serializers.IntegerField()
    pct = serializers.FloatField(allow_null=True)


class GoalChangeSerializer(serializers.Serializer[Any]):
    """Both shares, and their difference; `low` to `high` is the 95 % interval over the same calls."""

    before = GoalShareSerializer()
    after = GoalShareSerializer()
    change = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class BesidesSerializer(serializers.Serializer[Any]):
    """What changes besides the score."""

    goal = GoalChangeSerializer()
    kinds = ChangedKindSerializer(many=True)


class DraftSteadinessSerializer(serializers.Serializer[Any]):
    """What is known about the steadiness of the draft."""

    is_needed = serializers.BooleanField(help_text="A language model judges, and `calls` are too few.")
    required_calls = serializers.IntegerField()
    calls = serializers.IntegerField(help_text="Calls judged several times with this draft.")
    probe = serializers.IntegerField(source="probe.pk", default=None, allow_null=True)


class StoppedReplaySerializer(serializers.Serializer[Any]):
    """After how many calls a replay was stopped, and of how many."""

    calls = serializers.IntegerField()
    drawn = serializers.IntegerField()


class ReplaySerializer(serializers.Serializer[Any]):
    """Progress and results of a replay."""

    state = serializers.ChoiceField([(s, s) for s in ("queued", "running", "completed", "failed")])
    calls = serializers.IntegerField()
    done = serializers.IntegerField()
    before = ScoresSerializer(allow_null=True)
    after = ScoresSerializer(allow_null=True)
    change = ScoreChangeSerializer(allow_null=True)
    baseline = ReplayBaselineSerializer(
        allow_null=True,
        help_text="null until completed, and of replays by earlier releases, which compared stored results "
        "of any version.",
    )
    criteria = ChangedCriterionSerializer(many=True)
    critical_gained = serializers.IntegerField(allow_null=True, help_text="Calls with a new critical error.")
    critical_lost = serializers.IntegerField(allow_null=True, help_text="Calls that no longer have one.")
    most_changed = ChangedCallSerializer(many=True)
    besides = BesidesSerializer(
        allow_null=True,
        help_text="null until completed, and of replays by earlier releases, which did not record it.",
    )
    stopped = StoppedReplaySerializer(
        allow_null=True,
        help_text="Set once a person stopped it: then `state` is `completed`, results are of these calls, "
        "and the draft cannot be published.",
    )
    steadiness = DraftSteadinessSerializer()


@extend_schema_field(RESCORE)
class RescoreField(serializers.Field[Any, Any, Any, Any]):
    """Which calls are judged again: None, or a window."""

    def to_internal_value(self, data: Any) -> Window | None:
        if data == "none":
            return None
        if data == "all":
            return ALL_TIME
        if isinstance(data, dict) and list(data) == ["start_date"] and isinstance(data["start_date"], str):
            try:
                return parse_window(data, now=timezone.now())
            except InvalidWindow as error:
                raise ValidationError(str(error)) from None
        shown = str(data)[:80]
        raise ValidationError(
            f'"{shown}" is not allowed. Allowed: "none", "all" or {{"start_date": "YYYY-MM-DD"}}.'
        )

    def to_representation(self, value: Any) -> Any:
        return value


class PublishSerializer(serializers.Serializer[Any]):
    """What happens to calls that are already analyzed."""

    rescore = RescoreField(required=False, default=None)


class QueuedRescoreSerializer(serializers.Serializer[Any]):
    """A re-scoring that was queued."""

    id = serializers.IntegerField()
    calls = serializers.IntegerField(help_text="Calls to be judged again.")


class PublishedSerializer(serializers.Serializer[Any]):
    """The result of publishing a draft."""

    version = serializers.IntegerField(help_text="The current version of the configuration.")
    rescore = QueuedRescoreSerializer(allow_null=True)
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="What is not known about the draft: `steadiness_unknown`."
    )
