"""What the player draws: a lane a speaker, the waveform where sound was measured, else who spoke when."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from callscope.transcription.models import Transcript

HALF = 20  # of a lane's height
LEAST = 0.6  # silence is a thin line, not nothing


@dataclass(frozen=True, slots=True)
class Lane:
    speaker: str  # agent, customer, or "" when the speakers are not apart
    path: SafeString
    across: float  # width of the path's own coordinates


def lanes(transcript: Transcript | None, duration_s: float) -> list[Lane]:
    """Return the lanes of a recording, the agent's first."""
    if transcript is None:
        return []
    drawn = [_of_peaks(lane) for lane in transcript.waveform or [] if lane.get("peaks")]
    if not drawn:
        drawn = _of_segments(transcript.segments, duration_s)
    return sorted(drawn, key=lambda lane: (lane.speaker != "agent", lane.speaker))


def _of_peaks(lane: dict[str, Any]) -> Lane:
    peaks: Sequence[int] = lane["peaks"]
    strokes = []
    for i, peak in enumerate(peaks):
        half = max(LEAST, peak / 100 * (HALF - 1))
        strokes.append(f"M{i + 0.5:g} {HALF - half:.1f}v{2 * half:.1f}")
    return Lane(str(lane.get("speaker") or ""), _safe("".join(strokes)), len(peaks))


def _of_segments(segments: Sequence[dict[str, Any]], duration_s: float) -> list[Lane]:
    spans: dict[str, list[str]] = {}
    for segment in segments:
        start, end = float(segment["start"]), float(segment["end"])
        box = f"M{start:.2f} {HALF / 2:g}h{max(end - start, 0.1):.2f}v{HALF}H{start:.2f}z"
        spans.setdefault(str(segment.get("speaker") or ""), []).append(box)
    across = max(duration_s, 0.1)
    return [Lane(speaker, _safe("".join(boxes)), across) for speaker, boxes in spans.items()]


def _safe(path: str) -> SafeString:
    return mark_safe(path)  # noqa: S308 - letters and numbers that were written above
