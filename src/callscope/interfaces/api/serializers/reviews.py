"""Reviews of calls, and what is sent to make or change one."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from callscope.analysis.results.findings import ANSWERS
from callscope.interfaces.api.serializers.contact_reasons import Flag
from callscope.interfaces.api.serializers.fields import Moment, Text
from callscope.interfaces.api.serializers.places import (
    Placement,
    ReviewedAgentSerializer,
    ReviewedReasonSerializer,
)
from callscope.reviews.answers import MAX_COMMENT, MAX_QUOTE, GivenAnswer
from callscope.reviews.findings import ANSWERS as FINDINGS
from callscope.reviews.findings import GivenFinding
from callscope.reviews.models import Review
from callscope.reviews.revisions import GivenReview

MAX_ANSWERS = 1000
PLACEMENTS = ("agent", "contact_reason")
FINDING_ANSWERS = list(dict.fromkeys(answer for answers in FINDINGS.values() for answer in answers))
SENT_STATES = [Review.State.DRAFT.value, Review.State.SUBMITTED.value]


class ReviewAnswerSerializer(serializers.Serializer[Any]):
    """The answer to one criterion."""

    criterion_id = serializers.CharField()
    name = serializers.CharField()
    section = serializers.CharField(allow_blank=True)
    answer = serializers.ChoiceField(list(ANSWERS))
    comment = serializers.CharField(allow_blank=True)
    quote = serializers.CharField(allow_blank=True, help_text="[MM:SS] and the words of the transcript.")
    quote_start = serializers.FloatField(allow_null=True)
    speaker = serializers.ChoiceField(["agent", "customer"], allow_null=True)
    score = serializers.FloatField()
    max_points = serializers.FloatField()
    machine_answer = serializers.ChoiceField(
        list(ANSWERS), allow_null=True, help_text="null: not evaluated, or hidden in a blind draft."
    )


class ReviewFindingSerializer(serializers.Serializer[Any]):
    """A person's answer about a mistake, a prompt, the goal or the sentiment."""

    kind = serializers.ChoiceField(list(FINDINGS))
    id = serializers.CharField(allow_blank=True, help_text="Id of the mistake or prompt; otherwise empty.")
    description = serializers.CharField(allow_blank=True)
    answer = serializers.ChoiceField(FINDING_ANSWERS)
    comment = serializers.CharField(allow_blank=True)
    quote = serializers.CharField(allow_blank=True, help_text="[MM:SS] and the words of the transcript.")
    quote_start = serializers.FloatField(allow_null=True)
    speaker = serializers.ChoiceField(["agent", "customer"], allow_null=True)
    machine_answer = serializers.ChoiceField(
        FINDING_ANSWERS, allow_null=True, help_text="null: undecided, or hidden in a blind draft."
    )
    is_outdated = serializers.BooleanField(help_text="It no longer fits the results of the call.")


class ReviewSerializer(serializers.Serializer[Any]):
    """One revision of the review of a call."""

    id = serializers.IntegerField()
    call_id = serializers.IntegerField()
    reviewer = serializers.EmailField(allow_null=True, help_text="null: a deleted user.")
    revision = serializers.IntegerField()
    state = serializers.ChoiceField(Review.State.values)
    blind = serializers.BooleanField()
    created_at = Moment()
    submitted_at = Moment(allow_null=True)
    withdrawn_at = Moment(allow_null=True)
    comment = serializers.CharField(allow_blank=True)
    criteria = ReviewAnswerSerializer(many=True)
    findings = ReviewFindingSerializer(many=True)
    agent = ReviewedAgentSerializer(allow_null=True, help_text="null: the review says nothing of it.")
    contact_reason = ReviewedReasonSerializer(
        allow_null=True, help_text="null: the review says nothing of it."
    )
    total_points = serializers.FloatField(allow_null=True)
    max_possible_points = serializers.FloatField(allow_null=True)
    score_percentage = serializers.FloatField(allow_null=True)
    has_critical_error = serializers.BooleanField()
    is_current = serializers.BooleanField(help_text="The last submission, not withdrawn.")
    is_outdated = serializers.BooleanField(help_text="Its answers no longer fit the results of the call.")
    outdated_criteria = serializers.ListField(child=serializers.CharField())
    calibration_id = serializers.IntegerField(
        allow_null=True, help_text="The calibration of a rating. A rating never counts."
    )


class GivenAnswerSerializer(serializers.Serializer[Any]):
    """An answer to send: which ones a criterion allows depends on the rubric."""

    criterion_id = Text(max_length=64)
    answer = Text(max_length=64, help_text=", ".join(ANSWERS))
    comment = Text(max_length=MAX_COMMENT, required=False, allow_blank=True, default="")
    quote = Text(max_length=MAX_QUOTE, required=False, allow_blank=True, default="")


class GivenFindingSerializer(serializers.Serializer[Any]):
    """A finding to send; the answers of each kind are in docs/api.md, "Reviews"."""

    kind = Text(max_length=64, help_text=", ".join(FINDINGS))
    id = Text(max_length=64, required=False, allow_blank=True, default="")
    answer = Text(max_length=64, help_text=", ".join(FINDING_ANSWERS))
    comment = Text(max_length=MAX_COMMENT, required=False, allow_blank=True, default="")
    quote = Text(max_length=MAX_QUOTE, required=False, allow_blank=True, default="")


class ReviewInputSerializer(serializers.Serializer[Any]):
    """A review to send."""

    criteria = serializers.ListField(child=GivenAnswerSerializer(), max_length=MAX_ANSWERS)
    findings = serializers.ListField(child=GivenFindingSerializer(), max_length=MAX_ANSWERS, required=False)
    agent = Placement(
        required=False, allow_null=True, help_text="The id of an agent of the project, or none."
    )
    contact_reason = Placement(
        required=False, allow_null=True, help_text="The id or the name of a contact reason of the project."
    )
    comment = Text(max_length=MAX_COMMENT, required=False, allow_blank=True)
    blind = Flag(required=False)
    state = Text(
        max_length=64, required=False, default=Review.State.DRAFT.value, help_text="draft, submitted"
    )

    def validate_state(self, state: str) -> str:
        if state not in SENT_STATES:
            raise ValidationError(f'"{state}" is not a state to send. Allowed: {", ".join(SENT_STATES)}.')
        return state

    def validate(self, attrs: Any) -> Any:
        if self.partial and not attrs:
            raise ValidationError(f"Name at least one of {', '.join(self.fields)}.")
        return attrs

    def read_review(self) -> GivenReview:
        """Return what was sent; call it after is_valid()."""
        given: Any = self.validated_data
        answers, findings = given.get("criteria"), given.get("findings")
        return GivenReview(
            answers=None if answers is None else [GivenAnswer(**answer) for answer in answers],
            findings=None
            if findings is None
            else [GivenFinding(item_id=finding.pop("id").strip(), **finding) for finding in findings],
            sent_placements={name: given[name] for name in PLACEMENTS if name in given},
            comment=given.get("comment"),
            blind=given.get("blind"),
            submits=given.get("state") == Review.State.SUBMITTED,
        )
