"""What names an engine wherever its troubles are counted and shown."""

from typing import NamedTuple
from urllib.parse import urlsplit

MAX_ADDRESS = 255  # characters


class EngineId(NamedTuple):
    """One engine: what it is asked for, and where it is."""

    kind: str  # speech, language, embeddings or storage
    address: str  # a URL without credentials


def public_address(base_url: str) -> str:
    """Return the URL of an engine as it may be stored and shown: without credentials and query."""
    url = urlsplit(base_url)
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path.rstrip('/')}"[:MAX_ADDRESS]
