"""Find a phrase by its meaning where neither its words nor its spelling stand in the call."""

from collections.abc import Sequence

from callscope.analysis.conversation import Segment
from callscope.analysis.phrases import Match
from callscope.engines.embeddings.protocol import Embedder

MODEL_BAR = 0.62


class MeaningMatcher:
    """Compares phrases with what was said."""

    def __init__(self, embedder: Embedder, language: str) -> None:
        self.embedder = embedder
        self.language = language

    def find(self, phrases: Sequence[str], segments: Sequence[Segment]) -> Match | None:
        """Return the segment that says nearest what a phrase says, None below the bar."""
        spoken = [s for s in segments if s.words]
        if not self.embedder.knows_meaning or not spoken or not phrases:
            return None
        likeness = self.embedder.encode(list(phrases)) @ self.embedder.encode([s.text for s in spoken]).T
        best = int(likeness.argmax())
        phrase, segment = phrases[best // len(spoken)], spoken[best % len(spoken)]
        score = float(likeness.flat[best])
        return Match(phrase, segment, tuple(segment.words), "meaning", score) if score >= MODEL_BAR else None
