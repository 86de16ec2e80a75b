"""The forward pass of a BERT-like transformer in numpy: BERT itself, and MPNet.

Formulas and names of tensors are those of the published models: Devlin et al. 2019 (BERT); Song et al. 2020
(MPNet), which has no types of tokens and adds to each score of attention a bias by the distance of two
tokens (Raffel et al. 2020).
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import erf

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Weights = dict[str, Floats]

_FAR = 128  # tokens: farther ones share the last bucket of distances
_LARGEST = 1e15  # of the weights: the squares of larger ones leave what a float32 can hold
_FEWEST_BUCKETS = 4  # one for each half of each half


class Settings(NamedTuple):
    """What config.json of a model says, under shorter names."""

    layers: int
    heads: int
    epsilon: float
    buckets: int = 32  # of distances
    padding: int = 1  # the number of the padding token


class Transformer(ABC):
    """What both models have in common; a subclass names its tensors and says what positions add."""

    attention_parts: tuple[str, str, str]  # tensors of query, key and value
    attention_output: str
    attention_norm: str

    def __init__(self, settings: Settings, weights: Weights) -> None:
        """Raises ValueError where settings and tensors do not make a model that can read every text."""
        self.settings, self._weights = settings, weights
        self._check()

    def _check(self) -> None:
        """Raise ValueError for what some texts would not show: their vectors would be wrong, or none."""
        settings = self.settings
        if settings.layers < 0:  # none: a text is the mean of its tokens
            raise ValueError(f"num_hidden_layers is {settings.layers}")
        if settings.heads < 1 or self.size % settings.heads:
            raise ValueError(f"num_attention_heads is {settings.heads}, for {self.size} numbers of a token")
        if not 0 < settings.epsilon < 1:
            raise ValueError(f"layer_norm_eps is {settings.epsilon}")
        for name, tensor in self._weights.items():
            # NaN is neither above nor below; no copy is made of what may be hundreds of megabytes.
            if tensor.size and not -_LARGEST < tensor.min() <= tensor.max() < _LARGEST:
                raise ValueError(f"{name} holds values that cannot be computed with")

    @property
    def size(self) -> int:
        """The numbers in the vector of a token."""
        return int(self._weights["embeddings.word_embeddings.weight"].shape[1])

    @property
    def first_position(self) -> int:
        return 0

    @property
    def words(self) -> int:
        """The tokens that have a vector, numbered from 0."""
        return int(self._weights["embeddings.word_embeddings.weight"].shape[0])

    @property
    def max_tokens(self) -> int:
        """The tokens of the longest text that has a position for each."""
        return int(self._weights["embeddings.position_embeddings.weight"].shape[0]) - self.first_position

    def run(self, pieces: Ints, mask: Floats) -> Floats:
        """Return the last layer, float32 (texts, tokens, size); `mask` is 1 for a token, 0 for padding."""
        length = pieces.shape[1]
        words = self._weights["embeddings.word_embeddings.weight"][pieces]
        hidden = self._normalize(words + self._get_positions(length), "embeddings.LayerNorm")
        bias = (1 - mask)[:, None, None, :] * np.float32(-1e9)
        bias = bias + self._get_distance_bias(length)
        for layer in range(self.settings.layers):
            name = f"encoder.layer.{layer}."
            attended = self._linear(self._attend(hidden, bias, name), f"{name}{self.attention_output}")
            hidden = self._normalize(attended + hidden, f"{name}{self.attention_norm}")
            wide = self._linear(hidden, f"{name}intermediate.dense")
            wide = np.asarray(0.5 * wide * (1 + erf(wide / np.sqrt(2).astype(np.float32))), dtype=np.float32)
            narrow = self._linear(wide, f"{name}output.dense")
            hidden = self._normalize(narrow + hidden, f"{name}output.LayerNorm")
        return hidden

    @abstractmethod
    def _get_positions(self, length: int) -> Floats:
        """Return what is added to the vectors of words, float32 (length, size)."""

    def _get_distance_bias(self, length: int) -> Floats:  # noqa: ARG002, a kind without distances needs none
        """Return what distances add to scores of attention, float32 (1, heads, length, length) or (1,)."""
        return np.zeros(1, dtype=np.float32)

    def _attend(self, hidden: Floats, bias: Floats, name: str) -> Floats:
        texts, length, size = hidden.shape
        width = size // self.settings.heads
        query, key, value = (
            self._linear(hidden, f"{name}{part}")
            .reshape(texts, length, self.settings.heads, width)
            .transpose(0, 2, 1, 3)
            for part in self.attention_parts
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width)) + bias
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores = scores / scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ value).transpose(0, 2, 1, 3)
        return np.asarray(mixed.reshape(texts, length, size), dtype=np.float32)

    def _linear(self, values: Floats, name: str) -> Floats:
        weight = self._weights[f"{name}.weight"]
        # One flat product: numpy multiplies stacks of small matrices without BLAS.
        product = values.reshape(-1, values.shape[-1]) @ weight.T + self._weights[f"{name}.bias"]
        return np.asarray(product.reshape(*values.shape[:-1], weight.shape[0]), dtype=np.float32)

    def _normalize(self, values: Floats, name: str) -> Floats:
        mean = values.mean(axis=-1, keepdims=True)
        spread = np.sqrt(((values - mean) ** 2).mean(axis=-1, keepdims=True) + self.settings.epsilon)
        scaled = (values - mean) / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return np.asarray(scaled, dtype=np.float32)


class Bert(Transformer):
    """BERT: MiniLM, BGE, GTE, E5 and the multilingual MiniLM are of this kind."""

    attention_parts = ("attention.self.query", "attention.self.key", "attention.self.value")
    attention_output = "attention.output.dense"
    attention_norm = "attention.output.LayerNorm"

    def _get_positions(self, length: int) -> Floats:
        positions = self._weights["embeddings.position_embeddings.weight"][:length]
        return np.asarray(positions + self._weights["embeddings.token_type_embeddings.weight"][0])


class MpNet(Transformer):
    """MPNet, of which all-mpnet-base-v2 and multi-qa-mpnet-base are."""

    attention_parts = ("attention.attn.q", "attention.attn.k", "attention.attn.v")
    attention_output = "attention.attn.o"
    attention_norm = "attention.LayerNorm"

    def _check(self) -> None:
        super()._check()
        settings, bias = self.settings, self._weights["encoder.relative_attention_bias.weight"]
        if settings.buckets < _FEWEST_BUCKETS or bias.shape != (settings.buckets, settings.heads):
            raise ValueError(
                f"relative_attention_num_buckets is {settings.buckets}, for a bias of shape {bias.shape}"
            )
        if settings.padding < 0:
            raise ValueError(f"pad_token_id is {settings.padding}")

    @property
    def first_position(self) -> int:
        """Positions count from the number of the padding token on: the first tensors are kept for it."""
        return self.settings.padding + 1

    def _get_positions(self, length: int) -> Floats:
        return self._weights["embeddings.position_embeddings.weight"][self.first_position :][:length]

    def _get_distance_bias(self, length: int) -> Floats:
        buckets = sort_distances(length, self.settings.buckets)
        bias = self._weights["encoder.relative_attention_bias.weight"][buckets]
        return np.asarray(bias.transpose(2, 0, 1)[None], dtype=np.float32)


def sort_distances(length: int, buckets: int) -> Ints:
    """Return the bucket of the distance from each token (row) to each (column), int (length, length).

    Half of the buckets are for tokens after; of each half, one half is for short distances, one bucket
    each, and the other grows by the logarithm up to 128 tokens.
    """
    distance = np.arange(length)[None, :] - np.arange(length)[:, None]
    half = buckets // 2
    exact = half // 2
    far = np.abs(distance)
    logarithm = np.log(np.maximum(far, 1) / exact) / np.log(_FAR / exact) * (half - exact)
    grown = np.minimum(exact + logarithm.astype(np.int64), half - 1)
    return np.asarray(np.where(distance > 0, half, 0) + np.where(far < exact, far, grown))
