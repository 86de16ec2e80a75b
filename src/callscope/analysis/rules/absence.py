"""What there is to show where a criterion was not met: why it applied, what was looked for, and where.

It follows from the transcript and the rule that judged the call, so it is computed when somebody reads
the call: calls of any age have it, and nothing of it has to be erased.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import quote_segment
from callscope.analysis.matching import phrases
from callscope.analysis.matching.rule_evaluation import RuleEvaluator
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


def explain_absence(
    rule: Rule,
    conversation: Conversation,
    *,
    heard_groups: Collection[int] = (),
    rules: Mapping[str, Rule] | None = None,
) -> Absence:
    """Return what a rule looked for; `heard_groups` are those of its groups that were said.

    `rules` are those of all criteria, by id, which the rule may name.
    """
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
    start_s, end_s = _narrow(rule, conversation, rules or {}, start_s, end_s)
    return Absence(applied, [write_phrase(each) for each in wanted], rule.speaker, start_s, end_s)


def _narrow(
    rule: Rule,
    conversation: Conversation,
    rules: Mapping[str, Rule],
    start_s: float | None,
    end_s: float | None,
) -> tuple[float | None, float | None]:
    """Return the bounds drawn closer by that before or after which the words should have stood."""
    named = [anchor.criterion for anchor in (rule.before, rule.after) if anchor and anchor.criterion]
    if not all(name in rules for name in named):
        return start_s, end_s
    starts = {segment.index: segment.start_s for segment in conversation.segments}
    evaluator = RuleEvaluator(conversation, None, rules)
    try:
        first = evaluator.find_anchor(rule.before).first if rule.before else None
        last = evaluator.find_anchor(rule.after).last if rule.after else None
    except PatternTooSlow:
        return start_s, end_s
    if first is not None:
        end_s = min(starts[first.segment], conversation.duration_s if end_s is None else end_s)
        start_s = 0.0 if start_s is None else start_s
    if last is not None:
        start_s = max(starts[last.segment], start_s or 0.0)
        end_s = conversation.duration_s if end_s is None else end_s
    if start_s is not None and end_s is not None and start_s > end_s:
        return None, None
    return start_s, end_s


def write_phrase(phrase: str | Pattern) -> str:
    return phrase if isinstance(phrase, str) else f"/{phrase.pattern}/"
