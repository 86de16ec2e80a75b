"""Draw the lanes of the player: the waveform of each speaker, or who spoke when if none was measured."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from callscope.transcription.models import Transcript

HALF = 20  # of a lane's height
LEAST = 0.6  # silence is a thin line, not nothing


@dataclass(frozen=True, slots=True)
class Lane:
    speaker: str  # agent, customer, or "" when the speakers are not apart
    path: SafeString
    across: float  # width of the path's own coordinates


def build_lanes(transcript: Transcript | None, duration_s: float) -> list[Lane]:
    """Return the lanes of a recording, the agent's first."""
    if transcript is None:
        return []
    lanes = [
        Lane(str(lane.get("speaker") or ""), _draw_waveform(lane["peaks"]), len(lane["peaks"]))
        for lane in transcript.waveform or []
        if lane.get("peaks")
    ]
    if not lanes:
        boxes: dict[str, list[str]] = {}
        for segment in transcript.segments:
            start, end = float(segment["start"]), float(segment["end"])
            box = f"M{start:.2f} {HALF / 2:g}h{max(end - start, 0.1):.2f}v{HALF}H{start:.2f}z"
            boxes.setdefault(str(segment.get("speaker") or ""), []).append(box)
        across = max(duration_s, 0.1)
        lanes = [Lane(speaker, _mark_path("".join(paths)), across) for speaker, paths in boxes.items()]
    return sorted(lanes, key=lambda lane: (lane.speaker != "agent", lane.speaker))


def _draw_waveform(peaks: Sequence[int]) -> SafeString:
    """Return the path of a vertical stroke for each peak; peaks are 0 to 100."""
    strokes = []
    for i, peak in enumerate(peaks):
        half = max(LEAST, peak / 100 * (HALF - 1))
        strokes.append(f"M{i + 0.5:g} {HALF - half:.1f}v{2 * half:.1f}")
    return _mark_path("".join(strokes))


def _mark_path(path: str) -> SafeString:
    return mark_safe(path)  # noqa: S308 - letters and numbers that were written above
