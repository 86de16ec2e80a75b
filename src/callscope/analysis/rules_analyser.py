"""The analyser without a language model: phrases, word lists and patterns, each finding with its quote."""

from typing import Any

from callscope.analysis import findings, phrases, questions, rules, scoring
from callscope.analysis.conversation import Conversation
from callscope.analysis.evidence import shown
from callscope.analysis.findings import Findings, Judgement
from callscope.analysis.insights import insights
from callscope.analysis.meaning import MeaningMatcher
from callscope.analysis.sentences import sentence
from callscope.projects.configuration import Configuration, NoProtocol

NAME = "rules"
VERSION = "2"  # of the word lists and bars; part of the provenance


def analyze(
    conversation: Conversation,
    config: Configuration,
    meaning: MeaningMatcher,
    *,
    types: list[str],
    rubric_version: int | None,
) -> Findings:
    """Return the enabled analyses of one conversation."""
    result = Findings(provenance=provenance(meaning, rubric_version))
    if findings.COPC in types:
        judged = judgements(config, conversation, meaning)
        result.copc = scoring.score(config.rubric, judged, rubric_version=rubric_version)
    if findings.NO_PROTOCOL in types:
        result.no_protocol = no_protocol(config.no_protocol, conversation, meaning)
    if findings.CUSTOM_QUESTIONS in types:
        answers = {q: questions.undetermined(q, conversation) for q in config.custom_questions}
        result.custom_questions = {"answers": answers}
    if findings.INSIGHTS in types:
        result.insights = insights(config, conversation, meaning)
    return result


def provenance(meaning: MeaningMatcher, rubric_version: int | None) -> dict[str, Any]:
    """Return who judged and by what."""
    return {
        "engine": NAME,
        "model": meaning.embedder.id,
        "prompt_version": f"{NAME}-{VERSION}",
        "rubric_version": rubric_version,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_micros": None,
        "hosts": list(meaning.embedder.hosts),
    }


def judgements(
    config: Configuration, conversation: Conversation, meaning: MeaningMatcher
) -> dict[str, Judgement]:
    """Return one judgement a criterion; none is evaluated where the project refuses poor transcripts."""
    refused = why_not_scored(config, conversation)
    if refused:
        return {c.id: Judgement(c.id, None, reason=refused) for _, c in config.rubric.criteria()}
    return {c.id: rules.judge(c, conversation, meaning) for _, c in config.rubric.criteria()}


def why_not_scored(config: Configuration, conversation: Conversation) -> str:
    """Return the sentence why this transcript is left unscored, "" when it is scored."""
    if config.transcript_gate.score_poor or conversation.quality.get("ok", True):
        return ""
    reasons = " ".join(str(r) for r in conversation.quality.get("reasons", []))
    return sentence("poor_transcript", conversation.language, reasons=reasons).strip()


def no_protocol(asked: NoProtocol, conversation: Conversation, meaning: MeaningMatcher) -> dict[str, Any]:
    """Return the mistakes found, and the prompts found and missed, in the order of the configuration."""
    if not any(s.words for s in conversation.segments):
        return {"mistakes": [], "missing_prompts": [], "prompts": []}
    mistakes = [
        {"id": m.id, "description": m.text, **_evidence(match)}
        for m in asked.mistakes
        if (match := rules.find_mistake(m, conversation))
    ]
    said = {p.id: rules.find_prompt(p, conversation, meaning) for p in asked.prompts}
    found = [{"id": p.id, "description": p.text, **_evidence(m)} for p in asked.prompts if (m := said[p.id])]
    missing = [{"id": p.id, "description": p.text} for p in asked.prompts if not said[p.id]]
    return {"mistakes": mistakes, "missing_prompts": missing, "prompts": found}


def _evidence(match: phrases.Match) -> dict[str, Any]:
    quote = rules.quote(match)
    return {"quote": shown(quote), "quote_start": quote.start_s}
