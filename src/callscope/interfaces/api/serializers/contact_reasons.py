"""Contact reasons, what is sent to change them, and their history."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from callscope.contact_reasons.clusters.causes import Cause, describe_cause
from callscope.contact_reasons.editing import MAX_DESCRIPTION, MAX_NAME
from callscope.contact_reasons.models import ReasonChange
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.serializers.derived import serializer_for
from callscope.interfaces.api.serializers.fields import Moment, Text
from callscope.messages.reason_catalog import REASON_CAUSES
from callscope.reports.details import reason_detail
from callscope.reports.overview.course import Course

MODES = ["open_ended", "predefined"]
MAX_CALLS = 10_000  # that one request may move


class Flag(serializers.BooleanField):
    """true or false, and nothing that would have to be read as one of them."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Id(serializers.IntegerField):
    """A whole number that a row can have."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=MAX_ID, **kwargs)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


@extend_schema_field(
    {"oneOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}, "minItems": 1}]}
)
class IdOrIds(serializers.ListField):
    """One id, or a list of them."""

    child = Id()

    def to_internal_value(self, data: Any) -> list[int]:
        return super().to_internal_value(data if isinstance(data, list) else [data])


class ReasonSerializer(serializers.Serializer[Any]):
    """One contact reason."""

    id = serializers.IntegerField()
    project = serializers.IntegerField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    parent = serializers.IntegerField(  # type: ignore[assignment]  # a field, not the serializer's own
        allow_null=True, help_text="Its parent reason; at most two levels."
    )
    calls = serializers.IntegerField()
    first_seen = Moment(allow_null=True, help_text="The time of its first call.")
    is_set_aside = serializers.BooleanField(help_text="Noise: its calls count for no reason.")
    is_pinned = serializers.BooleanField(help_text="It is kept even without calls.")
    named_by = serializers.ChoiceField(
        ["person", "model", "topic"],
        help_text="Who wrote the name: a person, a language model, or the topic of a call.",
    )
    is_heading = serializers.BooleanField(help_text="It groups other reasons and has no calls of its own.")
    calls_in_all = serializers.IntegerField(help_text="Its calls and those of its child reasons.")


RateSerializer = serializer_for(reason_detail.Rate, "RateSerializer")
WeekSerializer = serializer_for(
    reason_detail.Week,
    "ReasonWeekSerializer",
    fields={"first_day": serializers.DateField(), "share": RateSerializer()},
)
CourseSerializer = serializer_for(
    Course,
    "ReasonCourseSerializer",
    fields={"course": serializers.ChoiceField(["growing", "shrinking", "steady"], allow_null=True)},
)
FiguresSerializer = serializer_for(
    reason_detail.ReasonDetail,
    "ReasonFiguresSerializer",
    fields={
        "weeks": WeekSerializer(many=True),
        "share": RateSerializer(help_text="Of the calls of the latest 28 days."),
        "share_before": RateSerializer(help_text="Of the calls of the 28 days before."),
        "course": CourseSerializer(help_text="Those 28 days against the 28 before."),
        "score": serializer_for(reason_detail.Mean, "ReasonScoreSerializer")(),
        "negative": RateSerializer(help_text="Of the calls whose sentiment is known."),
        "goal": RateSerializer(help_text="Of the calls whose goal is known."),
        "agents": serializer_for(reason_detail.AgentLine, "ReasonAgentSerializer")(many=True),
        "quotes": serializer_for(reason_detail.Passage, "ReasonQuoteSerializer")(many=True),
        "neighbors": serializer_for(reason_detail.Neighbor, "ReasonNeighborSerializer")(many=True),
    },
)


class ReasonDetailSerializer(ReasonSerializer):
    """One contact reason with its figures."""

    figures = FiguresSerializer()


class ReasonChangeSerializer(serializers.Serializer[Any]):
    """What can be changed in a contact reason."""

    name = Text(max_length=MAX_NAME, required=False)
    description = Text(max_length=MAX_DESCRIPTION, required=False, allow_blank=True)
    parent = Id(required=False, allow_null=True)  # type: ignore[assignment]
    is_set_aside = Flag(required=False)
    is_pinned = Flag(required=False)

    def validate(self, attrs: Any) -> Any:
        if not attrs:
            raise ValidationError(f"Name at least one of {', '.join(self.fields)}.")
        return attrs


class MergeSerializer(serializers.Serializer[Any]):
    """The reasons to merge, and the one that remains."""

    into = Id()

    def get_fields(self) -> Any:
        return {**super().get_fields(), "from": IdOrIds(allow_empty=False, max_length=500)}


class CallIdsSerializer(serializers.Serializer[Any]):
    """The calls to move."""

    call_ids = serializers.ListField(child=Id(), allow_empty=False, max_length=MAX_CALLS)


class SplitSerializer(CallIdsSerializer):
    """The calls to move into a new reason, and its name."""

    name = Text(max_length=MAX_NAME)


class CauseSerializer(serializers.Serializer[Any]):
    """Why a regrouping moved calls: a code with figures (likenesses, 1 is the same), and one sentence."""

    code = serializers.ChoiceField(sorted(REASON_CAUSES))
    figures = serializers.DictField(child=serializers.FloatField())
    message = serializers.SerializerMethodField()

    def get_message(self, cause: Cause) -> str:
        return str(describe_cause(cause))


class MoveSerializer(serializers.Serializer[Any]):
    """Calls that one change moved: null stands for no reason."""

    calls = serializers.IntegerField()
    cause = CauseSerializer(allow_null=True, default=None, help_text="null: a person moved them.")

    def get_fields(self) -> Any:
        ends = {name: serializers.IntegerField(allow_null=True) for name in ("from", "to")}
        return {**ends, **super().get_fields()}


class ReasonStateSerializer(serializers.Serializer[Any]):
    """A reason before and after a change: null where it was not there."""

    id = serializers.IntegerField()
    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)


class SettingsChangeSerializer(serializers.Serializer[Any]):
    """What a change of reasons did to the settings."""

    version_before = serializers.IntegerField()
    version_after = serializers.IntegerField()
    mode_before = serializers.ChoiceField(MODES)
    mode_after = serializers.ChoiceField(MODES)
    added = serializers.ListField(child=serializers.CharField(), help_text="Names of codes that came.")
    removed = serializers.ListField(child=serializers.CharField(), help_text="Names of codes that went.")


class HistorySerializer(serializers.Serializer[Any]):
    """One change of the reasons."""

    id = serializers.IntegerField()
    project = serializers.IntegerField()
    kind = serializers.ChoiceField(ReasonChange.Kind.choices)
    made_at = Moment()
    made_by = serializers.EmailField(allow_null=True, help_text="null: a regrouping, or a deleted user")
    reasons = ReasonStateSerializer(many=True)
    moves = MoveSerializer(many=True)
    undone_at = Moment(allow_null=True)
    undone_by = serializers.EmailField(allow_null=True)
    can_undo = serializers.BooleanField(help_text="False: undone, too old, or a later change comes first.")
    settings = SettingsChangeSerializer(allow_null=True, help_text="null: the settings stayed as they were.")


class ProposedCodeSerializer(serializers.Serializer[Any]):
    """A reason as it would be a code."""

    reason = serializers.IntegerField()
    project = serializers.IntegerField()
    code = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    phrases = serializers.ListField(child=serializers.CharField())
    calls = serializers.IntegerField()
    is_pinned = serializers.BooleanField()


class ChosenReasonSerializer(serializers.Serializer[Any]):
    """A reason that becomes a code."""

    reason = Id()
    description = Text(
        max_length=MAX_DESCRIPTION, required=False, allow_blank=True, help_text="Default: that of the reason."
    )
    phrases = serializers.ListField(
        child=Text(max_length=500),
        required=False,
        max_length=100,
        help_text="What callers say. Default: the most typical topics of its calls.",
    )


class NewCodesSerializer(serializers.Serializer[Any]):
    """Which reasons become codes, and what that changes."""

    project_id = Id()
    mode = serializers.ChoiceField(
        MODES,
        help_text="predefined: calls get the codes from now on. open_ended: the codes are only saved.",
    )
    codes = ChosenReasonSerializer(
        many=True, required=False, help_text="Default: the pinned contact reasons."
    )
    existing = serializers.ChoiceField(
        ["keep", "replace"], default="keep", help_text="What becomes of the codes in the settings."
    )


class CodeSerializer(serializers.Serializer[Any]):
    """A code as the settings hold it."""

    code = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    phrases = serializers.ListField()


class MadeCodesSerializer(serializers.Serializer[Any]):
    """The codes of the project, and what became of its calls."""

    mode = serializers.ChoiceField(MODES)
    codes = CodeSerializer(many=True)
    calls_kept = serializers.IntegerField(help_text="Their reason is now a code.")
    calls_classified = serializers.IntegerField(help_text="They got the code that fits their topic.")
    calls_other = serializers.IntegerField(help_text="No code fits their topic.")
    change_id = serializers.IntegerField(allow_null=True, help_text="In the history, where it is undone.")
