"""Sentiment, topic, goal, agent name and predefined reason of one call, without a language model."""

from callscope.analysis.conversation.agent_names import find_agent_name
from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import format_quote
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.analysis.results.schema import Insights
from callscope.analysis.rules.goal import detect_goal_outcome
from callscope.analysis.rules.reason_codes import choose_reason_code
from callscope.analysis.rules.sentiment import classify_sentiment
from callscope.analysis.rules.topics import extract_topic
from callscope.projects.configuration import Configuration


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
