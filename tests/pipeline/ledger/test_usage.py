"""What transcription and private projects enter in the usage ledger."""

import dataclasses
from decimal import Decimal

import pytest

from callscope.environment import EngineAddress
from callscope.pipeline.ledger import usage
from callscope.pipeline.models import UsageEntry
from callscope.transcription.transcribe import TranscriptDraft
from tests.pipeline.conftest import accept, configure

pytestmark = pytest.mark.django_db

DRAFT = TranscriptDraft(
    segments=[], language="en", engine="e", model="m", hosts=[], duration_s=90.0, usage_audio_s=90.0
)


class TestTranscription:
    @pytest.mark.parametrize(
        ("document", "cost_micros"),
        [({}, 9_000), ({"private_transcription": True}, 1_500)],
    )
    def test_costs_what_the_minute_of_its_engine_costs(self, project, settings, document, cost_micros):
        settings.ENVIRONMENT = dataclasses.replace(
            settings.ENVIRONMENT,
            transcriber=EngineAddress("local", price_minute=Decimal("0.006")),
            private_transcriber=EngineAddress("local", price_minute=Decimal("0.001")),
        )
        file = accept(configure(project, document))

        usage.record_transcription(file, DRAFT)

        assert UsageEntry.objects.get().cost_micros == cost_micros

    def test_is_not_priced_without_a_price(self, project):
        usage.record_transcription(accept(project), DRAFT)

        assert UsageEntry.objects.get().cost_micros is None
