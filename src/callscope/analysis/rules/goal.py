"""Whether the caller's goal was reached, from what both say about the outcome; None when that is not known.

What is reported done counts for it, what fails counts against it, later turns
for more. Measured by benchmarks/quality_outcomes.py.
"""

from collections import defaultdict
from dataclasses import dataclass

from callscope.analysis.conversation.turns import Conversation, Segment
from callscope.analysis.evidence import quote_segment
from callscope.analysis.matching import phrases
from callscope.analysis.results.findings import Quote
from callscope.analysis.rules.expressions import Expressions, read_statements
from callscope.language.tokens import LANGUAGES, NEGATIONS
from callscope.language.wordlists import read_word_list
from callscope.projects.configuration import Goal

# Just before a success these leave it open: "once it is done".
_OPEN_WORDS = NEGATIONS | read_word_list(__package__, "open_words")
# Name, who speaks, weight; rounded from a regression on the calls of benchmarks/labeled that may be seen.
_LISTS = (
    ("done", "agent", 1.0),
    ("planned", "agent", 0.25),
    ("not_done", "agent", -1.5),
    ("customer_done", "customer", 0.5),
    ("customer_not_done", "customer", -0.75),
    ("displeasure_clear", "customer", -0.25),
    ("displeasure_strong", "customer", -0.25),
)
PHRASE = 2.0  # a phrase of the project
REACHED_FROM, MISSED_BELOW = 0.5, -1.2
LAST_WEIGHT, LEAST_WEIGHT = 1.7, 0.1  # of what is said last, and long before
FADING = 0.88  # the weight of one segment to that of the next


@dataclass(frozen=True, slots=True)
class GoalOutcome:
    """The outcome and what shows it."""

    reached: bool | None
    quote: Quote | None = None


_EXPRESSIONS = {
    (name, language): Expressions(name, language, turned_round_by=_OPEN_WORDS if weight > 0 else NEGATIONS)
    for name, _, weight in _LISTS
    for language in LANGUAGES
}


def detect_goal_outcome(goal: Goal, conversation: Conversation) -> GoalOutcome:
    """Return what is known about the goal.

    A phrase of the project counts more than general wording; a failure after it
    may still outweigh it. Silence about the outcome is no failure: then it is
    not known.
    """
    evidence = _weigh_segments(conversation)
    turns = list(conversation.turns()) if goal.phrases else []
    for match in phrases.find_in_each(goal.phrases, turns, conversation.language):
        evidence[match.segment.index] += PHRASE * _weight_place(match.segment, conversation)
    total = sum(evidence.values())
    if total >= REACHED_FROM:
        best = max(evidence, key=lambda index: (evidence[index], index))
        return GoalOutcome(True, quote_segment(conversation.segments[best]))
    if total <= MISSED_BELOW:
        worst = min(evidence, key=lambda index: (evidence[index], -index))
        return GoalOutcome(False, quote_segment(conversation.segments[worst]))
    return GoalOutcome(None)


def _weigh_segments(conversation: Conversation) -> defaultdict[int, float]:
    """Return index of a segment → what it says for the outcome, or against it."""
    evidence: defaultdict[int, float] = defaultdict(float)
    for segment in conversation.segments:
        place = _weight_place(segment, conversation)
        for words in read_statements(segment.spoken):
            for name, speaks, weight in _LISTS:
                if segment.speaker in ("", speaks):
                    found = _EXPRESSIONS[name, conversation.language].count(words)
                    evidence[segment.index] += place * weight * min(found, 2)
    return evidence


def _weight_place(segment: Segment, conversation: Conversation) -> float:
    later = len(conversation.segments) - 1 - segment.index
    return max(LEAST_WEIGHT, LAST_WEIGHT * FADING**later)
