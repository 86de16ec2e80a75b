"""Hand an untrusted recording to a limited child process and take its samples back.

A child that dies, hangs or eats its limits is a failed file, never a failed
worker; a full disk is no verdict on a file. Limits (decode_child.py), sandbox
(decode_sandbox.py) and whitelists: docs/engines.md, "Decoding".
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, cast

import numpy as np

from callscope.messages.message import Message, MessageError
from callscope.transcription.audio import signatures

CHILD = Path(__file__).with_name("decode_child.py")
RATE = 16_000  # samples a second of what comes back
MAX_RECORDING_S = 4 * 3600.0  # longer than any call; bounds disk, memory and time
MAX_WALL_S = 900
SNIFF_WALL_S = 20
PREFIX = "decode-"
ABANDONED_S = 48 * 3600  # longer than the slowest engine is given for the longest call
# Headerless telephone sound can be recognized by its name only.
RAW_FORMATS = {
    ".ul": "mulaw",
    ".ulaw": "mulaw",
    ".mulaw": "mulaw",
    ".al": "alaw",
    ".alaw": "alaw",
    ".gsm": "gsm",
}


class UnreadableRecording(MessageError):
    """The file cannot be decoded or parsed; its message is for the person who sent it."""


class DecodingSlow(UnreadableRecording):
    """The child did not end in time, which on a busy machine says nothing of the file."""


class ChildAnswer(TypedDict):
    """What decode_child.py found out about a recording it could read."""

    duration_s: float  # counted, before resampling
    channels: int
    rate: int  # samples a second, before resampling
    written_channels: int  # 0 when nothing was written
    layers: list[str]  # of the sandbox that was active


@dataclass(frozen=True, slots=True)
class DecodedAudio:
    """Samples of a recording; `samples` is int16 of shape (n, channels), mapped from disk."""

    samples: np.ndarray
    duration_s: float  # counted, before resampling

    @property
    def channels(self) -> int:
        return int(self.samples.shape[1])


def raw_format(name: str) -> str:
    """Return "mulaw", "alaw" or "gsm" for the name of a headerless recording, else ""."""
    return RAW_FORMATS.get(Path(name).suffix.lower(), "")


def has_audio(path: Path, *, name: str = "") -> bool:
    """True if the file is a recording, if only an empty one, whose first frame can be decoded.

    True also if that was not found out in time: the job, which waits for longer, judges it then.
    """
    try:
        _run_child("sniff", path, name=name, wall_s=SNIFF_WALL_S)
    except DecodingSlow:
        # With 20 processes on two cores the child was starved, and a good recording was refused.
        return True
    except UnreadableRecording:
        return False
    return True


def measure_audio_duration(path: Path, *, name: str = "") -> float:
    """Return the duration in seconds as the packets state it; what decodes the recording counts samples.

    Raises UnreadableRecording.
    """
    return float(_run_child("probe", path, name=name)["duration_s"])


def find_sandbox_layers() -> list[str]:
    """Return the names of what shuts a decoder in on this system; empty where nothing does."""
    return _run_child("sandbox", CHILD, name=CHILD.name)["layers"]


@contextmanager
def decode_recording(path: Path, *, name: str = "", folder: Path | None = None) -> Iterator[DecodedAudio]:
    """Give the recording as 16 kHz samples, which lie in a temporary file (in `folder`) meanwhile.

    Raises UnreadableRecording, or OSError where the samples cannot be written.
    """
    if folder is not None:
        # A process that was killed while it worked left its samples behind.
        for abandoned in folder.glob(f"{PREFIX}*"):
            with suppress(OSError):
                if time.time() - abandoned.stat().st_mtime > ABANDONED_S:
                    shutil.rmtree(abandoned, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=folder) as temporary:
        output = Path(temporary) / "samples"
        answer = _run_child("decode", path, name=name, output=output)
        channels = answer["written_channels"] or 1
        count = output.stat().st_size // (2 * channels)
        samples = (
            np.memmap(output, dtype="<i2", mode="r", shape=(count, channels))
            if count
            else np.zeros((0, channels), "<i2")
        )
        yield DecodedAudio(samples=samples, duration_s=float(answer["duration_s"]))


def _run_child(
    mode: str, path: Path, *, name: str, output: Path | None = None, wall_s: float = MAX_WALL_S
) -> ChildAnswer:
    """Run the child and return its answer. Raises UnreadableRecording or OSError."""
    if not path.is_file() or path.stat().st_size == 0:
        raise UnreadableRecording(Message("empty_file"))
    with path.open("rb") as file:
        # A container may bear such a name as well: then what it says about itself counts.
        is_container = signatures.names_container(file.read(signatures.LENGTH))
    arguments = [
        sys.executable,
        "-I",  # no PYTHON… variables, no user packages, no current folder
        str(CHILD),
        mode,
        str(path.absolute()),
        "" if is_container else raw_format(name or path.name),
        str(MAX_RECORDING_S),
        str(output or ""),
    ]
    # Threads cost address space, and the child needs one.
    environment = {"PATH": os.environ.get("PATH", ""), "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
    try:
        result = subprocess.run(
            arguments,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=wall_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DecodingSlow(Message("decoding_slow")) from None
    try:
        answer = json.loads(result.stdout)
    except ValueError:
        was_killed = result.returncode < 0
        raise UnreadableRecording(Message("decoding_limits" if was_killed else "undecodable")) from None
    if "errno" in answer:
        raise OSError(answer["errno"], os.strerror(answer["errno"]))
    if "error" in answer:
        raise UnreadableRecording(Message(answer["error"], **answer["params"]))
    return cast(ChildAnswer, answer)
