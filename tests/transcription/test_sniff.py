"""What an uploaded file is, by its content."""

import pytest
from django.utils import translation

from callscope.messages.translation import translate, translate_stored
from callscope.transcription.sniff import detect_file_type, explain_refusal

pytestmark = pytest.mark.one_database


class TestSniff:
    @pytest.mark.parametrize(
        ("text", "name", "expected"),
        [
            ("WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n", "a.srt", "vtt"),
            ("\ufeffWEBVTT\n\n", "a.vtt", "vtt"),
            ("1\n00:00:01,000 --> 00:00:02,000\nHi\n", "a.vtt", "srt"),
            ("1\n00:00:01.000 --> 00:00:02.000\nHi\n", "a.srt", "srt"),
            ("00:01.000 --> 00:02.000\nHi\n", "a.vtt", "vtt"),
            ("00:01.000 --> 00:02.000\nHi\n", "a", "vtt"),
            ("1\n2\n3\n", "a.srt", None),
            ("filename,call_datetime\na.wav,2026-01-01\n", "a.srt", None),
        ],
    )
    def test_knows_transcripts_by_their_times(self, tmp_path, text, name, expected):
        path = tmp_path / "stored"
        path.write_text(text, encoding="utf-8")

        assert detect_file_type(path, name=name) == expected

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp1252"])
    def test_knows_transcripts_in_other_encodings(self, tmp_path, encoding):
        path = tmp_path / "stored"
        path.write_bytes("1\n00:00:01,000 --> 00:00:02,000\nSeñor\n".encode(encoding))

        assert detect_file_type(path, name="a.srt") == "srt"

    def test_knows_the_files_of_the_field(self, shared_data):
        for path in [*shared_data.glob("*/audio/*.wav"), *shared_data.glob("edge/*.wav")]:
            assert detect_file_type(path, name=path.name) == "audio"
        for path in shared_data.glob("star/transcripts/*"):
            assert detect_file_type(path, name=path.name) == path.suffix[1:]


BROKEN_TIME = (
    "Line %s of the transcript is not a valid time line: “00:00:xx,000 --> 00:00:02,000”. "
    "Write it as “00:00:05,000 --> 00:00:07,000” or “00:05.000 --> 00:07.000”."
)
FOREIGN = "The file is %s. Send recordings, and SRT or VTT transcripts."
NO_TIMES = (
    "The file is a text without time lines such as “00:00:05,000 --> 00:00:07,000”, "
    "so it is neither an SRT nor a VTT transcript."
)


class TestRefusals:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"1\n00:00:xx,000 --> 00:00:02,000\nHi\n", BROKEN_TIME % 2),
            (b"\n\n1\n00:00:xx,000 --> 00:00:02,000\nHi\n", BROKEN_TIME % 4),
            (b"Good morning, how can I help?\n", NO_TIMES),
            (b"PK\x03\x04" + bytes(40), FOREIGN % "a ZIP archive or an Office document"),
            (b"%PDF-1.7\n", FOREIGN % "a PDF document"),
            (
                bytes(range(256)) * 8,
                "The file is neither a recording that can be decoded nor an SRT or VTT transcript.",
            ),
        ],
    )
    def test_say_what_is_wrong(self, tmp_path, content, said):
        path = tmp_path / "stored"
        path.write_bytes(content)

        assert detect_file_type(path, name="a.srt") is None
        assert str(explain_refusal(path)) == said

    def test_are_translated_whole(self, tmp_path):
        path = tmp_path / "stored"
        path.write_bytes(b"%PDF-1.7\n")
        refusal = explain_refusal(path)

        with translation.override("es"):
            said = "El archivo es un documento PDF. Envíe grabaciones y transcripciones SRT o VTT."
            assert translate(refusal) == said
            assert translate_stored(str(refusal)) == said
