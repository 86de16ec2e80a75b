"""Which embedder the settings name."""

from functools import lru_cache
from pathlib import Path

from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.protocol import Embedder
from callscope.engines.embeddings.remote import RemoteEmbedder
from callscope.engines.embeddings.sentence_model import SentenceModel
from callscope.environment import EngineAddress, Environment


def choose_embedder(environment: Environment, *, private: bool) -> Embedder:
    """Return the configured embedder: a model folder, else a server, else the lexical one.

    The texts of a private project go to no server.

    Raises EngineRejected for a folder that does not hold a usable model.
    """
    address = EngineAddress() if private else environment.embed_url
    return _made(environment.embed_model_dir, address.address, address.api_key, address.model)


@lru_cache(maxsize=4)
def _made(model_dir: str, url: str, api_key: str, model: str) -> Embedder:
    if model_dir:
        return SentenceModel(Path(model_dir))
    if url:
        return RemoteEmbedder(url, api_key=api_key, model=model)
    return LexicalEmbedder()
