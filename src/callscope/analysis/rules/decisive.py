"""What of a call decides the answer to a criterion, whichever answer that is.

A judgment quotes what met or broke a rule. Where nothing did, what came nearest says as much: how likely it
says the phrase, and how far that is from counting. It follows from the transcript and the rule, so it is
computed when somebody reads it.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.matching import phrases
from callscope.analysis.matching.likelihood import USUAL_BAND, Band
from callscope.analysis.matching.phrases import Certainty, PhraseMatch
from callscope.analysis.matching.rule_evaluation import RuleEvaluator, in_window
from callscope.analysis.results.findings import Quote
from callscope.analysis.results.schema import Answer
from callscope.analysis.rules.analyzer import build_matcher
from callscope.analysis.rules.compound import quote_match
from callscope.analysis.rules.judge import judge_criterion
from callscope.analysis.scoring import explain_unscored
from callscope.engines.embeddings.protocol import Embedder
from callscope.language.patterns import PatternTooSlow
from callscope.projects.configuration import Configuration, Rule

Role = Literal["applies", "forbidden", "wanted"]


@dataclass(frozen=True, slots=True)
class DecisiveWords:
    """What is said of one thing that a rule asks for."""

    role: Role
    part: int | None  # the group of the rule, counted from 0; None for what belongs to none
    phrase: str = ""  # "" where nothing comes near
    quote: Quote | None = None
    speaker: str = ""
    certainty: Certainty = "not_said"
    likelihood_pct: int | None = None  # None for words that are those of the phrase, or nearly
    band: Band = USUAL_BAND  # between whose bounds nobody can tell


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer by the rules of today, and what it hangs on."""

    answer: Answer | None  # None: not evaluated
    words: list[DecisiveWords]


def find_decisions(
    conversation: Conversation, config: Configuration, embedder: Embedder, criterion_ids: Collection[str]
) -> dict[str, Decision]:
    """Return by criterion what the rules answer and why; none of a transcript that is not to be relied on.

    A criterion whose pattern takes too long is left out. Raises TimeLimitExceeded under a limit.
    """
    is_silent = conversation.is_half_heard or not conversation.has_words
    if is_silent or explain_unscored(config, conversation):
        return {}
    matcher = build_matcher(conversation, config, embedder)
    criteria = [c for _section, c in config.rubric.criteria()]
    evaluator = RuleEvaluator(conversation, matcher, {c.id: c.rule for c in criteria if c.rule})
    found = {}
    for criterion in criteria:
        if criterion.id in criterion_ids and criterion.rule:
            with suppress(PatternTooSlow):
                answer = judge_criterion(criterion, conversation, matcher, evaluator).answer
                found[criterion.id] = Decision(answer, list(_list_words(criterion.rule, evaluator)))
    return found


def _list_words(rule: Rule, evaluator: RuleEvaluator) -> Iterator[DecisiveWords]:
    """Yield what makes the rule apply, what it forbids, and what comes nearest to what it wants."""
    conversation = evaluator.conversation
    if rule.applies_if:
        said = phrases.find_phrase(rule.applies_if, list(conversation.turns()), conversation.language)
        yield _describe("applies", None, said, conversation)
        if said is None:
            return
    heard = in_window(conversation.said_by(rule.speaker), rule, conversation)
    if rule.none_of:
        turns = list(conversation.turns(heard))
        yield _describe("forbidden", None, phrases.find_wording(rule.none_of, turns), conversation)
    window = evaluator.narrow(rule, heard) or []
    if rule.wanted:
        yield _describe("wanted", None, evaluator.find_match(rule.wanted, window), conversation)
    for group, wanted in enumerate(rule.all_of):
        yield _describe("wanted", group, evaluator.find_match(wanted, window), conversation)


def _describe(
    role: Role, part: int | None, match: PhraseMatch | None, conversation: Conversation
) -> DecisiveWords:
    if match is None:
        return DecisiveWords(role, part)
    return DecisiveWords(
        role,
        part,
        match.phrase,
        quote_match(match, conversation),
        match.segment.speaker,
        match.certainty,
        match.likelihood_pct if match.method == "meaning" else None,
        match.band,
    )
