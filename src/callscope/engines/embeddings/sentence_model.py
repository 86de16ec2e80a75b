"""A BERT-like sentence model (MiniLM and its kin) run with numpy from a folder the operator names.

The folder holds config.json, tokenizer.json and model.safetensors. Nothing is
downloaded and nothing in the folder is executed. The extra `embeddings` brings
the readers of the last two.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import erf

from callscope.engines.embeddings.protocol import Vectors
from callscope.engines.errors import EngineRejected
from callscope.processes.extras import describe_installation

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_PIECES = 256  # of one text; the model was trained with this length
MARKS = 2  # pieces of a text without words: its beginning and its end
BATCH = 32
NEEDED_FILES = ("config.json", "tokenizer.json", "model.safetensors")
_NUMBER_TYPES: dict[str, Any] = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "I64": np.int64,
    "I32": np.int32,
}

Floats = npt.NDArray[np.float32]
Weights = dict[str, Floats]


class SentenceModel:
    """Sentence vectors by the mean of the last layer."""

    is_semantic = True
    hosts: list[str] = []

    def __init__(self, folder: Path) -> None:
        """Load the model. Raises EngineRejected with what is wrong in the folder."""
        missing = [name for name in NEEDED_FILES if not (folder / name).is_file()]
        if missing:
            raise EngineRejected(
                f"CALLSCOPE_EMBED_MODEL_DIR is {folder}, which holds no {', no '.join(missing)}."
            )
        try:
            config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._layers, self._heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
            self._epsilon = float(config.get("layer_norm_eps", 1e-12))
            max_pieces = min(MAX_PIECES, int(config.get("max_position_embeddings", MAX_PIECES)))
            self._tokenizer = _load_tokenizer(folder / "tokenizer.json", max_pieces)
            self._weights = _load_weights(folder / "model.safetensors")
            self.encode(["probe"])
        except ImportError as error:
            raise EngineRejected(
                f"CALLSCOPE_EMBED_MODEL_DIR needs {error.name}. {describe_installation('embeddings')}"
            ) from error
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise EngineRejected(
                f"{folder} holds no BERT sentence model that can be run: {error!r}."
            ) from error
        digest = hashlib.sha256()
        for name in NEEDED_FILES:
            with (folder / name).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        # A hash of the files: the vectors of another model must never be compared with this one's.
        self.id = f"model-{digest.hexdigest()[:16]}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, zeros for a text without words."""
        # One by one: a batch would be split over threads, and workers that fork must have none. Half of a
        # surrogate pair, which no encoding can hold, is left out.
        whole = (text.encode(errors="ignore").decode() for text in texts)
        pieces = [self._tokenizer.encode(text).ids for text in whole]
        size = self._weights["embeddings.word_embeddings.weight"].shape[1]
        vectors = np.zeros((len(texts), size), dtype=np.float32)
        # Texts of like length share a batch, so that little is computed on padding.
        order = sorted(range(len(texts)), key=lambda i: len(pieces[i]))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            vectors[rows] = self._encode_batch([pieces[i] for i in rows])
        vectors[[i for i, ids in enumerate(pieces) if len(ids) <= MARKS]] = 0
        return vectors

    def _encode_batch(self, batch: list[list[int]]) -> Floats:
        longest = max(len(ids) for ids in batch)
        pieces = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros((len(batch), longest), dtype=np.float32)
        for row, ids in enumerate(batch):
            pieces[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        w = self._weights
        summed = (
            w["embeddings.word_embeddings.weight"][pieces]
            + w["embeddings.position_embeddings.weight"][None, :longest]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._normalize(summed, "embeddings.LayerNorm")
        for layer in range(self._layers):
            name = f"encoder.layer.{layer}."
            attended = self._linear(self._attend(hidden, mask, name), f"{name}attention.output.dense")
            hidden = self._normalize(attended + hidden, f"{name}attention.output.LayerNorm")
            wide = self._linear(hidden, f"{name}intermediate.dense")
            wide = np.asarray(0.5 * wide * (1 + erf(wide / np.sqrt(2).astype(np.float32))), dtype=np.float32)
            narrow = self._linear(wide, f"{name}output.dense")
            hidden = self._normalize(narrow + hidden, f"{name}output.LayerNorm")
        mean = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        lengths = np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
        return np.asarray(mean / lengths, dtype=np.float32)

    def _attend(self, hidden: Floats, mask: Floats, name: str) -> Floats:
        texts, length, size = hidden.shape
        width = size // self._heads

        def heads(part: str) -> Floats:
            flat = self._linear(hidden, f"{name}attention.self.{part}")
            return flat.reshape(texts, length, self._heads, width).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.float32(np.sqrt(width))
        scores = scores + (1 - mask)[:, None, None, :] * np.float32(-1e9)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores = scores / scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ heads("value")).transpose(0, 2, 1, 3)
        return np.asarray(mixed.reshape(texts, length, size), dtype=np.float32)

    def _linear(self, values: Floats, name: str) -> Floats:
        weight = self._weights[f"{name}.weight"]
        # One flat product: numpy multiplies stacks of small matrices without BLAS.
        product = values.reshape(-1, values.shape[-1]) @ weight.T + self._weights[f"{name}.bias"]
        return np.asarray(product.reshape(*values.shape[:-1], weight.shape[0]), dtype=np.float32)

    def _normalize(self, values: Floats, name: str) -> Floats:
        mean = values.mean(axis=-1, keepdims=True)
        spread = np.sqrt(((values - mean) ** 2).mean(axis=-1, keepdims=True) + self._epsilon)
        scaled = (values - mean) / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return np.asarray(scaled, dtype=np.float32)


def _load_tokenizer(path: Path, max_pieces: int) -> "Tokenizer":
    """Return the tokenizer of a file. Raises ValueError if it is none for a BERT model."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"{path.name}: {error}") from error
    if not isinstance(tokenizer.model, WordPiece):
        raise ValueError(f"{path.name} holds a tokenizer that is not WordPiece")
    # Files of sentence models often cut at 128 pieces and pad to it: both are ours to choose.
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_pieces)
    return tokenizer


def _load_weights(path: Path) -> Weights:
    """Return every tensor by its name, as float32. Raises ValueError for numbers that are not read."""
    from safetensors import SafetensorError, deserialize

    try:
        entries = deserialize(path.read_bytes())
    except SafetensorError as error:
        raise ValueError(f"{path.name}: {error}") from error
    weights: Weights = {}
    for name, entry in entries:
        raw = np.frombuffer(entry["data"], dtype=_NUMBER_TYPES.get(entry["dtype"], np.uint16))
        if entry["dtype"] == "BF16":  # the upper half of a float32, which numpy has no type for
            raw = (raw.astype(np.uint32) << 16).view(np.float32)
        elif entry["dtype"] not in _NUMBER_TYPES:
            raise ValueError(f'{path.name}: numbers of type "{entry["dtype"]}" are not read')
        weights[name.removeprefix("bert.")] = raw.astype(np.float32).reshape(entry["shape"])
    return weights
