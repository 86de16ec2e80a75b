"""Vectors from any server that speaks OpenAI's `/embeddings`."""

import copy
from collections.abc import Sequence
from urllib.parse import urlsplit

import httpx2
import numpy as np

from callscope.engines.answers import note_answer, note_refusal
from callscope.engines.connection import build_http_client, raise_if_guarded
from callscope.engines.embeddings.protocol import Vectors
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable, Trouble
from callscope.engines.identity import EngineId, public_address
from callscope.engines.llm import refusals
from callscope.engines.llm.refusal_texts import NO_KEY, find_refusal, read_refusal
from callscope.messages.message import Message
from callscope.processes.guarded_addresses import Network

BATCH = 256
TIMEOUT_S = 300.0  # in all for one request
CONNECT_S = 10.0


class RemoteEmbedder:
    """One server and model."""

    is_semantic = True

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str = "",
        model: str = "",
        timeout_s: float = TIMEOUT_S,
        networks: Sequence[Network] = (),
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        import openai

        address = urlsplit(base_url)
        self.base_url = base_url.rstrip("/") + ("/v1" if address.path in ("", "/") else "")
        self.host = address.hostname or base_url
        self.hosts = [self.host]
        self.engine = EngineId("embeddings", public_address(base_url))
        self.model = model
        self.id = f"{self.host}/{model}"[:128]
        self._client = openai.OpenAI(
            base_url=self.base_url,
            api_key=api_key or NO_KEY,
            max_retries=0,
            timeout=httpx2.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s)),
            http_client=build_http_client(self.base_url, networks=networks, transport=transport),
        )

    def with_timeout(self, timeout_s: float) -> "RemoteEmbedder":
        """Return an embedder that waits this long for an answer, over the same connections."""
        embedder = copy.copy(self)
        timeout = httpx2.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s))
        embedder._client = self._client.with_options(timeout=timeout)
        return embedder

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors. Raises EngineUnavailable, EngineRejected or BadOutput."""
        try:
            parts = [self._request_vectors(list(texts[i : i + BATCH])) for i in range(0, len(texts), BATCH)]
        except EngineUnavailable as error:
            error.engine = self.engine
            raise
        except EngineRejected as error:
            note_refusal(self.engine, error)
            raise
        if not parts:
            return np.zeros((0, 1), dtype=np.float32)
        if len({part.shape[1] for part in parts}) != 1:
            raise BadOutput(Message("embedding_lengths", host=self.host))
        return np.concatenate(parts)

    def _request_vectors(self, texts: list[str]) -> Vectors:
        import openai

        # Servers refuse empty texts; a blank one gets zeros instead.
        asked = [text if text.strip() else "-" for text in texts]
        try:
            response = self._client.embeddings.with_raw_response.create(
                model=self.model, input=asked, encoding_format="float"
            )
            refusal = find_refusal(response.http_response.json(), key=self._client.api_key)
            if refusal is not None:
                raise refusals.to_server_error(refusal, self.host, self.engine.address)
            answer = response.parse()
            rows = [entry.embedding for entry in sorted(answer.data, key=lambda e: e.index)]
            vectors = np.asarray(rows, dtype=np.float32)
        except openai.APIStatusError as error:
            refusal = read_refusal(error)
            raise refusals.to_server_error(refusal, self.host, self.engine.address) from error
        except openai.APIConnectionError as error:
            raise_if_guarded(error, self.host)
            unreached = isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)
            raise EngineUnavailable(
                Message("embedding_unreachable", host=self.host),
                trouble=Trouble.UNREACHABLE if unreached else None,
            ) from error
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise BadOutput(Message("embedding_no_vectors", host=self.host)) from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise BadOutput(Message("embedding_count", host=self.host, number=len(rows), count=len(texts)))
        note_answer(self.engine)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        unit[[i for i, text in enumerate(texts) if not text.strip()]] = 0
        return np.asarray(unit, dtype=np.float32)
