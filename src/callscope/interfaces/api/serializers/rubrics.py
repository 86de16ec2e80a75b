"""What the lint finds in a rubric, and its versions."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from callscope.interfaces.api.serializers.fields import Moment
from callscope.projects import configuration
from callscope.projects.versions import Version, read_document


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
    """The configuration to check; default: the stored one."""

    config = DraftField(required=False)


class FindingSerializer(serializers.Serializer[Any]):
    """Why a part of a rubric is misleading, and how to fix it."""

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


class ChangeSerializer(serializers.Serializer[Any]):
    """One thing that a version changed in the one before it."""

    path = serializers.CharField(help_text="Criteria by their ids: rubric.criteria.greeting.rule.")
    change = serializers.ChoiceField([("added", "added"), ("removed", "removed"), ("changed", "changed")])
    former = serializers.JSONField(allow_null=True)
    new = serializers.JSONField(allow_null=True)


class RubricVersionSerializer(serializers.Serializer[Any]):
    """One version of the configuration."""

    number = serializers.IntegerField(source="row.number")
    author = serializers.EmailField(
        source="row.created_by.email", default=None, allow_null=True, help_text="null: the operator."
    )
    created_at = Moment(source="row.created_at")
    is_current = serializers.BooleanField()
    changes = ChangeSerializer(many=True)
    config = serializers.SerializerMethodField()

    @extend_schema_field({"type": "object", "additionalProperties": True})
    def get_config(self, version: Version) -> Any:
        return read_document(self.context["project"], version.row)


class RestoredSerializer(serializers.Serializer[Any]):
    """The result of restoring a version."""

    number = serializers.IntegerField(help_text="The current version.")
    restored = serializers.IntegerField()
    changed = serializers.BooleanField(help_text="false: it is the same as the current one.")
