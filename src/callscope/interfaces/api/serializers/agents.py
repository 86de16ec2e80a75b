"""Links between users and agents."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from callscope.accounts.services import MAX_EMAIL_LENGTH
from callscope.calls.models import AgentUser
from callscope.db.limits import MAX_ID, is_storable
from callscope.interfaces.api.serializers.fields import Moment


class AgentUserSerializer(serializers.ModelSerializer[AgentUser]):
    """A user, by e-mail, who sees the calls of one agent in one project."""

    agent_id = serializers.IntegerField(help_text="As in the agents of the report.")
    agent = serializers.CharField(source="agent.name", help_text="The name of the agent.")
    created_at = Moment()

    class Meta:
        model = AgentUser
        fields = ["id", "email", "agent_id", "agent", "created_at"]
        read_only_fields = fields


@extend_schema_field({"type": ["integer", "string"], "maxLength": 64})
class AgentIdField(serializers.Field[Any, Any, Any, Any]):
    """A number is our id of the agent, a text the client's own: one must not be taken for the other."""

    def to_internal_value(self, data: Any) -> int | str:
        if isinstance(data, int) and not isinstance(data, bool) and abs(data) <= MAX_ID:
            return data
        if isinstance(data, str) and 0 < len(data) <= 64 and is_storable(data):
            return data
        shown = repr(data)[:40] if isinstance(data, int | float | bool | str) else type(data).__name__
        raise ValidationError(
            f"{shown} is not allowed. Allowed: a number (agent_id of the report), or a text of at most 64 "
            "characters (agent_id of the call metadata)."
        )

    def to_representation(self, value: Any) -> Any:
        return value


class NewAgentUserSerializer(serializers.Serializer[Any]):
    """The user to link, and the agent."""

    email = serializers.EmailField(max_length=MAX_EMAIL_LENGTH)
    agent_id = AgentIdField(
        help_text="A number: agent_id of the report. A text: agent_id of the call metadata."
    )
