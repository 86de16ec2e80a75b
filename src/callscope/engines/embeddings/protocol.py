"""The protocol of every embedding engine."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Texts to vectors whose dot product is their likeness."""

    id: str  # part of every stored vector: vectors of different ids are never compared
    is_semantic: bool  # False: likeness is that of letters and words only
    hosts: list[str]  # machines that the texts are sent to

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one row of unit length per text (zeros for a text without words), float32."""
        ...
