"""Whether the caller's goal was reached, from what was said last about it; None when that is not known."""

import re
from dataclasses import dataclass

from callscope.analysis import phrases
from callscope.analysis.conversation import Conversation, Segment
from callscope.analysis.evidence import quote_segment
from callscope.analysis.findings import Quote
from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import phrase_list
from callscope.projects.configuration import Goal

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")


def _cues(name: str) -> dict[str, list[str]]:
    return {language: phrase_list(__package__, f"{name}.{language}") for language in words.LANGUAGES}


# Said by an agent, or by whom we do not know.
_DONE, _NOT_DONE = _cues("done"), _cues("not_done")
_CUSTOMER_DONE, _CUSTOMER_NOT_DONE = _cues("customer_done"), _cues("customer_not_done")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome and what shows it."""

    reached: bool | None
    quote: Quote | None = None


def outcome(goal: Goal, conversation: Conversation) -> Outcome:
    """Return what is known about the goal.

    A phrase of the project means reached, unless a failure is told after it.
    Without phrases in the project, general wording for success counts instead.
    Silence about the outcome is no failure: then it is not known.
    """
    good = _last(goal.phrases, conversation) if goal.phrases else _last_success(conversation)
    bad = _last_failure(conversation)
    if good and (bad is None or bad.index <= good.index):
        return Outcome(True, quote_segment(good))
    if bad:
        return Outcome(False, quote_segment(bad))
    return Outcome(None)


def _last_success(conversation: Conversation) -> Segment | None:
    language = conversation.language
    by_agent = _last_cue(_DONE[language], _not_customer(conversation))
    by_customer = _last_cue(_CUSTOMER_DONE[language], conversation.said_by("customer"))
    return max((s for s in (by_agent, by_customer) if s), key=lambda s: s.index, default=None)


def _last_failure(conversation: Conversation) -> Segment | None:
    language = conversation.language
    by_agent = _last_cue(_NOT_DONE[language], _not_customer(conversation))
    by_customer = _last_cue(_CUSTOMER_NOT_DONE[language], conversation.said_by("customer"))
    return max((s for s in (by_agent, by_customer) if s), key=lambda s: s.index, default=None)


def _not_customer(conversation: Conversation) -> list[Segment]:
    return [s for s in conversation.segments if s.speaker != "customer"]


def _last(wanted: list[str], conversation: Conversation) -> Segment | None:
    """Return the last segment in which a phrase of the project is found."""
    for turn in reversed(list(conversation.turns())):
        match = phrases.find(wanted, [turn], conversation.language)
        if match:
            return match.segment
    return None


def _last_cue(cues: list[str], segments: list[Segment]) -> Segment | None:
    """Return the last segment with a cue word for word, no question and not turned round by a negation."""
    wanted = [words.words(c) for c in cues]
    for segment in reversed(segments):
        for statement in _statements(segment.text):
            if any(_states(statement, cue) for cue in wanted):
                return segment
    return None


def _statements(text: str) -> list[list[str]]:
    parts = _SENTENCE_END.split(text)
    return [words.words(p) for p in parts if not p.rstrip().endswith("?")]


def _states(spoken: list[str], cue: list[str]) -> bool:
    size = len(cue)
    for i in range(len(spoken) - size + 1):
        if spoken[i : i + size] == cue:
            before = spoken[max(0, i - 2) : i]
            if not any(w in words.NEGATIONS or w in ("if", "once", "until", "si", "cuando") for w in before):
                return True
    return False
