"""Appeals of agents, what is sent to make and to decide one, and acknowledgements."""

from typing import Any

from rest_framework import serializers

from callscope.analysis.results.findings import ANSWERS
from callscope.interfaces.api.serializers.fields import Moment, Text
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.appeals.deciding import DECISIONS
from callscope.reviews.appeals.filing import MAX_REASON
from callscope.reviews.notes import MAX_TEXT


class AppealInputSerializer(serializers.Serializer[Any]):
    """What an agent appeals, and why."""

    criterion_id = Text(max_length=64)
    reason = Text(max_length=MAX_REASON)


class DecisionInputSerializer(serializers.Serializer[Any]):
    """The decision on an appeal."""

    decision = serializers.ChoiceField(DECISIONS)
    reason = Text(max_length=MAX_REASON)
    answer = serializers.ChoiceField(
        ANSWERS,
        required=False,
        allow_null=True,
        help_text="The new answer of an accepted appeal; default: met.",
    )


class AppealSerializer(serializers.Serializer[Any]):
    """One appeal with its decision."""

    id = serializers.IntegerField()
    call_id = serializers.IntegerField()
    file_name = serializers.CharField()
    project_id = serializers.IntegerField()
    criterion_id = serializers.CharField()
    name = serializers.CharField(help_text="Of the criterion.")
    answer = serializers.ChoiceField(
        ANSWERS, allow_null=True, help_text="The answer that is appealed; null: not evaluated."
    )
    reason = serializers.CharField()
    state = serializers.ChoiceField(Appeal.State.values)
    appellant = serializers.EmailField(allow_null=True)
    created_at = Moment()
    decided_at = Moment(allow_null=True)
    decided_by = serializers.EmailField(
        allow_null=True, help_text="null: still open, withdrawn, a deleted user, or you are the agent."
    )
    decision_reason = serializers.CharField(allow_blank=True)
    new_answer = serializers.ChoiceField(ANSWERS, allow_null=True)
    review_id = serializers.IntegerField(
        allow_null=True, help_text="The review that is appealed; null: the machine's result."
    )
    new_review_id = serializers.IntegerField(
        allow_null=True, help_text="The review that the acceptance made."
    )


class NoteInputSerializer(serializers.Serializer[Any]):
    """A note at a second of a call."""

    text = Text(max_length=MAX_TEXT)
    at = serializers.FloatField(required=False, default=0.0, help_text="Seconds from the start of the call.")
    is_shared = serializers.BooleanField(
        required=False, default=False, help_text="The agent can read it too."
    )


class NoteChangeSerializer(serializers.Serializer[Any]):
    """Changes of a note; what is left out does not change."""

    text = Text(max_length=MAX_TEXT, required=False, help_text="Only for notes of your own.")
    is_shared = serializers.BooleanField(required=False)
    is_closed = serializers.BooleanField(required=False, help_text="It has been discussed.")


class NoteSerializer(serializers.Serializer[Any]):
    """One note."""

    id = serializers.IntegerField()
    call_id = serializers.IntegerField()
    file_name = serializers.CharField()
    at = serializers.FloatField(help_text="Seconds from the start of the call.")
    text = serializers.CharField(
        help_text='"" once the retention period removed what was said.', allow_blank=True
    )
    is_shared = serializers.BooleanField()
    author = serializers.EmailField(allow_null=True, help_text="null: a deleted user, or you are the agent.")
    created_at = Moment()
    changed_at = Moment()
    closed_at = Moment(allow_null=True)


class IntervalField(serializers.ListField):
    """Two bounds, or null."""

    child = serializers.FloatField()


class WeekFigureSerializer(serializers.Serializer[Any]):
    """A criterion in one week."""

    week = serializers.DateField(help_text="Its Monday.")
    average_pct = serializers.FloatField(allow_null=True)
    average_pct_interval = IntervalField(allow_null=True, help_text="95 %; null: too few calls.")
    calls = serializers.IntegerField()
    evaluated_pct = serializers.FloatField(
        allow_null=True, help_text="Where it applies: over calls less not_applicable_calls."
    )
    evaluated_pct_interval = IntervalField(allow_null=True)
    not_applicable_calls = serializers.IntegerField()
    is_part = serializers.BooleanField(help_text="Only a part of the week is in the period or has passed.")


class CriterionCourseSerializer(serializers.Serializer[Any]):
    """A criterion over all weeks, and in each."""

    criterion_id = serializers.CharField()
    name = serializers.CharField()
    section = serializers.CharField(allow_blank=True)
    average_pct = serializers.FloatField(allow_null=True)
    average_pct_interval = IntervalField(allow_null=True)
    calls = serializers.IntegerField()
    evaluated_pct = serializers.FloatField(
        allow_null=True, help_text="Where it applies: over calls less not_applicable_calls."
    )
    evaluated_pct_interval = IntervalField(allow_null=True)
    not_applicable_calls = serializers.IntegerField()
    everyone_average_pct = serializers.FloatField(allow_null=True, help_text="Of all calls of the project.")
    everyone_calls = serializers.IntegerField(allow_null=True)
    everyone_evaluated_pct = serializers.FloatField(allow_null=True)
    everyone_not_applicable_calls = serializers.IntegerField(allow_null=True)
    weeks = WeekFigureSerializer(many=True)


class AgentQuoteSerializer(serializers.Serializer[Any]):
    """A quote from a call, and what it shows."""

    call_id = serializers.IntegerField()
    file_name = serializers.CharField()
    name = serializers.CharField(help_text="Of the criterion or mistake.", allow_blank=True)
    quote = serializers.CharField()
    quote_start = serializers.FloatField(allow_null=True)


class AgentPageSerializer(serializers.Serializer[Any]):
    """One agent in one project."""

    agent_id = serializers.IntegerField()
    agent = serializers.CharField()
    project_id = serializers.IntegerField()
    start_date = serializers.DateField(allow_null=True)
    end_date = serializers.DateField(allow_null=True)
    calls = serializers.IntegerField()
    scored_calls = serializers.IntegerField()
    average_score = serializers.FloatField(allow_null=True)
    average_score_interval = IntervalField(allow_null=True)
    is_few = serializers.BooleanField(help_text="The figures say little about a person.")
    everyone_average_score = serializers.FloatField(
        allow_null=True,
        help_text="Average over all calls of the project in these weeks; null for agents' users.",
    )
    everyone_scored_calls = serializers.IntegerField(allow_null=True)
    criteria = CriterionCourseSerializer(many=True)
    best_quotes = AgentQuoteSerializer(many=True)
    worst_quotes = AgentQuoteSerializer(many=True)
    notes = NoteSerializer(
        many=True, help_text="Open notes, for editors; for an agent's user those that are shared."
    )
    appeals = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="By state; `undecidable`: open ones whose calls lost their results to the retention.",
    )


class AcknowledgementSerializer(serializers.Serializer[Any]):
    """Confirmation that the agent has read a review."""

    call_id = serializers.IntegerField()
    review_id = serializers.IntegerField()
    revision = serializers.IntegerField()
    acknowledged_at = Moment()
