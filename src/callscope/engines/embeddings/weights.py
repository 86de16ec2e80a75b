"""Read a `model.safetensors` file with numpy: a length, a JSON header, then raw numbers."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_HEADER_BYTES = 50_000_000
_TYPES: dict[str, Any] = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "I64": np.int64,
    "I32": np.int32,
}

Weights = dict[str, npt.NDArray[np.float32]]


class UnreadableWeights(Exception):
    """The file is no safetensors file, or holds numbers of a kind that we do not read."""


def read_weights(path: Path) -> Weights:
    """Return every tensor by its name, as float32. Raises UnreadableWeights or OSError."""
    data = path.read_bytes()
    if len(data) < 8:
        raise UnreadableWeights(f"{path} is too short for a safetensors file.")
    (size,) = struct.unpack("<Q", data[:8])
    if size > min(MAX_HEADER_BYTES, len(data) - 8):
        raise UnreadableWeights(f"{path} is no safetensors file.")
    try:
        header = json.loads(data[8 : 8 + size])
        return {n: _tensor(data, 8 + size, entry) for n, entry in header.items() if n != "__metadata__"}
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableWeights(f"{path} is no safetensors file that can be read: {error}.") from error


def _tensor(data: bytes, base: int, entry: dict[str, Any]) -> npt.NDArray[np.float32]:
    kind, shape, (start, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    if kind == "BF16":  # the upper half of a float32
        raw = np.frombuffer(data, dtype=np.uint16, count=(end - start) // 2, offset=base + start)
        return (raw.astype(np.uint32) << 16).view(np.float32).reshape(shape)
    if kind not in _TYPES:
        raise ValueError(f'numbers of type "{kind}" are not read')
    item = np.dtype(_TYPES[kind]).itemsize
    raw = np.frombuffer(data, dtype=_TYPES[kind], count=(end - start) // item, offset=base + start)
    return raw.astype(np.float32).reshape(shape)
