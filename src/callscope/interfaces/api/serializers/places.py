"""Where a call belongs by its review: the agent and the contact reason."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

LONGEST_PLACE = 255


class ReviewedAgentSerializer(serializers.Serializer[Any]):
    """The agent that a review gives a call, and the one that the call has without it."""

    agent_id = serializers.IntegerField(allow_null=True, help_text="null: nobody, or an erased agent.")
    name = serializers.CharField(allow_blank=True)
    machine_agent_id = serializers.IntegerField(allow_null=True, help_text="null: none, or hidden.")
    machine_name = serializers.CharField(allow_blank=True)
    is_outdated = serializers.BooleanField(help_text="The call has a different agent or reason now.")


class ReviewedReasonSerializer(serializers.Serializer[Any]):
    """The contact reason that a review gives a call, and the one that the call has without it."""

    reason_id = serializers.IntegerField(allow_null=True, help_text="null: a code without calls so far.")
    name = serializers.CharField(allow_blank=True)
    machine_name = serializers.CharField(allow_blank=True, help_text="Empty: none, or hidden.")
    is_outdated = serializers.BooleanField(help_text="The call has a different agent or reason now.")


@extend_schema_field({"oneOf": [{"type": "integer"}, {"type": "string", "maxLength": LONGEST_PLACE}]})
class Placement(serializers.Field[int | str, Any, Any, Any]):
    """Where a call belongs: a number, or a text."""

    def to_internal_value(self, data: Any) -> int | str:
        if isinstance(data, int) and not isinstance(data, bool):
            return data
        if not isinstance(data, str) or not data.strip():
            raise ValidationError(f"{str(data)[:40]!r} is not allowed here. Send an id or a text.")
        if len(data) > LONGEST_PLACE:
            raise ValidationError(f"A name has at most {LONGEST_PLACE} characters, not {len(data)}.")
        return data.strip()

    def to_representation(self, value: Any) -> Any:
        return value
