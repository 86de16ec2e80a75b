"""Which recogniser an address means."""

from callscope.engines.asr.demo import DemoTranscriber
from callscope.engines.asr.protocol import Transcriber
from callscope.engines.asr.remote import RemoteTranscriber
from callscope.engines.asr.whisper import DEFAULT_BATCH, WhisperTranscriber


def transcriber(
    address: str,
    *,
    api_key: str = "",
    model: str = "",
    operator_run: bool = False,
    device: str = "auto",
    compute_type: str = "default",
    batch_size: int = DEFAULT_BATCH,
) -> Transcriber:
    """Return the engine at `address`: "local" (also ""), "demo", or a server's base URL.

    `operator_run` says that a server belongs to the operator and may hear private recordings.
    """
    if address in ("", "local"):
        return WhisperTranscriber(
            model=model, device=device, compute_type=compute_type, batch_size=batch_size
        )
    if address == "demo":
        return DemoTranscriber()
    return RemoteTranscriber(address, api_key=api_key, model=model, operator_run=operator_run)
