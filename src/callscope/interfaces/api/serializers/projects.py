"""Projects and their configuration documents."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from callscope.interfaces.api.serializers.fields import Moment, Text
from callscope.projects import configuration, permissions, services
from callscope.projects.models import Project


@extend_schema_field({"type": "object", "additionalProperties": True})
class ConfigurationField(serializers.Field[Any, Any, Any, Any]):
    """The configuration as one document: an object, or the same as YAML text."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        try:
            config = configuration.parse_yaml(data) if isinstance(data, str) else self.parse(data)
        except configuration.InvalidConfiguration as error:
            raise ValidationError(error.messages()) from None
        return config.as_document()

    def parse(self, document: Any) -> configuration.Configuration:
        """Return the configuration that an object holds. Raises InvalidConfiguration."""
        return configuration.parse(document)

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field({"oneOf": [{"type": "object", "additionalProperties": True}, {"type": "string"}]})
class ConfigurationInputField(ConfigurationField):
    """What a configuration can be sent as."""


@extend_schema_field({"oneOf": [{"type": "object", "additionalProperties": True}, {"type": "string"}]})
class NewConfigurationField(ConfigurationField):
    """The configuration of a new project, whose language is found by itself unless it names one."""

    def parse(self, document: Any) -> configuration.Configuration:
        return configuration.parse_sent(document)


class ProjectResourceSerializer(serializers.ModelSerializer[Project]):
    """One project as its caller sees it; an agent's user sees id, name, type and role alone."""

    type = serializers.ChoiceField(Project.Type.choices, read_only=True)
    owner = serializers.EmailField(source="owner.email", read_only=True)
    team = serializers.IntegerField(source="team_id", read_only=True, allow_null=True)
    role = serializers.SerializerMethodField()
    config = ConfigurationField(read_only=True)
    created_at = Moment(read_only=True)

    class Meta:
        model = Project
        fields = ["id", "name", "type", "owner", "team", "role", "config", "created_at"]
        read_only_fields = fields

    @extend_schema_field({"type": "string", "enum": [*permissions.ROLES, "agent"]})
    def get_role(self, project: Project) -> str | None:
        return self.context["roles"].get(project.pk)  # type: ignore[no-any-return]


class NewProjectSerializer(serializers.Serializer[Any]):
    """What a new project is made from."""

    name = Text(max_length=services.MAX_NAME_LENGTH)
    type = serializers.ChoiceField(Project.Type.choices, required=False, default=Project.Type.CALL)
    team = serializers.IntegerField(
        required=False, allow_null=True, help_text="A team that you are a member of."
    )
    config = NewConfigurationField(required=False)


class ProjectChangeSerializer(serializers.Serializer[Any]):
    """What can be changed; the configuration is replaced as a whole."""

    name = Text(max_length=services.MAX_NAME_LENGTH, required=False)
    config = ConfigurationInputField(required=False)
