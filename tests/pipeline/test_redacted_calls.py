"""A card number and a code that a call holds are in no row, no file, no prompt and no log."""

import json
import logging
import re

import pytest
from django.core.files.storage import default_storage
from django.db import connection

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.testing import run_due_jobs
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import accept, srt

pytestmark = pytest.mark.django_db

SAID = [
    ("Agent", "Good morning, Ana speaking. Can you tell me your account number?"),
    ("Customer", "85731890."),
    ("Agent", "And the long number on your card, and the code on the back?"),
    ("Customer", "Four five three nine, 1488, oh three four three, 6467, and it is 719."),
    ("Agent", "So 4539148803436467. Your current balance is 9272 in credit."),
]
SECRETS = ("4539148803436467", "4539", "1488", "6467", "719", "oh three four three")
# One in 4,096 of these has the group "4539".
UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
KEPT = ("85731890", "9272")


@pytest.fixture
def language_model(settings):
    """Answer every prompt with nothing, and keep what was asked."""
    before = settings.ENVIRONMENT.llm
    with ScriptedChatServer(lambda _request, _before: ScriptedReply("{}")) as server:
        object.__setattr__(settings.ENVIRONMENT, "llm", EngineAddress(server.url, "", "scripted"))
        yield server
    object.__setattr__(settings.ENVIRONMENT, "llm", before)


def is_said(secret: str, text: str) -> bool:
    """Return whether the text holds the secret by itself: "719" is in many a hash and time by chance."""
    return re.search(rf"(?<![0-9A-Za-z.]){secret}(?![0-9A-Za-z])", UUID.sub("", text)) is not None


def rows_of_all_tables() -> str:
    with connection.cursor() as cursor:
        texts = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            # Numbers and moments hold any four digits by chance, and no word of a call.
            texts += (" | ".join(v for v in map(str, row) if not v.isdigit()) for row in cursor.fetchall())
    return "\n".join(texts)


class TestRedactedCall:
    @pytest.mark.parametrize("file_type", ["srt", "vtt"])
    def test_leaves_no_secret_anywhere(self, judged, language_model, caplog, file_type):
        caplog.set_level(logging.DEBUG)
        content = srt(SAID)
        if file_type == "vtt":
            content = b"WEBVTT\n\n" + content.replace(b",000", b".000").replace(b",500", b".500")
        file = accept(judged, content, name=f"call.{file_type}", file_type=file_type)

        run_due_jobs()

        file.refresh_from_db()
        transcript = Transcript.objects.get(file=file)
        with default_storage.open(file.storage_key) as stored:
            served = stored.read().decode()
        prompts = json.dumps(language_model.requests)
        assert file.status == UploadedFile.Status.TRANSCRIBED
        assert transcript.redactions == {"cards": 1, "security_codes": 1}
        assert language_model.requests
        for text in (rows_of_all_tables(), served, prompts, caplog.text):
            assert not [secret for secret in SECRETS if is_said(secret, text)]
        for text in (json.dumps(transcript.segments), served, prompts):
            assert all(number in text for number in KEPT)
        assert CallAnalysis.objects.filter(file=file).exists()
