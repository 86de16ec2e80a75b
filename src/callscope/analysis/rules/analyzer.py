"""The analyzer without a language model: phrases, word lists and patterns, each finding with its quote."""

from callscope.analysis import scoring
from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import format_quote
from callscope.analysis.matching.phrases import PhraseMatch, find_exact
from callscope.analysis.matching.rule_evaluation import RuleEvaluator
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.analysis.results import findings
from callscope.analysis.results.findings import Findings, Judgment
from callscope.analysis.results.messages import sentence
from callscope.analysis.results.schema import FoundItem, NoProtocolResult, Provenance
from callscope.analysis.rules import judge, questions
from callscope.analysis.rules.insights import build_insights
from callscope.engines.embeddings.protocol import Embedder
from callscope.projects.configuration import Configuration, Mistake, NoProtocol, Prompt
from callscope.projects.configuration_rules import list_texts

NAME = "rules"
VERSION = "3"  # of the word lists and bars; part of the provenance


def analyze_by_rules(
    conversation: Conversation,
    config: Configuration,
    embedder: Embedder,
    *,
    types: list[str],
    rubric_version: int | None,
) -> Findings:
    """Return the enabled analyses of one conversation."""
    matcher = build_matcher(conversation, config, embedder)
    result = Findings(provenance=build_provenance(embedder, rubric_version))
    if findings.COPC in types:
        judgments = judge_rubric(config, conversation, matcher)
        result.copc = scoring.score_call(config.rubric, judgments, rubric_version=rubric_version)
    if findings.NO_PROTOCOL in types:
        result.no_protocol = analyze_no_protocol(config.no_protocol, conversation, matcher)
    if findings.CUSTOM_QUESTIONS in types:
        answers = {q: questions.build_undetermined_answer(q, conversation) for q in config.custom_questions}
        result.custom_questions = {"answers": answers}
    if findings.INSIGHTS in types:
        result.insights = build_insights(config, conversation, matcher)
    return result


def build_matcher(conversation: Conversation, config: Configuration, embedder: Embedder) -> SemanticMatcher:
    """Return what compares meanings in one conversation; all phrases of the settings compete."""
    rules = [c.rule for _, c in config.rubric.criteria() if c.rule]
    phrases = [p for rule in rules for p in list_texts(rule.decisive_phrases())]
    phrases += [p for prompt in config.no_protocol.prompts for p in list_texts(prompt.any_of)]
    return SemanticMatcher(embedder, conversation.language, phrases=phrases)


def analyze_half_heard(
    conversation: Conversation, config: Configuration, *, types: list[str], rubric_version: int | None
) -> Findings:
    """Return what can be said of a conversation whose words are not known: what stands there word for word.

    No prompt is missing from it, and its topic, sentiment, outcome and agent stay unknown.
    """
    result = Findings(provenance=build_provenance(None, rubric_version))
    if findings.COPC in types:
        refused = scoring.explain_unscored(config, conversation)
        judgments = {
            c.id: Judgment(c.id, None, reason=refused) if refused else judge.judge_half_heard(c, conversation)
            for _, c in config.rubric.criteria()
        }
        result.copc = scoring.score_call(config.rubric, judgments, rubric_version=rubric_version)
    if findings.NO_PROTOCOL in types:
        result.no_protocol = _find_exact_protocol(config.no_protocol, conversation)
    if findings.CUSTOM_QUESTIONS in types:
        unknown = sentence("not_determined", conversation.language)
        result.custom_questions = {
            "answers": {question: {"answer": unknown, "quotes": []} for question in config.custom_questions}
        }
    if findings.INSIGHTS in types:
        result.insights = {
            "sentiment": None, "topic": "", "goal_reached": None, "goal_quote": "", "agent_name": "",
            "contact_reason_code": "",
        }  # fmt: skip
    return result


def _find_exact_protocol(protocol: NoProtocol, conversation: Conversation) -> NoProtocolResult:
    said = list(conversation.turns([s for s in conversation.segments if s.speaker != "customer"]))
    prompts = [(p, find_exact(p.any_of, said)) for p in protocol.prompts]
    mistakes = [
        (m, find_exact(m.any_of, list(conversation.turns(conversation.said_by(m.speaker)))))
        for m in protocol.mistakes
    ]
    return {
        "mistakes": [_as_found(mistake, match) for mistake, match in mistakes if match],
        "missing_prompts": [],
        "prompts": [_as_found(prompt, match) for prompt, match in prompts if match],
    }


def build_provenance(embedder: Embedder | None, rubric_version: int | None) -> Provenance:
    """Return who judged and by what; without an embedder no meanings were compared."""
    return {
        "engine": NAME,
        "model": embedder.id if embedder else "",
        "prompt_version": f"{NAME}-{VERSION}",
        "rubric_version": rubric_version,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_micros": None,
        "hosts": list(embedder.hosts) if embedder else [],
    }


def judge_rubric(
    config: Configuration, conversation: Conversation, matcher: SemanticMatcher
) -> dict[str, Judgment]:
    """Return one judgment a criterion; none is evaluated where the project refuses poor transcripts."""
    refused = scoring.explain_unscored(config, conversation)
    if refused:
        return {c.id: Judgment(c.id, None, reason=refused) for _, c in config.rubric.criteria()}
    criteria = [c for _, c in config.rubric.criteria()]
    evaluator = RuleEvaluator(conversation, matcher, {c.id: c.rule for c in criteria if c.rule})
    return {c.id: judge.judge_criterion(c, conversation, matcher, evaluator) for c in criteria}


def analyze_no_protocol(
    protocol: NoProtocol, conversation: Conversation, matcher: SemanticMatcher
) -> NoProtocolResult:
    """Return the mistakes found, and the prompts said and missed, in the order of the configuration.

    A prompt of which nobody can tell whether it was said is neither.
    """
    if not conversation.has_words:
        return {"mistakes": [], "missing_prompts": [], "prompts": []}
    mistakes = [(m, judge.find_mistake(m, conversation)) for m in protocol.mistakes]
    prompts = [(p, judge.find_prompt(p, conversation, matcher)) for p in protocol.prompts]
    return {
        "mistakes": [_as_found(m, match) for m, match in mistakes if match],
        "missing_prompts": [
            {"id": p.id, "description": p.text}
            for p, match in prompts
            if not match or match.certainty == "not_said"
        ],
        "prompts": [_as_found(p, match) for p, match in prompts if match and match.certainty == "said"],
    }


def _as_found(item: Mistake | Prompt, match: PhraseMatch) -> FoundItem:
    quote = judge.quote_match(match)
    return {
        "id": item.id,
        "description": item.text,
        "quote": format_quote(quote),
        "quote_start": quote.start_s,
    }
