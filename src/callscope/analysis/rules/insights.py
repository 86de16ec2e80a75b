"""Sentiment, topic, goal, agent name and predefined reason of one call, without a language model."""

from collections.abc import Sequence
from contextlib import suppress

from callscope.analysis.agent_names import find_agent_name
from callscope.analysis.conversation import Conversation, Turn
from callscope.analysis.evidence import format_quote
from callscope.analysis.matching import phrases
from callscope.analysis.matching.phrases import PhraseMatch
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.analysis.results.schema import Insights
from callscope.analysis.rules.goal import detect_goal_outcome
from callscope.analysis.rules.sentiment import classify_sentiment
from callscope.analysis.rules.topics import extract_topic
from callscope.engines.embeddings.protocol import Embedder
from callscope.language import tokens
from callscope.language.patterns import PatternTooSlow
from callscope.projects.configuration import Configuration, ContactReasons, Pattern, ReasonCode

MIN_LIKENESS = 0.3  # of a topic with a code's own words, where no phrase of any code was said


def build_insights(config: Configuration, conversation: Conversation, matcher: SemanticMatcher) -> Insights:
    """Return the stored insights. What is not known is None or ""."""
    goal = detect_goal_outcome(config.goal, conversation)
    topic = extract_topic(conversation)
    return {
        "sentiment": classify_sentiment(conversation),
        "topic": topic,
        "goal_reached": goal.reached,
        "goal_quote": format_quote(goal.quote),
        "agent_name": find_agent_name(conversation),
        "contact_reason_code": choose_reason_code(
            config.contact_reasons, topic, conversation, matcher.embedder
        ),
    }


def choose_reason_code(
    reasons: ContactReasons, topic: str, conversation: Conversation, embedder: Embedder
) -> str:
    """Return the code of a predefined list that fits the call, "" if none does.

    The code whose phrases the customer uses first and most; else the one whose
    name and description share most with the topic.
    """
    if reasons.mode != "predefined":
        return ""
    language = conversation.language
    heard = [s for s in conversation.segments if s.speaker != "agent"] or conversation.segments
    turns = list(conversation.turns(heard))
    best_said, best_code = (0, 0), ""
    for code in reasons.codes:
        matches = [m for p in code.phrases if (m := _find(p, turns, language))]
        said = (len(matches), -min((m.segment.index for m in matches), default=0))
        if said > best_said:
            best_said, best_code = said, code.code
    if best_code or not topic:
        return best_code
    likeness = [_compare_to_code(topic, code, language, embedder) for code in reasons.codes]
    best = max(range(len(likeness)), key=likeness.__getitem__)
    return reasons.codes[best].code if likeness[best] >= MIN_LIKENESS else ""


def _compare_to_code(topic: str, code: ReasonCode, language: str, embedder: Embedder) -> float:
    """Return 0 to 1: how much of the topic the code's own name and description say."""
    if embedder.is_semantic:
        vectors = embedder.encode([topic, f"{code.code}. {code.description}"])
        return float(vectors[0] @ vectors[1])
    asked = set(tokens.stem_words(tokens.extract_content_words(topic, language), language))
    words = tokens.extract_content_words(f"{code.code} {code.description}", language)
    return len(asked.intersection(tokens.stem_words(words, language))) / len(asked) if asked else 0.0


def _find(phrase: str | Pattern, turns: Sequence[Turn], language: str) -> PhraseMatch | None:
    """Return where a phrase of a code is said; a pattern that takes too long finds nothing."""
    with suppress(PatternTooSlow):
        return phrases.find_phrase([phrase], turns, language)
    return None
