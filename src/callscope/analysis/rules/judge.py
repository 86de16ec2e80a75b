"""Judge criteria, prompts and mistakes by the phrases that the project wrote down.

Rules: docs/analysis.md, "The rules analyzer". Applicability is decided first;
where a rule cannot decide, the criterion is not evaluated, never guessed.
"""

from contextlib import suppress

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import quote_segment
from callscope.analysis.matching import phrases
from callscope.analysis.matching.phrases import PhraseMatch
from callscope.analysis.matching.rule_evaluation import RuleEvaluator, in_window
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.analysis.results.findings import Judgment, Quote
from callscope.analysis.results.messages import sentence
from callscope.analysis.results.schema import Answer
from callscope.analysis.rules.compound import (
    MATCHED_BY,
    describe_window,
    judge_compound,
    judge_compound_half_heard,
)
from callscope.language.patterns import PatternTooSlow
from callscope.projects.configuration import Criterion, Mistake, Prompt, Rule


def judge_criterion(
    criterion: Criterion,
    conversation: Conversation,
    matcher: SemanticMatcher,
    evaluator: RuleEvaluator | None = None,
) -> Judgment:
    """Return the judgment of one criterion, with the quotes that decide it.

    `evaluator` knows the other criteria, which a rule may name. Without an answer it is not evaluated: no
    rule, nobody spoke, or the speaker that the rule asks for is not known.
    """
    language, rule = conversation.language, criterion.rule
    if rule is None:
        return Judgment(criterion.id, None, reason=sentence("no_rule", language))
    if rule.is_empty:
        return Judgment(criterion.id, None, reason=sentence("rule_without_phrases", language))
    if not conversation.has_words:
        return Judgment(criterion.id, None, reason=sentence("empty_transcript", language))
    try:
        if not applies(rule, conversation):
            return Judgment(criterion.id, "not_applicable", sentence("does_not_apply", language))
        if rule.speaker != "any" and not conversation.speaks(rule.speaker):
            name = "speakers_unknown" if conversation.has_unknown_speakers else "speaker_silent"
            return Judgment(criterion.id, None, reason=sentence(name, language, speaker=rule.speaker))
        if rule.is_compound:
            return judge_compound(
                criterion, rule, evaluator or RuleEvaluator(conversation, matcher, {criterion.id: rule})
            )
        return _judge_applicable(criterion.id, rule, conversation, matcher)
    except PatternTooSlow as slow:
        reason = sentence("pattern_too_slow", language, phrase=slow.pattern)
        return Judgment(criterion.id, None, reason=reason)


def applies(rule: Rule, conversation: Conversation) -> bool:
    """True if a rule applies to a call: it always does, or one of its conditions is said by anybody."""
    turns = list(conversation.turns())
    return not rule.applies_if or bool(phrases.find_phrase(rule.applies_if, turns, conversation.language))


def _judge_applicable(
    criterion_id: str, rule: Rule, conversation: Conversation, matcher: SemanticMatcher
) -> Judgment:
    language = conversation.language
    heard = in_window(conversation.said_by(rule.speaker), rule, conversation)
    turns = list(conversation.turns(heard))
    forbidden = phrases.find_wording(rule.none_of, turns)
    if forbidden:
        speaker = forbidden.segment.speaker or rule.speaker
        name = "forbidden_pattern" if forbidden.method == "pattern" else "forbidden"
        text = sentence(name, language, speaker=speaker, phrase=forbidden.phrase)
        return Judgment(criterion_id, "not_met", text, quote_match(forbidden))
    window = describe_window(rule, language)
    if not rule.any_of:
        text = sentence("met_absent", language, speaker=rule.speaker, window=window)
        return Judgment(criterion_id, "met", text)
    match = phrases.find_phrase(rule.any_of, turns, language) or matcher.find_nearest(rule.any_of, heard)
    if match and match.certainty != "not_said":
        return _judge_match(criterion_id, rule, match, language)
    if rule.speaker != "any":
        unknown = conversation.turns(in_window(conversation.said_by(""), rule, conversation))
        if phrases.find_phrase(rule.any_of, list(unknown), language):
            return Judgment(criterion_id, None, reason=sentence("perhaps_said", language))
    text = sentence("not_met", language, speaker=rule.speaker, window=window)
    if match:
        text += " " + sentence("nearest", language, percent=match.likelihood_pct)
    return Judgment(criterion_id, "not_met", text, margin=match.margin if match else None)


def _judge_match(criterion_id: str, rule: Rule, match: PhraseMatch, language: str) -> Judgment:
    """Return "met"; not evaluated where the words may mean the phrase or something else."""
    speaker = match.segment.speaker or rule.speaker
    parameters = {"speaker": speaker, "phrase": match.phrase, "percent": match.likelihood_pct}
    quote = quote_match(match)
    if match.certainty == "unsure":
        reason = sentence("unsure_meaning", language, quote=quote.text, **parameters)
        return Judgment(criterion_id, None, reason=reason)
    text = sentence(MATCHED_BY[match.method], language, **parameters)
    return Judgment(criterion_id, "met", text, quote, margin=match.margin)


def judge_half_heard(criterion: Criterion, conversation: Conversation) -> Judgment:
    """Return the judgment where what was said is not known: only a phrase word for word decides.

    That nothing was heard shows nothing: neither that a phrase was missing, nor that the criterion
    does not apply.
    """
    language, rule = conversation.language, criterion.rule or Rule()
    if rule.is_compound:
        return judge_compound_half_heard(criterion, rule, conversation)
    turns = list(conversation.turns(in_window(conversation.said_by(rule.speaker), rule, conversation)))
    if match := phrases.find_exact(rule.none_of, turns):
        answer: Answer = "not_met"
        name = "forbidden"
    elif match := phrases.find_exact(rule.any_of, turns):
        answer, name = "met", "met_exact"
    else:
        return Judgment(criterion.id, None, reason=sentence("half_heard", language))
    text = sentence(name, language, speaker=match.segment.speaker or rule.speaker, phrase=match.phrase)
    return Judgment(criterion.id, answer, text, quote_match(match))


def quote_match(match: PhraseMatch) -> Quote:
    """Return the quote that shows a match."""
    return quote_segment(match.segment, around=match.heard)


def find_prompt(prompt: Prompt, conversation: Conversation, matcher: SemanticMatcher) -> PhraseMatch | None:
    """Return where the agent comes nearest to a prompt, or anybody where the speakers are not known."""
    heard = [s for s in conversation.segments if s.speaker != "customer"]
    turns = list(conversation.turns(heard))
    with suppress(PatternTooSlow):
        if found := phrases.find_phrase(prompt.any_of, turns, conversation.language):
            return found
    return matcher.find_nearest(prompt.any_of, heard)


def find_mistake(mistake: Mistake, conversation: Conversation) -> PhraseMatch | None:
    """Return where a mistake is made: only by its wording, and only by a speaker who is known for sure."""
    turns = list(conversation.turns(conversation.said_by(mistake.speaker)))
    with suppress(PatternTooSlow):
        return phrases.find_wording(mistake.any_of, turns)
    return None
