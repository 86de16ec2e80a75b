"""Sentiment, topic, goal, agent name and predefined reason of one call, without a language model."""

from typing import Any

from callscope.analysis import phrases
from callscope.analysis.agent_names import agent_name
from callscope.analysis.conversation import Conversation
from callscope.analysis.evidence import shown
from callscope.analysis.goal import outcome
from callscope.analysis.meaning import MeaningMatcher
from callscope.analysis.sentiment import customer_sentiment
from callscope.analysis.topics import topic
from callscope.engines.embeddings import words
from callscope.projects.configuration import Configuration, ContactReasons, ReasonCode

LEAST_LIKENESS = 0.3  # of a topic with a code's own words, where no phrase of any code was said


def insights(config: Configuration, conversation: Conversation, meaning: MeaningMatcher) -> dict[str, Any]:
    """Return the stored insights. What cannot be told is None or ""."""
    reached = outcome(config.goal, conversation)
    subject = topic(conversation)
    return {
        "sentiment": customer_sentiment(conversation),
        "topic": subject,
        "goal_reached": reached.reached,
        "goal_quote": shown(reached.quote),
        "agent_name": agent_name(conversation),
        "contact_reason_code": reason_code(config.contact_reasons, subject, conversation, meaning),
    }


def reason_code(
    reasons: ContactReasons, subject: str, conversation: Conversation, meaning: MeaningMatcher
) -> str:
    """Return the code of a predefined list that fits the call, "" when none does.

    The code whose phrases the customer uses first and most; else the one whose
    name and description share most with the topic.
    """
    if reasons.mode != "predefined":
        return ""
    counted = [(_phrases_said(code, conversation), code) for code in reasons.codes]
    best_count, best = max(counted, key=lambda pair: pair[0])
    if best_count > (0, 0):
        return best.code
    shared = [(_likeness(code, subject, conversation.language, meaning), code) for code in reasons.codes]
    likeness, nearest = max(shared, key=lambda pair: pair[0])
    return nearest.code if likeness >= LEAST_LIKENESS else ""


def _phrases_said(code: ReasonCode, conversation: Conversation) -> tuple[int, int]:
    """Return how many of the code's phrases were said, and how early the first one came."""
    heard = [s for s in conversation.segments if s.speaker != "agent"] or conversation.segments
    turns = list(conversation.turns(heard))
    found = [m for p in code.phrases if (m := phrases.find([p], turns, conversation.language))]
    return (len(found), -min(m.segment.index for m in found)) if found else (0, 0)


def _likeness(code: ReasonCode, subject: str, language: str, meaning: MeaningMatcher) -> float:
    if not subject:
        return 0.0
    if meaning.embedder.knows_meaning:
        vectors = meaning.embedder.encode([subject, f"{code.code}. {code.description}"])
        return float(vectors[0] @ vectors[1])
    asked = set(words.stems(words.content_words(subject, language), language))
    described = set(words.stems(words.content_words(f"{code.code} {code.description}", language), language))
    return len(asked & described) / len(asked) if asked else 0.0
