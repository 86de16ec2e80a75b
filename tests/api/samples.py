"""Small files to upload."""

import functools
import io
import struct
import wave

SRT = b"""1
00:00:00,000 --> 00:00:04,000
Agent: Thank you for calling, my name is Ana.

2
00:00:04,500 --> 00:00:12,000
Customer: My invoice is wrong & I want it corrected.
"""

VTT = b"""WEBVTT

00:00.000 --> 00:04.000
<v Agent>Good morning.

00:04.500 --> 00:12.000
<v Customer>I am calling about my bill.
"""


@functools.cache
def wav(seconds: float, *, rate: int = 8000) -> bytes:
    """Return a quiet recording of this length."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(
            b"".join(struct.pack("<h", (n * 37) % 2000 - 1000) for n in range(int(seconds * rate)))
        )
    return buffer.getvalue()


def named(content: bytes, name: str):
    """Return a file for a multipart form."""
    file = io.BytesIO(content)
    file.name = name
    return file
