"""Whatever bytes a person sends: a parser gives its result or its own refusal, never another error.

A few seconds in `make test`; `make fuzz` (CALLSCOPE_TEST_EFFORT) tries twenty times as many.
"""

import io
import math
import re
import struct
import wave

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from callscope.calls import manifest_file
from callscope.projects import configuration
from callscope.transcription import sniff, subtitles
from callscope.transcription.audio import decoding
from callscope.transcription.redaction import redaction
from callscope.transcription.redaction.redaction import redact_segments
from tests.effort import EFFORT, count_examples

pytestmark = pytest.mark.one_database
KINDS = ["cards", "security_codes", "digit_runs", "emails", "phones"]


def tried(examples):
    return settings(
        max_examples=count_examples(examples) * EFFORT,
        deadline=None,
        database=None,
        derandomize=EFFORT == 1,  # `make test` tries the same texts each time
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )


def texts_of(*tokens):
    """Texts that are made of the words of a format, with anything between them."""
    piece = st.one_of(st.sampled_from(tokens), st.text(max_size=20), st.integers().map(str))
    return st.lists(piece, max_size=60).map("".join)


def bytes_of(*tokens):
    """The same in the encodings that people save files in, and with bytes that are none."""
    encoded = st.tuples(
        texts_of(*tokens), st.sampled_from(["utf-8", "utf-16", "utf-8-sig", "cp1252", "utf-32"])
    )
    return st.one_of(
        encoded.map(lambda pair: pair[0].encode(pair[1], "replace")),
        st.tuples(texts_of(*tokens), st.binary(max_size=40)).map(
            lambda pair: pair[0].encode("utf-8", "replace") + pair[1]
        ),
        st.binary(max_size=400),
    )


CUES = (
    "WEBVTT\n", "\n", "\r\n", "\n\n", "1\n", "00:00:01,000", "00:00:02.000", " --> ", "99:59:59,999",
    "00:01 --> 00:02", "Agent: ", "Customer:", "<v Agent>", "</v>", "<b>", "&amp;", "&#x0;", "NOTE ",
    "STYLE\n", "- ", "\x00", "\u2028", "hello", "00:00:xx,000", "-->", "2\n",
    "00:00:05,000 --> 00:00:02,000\n",
)  # fmt: skip
ROWS = (
    "filename", "call_datetime", "agent_id", ",", ";", "\t", "\n", "\r", '"', '""', "a.wav",
    "2026-01-05 10:00", "31/12/2025", "sep=;\n", "\x00", "'", "filename,call_datetime\n",
)  # fmt: skip
YAML = (
    "language: ", "en\n", "rubric:\n", "  sections:\n", "  - ", "name: ", "{", "}", "[", "]", "&a ",
    "*a", "<<: ", "!!python/object ", "!!int ", "0x", "1e999", ".nan", "\n", ": ", "- ", "|", ">", "'",
    '"', "#", "---\n", "redact: [cards]\n", "\t", "2026-01-01", "~",
)  # fmt: skip
SPEECH = (
    "my card number is ", "4111 1111 1111 1111", "double ", "triple ", "four ", "cuatro ", "mil ",
    "what is your PIN? ", "1234", " ", "no, ", "sorry, ", "at ", "dot ", "gmail", "@", "-", "order ",
    "code ", "oh ", "...", "\n", "…", "٣", "１",
)  # fmt: skip


class TestSubtitles:
    @given(data=bytes_of(*CUES))
    @tried(60)
    def test_are_cues_or_refused(self, data):
        try:
            cues = subtitles.parse_subtitles(data)
        except subtitles.UnreadableSubtitles as error:
            assert str(error).endswith(".")
            return
        assert cues
        assert all(math.isfinite(cue.start_s) and 0 <= cue.start_s <= cue.end_s for cue in cues)
        assert not any(re.search(r"\d:\w\w,000 --> \d\d:\d\d:", cue.text, re.ASCII) for cue in cues)
        assert all(cue.text.strip() and "\x00" not in cue.text for cue in cues)


class TestManifest:
    @given(data=bytes_of(*ROWS))
    @tried(60)
    def test_is_rows_or_refused(self, data):
        try:
            rows = list(manifest_file.read_rows(io.BytesIO(data)))
        except manifest_file.InvalidManifest as error:
            assert str(error).endswith(".")
            return
        assert all(row.number >= 2 for row in rows)


class TestConfiguration:
    @given(text=texts_of(*YAML))
    @tried(60)
    def test_is_checked_or_refused(self, text):
        try:
            config = configuration.parse_yaml(text)
        except configuration.InvalidConfiguration as error:
            assert error.errors
            return
        assert configuration.parse_yaml(configuration.to_yaml(config)) == config


class TestContent:
    @given(
        head=bytes_of(*CUES, "RIFF", "WAVE", "fLaC", "OggS", "ID3", "%PDF-", "\xff\xfb"),
        name=st.sampled_from(["a", "a.wav", "a.srt", "a.vtt", "a.ul", "a.gsm", "a.html"]),
    )
    @tried(60)
    def test_is_one_of_three_kinds_or_none(self, head, name):
        assert sniff.judge_head(head, name=name) in ("audio", "srt", "vtt", None)


class TestRedaction:
    @given(
        texts=st.lists(texts_of(*SPEECH), min_size=1, max_size=6),
        speakers=st.lists(st.sampled_from(["agent", "customer", None]), min_size=6, max_size=6),
    )
    @tried(30)
    def test_keeps_every_segment_and_says_nothing_new(self, texts, speakers):
        segments = [
            {"start": float(n), "end": n + 1.0, "speaker": speaker, "text": text, "confidence": None}
            for n, (text, speaker) in enumerate(zip(texts, speakers, strict=False))
        ]

        redacted = redact_segments(segments, KINDS).segments

        assert [segment["start"] for segment in redacted] == [segment["start"] for segment in segments]
        for given_one, kept in zip(segments, redacted, strict=True):
            # What is left of the digits stood there before, in this order.
            digits = iter(character for character in given_one["text"] if character.isdigit())
            assert all(digit in digits for digit in kept["text"] if digit.isdigit())

    @given(before=texts_of("well ", "yes, ", "hello "), after=st.sampled_from(["", ".", " okay", "\n"]))
    @tried(20)
    def test_leaves_no_card_number_that_is_called_one(self, before, after):
        text = redaction.redact_text(f"{before} my card number is 4111 1111 1111 1111{after}", ["cards"])

        assert "4111 1111 1111 1111" not in text


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / "call.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(8000))
    return path


class TestWavHeader:
    @given(
        changes=st.lists(
            st.tuples(st.integers(0, 43), st.binary(min_size=1, max_size=4)), min_size=1, max_size=6
        )
    )
    @tried(4)
    def test_is_decoded_or_refused(self, sound, changes):
        data = bytearray(sound.read_bytes())
        for place, value in changes:
            data[place : place + len(value)] = value
        path = sound.with_name("changed.wav")
        path.write_bytes(data)

        self.hold(path)

    @pytest.mark.parametrize("size", [0, 2**31, 2**32 - 1])
    def test_with_an_absurd_size_is_decoded_or_refused(self, sound, size):
        data = bytearray(sound.read_bytes())
        data[4:8] = data[40:44] = struct.pack("<I", size)
        path = sound.with_name("absurd.wav")
        path.write_bytes(data)

        self.hold(path)

    def hold(self, path):
        try:
            seconds = decoding.measure_audio_duration(path)
        except decoding.UnreadableRecording as error:
            assert str(error).endswith(".")
            return
        assert math.isfinite(seconds)
        assert seconds >= 0
