"""What names an engine wherever its troubles are counted and shown."""

import socket
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

MAX_ADDRESS = 255  # characters
DEFAULT_SPEECH_MODEL = "small"  # the smallest that is useful on telephone sound in English and Spanish
DEMO_SPEECH_MODEL = "pocketsphinx"
ON = " on "  # between model and machine in a stored address; pages say it in their language


class EngineId(NamedTuple):
    """One engine: what it is asked for, and where it is."""

    kind: str  # speech, language, embeddings or storage
    address: str  # a URL without credentials; of an engine in the worker's process its model and machine

    @property
    def is_in_process(self) -> bool:
        """True for an engine that works in the worker's process, and is in trouble on that machine alone."""
        return "://" not in self.address

    @property
    def model_and_machine(self) -> tuple[str, str]:
        """The two parts of the address of an engine in the worker's process."""
        model, _, machine = self.address.rpartition(ON)
        return model, machine


def public_address(base_url: str) -> str:
    """Return the URL of an engine as it may be stored and shown: without credentials and query."""
    url = urlsplit(base_url)
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path.rstrip('/')}"[:MAX_ADDRESS]


def identify_local_speech(address: str, model: str, *, host: str = "") -> EngineId:
    """Return the recognizer in the processes of a machine; by default of this one."""
    name = DEMO_SPEECH_MODEL if address == "demo" else model or DEFAULT_SPEECH_MODEL
    return EngineId("speech", _place(name, host))


def name_local_model(model: str) -> str:
    """Return how results name a model on this machine: a folder by the last part of its path."""
    path = Path(model).expanduser()
    return path.name if path.is_absolute() or path.is_dir() else model


def identify_sentence_model(folder: str, *, host: str = "") -> EngineId:
    """Return the sentence model of a folder in the processes of a machine; by default of this one."""
    return EngineId("embeddings", _place(folder, host))


def _place(model: str, host: str) -> str:
    # The end of a long path tells more than its beginning.
    return f"{model}{ON}{host or socket.gethostname()}"[-MAX_ADDRESS:]
