"""The customer's sentiment, from what the customer says and how the agent answers it.

Displeasure is counted by expressions of three strengths, later turns for more;
contentment and calm count against it, the thanks that close any call hardly.
A call in which nothing shows a sentiment has none. Nobody's voice is judged,
and never the agent. Measured by benchmarks/quality_outcomes.py.
"""

from dataclasses import dataclass
from typing import Literal

from callscope.analysis.conversation.turns import Conversation, Segment
from callscope.analysis.rules.expressions import Expressions, read_statements
from callscope.language.tokens import LANGUAGES, STOP_WORDS

Sentiment = Literal["positive", "neutral", "negative"]

MIN_WORDS = 4  # of the customer; below that there is nothing to judge
# Weights, rounded from a regression on the calls of benchmarks/labeled that may be seen.
STRONG, CLEAR, LIKELY, FAINT = 3.0, 2.0, 1.0, 0.3  # an expression of displeasure
CONTENT = -1.0
CALM = -0.3  # in the last turns alone
APPEASED = 0.7  # a sentence with which the agent appeases
CURT = 0.4  # a short answer to a failure
REPEATED = 1.0  # the customer has to say it again
MAX_FAINT, MAX_CONTENT, MAX_APPEASED = 1.5, -3.0, 2.0
BAR = 3.0  # midway between the most that a calm call showed and the least that a displeased one did
SENTENCES_A_POINT = 40  # of the customer: a long call needs more before it is displeased
FIRST_TURN, LAST_TURN = 0.7, 1.3  # weight of a turn, growing between
LAST_TURNS = 3
CURT_WORDS = 4
ALIKE = 0.5  # share of content words that make a turn the same as an earlier one


class _Signs:
    """The expressions of one language."""

    def __init__(self, language: str) -> None:
        self.strong = Expressions("displeasure_strong", language)
        self.clear = Expressions("displeasure_clear", language)
        self.likely = Expressions("displeasure_likely", language)
        self.faint = Expressions("displeasure_faint", language)
        self.content = Expressions("contentment", language)
        self.calm = Expressions("calm", language)
        self.appeasing = Expressions("appeasement", language)
        self.failing = Expressions("not_done", language)


_SIGNS = {language: _Signs(language) for language in LANGUAGES}


@dataclass
class _Shown:
    """How much of each a call shows."""

    displeasure: float = 0.0
    faint: float = 0.0
    content: float = 0.0
    calm: float = 0.0
    sentences: int = 0


def classify_sentiment(conversation: Conversation) -> Sentiment | None:
    """Return the sentiment of the customer's words.

    None where nothing is known of it: no words that are known to be the
    customer's, too few of them, or none that show a sentiment.
    """
    said = [s for s in conversation.said_by("customer") if s.words]
    if sum(len(s.words) for s in said) < MIN_WORDS:
        return None
    signs = _SIGNS[conversation.language]
    shown = _read_customer(said, signs)
    content = max(MAX_CONTENT, CONTENT * shown.content)
    score = shown.displeasure + min(MAX_FAINT, FAINT * shown.faint) + content + CALM * shown.calm
    score += REPEATED * _count_repeats(said, conversation.language) + _read_answers(conversation, signs)
    if score >= BAR + shown.sentences / SENTENCES_A_POINT:
        return "negative"
    if shown.content and score <= 0:
        return "positive"
    return "neutral" if shown.calm or shown.content or shown.displeasure else None


def _read_customer(said: list[Segment], signs: _Signs) -> _Shown:
    shown = _Shown()
    for i, segment in enumerate(said):
        weight = FIRST_TURN + (LAST_TURN - FIRST_TURN) * (i + 1) / len(said)
        for words in read_statements(segment.spoken, with_questions=True):
            shown.sentences += 1
            strong, clear, likely = (kind.count(words) for kind in (signs.strong, signs.clear, signs.likely))
            likely = max(0, likely - strong - clear)  # the same words, most often
            shown.displeasure += weight * (STRONG * strong + CLEAR * clear + LIKELY * likely)
            shown.faint += weight * signs.faint.count(words)
            shown.content += weight * signs.content.count(words)
            if i >= len(said) - LAST_TURNS:
                shown.calm += signs.calm.count(words) > 0
    return shown


def _read_answers(conversation: Conversation, signs: _Signs) -> float:
    """Return what the agent's appeasing and the customer's answers to failures add."""
    appeased, curt = 0.0, 0.0
    for segment, following in zip(conversation.segments, [*conversation.segments[1:], None], strict=True):
        if segment.speaker != "agent":
            continue
        sentences = read_statements(segment.spoken, with_questions=True)
        appeased += APPEASED * sum(signs.appeasing.count(words) > 0 for words in sentences)
        if following and following.speaker == "customer" and 0 < len(following.words) <= CURT_WORDS:
            failed = any(signs.failing.count(words) for words in sentences)
            curt += CURT * (failed and not signs.content.count(following.words))
    return min(MAX_APPEASED, appeased) + curt


def _count_repeats(said: list[Segment], language: str) -> int:
    """Return how many turns say much the same as an earlier one."""
    contents = [{w for w in s.words if w not in STOP_WORDS[language]} for s in said]
    contents = [words for words in contents if len(words) >= 3]
    return sum(
        any(len(words & earlier) >= ALIKE * len(words | earlier) for earlier in contents[:i])
        for i, words in enumerate(contents)
    )
