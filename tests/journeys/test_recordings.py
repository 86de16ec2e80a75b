"""Recordings of every format through the whole product: upload over HTTP, transcript, report.

The demo recognizer listens, so what it hears is not judged here; benchmarks/quality_speech.py does.
"""

from fractions import Fraction
from pathlib import Path

import av
import pytest
from journeys_server import Installation, create_project, wait_until_analysed

pytestmark = [pytest.mark.journey, pytest.mark.one_database]

EXCERPT_S = 11
PATIENCE_S = 3600  # ten minutes of sound, at the pace of a busy machine
CUE = b"\n\n1\n00:00:01,000 --> 00:00:02,500\nAgent: Good morning.\n\n"
FORMATS = [
    ("mulaw.wav", "wav", "pcm_mulaw", 8000),
    ("alaw.wav", "wav", "pcm_alaw", 8000),
    ("pcm.wav", "wav", "pcm_s16le", 16000),
    ("dvi-adpcm.wav", "wav", "adpcm_ima_wav", 8000),
    ("ms-adpcm.wav", "wav", "adpcm_ms", 8000),
    ("g722.wav", "wav", "g722", 16000),
    ("call.w64", "w64", "pcm_s16le", 8000),
    ("call.aiff", "aiff", "pcm_s16be", 8000),
    ("call.au", "au", "pcm_mulaw", 8000),
    ("call.mp3", "mp3", "libmp3lame", 8000),
    ("call.flac", "flac", "flac", 8000),
    ("call.ogg", "ogg", "libopus", 48000),
    ("call.opus", "opus", "libopus", 48000),
    ("call.m4a", "ipod", "aac", 16000),
    ("call.mp4", "mp4", "aac", 16000),
    ("call.aac", "adts", "aac", 16000),
    ("call.webm", "webm", "libopus", 48000),
    ("call.amr", "amr", "libopencore_amrnb", 8000),
    ("call.ulaw", "mulaw", "pcm_mulaw", 8000),
    ("call.al", "alaw", "pcm_alaw", 8000),
]


def encode(source: Path, path: Path, container_format: str, codec: str, rate: int) -> None:
    """Write the first seconds of a recording in another format."""
    resampler, stream = None, None
    with av.open(str(source)) as sound, av.open(str(path), "w", format=container_format) as container:
        stream = container.add_stream(codec, rate=rate, layout="mono")
        stream.codec_context.time_base = Fraction(1, rate)
        stream.codec_context.open()
        size = stream.codec_context.frame_size or None
        resampler = av.AudioResampler(stream.format.name, "mono", rate, frame_size=size)
        for frame in sound.decode(audio=0):
            if frame.time and frame.time > EXCERPT_S:
                break
            frame.pts = None
            for part in resampler.resample(frame):
                container.mux(stream.encode(part))
        for part in resampler.resample(None):
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))


def plant_cues(path: Path, target: Path) -> None:
    """Write the recording with a transcript's cues over a few milliseconds of every second of its sound."""
    data = bytearray(path.read_bytes())
    for place in range(2000, len(data) - 2000, 8000):
        data[place : place + len(CUE)] = CUE
    target.write_bytes(data)


def run_through(folder: Path, recordings: dict[str, Path]) -> dict:
    """Upload each recording to a served Callscope, and return what it says when all are analysed."""
    installation = Installation(folder / "data", CALLSCOPE_TRANSCRIBER="demo")
    key = installation.owner_with_key()
    with installation.served() as server, server.client(key) as client:
        project = create_project(client, "Recordings")
        files = {}
        for name, path in recordings.items():
            with path.open("rb") as content:
                answer = client.post(
                    "/api/files/", data={"project": project}, files={"file": (name, content)}
                )
            assert answer.status_code == 201, (name, answer.text)
            files[name] = answer.json()["id"]
        wait_until_analysed(client, project, patience_s=PATIENCE_S)
        return {
            "files": {name: client.get(f"/api/files/{pk}/").json() for name, pk in files.items()},
            "transcripts": {name: client.get(f"/api/transcripts/{pk}/").json() for name, pk in files.items()},
            "report": client.get("/calls/api/report/", params={"project_id": project}).json(),
        }


@pytest.fixture(scope="module")
def source(shared_data) -> Path:
    """Read sentences over a telephone, 47 seconds of 8 kHz mu-law."""
    return shared_data / "asr_g711" / "long_ulaw" / "long_dev_00_clean.wav"


class TestTelephoneRecording:
    def test_with_cues_in_its_sound_becomes_the_transcript_of_its_sound(self, source, tmp_path):
        """Without a header, which would say what it is; the recordings below have one that has."""
        encode(source, tmp_path / "plain.ulaw", "mulaw", "pcm_mulaw", 8000)
        plant_cues(tmp_path / "plain.ulaw", tmp_path / "cues.ulaw")

        found = run_through(tmp_path, {"cues.ulaw": tmp_path / "cues.ulaw"})

        said = " ".join(segment["text"] for segment in found["transcripts"]["cues.ulaw"]["segments"])
        assert found["report"]["headline"]["total_calls"] == 1
        assert found["files"]["cues.ulaw"]["file_type"] == "audio"
        assert len(said.split()) > 10
        assert "Good morning." not in said


@pytest.fixture(scope="module")
def world(shared_data, source, tmp_path_factory):
    """The real recordings, an excerpt of one in every format, and one with cues in its sound."""
    folder = tmp_path_factory.mktemp("recordings")
    patterns = ["*/audio/*.wav", "asr_g711/*/*.wav", "edge/*.wav"]
    found = {path.name: path for pattern in patterns for path in shared_data.glob(pattern)}
    for name, container, codec, rate in FORMATS:
        try:
            encode(source, folder / name, container, codec, rate)
        except (av.codec.codec.UnknownCodecError, ValueError):
            continue
        found[name] = folder / name
    plant_cues(source, folder / "cues.wav")
    return run_through(folder, {**found, "cues.wav": folder / "cues.wav"})


@pytest.mark.slow
class TestRecordings:
    def test_are_all_taken_for_sound(self, world):
        assert {file["file_type"] for file in world["files"].values()} == {"audio"}

    def test_become_transcripts_but_for_those_that_are_too_short(self, world):
        states = {name: (f["status"], f["error_reason"]) for name, f in world["files"].items()}
        short = {name for name, f in world["files"].items() if f["duration_seconds"] < 10}

        assert {state for name, state in states.items() if name not in short} == {("transcribed", "")}
        assert {state for name, state in states.items() if name in short} == {("failed", "audio_too_short")}

    def test_with_speech_have_words(self, world):
        transcribed = {name for name, file in world["files"].items() if file["status"] == "transcribed"}

        assert {n for n in transcribed if not world["transcripts"][n]["segments"]} <= {"silence_30s.wav"}

    def test_with_cues_in_their_sound_are_read_by_nobody(self, world):
        said = " ".join(segment["text"] for segment in world["transcripts"]["cues.wav"]["segments"])

        assert len(said.split()) > 10
        assert "Good morning." not in said

    def test_of_every_format_last_as_long_as_what_they_were_made_of(self, world):
        made = {name for name, *_ in FORMATS} & world["files"].keys()

        assert len(made) >= 15
        for name in made:
            assert world["files"][name]["duration_seconds"] == pytest.approx(EXCERPT_S, abs=0.6), name

    def test_are_all_in_the_report(self, world):
        transcribed = sum(file["status"] == "transcribed" for file in world["files"].values())

        assert world["report"]["headline"]["total_calls"] == transcribed
