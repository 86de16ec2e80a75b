"""Dialogs as tests write them, redacted."""

from callscope.transcription.redaction.redaction import redact_segments

SPEAKERS = {"A": "agent", "C": "customer"}
CODE = "[security code]"


def redact(*turns):
    """Return the texts of turns such as "A: Your PIN?" after redaction."""
    segments = [
        {
            "start": 3.0 * n,
            "end": 3.0 * n + 2,
            "speaker": SPEAKERS[turn[0]],
            "text": turn[3:],
            "confidence": None,
        }
        for n, turn in enumerate(turns)
    ]
    return [segment["text"] for segment in redact_segments(segments, ("cards", "security_codes")).segments]
