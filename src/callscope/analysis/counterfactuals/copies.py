"""Make one copy of one call: the same segments at the same times, with other words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from callscope.analysis.conversation.turns import Conversation, Segment
from callscope.analysis.counterfactuals import dialects, order, people
from callscope.analysis.counterfactuals.groups import GROUPS, REPEAT
from callscope.analysis.counterfactuals.names import Renaming
from callscope.analysis.counterfactuals.protection import Protection
from callscope.language.patterns import Span


@dataclass(frozen=True, slots=True)
class Copy:
    """The words of a copy, and the agent's name in it, for what is hidden from a model."""

    texts: tuple[str, ...]  # of the segments, in their order
    agent_name: str


def make_copy(
    conversation: Conversation, group: str, *, agent_name: str, protection: Protection, number: int
) -> Copy | None:
    """Return the copy of a call for a group; None where there is nothing in it to be changed.

    `agent_name` is the name in the metadata of the call. The same `number` gives the same names.
    """
    chosen = GROUPS[group]
    same = Copy(tuple(s.text for s in conversation.segments), agent_name)
    if chosen.id == REPEAT:
        return same
    if conversation.language not in chosen.languages:
        return None
    protected = protection.find_spans(conversation.segments)
    known = agent_name
    if chosen.kind == "order":
        segments = order.reverse_facts(conversation.segments, protected)
    elif chosen.names is not None:
        renaming = Renaming(
            people.find_agent(conversation, agent_name),
            people.find_customer(conversation),
            chosen.names,
            language=conversation.language,
            number=number,
            has_capitals=any(c.isupper() for s in conversation.segments for c in s.text),
        )
        edits = {s.index: renaming.edit(s) for s in conversation.segments}
        segments = _apply(conversation.segments, edits, protected)
        known = renaming.rename(agent_name)
    else:
        edits = {
            s.index: dialects.edit_dialect(s, chosen.id, conversation.language) for s in conversation.segments
        }
        segments = _apply(conversation.segments, edits, protected)
    copy = Copy(tuple(s.text for s in segments), known)
    return None if copy.texts == same.texts else copy


def _apply(
    segments: Sequence[Segment],
    edits: Mapping[int, Sequence[tuple[Span, str]]],
    protected: Mapping[int, Sequence[Span]],
) -> list[Segment]:
    """Return the segments with these edits, the last first, without those in a phrase or a placeholder."""
    changed = []
    for segment in segments:
        text = segment.text
        for span, new in reversed(edits[segment.index]):
            is_phrase = any(
                p.start < span.end and p.end > span.start for p in protected.get(segment.index, ())
            )
            is_redacted = segment.spoken[span.start : span.end] != segment.text[span.start : span.end]
            if not (is_phrase or is_redacted):
                text = text[: span.start] + new + text[span.end :]
        changed.append(replace(segment, text=text))
    return changed
