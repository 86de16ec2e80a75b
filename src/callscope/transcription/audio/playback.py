"""The copy that people listen to, with what was redacted silenced in every channel."""

import tempfile
from pathlib import Path

import av
import numpy as np

from callscope.transcription.audio.decoding import RATE, DecodedAudio

BLOCK = RATE * 10
FADE = RATE // 200  # 5 ms, so that the edges do not click


def write_silenced_copy(
    recording: DecodedAudio, spans: list[tuple[float, float]], *, folder: Path | None = None
) -> Path:
    """Write the recording as FLAC without the spans and return its path (in `folder`); the caller deletes it.

    All channels are silenced: what one side says is often heard in the other's line.
    """
    with tempfile.NamedTemporaryFile(dir=folder, prefix="playback-", suffix=".flac", delete=False) as file:
        path = Path(file.name)
    layout = "stereo" if recording.channels == 2 else "mono"
    try:
        with av.open(str(path), "w", format="flac") as container:
            stream = container.add_stream("flac", rate=RATE)
            stream.layout = layout
            for begin in range(0, len(recording.samples), BLOCK):
                block = np.array(recording.samples[begin : begin + BLOCK])
                for start_s, end_s in spans:
                    start = max(0, int(start_s * RATE) - begin)
                    end = min(len(block), int(end_s * RATE) + 1 - begin)
                    if start < end:
                        block[start:end] = 0
                        tail = block[end : end + FADE]
                        tail[:] = tail * np.linspace(0, 1, len(tail))[:, None]
                frame = av.AudioFrame.from_ndarray(
                    np.ascontiguousarray(block.reshape(1, -1)), format="s16", layout=layout
                )
                frame.sample_rate = RATE
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
