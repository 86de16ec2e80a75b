"""What there is to show where a criterion was not met: why it applied, what was looked for, and where.

It follows from the transcript and the rule that judged the call, so it is computed when somebody reads
the call: calls of any age have it, and nothing of it has to be erased.
"""

from collections.abc import Collection
from dataclasses import dataclass

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import quote_segment
from callscope.analysis.matching import phrases
from callscope.analysis.results.findings import Quote
from callscope.language.patterns import PatternTooSlow
from callscope.projects.configuration import Pattern, Rule


@dataclass(frozen=True, slots=True)
class Absence:
    """What was looked for in vain."""

    applied: Quote | None  # what made the rule apply; None where it always does
    phrases: list[str]  # those that nobody said; a pattern stands between slashes
    speaker: str  # who should have said them: agent, customer or any
    start_s: float | None  # from when on they count; this and the next are None where any time does
    end_s: float | None


def explain_absence(rule: Rule, conversation: Conversation, *, heard_groups: Collection[int] = ()) -> Absence:
    """Return what a rule looked for; `heard_groups` are those of its groups that were said."""
    applied = None
    if rule.applies_if:
        try:
            turns = list(conversation.turns())
            if match := phrases.find_phrase(rule.applies_if, turns, conversation.language):
                applied = quote_segment(match.segment, around=match.heard)
        except PatternTooSlow:
            applied = None
    wanted = list(rule.any_of)
    for number, group in enumerate(rule.all_of):
        if number not in heard_groups:
            wanted += group
    start_s = end_s = None
    if rule.within_seconds is not None:
        start_s, end_s = 0.0, min(rule.within_seconds, conversation.duration_s)
    elif rule.last_seconds is not None:
        start_s, end_s = max(0.0, conversation.duration_s - rule.last_seconds), conversation.duration_s
    return Absence(applied, [write_phrase(each) for each in wanted], rule.speaker, start_s, end_s)


def write_phrase(phrase: str | Pattern) -> str:
    return phrase if isinstance(phrase, str) else f"/{phrase.pattern}/"
