"""Whether the files of a Whisper model for CTranslate2 are whole, without loading it.

A model of gigabytes takes seconds and as much memory to load; whether a copy or a download broke off is
seen by the headers alone. In model.bin each tensor has its name, its shape and the number of its bytes in
front of it.
"""

import json
import os
import struct
from pathlib import Path
from typing import BinaryIO

from callscope.messages.message import Message

FIRST_VERSION, LAST_VERSION = 4, 6  # of model.bin whose headers are read here; of others only loading tells
LIKELY_VERSIONS = range(1, 100)  # anything else is no version, and the file is another one
TEXTS = ("tokenizer.json", "config.json", "vocabulary.json", "preprocessor_config.json")


def find_damage(folder: Path) -> Message | None:
    """Return what is wrong with the files of a model; None where nothing is seen."""
    for name in TEXTS:
        path = folder / name
        try:
            if path.exists():
                json.loads(path.read_bytes())
        except (OSError, ValueError):
            return Message("speech_file_unreadable", path=path)
    path = folder / "model.bin"
    try:
        with path.open("rb") as file:
            is_whole = holds_all_tensors(file, os.fstat(file.fileno()).st_size)
    except OSError:
        return Message("speech_file_unreadable", path=path)
    return None if is_whole else Message("speech_model_cut_off", path=path)


def holds_all_tensors(file: BinaryIO, size: int) -> bool:
    """Walk from header to header; return whether the last tensor ends within the file."""
    try:
        (version,) = _read(file, "I")
        if version not in LIKELY_VERSIONS:
            return False
        if not FIRST_VERSION <= version <= LAST_VERSION:
            return True
        _skip_text(file)  # the kind of model
        _, tensors = _read(file, "II")
        for _ in range(tensors):
            _skip_text(file)
            (dimensions,) = _read(file, "B")
            *_, stored = _read(file, f"{dimensions}IBI")
            file.seek(stored, os.SEEK_CUR)
        (aliases,) = _read(file, "I")
        for _ in range(2 * aliases):
            _skip_text(file)
    except struct.error:  # there is less than a header
        return False
    return file.tell() <= size


def _read(file: BinaryIO, form: str) -> tuple[int, ...]:
    layout = struct.Struct(f"<{form}")
    return layout.unpack(file.read(layout.size))


def _skip_text(file: BinaryIO) -> None:
    (length,) = _read(file, "H")
    file.seek(length, os.SEEK_CUR)
