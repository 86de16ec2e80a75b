"""Appeals of agents, what is sent to make and to decide one, and acknowledgements."""

from typing import Any

from rest_framework import serializers

from callscope.analysis.results.findings import ANSWERS
from callscope.interfaces.api.serializers.fields import Moment, Text
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.appeals.deciding import DECISIONS
from callscope.reviews.appeals.filing import MAX_REASON


class AppealInputSerializer(serializers.Serializer[Any]):
    """What an agent appeals, and why."""

    criterion_id = Text(max_length=64)
    reason = Text(max_length=MAX_REASON)


class DecisionInputSerializer(serializers.Serializer[Any]):
    """What becomes of an appeal."""

    decision = serializers.ChoiceField(DECISIONS)
    reason = Text(max_length=MAX_REASON)
    answer = serializers.ChoiceField(
        ANSWERS, required=False, allow_null=True, help_text="Of an accepted appeal; default: met."
    )


class AppealSerializer(serializers.Serializer[Any]):
    """One appeal with everything that became of it."""

    id = serializers.IntegerField()
    call_id = serializers.IntegerField()
    file_name = serializers.CharField()
    project_id = serializers.IntegerField()
    criterion_id = serializers.CharField()
    name = serializers.CharField(help_text="Of the criterion.")
    answer = serializers.ChoiceField(ANSWERS, allow_null=True, help_text="That stood; null: not evaluated.")
    reason = serializers.CharField()
    state = serializers.ChoiceField(Appeal.State.values)
    appellant = serializers.EmailField(allow_null=True)
    created_at = Moment()
    decided_at = Moment(allow_null=True)
    decided_by = serializers.EmailField(allow_null=True, help_text="null: open, gone, or you are the agent.")
    decision_reason = serializers.CharField(allow_blank=True)
    new_answer = serializers.ChoiceField(ANSWERS, allow_null=True)
    review_id = serializers.IntegerField(allow_null=True, help_text="Appealed; null: the machine's result.")
    new_review_id = serializers.IntegerField(allow_null=True, help_text="That an acceptance made.")


class AcknowledgementSerializer(serializers.Serializer[Any]):
    """That the agent has read a review."""

    call_id = serializers.IntegerField()
    review_id = serializers.IntegerField()
    revision = serializers.IntegerField()
    acknowledged_at = Moment()
