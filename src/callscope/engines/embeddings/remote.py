"""Vectors from any server that speaks OpenAI's `/embeddings`."""

from collections.abc import Sequence
from urllib.parse import urlsplit

import httpx2
import numpy as np
import openai

from callscope.engines.embeddings.protocol import Vectors
from callscope.engines.errors import BadOutput, EngineUnavailable
from callscope.engines.llm import refusals

BATCH = 256
TIMEOUT_S = 60.0


class RemoteEmbedder:
    """One server and model."""

    knows_meaning = True

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str = "",
        model: str = "",
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        address = urlsplit(base_url)
        self.base_url = base_url.rstrip("/") + ("/v1" if address.path in ("", "/") else "")
        self.host = address.hostname or base_url
        self.hosts = [self.host]
        self.model = model
        self.id = f"{self.host}/{model}"[:128]
        self._client = openai.OpenAI(
            base_url=self.base_url,
            api_key=api_key or "none",
            max_retries=0,
            timeout=httpx2.Timeout(TIMEOUT_S, connect=10.0),
            http_client=httpx2.Client(transport=transport, follow_redirects=False),
        )

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors. Raises EngineUnavailable, EngineRejected or BadOutput."""
        parts = [self._ask(list(texts[i : i + BATCH])) for i in range(0, len(texts), BATCH)]
        if not parts:
            return np.zeros((0, 1), dtype=np.float32)
        if len({part.shape[1] for part in parts}) != 1:
            raise BadOutput(f"The embedding server at {self.host} sent vectors of different lengths.")
        return np.concatenate(parts)

    def _ask(self, texts: list[str]) -> Vectors:
        # Servers refuse empty texts; a blank one gets zeros instead.
        asked = [text if text.strip() else "-" for text in texts]
        try:
            answer = self._client.embeddings.create(model=self.model, input=asked, encoding_format="float")
            rows = [entry.embedding for entry in sorted(answer.data, key=lambda e: e.index)]
            vectors = np.asarray(rows, dtype=np.float32)
        except openai.APIStatusError as error:
            raise refusals.as_engine_error(error, self.host) from error
        except openai.APIConnectionError as error:
            raise EngineUnavailable(f"The embedding server at {self.host} cannot be reached.") from error
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise BadOutput(f"The embedding server at {self.host} sent no list of vectors.") from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise BadOutput(
                f"The embedding server at {self.host} sent {len(rows)} vectors for {len(texts)} texts."
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        unit[[i for i, text in enumerate(texts) if not text.strip()]] = 0
        return np.asarray(unit, dtype=np.float32)
