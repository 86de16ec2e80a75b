"""A BERT-like sentence model (MiniLM and its kin) run with numpy from a folder the operator names.

The folder holds config.json, tokenizer.json and model.safetensors. Nothing is
downloaded and nothing in the folder is executed.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import erf

from callscope.engines.embeddings.protocol import Vectors
from callscope.engines.embeddings.weights import UnreadableWeights, Weights, read_weights
from callscope.engines.embeddings.wordpiece import UnreadableTokenizer, WordPieces
from callscope.engines.errors import EngineRejected

MOST_PIECES = 256  # of one text; the model was trained with this length
BATCH = 32
NEEDED = ("config.json", "tokenizer.json", "model.safetensors")

Floats = npt.NDArray[np.float32]


class SentenceModel:
    """Sentence vectors by the mean of the last layer."""

    knows_meaning = True
    hosts: list[str] = []

    def __init__(self, folder: Path) -> None:
        """Load the model. Raises EngineRejected with what is wrong in the folder."""
        missing = [name for name in NEEDED if not (folder / name).is_file()]
        if missing:
            raise EngineRejected(
                f"CALLSCOPE_EMBED_MODEL_DIR is {folder}, which holds no {', no '.join(missing)}."
            )
        try:
            config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._pieces = WordPieces(folder / "tokenizer.json")
            self._weights = _without_prefix(read_weights(folder / "model.safetensors"))
            self._layers, self._heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
            self._epsilon = float(config.get("layer_norm_eps", 1e-12))
            self._most = min(MOST_PIECES, int(config.get("max_position_embeddings", MOST_PIECES)))
            self.encode(["probe"])
        except (UnreadableWeights, UnreadableTokenizer) as error:
            raise EngineRejected(str(error)) from error
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise EngineRejected(
                f"{folder} holds no BERT sentence model that can be run: {error!r}."
            ) from error
        self.id = f"model-{_fingerprint(folder)}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        numbered = [self._pieces.numbers(text, most=self._most) for text in texts]
        size = self._weights["embeddings.word_embeddings.weight"].shape[1]
        result = np.zeros((len(texts), size), dtype=np.float32)
        # Texts of like length share a batch, so that little is computed on padding.
        order = sorted(range(len(texts)), key=lambda i: len(numbered[i]))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            result[rows] = self._encode_batch([numbered[i] for i in rows])
        result[[i for i, n in enumerate(numbered) if len(n) <= 2]] = 0
        return result

    def _encode_batch(self, numbered: list[list[int]]) -> Floats:
        longest = max(len(n) for n in numbered)
        pieces = np.zeros((len(numbered), longest), dtype=np.int64)
        mask = np.zeros((len(numbered), longest), dtype=np.float32)
        for row, numbers in enumerate(numbered):
            pieces[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        hidden = self._embed(pieces)
        for layer in range(self._layers):
            hidden = self._layer(hidden, mask, f"encoder.layer.{layer}.")
        mean = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return np.asarray(
            mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12), dtype=np.float32
        )

    def _embed(self, pieces: npt.NDArray[np.int64]) -> Floats:
        w = self._weights
        summed = (
            w["embeddings.word_embeddings.weight"][pieces]
            + w["embeddings.position_embeddings.weight"][None, : pieces.shape[1]]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        return self._normal(summed, "embeddings.LayerNorm")

    def _layer(self, hidden: Floats, mask: Floats, name: str) -> Floats:
        attended = self._linear(self._attend(hidden, mask, name), f"{name}attention.output.dense")
        hidden = self._normal(attended + hidden, f"{name}attention.output.LayerNorm")
        wide = self._linear(hidden, f"{name}intermediate.dense")
        wide = np.asarray(0.5 * wide * (1 + erf(wide / np.sqrt(2).astype(np.float32))), dtype=np.float32)
        return self._normal(self._linear(wide, f"{name}output.dense") + hidden, f"{name}output.LayerNorm")

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

    def _normal(self, values: Floats, name: str) -> Floats:
        mean = values.mean(axis=-1, keepdims=True)
        spread = np.sqrt(((values - mean) ** 2).mean(axis=-1, keepdims=True) + self._epsilon)
        scaled = (values - mean) / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return np.asarray(scaled, dtype=np.float32)


def _without_prefix(weights: Weights) -> Weights:
    return {name.removeprefix("bert."): tensor for name, tensor in weights.items()}


def _fingerprint(folder: Path) -> str:
    """Return a short hash of the files: another model must never be compared with this one's vectors."""
    digest = hashlib.sha256()
    for name in NEEDED:
        with (folder / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
