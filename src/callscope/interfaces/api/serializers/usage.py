"""The usage ledger."""

from typing import Any

from rest_framework import serializers

from callscope.interfaces.api.serializers.fields import Millionths
from callscope.pipeline.models import UsageEntry


class UsageRowSerializer(serializers.Serializer[Any]):
    """Usage of one engine by one project on one day of the server's time zone."""

    date = serializers.DateField()
    project = serializers.IntegerField(source="project_id")
    project_name = serializers.CharField()
    kind = serializers.ChoiceField(UsageEntry.Kind.choices)
    engine = serializers.CharField()
    model = serializers.CharField()
    calls = serializers.IntegerField(help_text="Of the engine")
    audio_seconds = Millionths(source="audio_us", digits=3)
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = Millionths(source="cost_micros", allow_null=True, help_text="null where no price is known")


class UsageSerializer(serializers.Serializer[Any]):
    results = UsageRowSerializer(many=True)
    count = serializers.IntegerField()
