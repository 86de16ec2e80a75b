"""Read one untrusted recording, in a process of its own with little to lose.

decoding.py starts this file as a script, isolated; nothing of Callscope is
imported. The first thing it does is to limit itself, the last thing before the
recording is read is to close the sandbox (decode_sandbox.py). One JSON object on stdout
is the answer: {"duration_s", "channels", "rate", "written_channels", "layers"}, {"error": code,
"params": …}, or {"errno": number} where the samples could not be written.

What a container says about itself is not believed: samples are counted, and
nothing but the one open file can be read (an ffconcat script inside a `.wav`
would otherwise open its neighbours).
"""

import ctypes
import errno
import importlib.util
import json
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

OUTPUT_RATE = 16_000  # what every recognizer and the voice activity detector want
BYTES_PER_SAMPLE = 2
CONTAINERS = "wav,mp3,flac,ogg,mov,asf,matroska,amr,aiff,au,w64,aac"
RAW_FORMATS = {"mulaw", "alaw", "gsm"}  # headerless telephone audio: 8 kHz, one channel
RATES = range(4_000, 384_001)
MAX_CHANNELS = 8
MAX_ADDRESS_SPACE = 1_500_000_000  # bytes
MAX_CPU_S = 600
PR_SET_PDEATHSIG = 1
MAX_BAD_PACKETS = 50  # and more of them than good frames: the file is damaged


NOTHING = {"duration_s": 0.0, "channels": 0, "rate": 0, "written_channels": 0}


class Unreadable(Exception):
    """The recording cannot be used; `code` is one of messages/catalog.py, which is not loaded here."""

    def __init__(self, code: str, **params: object) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class NotWritable(Exception):
    """The samples cannot be written; `number` is the errno."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(arguments: list[str]) -> int:
    mode, path, raw_format, max_s, output = arguments
    _limit_resources(max_output_bytes=int(float(max_s) + 60) * OUTPUT_RATE * 2 * BYTES_PER_SAMPLE)
    try:
        import av
        import av.subtitles.stream  # PyAV would import it later, when no file can be opened any more

        source = Path(path).open("rb")  # noqa: SIM115 - stays open for the life of the process
        with _writing():
            sink = Path(output).open("wb") if output else None  # noqa: SIM115
        layers = _load_sandbox().close_sandbox()
        answer: dict[str, Any] = {**NOTHING, "layers": layers}
        if mode != "sandbox":
            answer |= _read(av, source, sink, mode=mode, raw_format=raw_format, max_s=float(max_s))
        if sink is not None:
            with _writing():
                sink.close()  # a full disk may show only now
    except Unreadable as error:
        answer = {"error": error.code, "params": error.params}
    except NotWritable as error:
        answer = {"errno": error.number}
    except MemoryError:
        answer = {"error": "decoding_memory", "params": {}}
    except Exception as error:  # whatever a broken file does to the decoder is an answer too
        answer = {"error": "undecodable_because", "params": {"value": _one_line(error)}}
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
    return 0


@contextmanager
def _writing() -> Iterator[None]:
    """Tell a full or broken disk, which says nothing of the recording, from samples beyond our own limit."""
    try:
        yield
    except OSError as error:
        if error.errno in (None, errno.EFBIG):
            raise
        raise NotWritable(error.errno) from None


def _load_sandbox() -> Any:
    """Return the sandbox module from this folder; an isolated script has no folder to import from."""
    spec = importlib.util.spec_from_file_location(
        "decode_sandbox", Path(__file__).with_name("decode_sandbox.py")
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _limit_resources(*, max_output_bytes: int) -> None:
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


def _read(
    av: Any, source: BinaryIO, sink: BinaryIO | None, *, mode: str, raw_format: str, max_s: float
) -> dict[str, Any]:
    options = {"protocol_whitelist": "", "format_whitelist": CONTAINERS}
    if raw_format in RAW_FORMATS:
        options = {"protocol_whitelist": "", "format_whitelist": raw_format, "sample_rate": "8000"}
    # Tags in another encoding must refuse nothing: up to 18, PyAV raises for them unless this says otherwise.
    of_tags = {"metadata_errors": "ignore"} if int(av.__version__.partition(".")[0]) < 19 else {}
    container = av.open(source, mode="r", format=raw_format or None, container_options=options, **of_tags)
    if not container.streams.audio:
        raise Unreadable("no_audio")
    stream = container.streams.audio[0]
    stream.thread_type = "NONE"
    stream.codec_context.thread_count = 1

    if mode == "probe":
        return _count_packets(av, container, stream, max_s=max_s)
    writer = _Writer(av, sink)
    counted: dict[int, int] = {}  # samples by rate: sums of whole numbers do not drift
    seconds = 0.0
    channels = 0
    rate = 0
    for frame in _frames(av, container, stream):
        rate = frame.sample_rate
        channels = max(channels, _count_channels(frame))
        counted[rate] = counted.get(rate, 0) + frame.samples
        seconds = sum(samples / at for at, samples in counted.items())
        if mode == "sniff" and seconds > 0:
            break
        if seconds > max_s:
            raise Unreadable("long_recording", hours=f"{max_s / 3600:g}")
        if sink is not None:
            writer.write(frame)
    writer.finish()  # no frame at all is an answer too: an export of a call that nobody took
    return {"duration_s": seconds, "channels": channels, "rate": rate, "written_channels": writer.channels}


def _count_packets(av: Any, container: Any, stream: Any, *, max_s: float) -> dict[str, Any]:
    """Measure a recording by how long its packets say they last, decoding no more than a frame of it.

    Within 0.2 s of the samples in every format that we could encode; what decodes all of it counts those.
    """
    ticks: dict[Any, int] = {}  # by their length in seconds: sums of whole numbers do not drift
    channels = rate = damaged = 0
    seconds = 0.0
    for packet in container.demux(stream):
        if not rate:
            try:
                for frame in packet.decode():
                    rate, channels = frame.sample_rate, _count_channels(frame)
            except av.error.InvalidDataError:
                damaged += 1
        if packet.duration and packet.time_base:
            ticks[packet.time_base] = ticks.get(packet.time_base, 0) + packet.duration
            seconds = sum(float(count * length) for length, count in ticks.items())
        if seconds > max_s:
            raise Unreadable("long_recording", hours=f"{max_s / 3600:g}")
    if damaged and not rate:
        raise Unreadable("destroyed_recording")
    return {"duration_s": seconds, "channels": channels, "rate": rate, "written_channels": 0}


def _count_channels(frame: Any) -> int:
    """Return how many channels a frame has, of a shape that a telephone recording can have."""
    channels = int(frame.layout.nb_channels)
    if frame.sample_rate not in RATES or not 1 <= channels <= MAX_CHANNELS:
        raise Unreadable("not_telephone", channels=channels, rate=frame.sample_rate)
    return channels


def _frames(av: Any, container: Any, stream: Any) -> Any:
    """Yield decoded frames, passing over damaged packets as a player would."""
    damaged = decoded = 0
    for packet in container.demux(stream):
        try:
            frames = packet.decode()
        except av.error.InvalidDataError as error:
            damaged += 1
            if damaged > MAX_BAD_PACKETS and damaged > decoded:
                raise Unreadable("damaged_recording", value=_one_line(error)) from None
            continue
        for frame in frames:
            decoded += 1
            yield frame
    if damaged and not decoded:
        raise Unreadable("destroyed_recording")


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
            with _writing():
                self.sink.write(bytes(frame.planes[0])[: frame.samples * self.channels * BYTES_PER_SAMPLE])


def _one_line(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())[:200]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
