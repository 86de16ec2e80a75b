"""API keys and invitations."""

import datetime as dt
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from callscope.accounts import services
from callscope.accounts.models import ApiKey
from callscope.interfaces.api.serializers.fields import Moment, Text
from callscope.projects.models import Invitation

MAX_DAYS = 36_500


class KeySerializer(serializers.ModelSerializer[ApiKey]):
    """One API key, without its secret part."""

    scope = serializers.ChoiceField(ApiKey.Scope.choices, read_only=True)
    project = serializers.IntegerField(
        source="project_id",
        read_only=True,
        allow_null=True,
        help_text="The only project it can access; null: all.",
    )
    created_at = Moment(source="created", read_only=True)
    expires_at = Moment(source="expiry_date", read_only=True, allow_null=True)
    used_at = Moment(read_only=True, allow_null=True, help_text="The last use, to a minute.")
    state = serializers.SerializerMethodField()

    class Meta:
        model = ApiKey
        fields = ["prefix", "name", "scope", "project", "created_at", "expires_at", "used_at", "state"]
        read_only_fields = fields

    @extend_schema_field({"type": "string", "enum": ["valid", "expired", "revoked"]})
    def get_state(self, key: ApiKey) -> str:
        return "revoked" if key.revoked else "expired" if key.has_expired else "valid"


class CreatedKeySerializer(KeySerializer):
    """A key that was just created."""

    key = serializers.CharField(read_only=True, help_text="The key itself, shown only in this response.")

    class Meta(KeySerializer.Meta):
        fields = [*KeySerializer.Meta.fields, "key"]
        read_only_fields = fields


class NewKeySerializer(serializers.Serializer[Any]):
    """What a new key is for, and what it can access."""

    name = Text(max_length=services.MAX_KEY_NAME_LENGTH, required=False, default="")
    scope = serializers.ChoiceField(ApiKey.Scope.choices, required=False, default=ApiKey.Scope.READ)
    project = serializers.IntegerField(
        required=False, allow_null=True, help_text="The only project it can access."
    )
    expires = serializers.DateField(
        required=False, allow_null=True, help_text="The last day, in the server's time zone."
    )

    def validate_expires(self, day: dt.date | None) -> dt.date | None:
        """Return the day. Refuses one that is past."""
        today = timezone.localdate()
        if day is not None and not today <= day <= today + dt.timedelta(days=MAX_DAYS):
            raise serializers.ValidationError("The last day must not be past, nor more than 100 years away.")
        return day


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    """One open invitation, without its link."""

    role = serializers.ChoiceField(Invitation.Role.choices, read_only=True)
    project = serializers.IntegerField(source="project_id", read_only=True, allow_null=True)
    team = serializers.IntegerField(source="team_id", read_only=True, allow_null=True)
    invited_by = serializers.EmailField(
        source="invited_by.email", read_only=True, allow_null=True, default=None
    )
    created_at = Moment(read_only=True)
    expires_at = Moment(read_only=True)

    class Meta:
        model = Invitation
        fields = ["id", "email", "role", "project", "team", "invited_by", "created_at", "expires_at"]
        read_only_fields = fields


class NewInvitationSerializer(serializers.Serializer[Any]):
    """Who is invited to a project or a team, and with which role."""

    email = serializers.EmailField(max_length=services.MAX_EMAIL_LENGTH)
    role = serializers.ChoiceField(
        ["viewer", "editor", "member", "admin"],
        help_text="viewer or editor of a project; member or admin of a team.",
    )
    project = serializers.IntegerField(required=False, allow_null=True)
    team = serializers.IntegerField(required=False, allow_null=True)

    def validate(self, given: Any) -> Any:
        """Return what was given. Refuses all but one project or team, and roles that it does not have."""
        if (given.get("project") is None) == (given.get("team") is None):
            raise serializers.ValidationError({"project": ["Send project or team, and not both."]})
        roles = ("viewer", "editor") if given.get("project") is not None else ("member", "admin")
        if given["role"] not in roles:
            raise serializers.ValidationError({"role": [f"Allowed here: {roles[0]}, {roles[1]}."]})
        return given
