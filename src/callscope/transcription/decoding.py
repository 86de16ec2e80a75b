"""Hand an untrusted recording to a limited child process and take its samples back.

A child that dies, hangs or eats its limits is a failed file, never a failed
worker. Limits (decode_child.py) and whitelists: docs/engines.md, "Decoding".
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
from typing import Any

import numpy as np

CHILD = Path(__file__).with_name("decode_child.py")
RATE = 16_000  # samples a second of what comes back
MAX_RECORDING_S = 4 * 3600.0  # longer than any call; bounds disk, memory and time
MAX_WALL_S = 900
SNIFF_WALL_S = 20
PREFIX = "decode-"
ABANDONED_S = 48 * 3600  # longer than the slowest engine is given for the longest call
# Headerless G.711 has nothing to be told by but its name.
RAW_FORMATS = {".ul": "mulaw", ".ulaw": "mulaw", ".mulaw": "mulaw", ".al": "alaw", ".alaw": "alaw"}


class UnreadableRecording(Exception):
    """The file cannot be decoded or parsed; str() is a sentence for the person who sent it."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Samples of a recording; `samples` is int16 of shape (n, channels), mapped from disk."""

    samples: np.ndarray
    duration_s: float  # counted, before resampling

    @property
    def channels(self) -> int:
        return int(self.samples.shape[1])


def raw_format(name: str) -> str:
    """Return "mulaw" or "alaw" for the name of a headerless recording, else ""."""
    return RAW_FORMATS.get(Path(name).suffix.lower(), "")


def has_audio(path: Path, *, name: str = "") -> bool:
    """Tell whether the file is a recording, if only an empty one, whose first frame can be decoded."""
    try:
        _ask("sniff", path, name=name, wall_s=SNIFF_WALL_S)
    except UnreadableRecording:
        return False
    return True


def count_seconds(path: Path, *, name: str = "") -> float:
    """Return the duration told by counting every decoded sample.

    Raises UnreadableRecording.
    """
    return float(_ask("probe", path, name=name)["duration_s"])


@contextmanager
def decoded(path: Path, *, name: str = "", folder: Path | None = None) -> Iterator[Decoded]:
    """Give the recording as 16 kHz samples, kept in a temporary file (in `folder`) meanwhile.

    Raises UnreadableRecording.
    """
    if folder is not None:
        _sweep(folder)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=folder) as place:
        output = Path(place) / "samples"
        answer = _ask("decode", path, name=name, output=output)
        channels = answer["written_channels"] or 1
        count = output.stat().st_size // (2 * channels)
        samples = (
            np.memmap(output, dtype="<i2", mode="r", shape=(count, channels))
            if count
            else np.zeros((0, channels), "<i2")
        )
        yield Decoded(samples=samples, duration_s=float(answer["duration_s"]))


def _sweep(folder: Path) -> None:
    """Remove what processes left behind that were killed while they worked."""
    for place in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - place.stat().st_mtime > ABANDONED_S:
                shutil.rmtree(place, ignore_errors=True)


def _ask(
    mode: str, path: Path, *, name: str, output: Path | None = None, wall_s: float = MAX_WALL_S
) -> dict[str, Any]:
    """Run the child and return its answer. Raises UnreadableRecording."""
    if not path.is_file() or path.stat().st_size == 0:
        raise UnreadableRecording("The file is empty.")
    arguments = [
        sys.executable,
        "-I",  # no PYTHON… variables, no user packages, no current folder
        str(CHILD),
        mode,
        str(path.absolute()),
        raw_format(name or path.name),
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
        raise UnreadableRecording("Decoding the recording took too long and was stopped.") from None
    try:
        answer = json.loads(result.stdout)
    except ValueError:
        raise UnreadableRecording(
            "Decoding the recording used more time or memory than is allowed and was stopped."
            if result.returncode < 0
            else "The recording cannot be decoded."
        ) from None
    if "error" in answer:
        raise UnreadableRecording(answer["error"])
    return dict(answer)
