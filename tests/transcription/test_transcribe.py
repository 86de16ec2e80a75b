"""From an uploaded file to a stored transcript, with engines that follow a script."""

import dataclasses
import wave

import av
import numpy as np
import pytest
from django.conf import settings as django_settings
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone, translation

from callscope.calls.models import UploadedFile
from callscope.engines import registry
from callscope.engines.asr.protocol import EngineUnreachable, Recognition, Utterance, Word
from callscope.engines.errors import BadOutput, EngineMissing, EngineRejected, EngineUnavailable
from callscope.environment import EngineAddress
from callscope.messages.translation import translate_stored
from callscope.pipeline.files.prospects import Prospect, judge_failure
from callscope.projects.configuration import parse
from callscope.projects.engines import project_engines
from callscope.transcription import private_retry, subtitles
from callscope.transcription import transcribe as stage
from callscope.transcription.audio import decoding
from callscope.transcription.gates import TranscriptionFailed
from callscope.transcription.models import Transcript
from callscope.transcription.transcribe import record_duration, store_transcript

SRT = b"""1
00:00:01,000 --> 00:00:03,000
Agent: Hello, how can I help you today?

2
00:00:04,000 --> 00:00:09,500
Customer: My card 4532 1488 0343 6467 does not work
"""


def transcribe(file, config, **options):
    return stage.transcribe(file, config, project_engines(config), **options)


class ScriptedEngine:
    """Answers each channel in turn with the next entry of the script."""

    name = "scripted"
    model = "one"
    sends_data_out = False
    is_demo = False

    def __init__(self, *script):
        self.script = list(script)
        self.hosts = ["asr.example"]
        self.asked = []

    def transcribe(self, samples, *, language, hints, deadline):
        self.asked.append({"seconds": len(samples) / 16000, "language": language, "hints": hints})
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def upload(project):
    """Store a file as intake would and return its row."""

    def make(content, *, file_type="audio", name="call.wav"):
        if isinstance(content, bytes):
            key = default_storage.save(name, ContentFile(content))
        else:
            with content.open("rb") as stream:
                key = default_storage.save(name, File(stream))
        return UploadedFile.objects.create(
            project=project,
            original_filename=name,
            file_type=file_type,
            storage_key=key,
            created_at=timezone.now(),
        )

    return make


@pytest.fixture
def talk_on_second_channel(shared_data, tmp_path):
    """A stereo recording with a tone on the agent's channel and speech on the customer's."""
    with decoding.decode_recording(
        shared_data / "asr_g711" / "long_ulaw" / "long_dev_00_clean.wav"
    ) as recording:
        said = np.array(recording.samples[: 12 * 16_000, 0])
    tone = (8000 * np.sin(np.arange(len(said)) * 0.1)).astype(np.int16)
    path = tmp_path / "second.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(np.stack([tone, said], axis=1).tobytes())
    return path


@pytest.fixture
def use(monkeypatch):
    """Put an engine in the place of every other; return the addresses that were asked for."""

    def put(engine):
        wanted = []

        def chosen(address, environment, *, private):
            wanted.append((address.address, private))
            return engine

        monkeypatch.setattr(registry, "build_transcriber", chosen)
        return wanted

    return put


def heard(*texts, start=1.0, step=3.0):
    return Recognition(
        [Utterance(start + n * step, start + n * step + 2, text, 0.9) for n, text in enumerate(texts)],
        language="en",
    )


class TestSubtitles:
    def test_become_a_transcript_without_any_engine(self, upload, use):
        asked = use(ScriptedEngine(heard("never")))

        draft = transcribe(upload(SRT, file_type="srt", name="call.srt"), parse({}))

        assert [(s["speaker"], s["text"]) for s in draft.segments] == [
            ("agent", "Hello, how can I help you today?"),
            ("customer", "My card [card number] does not work"),
        ]
        assert (draft.engine, draft.hosts, draft.duration_s, draft.speech) == ("subtitles", [], 9.5, None)
        assert draft.quality == {"ok": True, "reasons": []}
        assert draft.redactions == {"cards": 1}
        assert draft.usage_audio_s == 0
        assert asked == []

    @pytest.mark.parametrize(
        ("said", "language"),
        [
            (SRT, "en"),
            (
                "00:01.000 --> 00:02.000\nBuenos días, le llamo por la factura que me ha llegado\n".encode(),
                "es",
            ),
            (b"00:01.000 --> 00:02.000\nOk\n", ""),
        ],
    )
    def test_with_language_auto_are_detected_by_their_words(self, upload, said, language):
        file = upload(said, file_type="srt", name="call.srt")

        assert transcribe(file, parse({"language": "auto"})).language == language
        assert transcribe(file, parse({"language": "es"})).language == "es"

    def test_without_a_cue_fail_with_a_sentence(self, upload):
        with pytest.raises(TranscriptionFailed, match="no cue") as failure:
            transcribe(upload(b"WEBVTT\n\n", file_type="vtt", name="call.vtt"), parse({}))

        assert failure.value.reason == ""

    @pytest.mark.parametrize(
        ("broken", "sentence"),
        [
            (b"00:00:xx,000 --> 00:00:09,500", "Line 6 of the transcript is not a valid time line: "),
            (b"00:00:04,000 --> 99:00:09,500", "In line 6 of the transcript a cue is later than a day: "),
            (b"", "Line 5 of the transcript is a cue number, “2”, without a time line below it. "),
        ],
    )
    def test_with_a_broken_time_line_fail_for_good_with_its_number(self, upload, broken, sentence):
        text = SRT.replace(b"00:00:04,000 --> 00:00:09,500", broken)

        with pytest.raises(TranscriptionFailed) as failure:
            transcribe(upload(text, file_type="srt", name="call.srt"), parse({}))

        assert failure.value.reason == ""
        assert str(failure.value.message).startswith(sentence)
        assert judge_failure("", str(failure.value.message)) is Prospect.NONE
        with translation.override("es"):
            assert "de la transcripción" in translate_stored(str(failure.value.message))

    def test_are_marked_when_one_side_says_all(self, upload):
        text = SRT.replace(b"Customer:", b"Agent:")

        draft = transcribe(upload(text, file_type="srt", name="call.srt"), parse({}))

        assert draft.quality == {"ok": False, "reasons": ["Only one side can be heard: the agent."]}


class TestRecording:
    @pytest.mark.parametrize("seconds", [0.0, 0.01, 9.9])
    def test_shorter_than_ten_seconds_never_reaches_the_engine(self, upload, make_wav, use, seconds):
        engine = ScriptedEngine(heard("never"))
        use(engine)

        file = upload(make_wav(seconds))

        with pytest.raises(TranscriptionFailed) as failure:
            transcribe(file, parse({}), on_measured=lambda s: record_duration(file, s))

        assert failure.value.reason == "audio_too_short"
        assert engine.asked == []
        file.refresh_from_db()
        assert file.duration_us == round(seconds * 1_000_000)

    def test_of_exactly_ten_seconds_is_long_enough(self, upload, make_wav, use):
        use(ScriptedEngine(heard("hello")))

        assert transcribe(upload(make_wav(10.0)), parse({})).duration_s == 10.0

    def test_that_cannot_be_decoded_fails_with_a_sentence(self, upload):
        with pytest.raises(TranscriptionFailed, match="cannot be decoded") as failure:
            transcribe(upload(b"no sound at all" * 99), parse({}))

        assert failure.value.reason == ""

    def test_that_is_gone_fails_with_a_sentence(self, upload):
        file = upload(b"x")
        default_storage.delete(file.storage_key)

        with pytest.raises(TranscriptionFailed, match="no longer in storage"):
            transcribe(file, parse({}))

    def test_in_stereo_gives_each_channel_a_speaker(self, upload, make_wav, use):
        use(ScriptedEngine(heard("good morning", "goodbye"), heard("my order is late", start=3.5)))

        draft = transcribe(upload(make_wav(12.0, channels=2)), parse({}))

        assert [(s["speaker"], s["start"]) for s in draft.segments] == [
            ("agent", 1),
            ("customer", 3.5),
            ("agent", 4),
        ]
        assert set(draft.speech["talk_share"] or {}) <= {"agent", "customer"}

    def test_in_stereo_follows_the_projects_channels(self, upload, make_wav, use):
        use(ScriptedEngine(heard("my order is late"), heard("good morning")))

        draft = transcribe(upload(make_wav(12.0, channels=2)), parse({"channels": {"agent": 1}}))

        assert {s["text"]: s["speaker"] for s in draft.segments} == {
            "my order is late": "customer",
            "good morning": "agent",
        }

    def test_in_mono_leaves_the_speakers_unknown(self, upload, make_wav, use):
        use(ScriptedEngine(heard("hello", "hi")))

        draft = transcribe(upload(make_wav(12.0)), parse({}))

        assert {s["speaker"] for s in draft.segments} == {None}
        assert draft.speech["talk_share"] is None

    def test_passes_language_and_vocabulary_on(self, upload, make_wav, use):
        engine = ScriptedEngine(heard("hola"))
        use(engine)

        transcribe(upload(make_wav(12.0)), parse({"language": "es", "vocabulary": ["Zubiri"]}))

        assert engine.asked == [{"seconds": 12.0, "language": "es", "hints": ["Zubiri"]}]

    def test_with_language_auto_does_not_pass_on_the_language_of_silence(self, upload, make_wav, use):
        engine = ScriptedEngine(Recognition([], language="en"), Recognition(heard("hola").utterances, "es"))
        use(engine)

        draft = transcribe(upload(make_wav(12.0, channels=2)), parse({"language": "auto"}))

        assert [asked["language"] for asked in engine.asked] == [None, None]
        assert draft.language == "es"

    def test_with_language_auto_asks_first_where_most_is_said(self, upload, talk_on_second_channel, use):
        engine = ScriptedEngine(Recognition(heard("hola").utterances, "es"), Recognition([]))
        use(engine)

        draft = transcribe(upload(talk_on_second_channel), parse({"language": "auto"}))

        assert [segment["speaker"] for segment in draft.segments] == ["customer"]
        assert [lane["speaker"] for lane in draft.waveform] == ["agent", "customer"]

    def test_with_language_auto_asks_the_engine_once_and_tells_the_other_channel(self, upload, make_wav, use):
        engine = ScriptedEngine(Recognition(heard("hola").utterances, language="es"), heard("buenas"))
        use(engine)

        draft = transcribe(upload(make_wav(12.0, channels=2)), parse({"language": "auto"}))

        assert [asked["language"] for asked in engine.asked] == [None, "es"]
        assert draft.language == "es"

    def test_carries_where_it_was_sent(self, upload, make_wav, use):
        use(ScriptedEngine(heard("hello")))

        draft = transcribe(upload(make_wav(12.0)), parse({}))

        assert (draft.engine, draft.model, draft.hosts) == ("scripted", "one", ["asr.example"])
        assert draft.usage_audio_s == 12.0

    def test_names_the_folder_of_a_local_model_without_its_path(self, upload, make_wav, use, tmp_path):
        engine = ScriptedEngine(heard("hello"))
        engine.model, engine.hosts = str(tmp_path / "whisper-large"), []
        use(engine)

        draft = transcribe(upload(make_wav(12.0)), parse({}))

        assert draft.model == "whisper-large"

    def test_parts_an_utterance_where_its_words_pause(self, upload, make_wav, use):
        words = (Word(1, 1.4, "hello"), Word(1.5, 2, "there"), Word(5, 5.5, "still"), Word(5.6, 6, "here"))
        use(ScriptedEngine(Recognition([Utterance(1, 6, "hello there still here", 0.9, words)])))

        draft = transcribe(upload(make_wav(12.0)), parse({}))

        assert [(s["start"], s["end"], s["text"]) for s in draft.segments] == [
            (1, 2, "hello there"),
            (5, 6, "still here"),
        ]


class TestHallucination:
    def test_is_text_far_beyond_the_sound(self, upload, make_wav, use):
        use(ScriptedEngine(Recognition([Utterance(1, 18.3, "thank you for watching")])))

        with pytest.raises(TranscriptionFailed) as failure:
            transcribe(upload(make_wav(12.0)), parse({}))

        assert failure.value.reason == "hallucinated_transcript"

    def test_is_not_text_a_little_beyond_it(self, upload, make_wav, use):
        use(ScriptedEngine(Recognition([Utterance(1, 18.1, "thank you for calling")])))

        draft = transcribe(upload(make_wav(12.0)), parse({}))

        assert draft.segments[0]["end"] == 12.0

    def test_over_silence_is_marked(self, upload, make_wav, use):
        use(ScriptedEngine(heard("thank you for watching this very long and pleasant video")))

        draft = transcribe(upload(make_wav(12.0)), parse({}))

        assert not draft.quality["ok"]
        assert "No speech was detected in the audio, so the text may be invented." in draft.quality["reasons"]


class TestEngineError:
    @pytest.mark.parametrize("error", [EngineRejected("No such model."), BadOutput("No text.")])
    def test_that_is_final_fails_the_file(self, upload, make_wav, use, error):
        use(ScriptedEngine(error))

        with pytest.raises(TranscriptionFailed) as failure:
            transcribe(upload(make_wav(12.0)), parse({}))

        assert (failure.value.reason, str(failure.value)) == ("", str(error))

    def test_that_may_pass_is_left_to_the_job(self, upload, make_wav, use):
        use(ScriptedEngine(EngineUnavailable("Busy.", retry_after_s=7)))

        with pytest.raises(EngineUnavailable) as unavailable:
            transcribe(upload(make_wav(12.0)), parse({}))

        assert unavailable.value.retry_after_s == 7


class TestPrivateProject:
    CONFIG = {"private_transcription": True}

    @pytest.fixture(autouse=True)
    def _two_engines(self, settings):
        settings.ENVIRONMENT = dataclasses.replace(
            django_settings.ENVIRONMENT,
            transcriber=EngineAddress("https://outside.example/v1"),
            private_transcriber=EngineAddress("http://inside.example/v1"),
        )

    def test_goes_to_the_private_engine(self, upload, make_wav, use):
        asked = use(ScriptedEngine(heard("hello")))

        transcribe(upload(make_wav(12.0)), parse(self.CONFIG))

        assert asked == [("http://inside.example/v1", True)]

    def test_fails_after_three_attempts_and_asks_nobody_else(self, upload, make_wav, use):
        engine = ScriptedEngine(EngineUnreachable("It does not answer."))
        asked = use(engine)

        with pytest.raises(TranscriptionFailed, match="not sent anywhere else") as failure:
            transcribe(upload(make_wav(12.0)), parse(self.CONFIG))

        assert failure.value.reason == "private_transcription_unavailable"
        assert len(engine.asked) == 3
        assert [address for address, _ in asked] == ["http://inside.example/v1"]

    def test_succeeds_when_a_later_attempt_does(self, upload, make_wav, use):
        use(ScriptedEngine(EngineUnreachable("Not yet."), EngineUnreachable("Not yet."), heard("hello")))

        assert transcribe(upload(make_wav(12.0)), parse(self.CONFIG)).segments[0]["text"] == "hello"

    def test_that_is_only_busy_is_left_to_the_job_with_what_it_means(self, upload, make_wav, use):
        use(ScriptedEngine(EngineUnavailable("Busy.", retry_after_s=9)))

        with pytest.raises(EngineUnavailable) as busy:
            transcribe(upload(make_wav(12.0)), parse(self.CONFIG))

        assert busy.value.retry_after_s == 9
        assert busy.value.reason == "private_transcription_unavailable"

    def test_without_a_private_engine_is_unavailable(self, upload, make_wav, use):
        use(ScriptedEngine(EngineMissing("The speech model is not on this machine.")))

        with pytest.raises(TranscriptionFailed) as failure:
            transcribe(upload(make_wav(12.0)), parse(self.CONFIG))

        assert failure.value.reason == "private_transcription_unavailable"

    def test_is_never_given_an_engine_that_sends_data_out(self, upload, make_wav, use):
        engine = ScriptedEngine(heard("never"))
        engine.sends_data_out = True
        use(engine)

        with pytest.raises(TranscriptionFailed) as failure:
            transcribe(upload(make_wav(12.0)), parse(self.CONFIG))

        assert failure.value.reason == "private_transcription_unavailable"
        assert engine.asked == []


class TestPlayback:
    WORDS = tuple(
        Word(2 + n * 0.3, 2.3 + n * 0.3, w)
        for n, w in enumerate(["my", "card", "is", "4532", "1488", "0343", "6467", "thanks"])
    )

    def test_is_silent_where_something_was_redacted(self, upload, make_wav, use):
        text = " ".join(word.text for word in self.WORDS)
        use(ScriptedEngine(Recognition([Utterance(2, 4.4, text, 0.9, self.WORDS)])))
        file = upload(make_wav(12.0))

        draft = transcribe(file, parse({}))
        store_transcript(file, draft)

        assert draft.segments[0]["text"] == "my card is [card number] thanks"
        assert not draft.playback.exists()
        with default_storage.open(file.playback_key, "rb") as stream, av.open(stream) as container:
            samples = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])
        assert len(samples) == 12 * 16000
        assert np.abs(samples[int(2.7 * 16000) : int(4.3 * 16000)]).max() == 0
        assert np.abs(samples[: int(2.6 * 16000)]).max() > 7000
        assert np.abs(samples[int(4.5 * 16000) :]).max() > 7000

    @pytest.mark.parametrize("kind", ["srt", "vtt"])
    def test_of_a_transcript_takes_the_place_of_what_was_uploaded(
        self, upload, kind, django_capture_on_commit_callbacks
    ):
        file = upload(SRT.replace(b"Hello", b"A &amp; B"), file_type=kind, name=f"call.{kind}")
        uploaded = file.storage_key

        with django_capture_on_commit_callbacks(execute=True):
            store_transcript(file, transcribe(file, parse({})))

        file.refresh_from_db()
        assert file.playback_key == ""
        assert not default_storage.exists(uploaded)
        with default_storage.open(file.storage_key) as stream:
            copy = stream.read()
        assert b"4532" not in copy
        assert file.storage_key.endswith(f".{kind}")
        assert [(c.speaker, c.start_s, c.text) for c in subtitles.parse_subtitles(copy)] == [
            ("agent", 1.0, "A & B, how can I help you today?"),
            ("customer", 4.0, "My card [card number] does not work"),
        ]

    def test_lacks_a_code_that_only_its_meaning_tells(self, upload):
        said = b"""1
00:00:01,000 --> 00:00:03,000
Agent: What do you key in to get past the turnstile?

2
00:00:04,000 --> 00:00:09,500
Customer: I key in 4821.
"""

        draft = transcribe(upload(said, file_type="srt", name="call.srt"), parse({}))

        assert draft.redactions == {"security_codes": 1}
        assert draft.segments[1]["text"] == "I key in [security code]."

    def test_is_the_recording_itself_where_nothing_was(self, upload, make_wav, use):
        use(ScriptedEngine(heard("nothing to hide")))
        file = upload(make_wav(12.0))

        store_transcript(file, transcribe(file, parse({})))

        assert file.playback_key == ""


class TestStore:
    def test_marks_the_file_and_keeps_the_transcript(self, upload, make_wav, use):
        use(ScriptedEngine(heard("hello")))
        file = upload(make_wav(12.0))

        transcript = store_transcript(file, transcribe(file, parse({})))

        file.refresh_from_db()
        assert (file.status, file.duration_us, file.error_reason) == ("transcribed", 12_000_000, "")
        assert Transcript.objects.get(file=file).segments == transcript.segments
        assert transcript.project_id == file.project_id

    def test_replaces_an_earlier_transcript(self, upload):
        file = upload(SRT, file_type="srt", name="call.srt")
        store_transcript(file, transcribe(file, parse({"redact": []})))
        store_transcript(file, transcribe(file, parse({})))

        assert "4532" not in str(Transcript.objects.get(file=file).segments)

    def test_never_has_what_was_redacted(self, upload):
        file = upload(SRT, file_type="srt", name="call.srt")

        store_transcript(file, transcribe(file, parse({})))

        assert "4532" not in str(Transcript.objects.get(file=file).segments)


def test_patience_with_a_private_engine_ends_in_less_than_fifteen_seconds():
    from callscope.engines.asr.remote import CONNECT_S

    assert sum(private_retry.PAUSES_S) + 3 * CONNECT_S < 15
