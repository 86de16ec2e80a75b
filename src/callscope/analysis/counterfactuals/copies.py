"""Make the copies of one call: the same segments at the same times, with other words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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


class Copier:
    """Makes the copies of one call: what they have in common is found once.

    `agent_name` is the name in the metadata of the call. The same `number` gives the same names.
    """

    def __init__(
        self, conversation: Conversation, *, agent_name: str, protection: Protection, number: int
    ) -> None:
        self.conversation = conversation
        self.agent_name = agent_name
        self.protection = protection
        self.number = number

    @cached_property
    def protected(self) -> dict[int, list[Span]]:
        return self.protection.find_spans(self.conversation.segments)

    @cached_property
    def people(self) -> tuple[people.Person, people.Person]:
        """The agent and the customer."""
        return people.find_agent(self.conversation, self.agent_name), people.find_customer(self.conversation)

    @cached_property
    def has_capitals(self) -> bool:
        return any(c.isupper() for s in self.conversation.segments for c in s.text)

    def make_copy(self, group: str) -> Copy | None:
        """Return the copy for a group; None where there is nothing in the call to be changed."""
        chosen = GROUPS[group]
        segments, language = self.conversation.segments, self.conversation.language
        same = Copy(tuple(s.text for s in segments), self.agent_name)
        if chosen.id == REPEAT:
            return same
        if language not in chosen.languages:
            return None
        known = self.agent_name
        if chosen.kind == "order":
            changed = order.reverse_facts(segments, self.protected)
        elif chosen.names is not None:
            renaming = Renaming(
                *self.people,
                chosen.names,
                language=language,
                number=self.number,
                has_capitals=self.has_capitals,
            )
            edits = {s.index: renaming.edit(s) for s in segments}
            changed = _apply(segments, edits, self.protected)
            known = renaming.rename(self.agent_name)
        else:
            edits = {s.index: dialects.edit_dialect(s, chosen.id, language) for s in segments}
            changed = _apply(segments, edits, self.protected)
        copy = Copy(tuple(s.text for s in changed), known)
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
