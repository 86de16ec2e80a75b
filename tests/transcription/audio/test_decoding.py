"""Untrusted recordings meet the limited child process."""

import errno
import os
import shutil
import struct
import zipfile
from contextlib import nullcontext
from fractions import Fraction

import av
import numpy as np
import pytest

from callscope.transcription.audio import decode_child, decode_sandbox, decoding
from callscope.transcription.audio.decoding import (
    UnreadableRecording,
    decode_recording,
    has_audio,
    measure_audio_duration,
)
from callscope.transcription.probe import measure_duration
from callscope.transcription.sniff import detect_file_type

pytestmark = pytest.mark.one_database


class TestCounting:
    def test_is_exact_at_the_shortest_length_that_counts(self, make_wav):
        assert measure_audio_duration(make_wav(10.0)) == 10.0
        assert measure_audio_duration(make_wav(9.9)) == pytest.approx(9.9)

    def test_does_not_believe_the_header(self, make_wav):
        path = make_wav(12.0)
        path.write_bytes(path.read_bytes()[: 44 + 3 * 16000])

        assert measure_audio_duration(path) == pytest.approx(3.0)

    def test_survives_a_header_that_claims_four_gigabytes(self, make_wav):
        path = make_wav(12.0)
        data = bytearray(path.read_bytes())
        data[40:44] = b"\xff\xff\xff\xff"
        path.write_bytes(data)

        assert measure_audio_duration(path) == pytest.approx(12.0)

    def test_of_an_export_without_any_sound_is_nothing(self, make_wav):
        path = make_wav(0.0)

        assert detect_file_type(path, name="call.wav") == "audio"
        assert measure_audio_duration(path) == 0
        with decode_recording(path) as recording:
            assert len(recording.samples) == 0

    def test_stops_at_the_longest_call(self, make_wav, monkeypatch):
        monkeypatch.setattr(decoding, "MAX_RECORDING_S", 5.0)

        with pytest.raises(UnreadableRecording, match="longer than"):
            measure_audio_duration(make_wav(12.0))

    def test_reads_headerless_telephone_sound_by_its_name(self, tmp_path):
        path = tmp_path / "stored"
        path.write_bytes(bytes(range(256)) * 400)

        assert detect_file_type(path, name="call.ulaw") == "audio"
        assert measure_duration(path, "audio", name="call.ulaw") == pytest.approx(12.8)
        with pytest.raises(UnreadableRecording):
            measure_duration(path, "audio", name="call.wav")


class TestSamples:
    @pytest.mark.parametrize("channels", [1, 2])
    def test_come_back_at_16_khz_with_their_channels(self, make_wav, channels):
        with decode_recording(make_wav(2.0, channels=channels)) as recording:
            assert recording.samples.shape[1] == recording.channels == channels
            assert len(recording.samples) == pytest.approx(32000, abs=64)
            assert np.abs(recording.samples[8000:24000]).max() > 7000
            assert recording.duration_s == pytest.approx(2.0)

    @pytest.mark.parametrize(
        ("suffix", "codec", "rate"),
        [("mp3", "libmp3lame", 16000), ("flac", "flac", 8000), ("ogg", "libopus", 48000),
         ("m4a", "aac", 16000), ("webm", "libopus", 48000), ("amr", "libopencore_amrnb", 8000),
         ("au", "pcm_mulaw", 8000),
         ("wav", "pcm_alaw", 8000), ("wav", "adpcm_ima_wav", 8000), ("wav", "g722", 16000)],
    )  # fmt: skip
    def test_of_every_telephone_format(self, tmp_path, suffix, codec, rate):
        path = tmp_path / f"call.{suffix}"
        try:
            _encode(path, codec, rate)
        except av.codec.codec.UnknownCodecError:
            pytest.skip(f"this PyAV cannot encode {codec}")

        with decode_recording(path) as recording:
            assert recording.duration_s == pytest.approx(3.0, abs=0.2)

    def test_leave_nothing_behind(self, make_wav):
        with decode_recording(make_wav(1.0)) as recording:
            folder = os.path.dirname(recording.samples.filename)
            assert os.path.isdir(folder)

        assert not os.path.exists(folder)

    def test_left_by_a_killed_process_are_swept_after_two_days(self, make_wav, tmp_path):
        old, new = tmp_path / "decode-old", tmp_path / "decode-new"
        for place in (old, new):
            place.mkdir()
            (place / "samples").write_bytes(b"x")
        os.utime(old, (1, 1))

        with decode_recording(make_wav(1.0), folder=tmp_path):
            assert not old.exists()
            assert new.exists()


class TestHostileFile:
    def test_script_of_files_opens_no_neighbour(self, make_wav, tmp_path):
        make_wav(12.0, name="secret.wav")
        script = tmp_path / "b.wav"
        script.write_text(f"ffconcat version 1.0\nfile secret.wav\nfile {tmp_path}/secret.wav\n")

        assert detect_file_type(script, name="b.wav") is None
        with pytest.raises(UnreadableRecording):
            measure_audio_duration(script)

    def test_playlist_opens_no_neighbour(self, make_wav, tmp_path):
        secret = make_wav(12.0, name="secret.wav")
        playlist = tmp_path / "list.wav"
        playlist.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n{secret}\n#EXT-X-ENDLIST\n")

        with pytest.raises(UnreadableRecording):
            measure_audio_duration(playlist)

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"RIFF",
            os.urandom(50_000),
            b"%PDF-1.7\n" + bytes(9000),
            b"hello there " * 999,
            b"\x00" * 50_000,
        ],
        ids=["empty", "four bytes", "noise", "pdf", "text", "zeros"],
    )
    def test_is_refused_in_a_sentence(self, tmp_path, content):
        path = tmp_path / "junk.wav"
        path.write_bytes(content)

        assert detect_file_type(path, name="junk.wav") is None
        with pytest.raises(UnreadableRecording, match=r"\.$"):
            measure_audio_duration(path)

    def test_zip_is_refused(self, tmp_path):
        path = tmp_path / "z.wav"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("call.wav", "x" * 9999)

        assert detect_file_type(path, name="z.wav") is None

    @pytest.mark.parametrize(
        ("place", "value"),
        [
            (22, struct.pack("<H", 60_000)),
            (24, struct.pack("<I", 2**31 - 1)),
            (16, struct.pack("<I", 2**31 - 16)),
        ],
        ids=["channels", "rate", "size of the header"],
    )
    def test_absurd_header_is_refused(self, make_wav, place, value):
        path = make_wav(12.0)
        data = bytearray(path.read_bytes())
        data[place : place + len(value)] = value
        path.write_bytes(data)

        with pytest.raises(UnreadableRecording):
            measure_audio_duration(path)

    def test_video_without_sound_is_refused(self, tmp_path):
        path = tmp_path / "v.mp4"
        with av.open(str(path), "w") as container:
            stream = container.add_stream("mpeg4", rate=10)
            stream.width = stream.height = 64
            stream.pix_fmt = "yuv420p"
            for _ in range(3):
                frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))

        assert not has_audio(path)
        with pytest.raises(UnreadableRecording, match="contains no audio"):
            measure_audio_duration(path)

    def test_hanging_child_is_stopped(self, make_wav, monkeypatch, tmp_path):
        """A busy machine starves it; so a good recording is taken, and its job looks again."""
        sleeper = tmp_path / "sleeper.py"
        sleeper.write_text("import time; time.sleep(60)")
        monkeypatch.setattr(decoding, "CHILD", sleeper)
        monkeypatch.setattr(decoding, "SNIFF_WALL_S", 0.2)

        assert has_audio(make_wav(1.0))

    def test_dying_child_is_a_refused_file(self, make_wav, monkeypatch, tmp_path):
        suicide = tmp_path / "suicide.py"
        suicide.write_text("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
        monkeypatch.setattr(decoding, "CHILD", suicide)

        with pytest.raises(UnreadableRecording, match="was stopped"):
            measure_audio_duration(make_wav(1.0))

    def test_child_that_wants_too_much_memory_says_so(self, make_wav, monkeypatch, tmp_path):
        glutton = tmp_path / "glutton.py"
        source = (decoding.CHILD).read_text(encoding="utf-8")
        glutton.write_text(source.replace("        import av\n", "        bytearray(2_000_000_000)\n", 1))
        monkeypatch.setattr(decoding, "CHILD", glutton)

        with pytest.raises(UnreadableRecording, match="more memory"):
            measure_audio_duration(make_wav(1.0))


class TestFullDisk:
    def test_is_no_verdict_on_the_recording(self, make_wav, monkeypatch, tmp_path):
        (tmp_path / "samples").symlink_to("/dev/full")
        monkeypatch.setattr(decoding.tempfile, "TemporaryDirectory", lambda **_: nullcontext(tmp_path))

        for seconds in (60.0, 0.01):  # the second fits into a buffer, and shows when that is written
            with pytest.raises(OSError, match="No space left") as raised, decode_recording(make_wav(seconds)):
                pass
            assert raised.value.errno == errno.ENOSPC

    def test_is_distinguished_from_samples_beyond_the_limit(self, make_wav, monkeypatch, tmp_path):
        stingy = tmp_path / "stingy.py"
        source = decoding.CHILD.read_text(encoding="utf-8")
        stingy.write_text(source.replace("max_output_bytes=", "max_output_bytes=1000, _=", 1).replace(
            "max_output_bytes: int)", "max_output_bytes: int, _: int)", 1))  # fmt: skip
        shutil.copy(decode_sandbox.__file__, tmp_path)
        monkeypatch.setattr(decoding, "CHILD", stingy)

        with pytest.raises(UnreadableRecording, match="File too large"), decode_recording(make_wav(60.0)):
            pass


def _encode(path, codec, rate):
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate)
        stream.layout = "mono"
        tone = (8000 * np.sin(np.arange(3 * rate) / 20)).astype(np.int16).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(tone, format="s16", layout="mono")
        frame.sample_rate = rate
        frame.time_base = Fraction(1, rate)
        size = stream.codec_context.frame_size or None
        resampler = av.AudioResampler(stream.format.name, "mono", rate, frame_size=size)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))


class TestVersionsOfPyAV:
    """Each Python gets the newest PyAV for it, and 19, for 3.12 and newer, takes one option less."""

    @pytest.mark.parametrize(("version", "taken"), [("18.1.0", True), ("19.0.2", False), ("20.0.0", False)])
    def test_open_a_recording_alike(self, monkeypatch, make_wav, version, taken):
        given = {}

        def open_recording(file, **options):
            given.update(options)
            return av_open(file, **{name: options[name] for name in options if name != "metadata_errors"})

        av_open = av.open
        monkeypatch.setattr(av, "__version__", version)
        monkeypatch.setattr(av, "open", open_recording)

        with make_wav(1.0).open("rb") as file:
            found = decode_child._read(av, file, None, mode="probe", raw_format="", max_s=99)

        assert found["duration_s"] == 1.0
        assert ("metadata_errors" in given) == taken

    def test_read_tags_in_another_encoding(self, tmp_path):
        path = tmp_path / "call.mp3"
        with av.open(str(path), "w") as container:
            container.metadata["title"] = "Peticion"
            stream = container.add_stream("libmp3lame", rate=16000, layout="mono")
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 16000), "<i2"), "s16", "mono")
            frame.rate = 16000
            for packet in (*stream.encode(frame), *stream.encode(None)):
                container.mux(packet)
        content = path.read_bytes()
        assert b"Peticion" in content
        path.write_bytes(content.replace(b"Peticion", "Petición".encode("latin-1")))

        assert measure_audio_duration(path) == pytest.approx(1.0, abs=0.2)
