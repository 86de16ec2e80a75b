"""Read one untrusted recording, in a process of its own with little to lose.

decoding.py starts this file as a script, isolated; nothing of Callscope is
imported. The first thing it does is to limit itself. One JSON object on stdout
is the answer: {"duration_s", "channels", "rate", "written_channels"} or {"error": sentence}.

What a container says about itself is not believed: samples are counted, and
nothing but the one open file can be read (an ffconcat script inside a `.wav`
would otherwise open its neighbours).
"""

import ctypes
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

OUTPUT_RATE = 16_000  # what every recogniser and the voice activity detector want
BYTES_PER_SAMPLE = 2
CONTAINERS = "wav,mp3,flac,ogg,mov,asf,matroska,amr,aiff,au,w64,aac"
RAW_FORMATS = {"mulaw", "alaw"}  # headerless telephone audio: 8 kHz, one channel
RATES = range(4_000, 384_001)
MAX_CHANNELS = 8
MAX_ADDRESS_SPACE = 1_500_000_000  # bytes
MAX_CPU_S = 600
PR_SET_PDEATHSIG = 1
MAX_BAD_PACKETS = 50  # and more of them than good frames: the file is damaged


class Unreadable(Exception):
    """The recording cannot be used; str() is the sentence for the person who sent it."""


def main(arguments: list[str]) -> int:
    mode, path, raw_format, max_s, output = arguments
    _limit(max_output_bytes=int(float(max_s) + 60) * OUTPUT_RATE * 2 * BYTES_PER_SAMPLE)
    try:
        import av
        import av.subtitles.stream  # PyAV would import it later, behind the closed door

        source = Path(path).open("rb")  # noqa: SIM115 - stays open for the life of the process
        sink = Path(output).open("wb") if output else None  # noqa: SIM115
        _close_the_door()
        answer = _read(av, source, sink, mode=mode, raw_format=raw_format, max_s=float(max_s))
    except Unreadable as error:
        answer = {"error": str(error)}
    except MemoryError:
        answer = {"error": "The recording needs more memory to decode than is allowed."}
    except Exception as error:  # whatever a broken file does to the decoder is an answer too
        answer = {"error": f"The recording cannot be decoded ({_one_line(error)})."}
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
    return 0


def _limit(*, max_output_bytes: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(
            PR_SET_PDEATHSIG, signal.SIGKILL
        )  # without the worker nobody wants the answer
    limits = {
        resource.RLIMIT_CPU: MAX_CPU_S,
        resource.RLIMIT_FSIZE: max_output_bytes,
        resource.RLIMIT_CORE: 0,
    }
    if sys.platform == "linux":  # elsewhere the system refuses this one
        limits[resource.RLIMIT_AS] = MAX_ADDRESS_SPACE
    for limit, most in limits.items():
        _, hard = resource.getrlimit(limit)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (allowed, allowed))


def _close_the_door() -> None:
    """Let this process open no further file."""
    highest = max(int(name) for name in os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 63  # noqa: PTH208, PTH112
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest, highest))


def _read(
    av: Any, source: BinaryIO, sink: BinaryIO | None, *, mode: str, raw_format: str, max_s: float
) -> dict[str, Any]:
    options = {"protocol_whitelist": "", "format_whitelist": CONTAINERS}
    if raw_format in RAW_FORMATS:
        options = {"protocol_whitelist": "", "format_whitelist": raw_format, "sample_rate": "8000"}
    container = av.open(
        source, mode="r", format=raw_format or None, container_options=options, metadata_errors="ignore"
    )
    if not container.streams.audio:
        raise Unreadable("The file holds no audio.")
    stream = container.streams.audio[0]
    stream.thread_type = "NONE"
    stream.codec_context.thread_count = 1

    writer = _Writer(av, sink)
    counted: dict[int, int] = {}  # samples by rate: sums of whole numbers do not drift
    seconds = 0.0
    channels = 0
    rate = 0
    for frame in _frames(av, container, stream):
        rate, in_frame = frame.sample_rate, frame.layout.nb_channels
        if rate not in RATES or not 1 <= in_frame <= MAX_CHANNELS:
            raise Unreadable(
                f"The recording has {in_frame} channels at {rate} Hz, which is no telephone recording."
            )
        channels = max(channels, in_frame)
        counted[rate] = counted.get(rate, 0) + frame.samples
        seconds = sum(samples / at for at, samples in counted.items())
        if mode == "sniff" and seconds > 0:
            break
        if seconds > max_s:
            raise Unreadable(
                f"The recording is longer than {max_s / 3600:g} hours, the most that is accepted."
            )
        if sink is not None:
            writer.write(frame)
    writer.finish()  # no frame at all is an answer too: an export of a call that nobody took
    return {"duration_s": seconds, "channels": channels, "rate": rate, "written_channels": writer.channels}


def _frames(av: Any, container: Any, stream: Any) -> Any:
    """Yield decoded frames, passing over damaged packets as a player would."""
    damaged = decoded = 0
    for packet in container.demux(stream):
        try:
            frames = packet.decode()
        except av.error.InvalidDataError as error:
            damaged += 1
            if damaged > MAX_BAD_PACKETS and damaged > decoded:
                raise Unreadable(f"The recording is damaged ({_one_line(error)}).") from None
            continue
        for frame in frames:
            decoded += 1
            yield frame
    if damaged and not decoded:
        raise Unreadable("The recording is damaged: nothing of it can be decoded.")


class _Writer:
    """Resamples to 16 kHz 16-bit, one or two interleaved channels, as the first frame has them."""

    def __init__(self, av: Any, sink: BinaryIO | None) -> None:
        self.av = av
        self.sink = sink
        self.channels = 0
        self.shape: tuple[Any, ...] = ()
        self.resampler: Any = None

    def write(self, frame: Any) -> None:
        if not self.channels:
            self.channels = 2 if frame.layout.nb_channels == 2 else 1
        shape = (frame.sample_rate, frame.layout.name, frame.format.name)
        if shape != self.shape:  # a stream may change its form midway
            self.finish()
            self.shape = shape
            layout = "stereo" if self.channels == 2 else "mono"
            self.resampler = self.av.AudioResampler(format="s16", layout=layout, rate=OUTPUT_RATE)
        frame.pts = None
        self._put(self.resampler.resample(frame))

    def finish(self) -> None:
        if self.resampler is not None:
            self._put(self.resampler.resample(None))
            self.resampler = None

    def _put(self, frames: Any) -> None:
        assert self.sink is not None
        for frame in frames:
            self.sink.write(bytes(frame.planes[0])[: frame.samples * self.channels * BYTES_PER_SAMPLE])


def _one_line(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())[:200]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
