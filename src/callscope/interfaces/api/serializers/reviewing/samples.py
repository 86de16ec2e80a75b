"""Samples of calls to review, and what is sent to draw one."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from callscope.db.limits import MAX_ID
from callscope.interfaces.api.serializers.fields import Moment, Text
from callscope.reviews.models import SampledCall
from callscope.reviews.sampling.draw import MAX_PER_AGENT, MAX_REVIEWERS, MAX_SEED
from callscope.reviews.sampling.listing import OPEN, RESULTS_REMOVED, REVIEWED
from callscope.reviews.sampling.plans import DEFAULT_DUE_DAYS, MAX_DUE_DAYS

MAX_EMAIL = 254


class WholeNumber(serializers.IntegerField):
    """A whole number between two others; a wrong one is shown with what is allowed."""

    def __init__(self, lowest: int, highest: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.lowest, self.highest = lowest, highest

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, int) and not isinstance(data, bool) and self.lowest <= data <= self.highest:
            return data
        shown = repr(data)[:40] if isinstance(data, int | float | bool | str | None) else type(data).__name__
        raise ValidationError(
            f"{shown} is not allowed. Allowed: whole numbers, {self.lowest} to {self.highest}."
        )


FILTERS_HELP = (
    'Filters of the call list, name → value, such as {"agent": 7, "max_score": 60}. Default: all calls.'
)


class NewSampleSerializer(serializers.Serializer[Any]):
    """What to draw."""

    project_id = WholeNumber(-MAX_ID, MAX_ID)
    per_agent = WholeNumber(1, MAX_PER_AGENT, help_text="Calls of each agent.")
    start_date = Text(required=False, allow_blank=True, allow_null=True, help_text="First day of the calls.")
    end_date = Text(required=False, allow_blank=True, allow_null=True, help_text="Last day of the calls.")
    seed = WholeNumber(0, MAX_SEED, required=False, allow_null=True, help_text="Default: a random one.")
    uncertain_pct = WholeNumber(
        0, 100, required=False, default=0, help_text="Share of calls in which the machine was least sure."
    )
    leave_out_drawn = serializers.BooleanField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Leave out calls that were drawn before. Default: true without a seed, false with one.",
    )
    filters = serializers.DictField(required=False, default=dict, help_text=FILTERS_HELP)
    reviewers = serializers.ListField(
        child=Text(max_length=MAX_EMAIL), min_length=1, max_length=MAX_REVIEWERS, help_text="E-mails."
    )
    due = Text(required=False, allow_blank=True, allow_null=True, help_text="YYYY-MM-DD.")


class NewPlanSerializer(serializers.Serializer[Any]):
    """What to draw every week."""

    project_id = WholeNumber(-MAX_ID, MAX_ID)
    per_agent = WholeNumber(
        1, MAX_PER_AGENT, required=False, allow_null=True, help_text="Calls of each agent and week, or:"
    )
    share_pct = WholeNumber(
        1, 100, required=False, allow_null=True, help_text="Share of each agent's calls, rounded up."
    )
    uncertain_pct = WholeNumber(
        0, 100, required=False, default=0, help_text="Share of calls in which the machine was least sure."
    )
    due_days = WholeNumber(
        1, MAX_DUE_DAYS, required=False, default=DEFAULT_DUE_DAYS, help_text="Days after the draw."
    )
    filters = serializers.DictField(required=False, default=dict, help_text=FILTERS_HELP)
    seed = WholeNumber(0, MAX_SEED, required=False, allow_null=True, help_text="Default: a random one.")
    reviewers = serializers.ListField(
        child=Text(max_length=MAX_EMAIL), min_length=1, max_length=MAX_REVIEWERS, help_text="E-mails."
    )


class PlanSerializer(serializers.Serializer[Any]):
    """One plan that draws every week."""

    id = serializers.IntegerField()
    project_id = serializers.IntegerField()
    per_agent = serializers.IntegerField(allow_null=True)
    share_pct = serializers.IntegerField(allow_null=True)
    uncertain_pct = serializers.IntegerField()
    filters = serializers.DictField(child=serializers.CharField())
    due_days = serializers.IntegerField()
    seed = serializers.IntegerField(
        help_text="The seed of each week follows from it; the samples hold theirs."
    )
    reviewers = serializers.ListField(child=serializers.EmailField())
    next_draw = serializers.DateField(allow_null=True, help_text="A Monday; null once the plan has ended.")
    created_at = Moment()
    created_by = serializers.EmailField(allow_null=True)
    ended_at = Moment(allow_null=True)
    samples = serializers.ListField(
        child=serializers.IntegerField(), help_text="Its draws, the newest first."
    )


class SampledCallSerializer(serializers.Serializer[Any]):
    """One call of a sample."""

    call_id = serializers.IntegerField()
    reviewer = serializers.EmailField(allow_null=True, help_text="null: a deleted user.")
    reason = serializers.ChoiceField(SampledCall.Reason.values)
    state = serializers.ChoiceField(
        [OPEN, REVIEWED, RESULTS_REMOVED],
        help_text="reviewed: its reviewer submitted a review after the draw; results_removed: by retention.",
    )


class SampleSummarySerializer(serializers.Serializer[Any]):
    """One sample without its calls."""

    id = serializers.IntegerField()
    project_id = serializers.IntegerField()
    seed = serializers.IntegerField()
    per_agent = serializers.IntegerField(help_text="0 where a share was drawn.")
    share_pct = serializers.IntegerField(allow_null=True)
    plan_id = serializers.IntegerField(allow_null=True, help_text="The plan that drew it.")
    uncertain_pct = serializers.IntegerField()
    filters = serializers.DictField(child=serializers.CharField())
    start_date = serializers.DateField(allow_null=True)
    end_date = serializers.DateField(allow_null=True)
    due = serializers.DateField(allow_null=True)
    candidates = serializers.IntegerField(help_text="Calls that it was drawn from.")
    left_out = serializers.IntegerField(
        allow_null=True, help_text="Calls drawn before, which were left out; null: they stayed in."
    )
    withdrawn = serializers.IntegerField(help_text="Calls taken back before anybody began to review them.")
    created_at = Moment()
    created_by = serializers.EmailField(allow_null=True)


class SampleSerializer(SampleSummarySerializer):
    """One sample."""

    calls = SampledCallSerializer(many=True)
