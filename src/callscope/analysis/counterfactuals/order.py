"""The same facts in another order: the sentences of a customer's turn, the last first.

Each segment keeps its times. Questions keep their place, as do sentences in which a phrase stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from callscope.analysis.conversation.turns import Segment, join_turns
from callscope.language.patterns import Span
from callscope.language.sentences import SENTENCE_END

_ENDS = (".", "!", "…")


def reverse_facts(segments: Sequence[Segment], protected: Mapping[int, Sequence[Span]]) -> list[Segment]:
    """Return the segments with the facts of each turn of the customer in reverse order."""
    changed: dict[int, str] = {}
    for turn in join_turns(segments):
        if turn.speaker != "customer":
            continue
        for segment in turn.segments:
            changed[segment.index] = _reverse_sentences(segment, protected.get(segment.index, ()))
        movable = [
            s
            for s in turn.segments
            if s.index not in protected and changed[s.index] == s.text and s.text.rstrip().endswith(_ENDS)
        ]
        # Whole sentences, one a segment: what is said first and last change places, the times stay.
        for slot, source in zip(movable, reversed(movable), strict=True):
            changed[slot.index] = source.text
    return [replace(s, text=changed.get(s.index, s.text)) for s in segments]


def _reverse_sentences(segment: Segment, protected: Sequence[Span]) -> str:
    """Return a segment's text with its statements in reverse order."""
    sentences: list[tuple[int, str]] = []
    at = 0
    for match in SENTENCE_END.finditer(segment.text):
        sentences.append((at, segment.text[at : match.start()]))
        at = match.end()
    sentences.append((at, segment.text[at:]))

    def may_move(start: int, text: str) -> bool:
        is_free = not any(span.start < start + len(text) and span.end > start for span in protected)
        return is_free and text.rstrip().endswith(_ENDS)

    movable = [text for start, text in sentences if may_move(start, text)]
    if len(movable) < 2:
        return segment.text
    turned = iter(reversed(movable))
    return " ".join(next(turned) if may_move(start, text) else text for start, text in sentences)
