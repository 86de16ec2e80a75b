"""Calibrations, and what is sent to open or settle one."""

from typing import Any

from rest_framework import serializers

from callscope.analysis.results.findings import ANSWERS
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.serializers.fields import Moment, Text
from callscope.interfaces.api.serializers.reviewing.samples import MAX_EMAIL, WholeNumber
from callscope.reviews.calibration.sessions import MAX_CALLS, MAX_RATERS
from callscope.reviews.models import Calibration

MAX_SETTLED = 20_000  # answers in one request


class NewCalibrationSerializer(serializers.Serializer[Any]):
    """What to calibrate."""

    project_id = WholeNumber(-MAX_ID, MAX_ID)
    call_ids = serializers.ListField(
        child=WholeNumber(-MAX_ID, MAX_ID), min_length=1, max_length=MAX_CALLS, help_text="Calls with scores."
    )
    raters = serializers.ListField(
        child=Text(max_length=MAX_EMAIL), min_length=1, max_length=MAX_RATERS, help_text="E-mails."
    )
    expert = Text(
        max_length=MAX_EMAIL,
        required=False,
        allow_blank=True,
        allow_null=True,
        help_text="E-mail of the rater that the others are compared with; added to the raters if missing.",
    )
    due = Text(required=False, allow_blank=True, allow_null=True, help_text="YYYY-MM-DD.")


class SettledAnswerSerializer(serializers.Serializer[Any]):
    """The answer that people agreed on."""

    call_id = WholeNumber(-MAX_ID, MAX_ID)
    criterion_id = Text(max_length=64)
    answer = Text(max_length=64, help_text=", ".join(ANSWERS))


class SettlementSerializer(serializers.Serializer[Any]):
    """Answers that differ from the expert's or the majority's, or that neither gives."""

    answers = serializers.ListField(
        child=SettledAnswerSerializer(), required=False, default=list, max_length=MAX_SETTLED
    )


class CalibrationRaterSerializer(serializers.Serializer[Any]):
    """One rater; the machine comes first."""

    rater = serializers.EmailField(allow_null=True, help_text="null: the machine, or a user who is gone.")
    is_machine = serializers.BooleanField()
    is_expert = serializers.BooleanField()
    rated_calls = serializers.IntegerField()
    compared_answers = serializers.IntegerField(
        allow_null=True, help_text="Answers compared with the expert's, else with the majority of the others."
    )
    different_pct = serializers.FloatField(allow_null=True)
    distance_points = serializers.FloatField(allow_null=True, help_text="Mean difference in points.")


class RatingSerializer(serializers.Serializer[Any]):
    """The answer of one rater to one criterion of one call."""

    rater = serializers.EmailField(allow_null=True)
    is_machine = serializers.BooleanField()
    answer = serializers.ChoiceField(list(ANSWERS))
    score = serializers.FloatField()
    comment = serializers.CharField(allow_blank=True)
    quote = serializers.CharField(allow_blank=True)


class CallAnswersSerializer(serializers.Serializer[Any]):
    """All answers to one criterion of one call, side by side."""

    call_id = serializers.IntegerField()
    answers = RatingSerializer(many=True)
    spread_points = serializers.FloatField(allow_null=True)
    proposed = serializers.ChoiceField(
        list(ANSWERS),
        allow_null=True,
        help_text="The expert's answer, else that of the majority; null: a tie.",
    )


class CalibratedCriterionSerializer(serializers.Serializer[Any]):
    """One criterion over all calls."""

    criterion_id = serializers.CharField()
    name = serializers.CharField()
    section = serializers.CharField(allow_blank=True)
    max_points = serializers.FloatField()
    allowed = serializers.ListField(child=serializers.ChoiceField(list(ANSWERS)))
    n = serializers.IntegerField(help_text="Calls with two answers or more.")
    alpha = serializers.FloatField(allow_null=True)
    alpha_low = serializers.FloatField(allow_null=True)
    alpha_high = serializers.FloatField(allow_null=True)
    pairs = serializers.IntegerField(help_text="Of answers to one call.")
    disagreement_pct = serializers.FloatField(allow_null=True, help_text="Of the pairs of answers.")
    spread_points = serializers.FloatField(allow_null=True, help_text="Mean over the calls.")
    calls = CallAnswersSerializer(many=True)


class CallScoreSerializer(serializers.Serializer[Any]):
    """The score that one rater gave a call."""

    rater = serializers.EmailField(allow_null=True)
    is_machine = serializers.BooleanField()
    score_percentage = serializers.FloatField(allow_null=True)


class CalibratedCallSerializer(serializers.Serializer[Any]):
    """One call of a calibration."""

    call_id = serializers.IntegerField()
    file_name = serializers.CharField()
    rated_by = serializers.IntegerField(help_text="People.")
    scores = CallScoreSerializer(many=True)
    spread_percentage = serializers.FloatField(allow_null=True)


class CalibrationSummarySerializer(serializers.Serializer[Any]):
    """One calibration without its answers."""

    id = serializers.IntegerField()
    project_id = serializers.IntegerField()
    state = serializers.ChoiceField(Calibration.State.values)
    due = serializers.DateField(allow_null=True)
    created_at = Moment()
    created_by = serializers.EmailField(allow_null=True)
    closed_at = Moment(allow_null=True)
    settled_at = Moment(allow_null=True)
    calls_count = serializers.IntegerField()
    expected_ratings = serializers.IntegerField()
    submitted_ratings = serializers.IntegerField()


class CalibrationSerializer(CalibrationSummarySerializer):
    """One calibration. Alpha is Krippendorff's, of all raters and the machine; people_alpha leaves it out."""

    expert = serializers.EmailField(allow_null=True)
    raters = CalibrationRaterSerializer(many=True)
    calls = CalibratedCallSerializer(many=True)
    alpha = serializers.FloatField(allow_null=True)
    alpha_low = serializers.FloatField(allow_null=True)
    alpha_high = serializers.FloatField(allow_null=True)
    people_alpha = serializers.FloatField(allow_null=True)
    people_alpha_low = serializers.FloatField(allow_null=True)
    people_alpha_high = serializers.FloatField(allow_null=True)
    criteria = CalibratedCriterionSerializer(many=True)
