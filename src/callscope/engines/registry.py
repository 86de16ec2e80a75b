"""Which engines work for a project: the common ones, or for a private project the operator's own.

Rules: docs/engines.md and ADR 9. Sound and texts of a private project reach no
other machine than those that the CALLSCOPE_PRIVATE_… settings name.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from callscope.engines.answers import note_answer
from callscope.engines.errors import EngineMissing, EngineRejected
from callscope.engines.identity import identify_sentence_model
from callscope.environment import LOCAL, EngineAddress, Environment

# The engines are imported where they are built: web processes and the runner read
# addresses and prices here, and do not need the speech and language packages.
if TYPE_CHECKING:
    from callscope.engines.asr.protocol import Transcriber
    from callscope.engines.embeddings.protocol import Embedder
    from callscope.engines.llm.client import ChatClient


@dataclass(frozen=True)
class Engines:
    """The engines of one project. Each is built when it is first used: some take seconds to load."""

    environment: Environment
    is_private: bool

    @cached_property
    def transcriber(self) -> "Transcriber":
        """The speech recognizer; always one, though it may not be able to work."""
        return build_transcriber(self.transcriber_address, self.environment, private=self.is_private)

    @cached_property
    def llm(self) -> "ChatClient | None":
        """The language model; None where none is configured."""
        address = self.environment.private_llm if self.is_private else self.environment.llm
        if not address.address:
            return None
        return _build_llm(address, self.environment.engine_timeout, private=self.is_private)

    @cached_property
    def embedder(self) -> "Embedder":
        """A model folder, else a server, else the built-in embedder. A private project has no server.

        Raises EngineMissing for a folder that does not hold a usable model.
        """
        address = EngineAddress() if self.is_private else self.environment.embed_url
        environment = self.environment
        folder = environment.embed_model_dir
        try:
            built = _build_embedder(folder, address, environment.embedder, environment.engine_timeout)
        except EngineRejected as error:  # a folder that was corrected is read again
            raise EngineMissing(error.message, engine=identify_sentence_model(folder)) from error
        if folder:
            note_answer(identify_sentence_model(folder))
        return built

    @property
    def local_encoder(self) -> "Embedder | None":
        """The built-in embedder, for texts that may not leave this process; None where memory is scarce."""
        if self.environment.embedder == "words":
            return None
        return _build_embedder("", EngineAddress(), self.environment.embedder, 0.0)

    @property
    def retry_pause(self) -> float:
        """Factor on the pauses between attempts to reach an engine."""
        return self.environment.retry_pause

    def audio_cost_micros(self, audio_us: int) -> int | None:
        """Return the price of so many microseconds of audio in millionths; None without a price."""
        return self.transcriber_address.audio_cost_micros(audio_us)

    @property
    def speech_hosts(self) -> list[str]:
        """Return the machines that recordings are sent to; none if they are heard in this process."""
        return _hosts_of(self.transcriber_address)

    @property
    def word_hosts(self) -> list[str]:
        """Return the machines that transcripts are sent to."""
        return self.llm_hosts or self.embedding_hosts

    @property
    def llm_hosts(self) -> list[str]:
        """Return the machines that prompts are sent to."""
        return _hosts_of(self.environment.private_llm if self.is_private else self.environment.llm)

    @property
    def embedding_hosts(self) -> list[str]:
        """Return the machines that clauses and topics are sent to."""
        is_remote = not self.is_private and not self.environment.embed_model_dir
        return _hosts_of(self.environment.embed_url) if is_remote else []

    @property
    def transcriber_address(self) -> EngineAddress:
        """Where the speech recognizer is."""
        return self.environment.private_transcriber if self.is_private else self.environment.transcriber


def _hosts_of(address: EngineAddress) -> list[str]:
    host = urlsplit(address.address).hostname
    return [host] if host else []


def engines_for(environment: Environment, *, private: bool) -> Engines:
    """Return the engines for a private project, or for any other."""
    return Engines(environment, private)


def build_transcriber(
    address: EngineAddress, environment: Environment, *, private: bool = False
) -> "Transcriber":
    """Return the recognizer at an address: "local" (also ""), "demo", or a server's base URL.

    `private` says that a server is the operator's own and may hear private recordings.
    """
    from callscope.engines.asr.demo import DemoTranscriber
    from callscope.engines.asr.remote import RemoteTranscriber
    from callscope.engines.asr.whisper import WhisperTranscriber

    if address.address in LOCAL:
        # The model of the common engine serves private projects, too, where both are local.
        is_own = private and environment.transcriber.address not in LOCAL
        return WhisperTranscriber(
            model=address.model,
            device=environment.whisper_device,
            compute_type=environment.whisper_compute_type,
            batch_size=environment.whisper_batch_size,
            threads=environment.whisper_threads or 0,
            model_setting=f"CALLSCOPE_{'PRIVATE_' if is_own else ''}TRANSCRIBER_MODEL",
        )
    if address.address == "demo":
        return DemoTranscriber()
    return RemoteTranscriber(
        address.address,
        api_key=address.api_key,
        model=address.model,
        timeout_s=environment.engine_timeout,
        operator_run=private,
        networks=address.networks,
    )


# Clients keep their connections, and a sentence model its weights, from one call to the next.
@lru_cache(maxsize=4)
def _build_llm(address: EngineAddress, timeout_s: float, *, private: bool) -> "ChatClient":
    from callscope.engines.llm.client import ChatClient

    return ChatClient(
        address.address,
        api_key=address.api_key,
        model=address.model,
        timeout_s=timeout_s,
        operator_run=private,
        networks=address.networks,
        pricing=address.tokens_cost_micros,
    )


@lru_cache(maxsize=4)
def _build_embedder(model_dir: str, address: EngineAddress, default: str, timeout_s: float) -> "Embedder":
    from callscope.engines.embeddings.built_in import BuiltInEmbedder
    from callscope.engines.embeddings.lexical import LexicalEmbedder
    from callscope.engines.embeddings.remote import RemoteEmbedder
    from callscope.engines.embeddings.sentence_model import SentenceModel

    if model_dir:
        return SentenceModel(Path(model_dir))
    if address.address:
        return RemoteEmbedder(
            address.address,
            api_key=address.api_key,
            model=address.model,
            timeout_s=timeout_s,
            networks=address.networks,
        )
    return LexicalEmbedder() if default == "words" else BuiltInEmbedder()
