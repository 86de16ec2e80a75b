"""What the lint finds in a rubric."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from callscope.projects import configuration


@extend_schema_field({"oneOf": [{"type": "object", "additionalProperties": True}, {"type": "string"}]})
class DraftField(serializers.Field[Any, Any, Any, Any]):
    """A configuration that may still be wrong: an object, or the same as YAML text."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            return configuration.read_yaml(data) if isinstance(data, str) else data
        except configuration.InvalidConfiguration as error:
            raise ValidationError(error.messages()) from None

    def to_representation(self, value: Any) -> Any:
        return value


class LintRequestSerializer(serializers.Serializer[Any]):
    """What is looked at; without it the stored configuration."""

    config = DraftField(required=False)


class FindingSerializer(serializers.Serializer[Any]):
    """Why a part of a rubric misleads, and what to do about it."""

    path = serializers.CharField(help_text="Such as rubric.sections[0].criteria[2].rule.")
    code = serializers.CharField()
    severity = serializers.ChoiceField([("error", "error"), ("warning", "warning")])
    message = serializers.CharField()
    calls = serializers.ListField(
        child=serializers.IntegerField(), help_text="Calls of this project that show it; at most 10."
    )


class LintSerializer(serializers.Serializer[Any]):
    """The findings in the order of the rubric."""

    findings = FindingSerializer(many=True)
