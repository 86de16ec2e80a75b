"""Recordings that hold what transcripts are made of, and transcripts that speak of recordings.

10,000 files of every telephone format, with each trap at places drawn by a seeded generator.
Their heads are judged; of every format a real one is decoded as well.
"""

import itertools
import struct
from fractions import Fraction

import av
import numpy as np
import pytest

from callscope.transcription.sniff import detect_file_type, judge_head
from tests.effort import take_share

pytestmark = pytest.mark.one_database

FILES = 10_000
CUE = b"1\n00:00:01,000 --> 00:00:02,500\nAgent: Good morning.\n\n"
TRAPS = [
    b"-->",
    b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n",
    b"\xef\xbb\xbf" + CUE,
    b"\xff\xfe" + CUE.decode().encode("utf-16-le"),
    b"\xfe\xff" + CUE.decode().encode("utf-16-be"),
    b"-\x00-\x00>\x00",
    b"\x00-\x00-\x00>",
    b"\n" * 40 + CUE * 20,
    CUE.replace(b"\n", b"\r\n"),
    b"NOTE a comment\n\n" + CUE,
    b"ID3\x04\x00\x00\x00\x00\x00\x0aTALB-->TIT2",
    b"RIFF\x24\x00\x00\x00WAVEfmt ",
    b"OggS\x00\x02" + b"PK\x03\x04" + b"%PDF-1.7",
    b"\xff\xf1\x50\x80" + CUE,
]


def chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content


def wav(tag: int, payload: bytes, *, bits: int = 8, block: int = 1, extra: bytes = b"") -> bytes:
    shape = struct.pack("<HHIIHH", tag, 1, 8000, 8000, block, bits) + extra
    body = b"WAVE" + chunk(b"fmt ", shape) + chunk(b"data", payload)
    return chunk(b"RIFF", body)


def mulaw(rng: np.random.Generator, size: int) -> bytes:
    """Sound that is quiet, so most of its bytes are printable; some of it is digital silence."""
    samples = np.clip(np.abs(rng.normal(0, 9, size)), 0, 127).astype(np.uint8)
    samples[: size // 3] = 0
    return bytes(0xFF - samples - 0x80 * rng.integers(0, 2, size, dtype=np.uint8))


def alaw(rng: np.random.Generator, size: int) -> bytes:
    return bytes(byte ^ 0xFF ^ 0xD5 for byte in mulaw(rng, size))


def pcm(rng: np.random.Generator, size: int) -> bytes:
    return rng.normal(0, 40, size // 2).astype("<i2").tobytes()


def noise(rng: np.random.Generator, size: int) -> bytes:
    return rng.bytes(size)


def printable(rng: np.random.Generator, size: int) -> bytes:
    """Sound that reads as plain text throughout, which real codecs give for moments only."""
    return bytes(rng.integers(32, 127, size, dtype=np.uint8))


def gsm(rng: np.random.Generator, size: int) -> bytes:
    return b"".join(bytes([0xD0 | n % 16]) + rng.bytes(32) for n in range(size // 33 + 1))


def amr(rng: np.random.Generator, size: int) -> bytes:
    return b"".join(b"\x3c" + rng.bytes(31) for _ in range(size // 32 + 1))


def ogg(rng: np.random.Generator, size: int) -> bytes:
    head = b"OggS\x00\x02" + bytes(8) + struct.pack("<IIIB", 7, 0, 0, 1) + b"\x13"
    return head + b"OpusHead\x01\x01" + rng.bytes(9) + b"OggS\x00\x00" + rng.bytes(size)


def mp3_frames(rng: np.random.Generator, size: int) -> bytes:
    return b"".join(b"\xff\xfb\x90\x64" + rng.bytes(413) for _ in range(size // 417 + 1))


def adts_frames(rng: np.random.Generator, size: int) -> bytes:
    return b"".join(b"\xff\xf1\x60\x40\x20\x1f\xfc" + rng.bytes(250) for _ in range(size // 257 + 1))


def box(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", 8 + len(content)) + name + content


FORMATS = {
    "mulaw.wav": lambda rng, n: wav(7, mulaw(rng, n)),
    "alaw.wav": lambda rng, n: wav(6, alaw(rng, n)),
    "pcm.wav": lambda rng, n: wav(1, pcm(rng, n), bits=16, block=2),
    "text.wav": lambda rng, n: wav(7, printable(rng, n)),
    "dvi.wav": lambda rng, n: wav(0x11, noise(rng, n), bits=4, block=256, extra=b"\x02\x00\xf9\x01"),
    "ms-adpcm.wav": lambda rng, n: wav(2, noise(rng, n), bits=4, block=256),
    "gsm.wav": lambda rng, n: wav(0x31, noise(rng, n), bits=0, block=65, extra=b"\x02\x00\x40\x01"),
    "mp3.wav": lambda rng, n: wav(0x55, mp3_frames(rng, n), bits=0),
    "noted.wav": lambda rng, n: chunk(b"RIFF", b"WAVE" + chunk(b"bext", printable(rng, 602)) + mulaw(rng, n)),
    "big.wav": lambda rng, n: b"RF64\xff\xff\xff\xffWAVE" + chunk(b"ds64", bytes(28)) + mulaw(rng, n),
    "call.ulaw": mulaw,
    "call.UL": mulaw,
    "call.alaw": alaw,
    "text.al": printable,
    "call.gsm": gsm,
    "call.amr": lambda rng, n: b"#!AMR\n" + amr(rng, n),
    "wide.amr": lambda rng, n: b"#!AMR-WB\n" + b"\x44" + rng.bytes(n),
    "call.opus": ogg,
    "call.ogg": ogg,
    "call.mp3": mp3_frames,
    "cut.mp3": lambda rng, n: noise(rng, 200) + mp3_frames(rng, n),
    "tagged.mp3": lambda rng, n: b"ID3\x03\x00\x00\x00\x00\x1f\x76" + bytes(500) + mp3_frames(rng, n),
    "call.aac": adts_frames,
    "call.flac": lambda rng, n: b"fLaC\x00\x00\x00\x22" + rng.bytes(34) + b"\xff\xf8" + rng.bytes(n),
    "call.m4a": lambda rng, n: box(b"ftyp", b"M4A \x00\x00\x02\x00") + box(b"mdat", noise(rng, n)),
    "call.mp4": lambda rng, n: box(b"ftyp", b"isom\x00\x00\x02\x00") + box(b"free", printable(rng, n)),
    "call.webm": lambda rng, n: b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01" + b"webm" + noise(rng, n),
    "call.wma": lambda rng, n: (
        b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c" + noise(rng, n)
    ),
    "call.aiff": lambda rng, n: b"FORM" + struct.pack(">I", n) + b"AIFFCOMM\x00\x00\x00\x12" + pcm(rng, n),
    "call.au": lambda rng, n: b".snd" + struct.pack(">IIIII", 24, n, 1, 8000, 1) + mulaw(rng, n),
}


def plant(rng: np.random.Generator, data: bytes, traps: list[bytes]) -> bytes:
    """Overwrite stretches behind the header with the traps, often right behind it."""
    planted = bytearray(data)
    for trap in traps:
        place = 64 + int(min(rng.integers(0, len(data)), rng.integers(0, len(data))))
        planted[place : place + len(trap)] = trap
    return bytes(planted)


ENCODERS = [
    ("wav", "pcm_mulaw", 8000), ("wav", "pcm_alaw", 8000), ("wav", "pcm_s16le", 8000),
    ("wav", "adpcm_ima_wav", 8000), ("wav", "adpcm_ms", 8000), ("wav", "g722", 16000),
    ("w64", "pcm_s16le", 8000), ("aiff", "pcm_s16be", 8000), ("au", "pcm_mulaw", 8000),
    ("mp3", "libmp3lame", 8000), ("flac", "flac", 8000), ("ogg", "libopus", 48000),
    ("opus", "libopus", 48000), ("m4a", "aac", 16000), ("mp4", "aac", 16000), ("aac", "aac", 16000),
    ("webm", "libopus", 48000), ("wma", "wmav2", 44100), ("amr", "libopencore_amrnb", 8000),
]  # fmt: skip


class TestRecording:
    def test_is_none_but_a_recording_whatever_stands_in_it(self):
        rng = np.random.default_rng(2026)
        rounds = itertools.cycle(itertools.product(FORMATS.items(), TRAPS))
        wrong = []
        for number, ((name, make), trap) in zip(range(FILES), rounds, strict=False):
            more = [TRAPS[int(k)] for k in rng.integers(0, len(TRAPS), number % 4)]
            data = plant(rng, make(rng, 3000 + int(rng.integers(0, 3000))), [trap, *more])
            if judge_head(data, name=name) != "audio":
                wrong.append((number, name, trap[:20]))

        assert wrong == []

    @pytest.mark.parametrize(
        "name", ["call.ulaw", "call.alaw", "call.mp3", "call.aac", "cut.mp3", "call.gsm"]
    )
    @pytest.mark.parametrize("trap", TRAPS[1:5])
    def test_without_a_header_may_begin_in_a_trap(self, name, trap):
        """Headerless sound is cut anywhere; here the first frame is followed by the trap at once."""
        data = FORMATS[name](np.random.default_rng(3), 5000)

        assert judge_head(data[:4] + trap + data[4:], name=name) == "audio"

    @pytest.mark.parametrize(("suffix", "codec", "rate"), ENCODERS)
    def test_of_a_real_encoder_is_decoded_with_the_traps_in_it(self, tmp_path, suffix, codec, rate):
        path = tmp_path / f"call.{suffix}"
        try:
            _encode(path, codec, rate)
        except av.codec.codec.UnknownCodecError:
            pytest.skip(f"this PyAV cannot encode {codec}")
        data = bytearray(path.read_bytes())
        place = len(data) // 2
        for trap in TRAPS:
            data[place : place + len(trap)] = trap
            place += len(trap) + 5
        path.write_bytes(data)

        others = take_share(["call.wav", "call.ulaw"], ENCODERS.index((suffix, codec, rate)), one_in=2)
        for name in {path.name, *others}:
            assert detect_file_type(path, name=name) == "audio", name

    def test_without_a_header_is_decoded_by_its_name(self, tmp_path):
        path = tmp_path / "stored"
        for name in ["call.ulaw", "call.alaw", "text.al", "call.gsm"]:
            rng = np.random.default_rng(5)
            path.write_bytes(plant(rng, FORMATS[name](rng, 9000), TRAPS))

            assert detect_file_type(path, name=name) == "audio"


TITLES = [
    "", "RIFF", "RIFF and WAVE", "RIFF____WAVE", "RIFF is WAVE format", "ID3", "ID3 tags", "OggS", "fLaC",
    "FORM of AIFF", "ftyp", "the moov", "#!AMR", "MZ Corp", "PK", "BM", "GIF8", ".snd", "%PDF", "-->",
]  # fmt: skip
SRT_TIME = "00:00:01,000 --> 00:00:02,000"
VTT_TIME = "00:01.000 --> 00:02.000"
BODIES = {
    "a.srt": f"1\n{SRT_TIME}\nAgente: Señora, ¿qué pasó?\n\n2\n{SRT_TIME}\nRIFF ID3 OggS\n",
    "b.srt": f"{SRT_TIME}\nCliente: Sí, mañana. WAVE fLaC ftyp\n",
    "c.vtt": f"WEBVTT\n\nNOTE RIFF WAVE\n\nSTYLE\n::cue {{ color: red }}\n\n{VTT_TIME}\n<v Agent>Años\n",
    "d.vtt": f"WEBVTT - RIFF\n\nintro-1\n{VTT_TIME} align:start\nID3 OggS ñ\n",
}
ENCODINGS = [
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32",
    "cp1252", "latin-1", "mac_roman", "cp850",
]  # fmt: skip


class TestTranscript:
    @pytest.mark.parametrize("encoding", ENCODINGS)
    def test_is_no_recording_whatever_it_speaks_of(self, encoding):
        wrong = []
        for (name, body), title, end in itertools.product(BODIES.items(), TITLES, ["\n", "\r\n", "\r"]):
            # A title stands before the first cue of SRT; VTT begins with its own line.
            text = f"{title}\n\n{body}" if title and name.endswith("srt") else body + f"\n{title}\n"
            data = text.replace("\n", end).encode(encoding)
            if judge_head(data, name=name) != name[-3:]:
                wrong.append((name, title, end))

        assert wrong == []

    @pytest.mark.parametrize("name", ["call.wav", "call.mp3", "call.ulaw", "call.al", "call"])
    def test_is_known_under_the_name_of_a_recording(self, name):
        for body in BODIES.values():
            for encoding in ["utf-8", "utf-8-sig", "utf-16"]:
                assert judge_head(body.encode(encoding), name=name) in ("srt", "vtt")

    @pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
    def test_may_be_cut_anywhere(self, encoding):
        data = (BODIES["a.srt"] * 40).encode(encoding)

        assert {judge_head(data[:n], name="a.srt") for n in range(200, 400)} == {"srt"}

    @pytest.mark.parametrize("dirt", [b"\x00", b"\x00" * 3000, b"\x1a", b"\xff", b"\x07\x07"])
    def test_may_carry_dirt(self, dirt):
        data = BODIES["a.srt"].encode() * 9 + dirt

        assert judge_head(data, name="a.srt") == "srt"


def _encode(path, codec, rate):
    """Write four seconds of a tone that comes and goes."""
    with av.open(str(path), "w", format="adts" if path.suffix == ".aac" else None) as container:
        stream = container.add_stream(codec, rate=rate)
        stream.layout = "mono"
        if codec == "wmav2":
            stream.bit_rate = 64_000  # it has no default of its own
        time_s = np.arange(4 * rate) / rate
        tone = 9000 * np.sin(2 * np.pi * 440 * time_s) * np.sin(3 * time_s) ** 2
        frame = av.AudioFrame.from_ndarray(tone.astype(np.int16).reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = rate
        frame.time_base = Fraction(1, rate)
        size = stream.codec_context.frame_size or None
        resampler = av.AudioResampler(stream.format.name, "mono", rate, frame_size=size)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
