"""The audit trail."""

from typing import ClassVar

from rest_framework import serializers

from callscope.accounts.models import AuditEvent


class AuditEventSerializer(serializers.ModelSerializer[AuditEvent]):
    """One event of the trail."""

    actor = serializers.CharField(
        source="actor.email",
        default=None,
        allow_null=True,
        help_text="null: the operator, or a deleted user",
    )
    detail = serializers.DictField(help_text="Ids, counts and former values; no content, no customers")

    class Meta:
        model = AuditEvent
        fields: ClassVar[list[str]] = ["number", "at", "actor", "action", "subject", "detail", "digest"]
