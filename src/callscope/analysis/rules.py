"""Judge criteria, prompts and mistakes by the phrases that the project wrote down.

Rules: docs/analysis.md, "The rules analyser". Applicability is decided first;
where a rule cannot decide, the criterion is not evaluated, never guessed.
"""

from callscope.analysis import phrases
from callscope.analysis.conversation import Conversation, Segment
from callscope.analysis.evidence import quote_segment
from callscope.analysis.findings import Judgement, Quote
from callscope.analysis.meaning import MeaningMatcher
from callscope.analysis.phrases import Match
from callscope.analysis.sentences import sentence
from callscope.projects.configuration import Criterion, Mistake, Prompt, Rule


def judge(criterion: Criterion, conversation: Conversation, meaning: MeaningMatcher) -> Judgement:
    """Return the judgement of one criterion, with the quote that decides it.

    Without an answer it is not evaluated: no rule, nobody spoke, or the speaker
    that the rule asks for is not known.
    """
    language, rule = conversation.language, criterion.rule
    if rule is None:
        return Judgement(criterion.id, None, reason=sentence("no_rule", language))
    if not rule.any_of and not rule.none_of:
        return Judgement(criterion.id, None, reason=sentence("rule_without_phrases", language))
    if not any(s.words for s in conversation.segments):
        return Judgement(criterion.id, None, reason=sentence("empty_transcript", language))
    if rule.applies_if and not _find(rule.applies_if, conversation.segments, conversation):
        return Judgement(criterion.id, "not_applicable", sentence("does_not_apply", language))
    undecidable = _why_undecidable(rule.speaker, conversation)
    if undecidable:
        return Judgement(criterion.id, None, reason=undecidable)
    return _judge_applicable(criterion.id, rule, conversation, meaning)


def _judge_applicable(
    criterion_id: str, rule: Rule, conversation: Conversation, meaning: MeaningMatcher
) -> Judgement:
    language = conversation.language
    heard = _in_window(conversation.said_by(rule.speaker), rule, conversation)
    turns = list(conversation.turns(heard))
    forbidden = phrases.find_strictly(rule.none_of, turns)
    if forbidden:
        text = sentence("forbidden", language, speaker=_speaker(rule, forbidden), phrase=forbidden.phrase)
        return Judgement(criterion_id, "not_met", text, quote(forbidden))
    if not rule.any_of:
        text = sentence("met_absent", language, speaker=rule.speaker, window=_window(rule, language))
        return Judgement(criterion_id, "met", text)
    match = phrases.find(rule.any_of, turns, language) or meaning.find(rule.any_of, heard)
    if match:
        name = {"exact": "met_exact", "near": "met_near", "meaning": "met_meaning"}[match.how]
        text = sentence(name, language, speaker=_speaker(rule, match), phrase=match.phrase)
        return Judgement(criterion_id, "met", text, quote(match))
    unknown = _in_window(conversation.said_by(""), rule, conversation)
    if rule.speaker != "any" and phrases.find(rule.any_of, list(conversation.turns(unknown)), language):
        return Judgement(criterion_id, None, reason=sentence("perhaps_said", language))
    text = sentence("not_met", language, speaker=rule.speaker, window=_window(rule, language))
    return Judgement(criterion_id, "not_met", text)


def quote(match: Match) -> Quote:
    """Return the quote that shows a match."""
    return quote_segment(match.segment, around=match.heard)


def find_prompt(prompt: Prompt, conversation: Conversation, meaning: MeaningMatcher) -> Match | None:
    """Return where the agent says a prompt; anybody's words count where the speakers are not known."""
    heard = [s for s in conversation.segments if s.speaker != "customer"]
    turns = list(conversation.turns(heard))
    return phrases.find(prompt.any_of, turns, conversation.language) or meaning.find(prompt.any_of, heard)


def find_mistake(mistake: Mistake, conversation: Conversation) -> Match | None:
    """Return where a mistake is made: only by its wording, and only by a speaker who is known for sure."""
    return phrases.find_strictly(
        mistake.any_of, list(conversation.turns(conversation.said_by(mistake.speaker)))
    )


def _find(wanted: list[str], segments: list[Segment], conversation: Conversation) -> Match | None:
    return phrases.find(wanted, list(conversation.turns(segments)), conversation.language)


def _why_undecidable(speaker: str, conversation: Conversation) -> str:
    if speaker == "any" or conversation.speaks(speaker):
        return ""
    name = "speakers_unknown" if conversation.has_unknown_speakers else "speaker_silent"
    return sentence(name, conversation.language, speaker=speaker)


def _in_window(segments: list[Segment], rule: Rule, conversation: Conversation) -> list[Segment]:
    """Keep what begins within the first seconds, or ends within the last ones, of the conversation."""
    if rule.within_seconds is not None:
        return [s for s in segments if s.start_s <= rule.within_seconds]
    if rule.last_seconds is not None:
        opening = conversation.duration_s - rule.last_seconds
        return [s for s in segments if s.end_s >= opening]
    return segments


def _window(rule: Rule, language: str) -> str:
    if rule.within_seconds is not None:
        return sentence("window_first", language, seconds=f"{rule.within_seconds:g}")
    if rule.last_seconds is not None:
        return sentence("window_last", language, seconds=f"{rule.last_seconds:g}")
    return ""


def _speaker(rule: Rule, match: Match) -> str:
    return match.segment.speaker or rule.speaker
