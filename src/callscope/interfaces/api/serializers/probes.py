"""Probes: calls judged several times, and copies of calls."""

from typing import Any

from rest_framework import serializers

from callscope.analysis.counterfactuals.groups import GROUPS
from callscope.interfaces.api.serializers.fields import Millionths, Moment, Text
from callscope.interfaces.api.serializers.projects import ConfigurationInputField
from callscope.pipeline.rubric_changes.probes.requests import MOST_CALLS, MOST_REPETITIONS

STATES = [(s, s) for s in ("queued", "running", "completed", "stopped", "failed")]


class EstimateSerializer(serializers.Serializer[Any]):
    """What the work is expected to ask and cost, by the usage ledger; null where nothing is known."""

    calls = serializers.IntegerField()
    judgments = serializers.IntegerField()
    requests = serializers.IntegerField(
        help_text="Requests to the language model, at least; 0 for the rules."
    )
    input_tokens = serializers.IntegerField(allow_null=True)
    output_tokens = serializers.IntegerField(allow_null=True)
    cost = Millionths(source="cost_micros", allow_null=True)
    seconds = serializers.FloatField(allow_null=True, help_text="Seconds of one worker.")
    based_on = serializers.IntegerField(help_text="Number of ledger entries that it is based on.")


class ProbeRequestSerializer(serializers.Serializer[Any]):
    """Which calls are judged, and by what."""

    config = ConfigurationInputField(required=False, help_text="A draft; default: the current settings.")
    sample = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_CALLS, help_text="How many calls to draw at random."
    )
    estimate_only = serializers.BooleanField(required=False, help_text="Queue nothing.")


class SteadinessRequestSerializer(ProbeRequestSerializer):
    """A probe of steadiness."""

    repetitions = serializers.IntegerField(
        required=False, min_value=2, max_value=MOST_REPETITIONS, help_text="Judgments of each call."
    )


class FairnessRequestSerializer(ProbeRequestSerializer):
    """A fairness probe."""

    groups = serializers.ListField(
        child=Text(), required=False, min_length=1, max_length=len(GROUPS), help_text=", ".join(GROUPS)
    )


class QueuedProbeSerializer(serializers.Serializer[Any]):
    """The probe that was queued, and what it is expected to cost."""

    id = serializers.IntegerField(allow_null=True, help_text="null where only the estimate was requested.")
    estimate = EstimateSerializer()


class ProbeSerializer(serializers.Serializer[Any]):
    """One probe in a list."""

    id = serializers.IntegerField(source="pk")
    state = serializers.SerializerMethodField()
    engine = serializers.CharField(help_text='The language model; "" for the rules.')
    config_version = serializers.IntegerField()
    author = serializers.EmailField(source="created_by.email", default=None, allow_null=True)
    created_at = Moment()
    completed_at = Moment(allow_null=True)
    estimate = EstimateSerializer()

    def get_state(self, probe: Any) -> str:
        return str(self.context["states"][probe.pk])


class FlipsSerializer(serializers.Serializer[Any]):
    """Calls of which an answer was not the same; `low` to `high` is Wilson's 95 % interval over calls."""

    calls = serializers.IntegerField()
    flips = serializers.IntegerField()
    flip_pct = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class CriterionFlipsSerializer(FlipsSerializer):
    """Flips at one criterion."""

    criterion_id = serializers.CharField()


class SteadyCriterionSerializer(CriterionFlipsSerializer):
    """Flips at one criterion, next to the agreement of machine and people in blind reviews."""

    kappa = serializers.FloatField(allow_null=True)
    kappa_low = serializers.FloatField(allow_null=True)
    kappa_high = serializers.FloatField(allow_null=True)
    reviewed = serializers.IntegerField(help_text="Blind answers of people.")


class AnswerTimesField(serializers.DictField):
    """Answer → how often it was given."""

    child = serializers.IntegerField()


class FlippedCallSerializer(serializers.Serializer[Any]):
    """The answers of one call to one criterion."""

    call_id = serializers.IntegerField()
    criterion_id = serializers.CharField()
    answers = AnswerTimesField()


class ProbeProgressSerializer(serializers.Serializer[Any]):
    """How far a probe is."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(STATES)
    judgments = serializers.IntegerField()
    done = serializers.IntegerField()
    engine = serializers.CharField(help_text='The language model; "" for the rules.')
    config_version = serializers.IntegerField()
    estimate = EstimateSerializer()
    calls = serializers.IntegerField(allow_null=True, help_text="Compared; null until completed or stopped.")


class SteadinessSerializer(ProbeProgressSerializer):
    """How steady answers are."""

    repetitions = serializers.IntegerField()
    score_spread = serializers.FloatField(
        allow_null=True, help_text="Mean over calls of the standard deviation of a call's scores."
    )
    overall = FlipsSerializer(allow_null=True)
    criteria = SteadyCriterionSerializer(many=True)
    flipped = FlippedCallSerializer(many=True)


class ScoreShiftSerializer(serializers.Serializer[Any]):
    """By how much copies score higher; `low` to `high` is Student's 95 % interval of the mean over calls."""

    calls = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class GroupSerializer(serializers.Serializer[Any]):
    """The copies of one group against the calls themselves."""

    group = serializers.CharField()
    unchanged = serializers.IntegerField(help_text="Calls in which there was nothing to change.")
    score_shift = ScoreShiftSerializer()
    overall = FlipsSerializer()
    criteria = CriterionFlipsSerializer(many=True)


class MovedAnswerSerializer(serializers.Serializer[Any]):
    """A call whose copy got another answer."""

    call_id = serializers.IntegerField()
    group = serializers.CharField()
    criterion_id = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    score_before = serializers.FloatField(allow_null=True)
    score_after = serializers.FloatField(allow_null=True)


class FairnessSerializer(ProbeProgressSerializer):
    """How answers change when other people say the same."""

    groups = GroupSerializer(many=True)
    moved = MovedAnswerSerializer(many=True)
