"""How calls are talked, as the integers that facts keep; read from the stored insights.

No Django here: the process that prepares an import reads them too.
"""

from collections.abc import Mapping
from typing import Any

# Column of a fact → the measure in stored insights, and how many of the column's units one of it has.
MEASURES = {
    "talk_share_bp": ("talk_share_pct", 100),
    "monologue_ms": ("longest_monologue_seconds", 1000),
    "silence_ms": ("silence_seconds", 1000),
    "interruptions": ("agent_interruptions", 1),
    "words_per_100_minutes": ("agent_words_per_minute", 100),
    "hold_ms": ("hold_seconds", 1000),
}
MOST = 2**31 - 1  # of a column; 24 days of milliseconds

TalkFigures = tuple[int | None, ...]  # in the order of MEASURES
NOT_MEASURED: TalkFigures = (None,) * len(MEASURES)


def read_talk(insights: Mapping[str, Any] | None) -> TalkFigures:
    """Return what a fact keeps of the talk measures in stored insights."""
    talk = (insights or {}).get("talk") or {}
    values = [(talk.get(measure), units) for measure, units in MEASURES.values()]
    return tuple(None if value is None else min(round(value * units), MOST) for value, units in values)
