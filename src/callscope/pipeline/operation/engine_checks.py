"""Ask every engine a real question with a short limit: an address alone says nothing.

The questions hold nothing of any call: two seconds of a tone, two words, a request to answer OK.
"""

import contextlib
import time
from collections.abc import Callable

import numpy as np

from callscope.analysis.matching.embedder_weights import list_languages_of_default
from callscope.engines.asr.protocol import RATE, Transcriber
from callscope.engines.errors import BadOutput
from callscope.engines.llm.client import ChatClient
from callscope.engines.registry import Engines

LIMIT_S = 15.0
TONE_S = 2
LANGUAGE_NAMES = {"en": "English", "es": "Spanish"}
MAX_TOKENS = 200
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
QUESTION = [
    {"role": "system", "content": 'You check a connection. Answer with the JSON object {"answer": "OK"}.'},
    {"role": "user", "content": "Do you answer?"},
]


def ask_transcriber(engine: Transcriber) -> str:
    """Let a server hear a tone; return what was found, "" for an engine in this process.

    Such an engine is not asked: a model takes minutes to load, and check() finds it.
    Raises EngineUnavailable and EngineRejected.
    """
    if not engine.hosts:
        return ""
    tone = (np.sin(np.arange(RATE * TONE_S) * 0.1) * 3000).astype(np.int16)
    deadline = time.monotonic() + LIMIT_S

    def ask() -> None:
        with contextlib.suppress(BadOutput):  # it answers, only not with words: a tone has none
            engine.transcribe(tone, language="en", hints=[], deadline=deadline)

    return _time(ask)


def ask_language_model(client: ChatClient) -> str:
    """Let the model answer in JSON; return what was found.

    Raises EngineUnavailable, EngineRejected, and BadOutput where it answers something else.
    """
    limited = client.with_timeout(LIMIT_S)

    def ask() -> None:
        try:
            limited.complete(QUESTION, schema=SCHEMA, schema_name="check", max_tokens=MAX_TOKENS)
        except BadOutput as error:
            if error.message.code != "llm_cut_off":  # one that thinks for longer before it answers
                raise

    return _time(ask)


def ask_embedder(engines: Engines) -> str:
    """Compare two words; return what was found. Raises EngineUnavailable, EngineRejected and BadOutput."""
    from callscope.engines.embeddings.remote import RemoteEmbedder

    embedder = engines.embedder
    if isinstance(embedder, RemoteEmbedder):
        embedder = embedder.with_timeout(LIMIT_S)
    answered = _time(lambda: embedder.encode(["invoice", "bill"]))
    try:
        left = list_languages_of_default(embedder)
    except BadOutput:
        return answered
    if not left:
        return answered
    names = " and ".join(LANGUAGE_NAMES[language] for language in left)
    return f"{answered}; in {names} it adds nothing to the built-in encoder, which compares phrases alone"


def _time(ask: Callable[[], object]) -> str:
    began = time.monotonic()
    ask()
    return f"answered in {time.monotonic() - began:.1f} s"
