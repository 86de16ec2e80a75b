"""What an uploaded file is, by its content."""

import pytest

from callscope.transcription.sniff import detect_file_type

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
