"""Short conversations, written as a person would tell them."""

import pytest

from callscope.analysis.conversation.turns import Conversation, build_conversation
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.engines.embeddings.built_in import BuiltInEmbedder

SECONDS_A_LINE = 5.0


@pytest.fixture
def talk():
    return _build


def _build(*lines: str, language: str = "en", quality: dict | None = None) -> Conversation:
    """Return the conversation of lines such as "agent: Hello." or "@42 customer: Hi." (from second 42)."""
    segments, clock = [], 0.0
    for line in lines:
        if line.startswith("@"):
            at, line = line.split(" ", 1)
            clock = float(at[1:])
        speaker, _, text = line.partition(": ")
        who = None if speaker == "?" else speaker
        segments.append({"start": clock, "end": clock + SECONDS_A_LINE - 1, "speaker": who, "text": text})
        clock += SECONDS_A_LINE
    return build_conversation(segments, language=language, spoken_language=language, quality=quality or {})


@pytest.fixture
def meaning() -> SemanticMatcher:
    return SemanticMatcher(BuiltInEmbedder(), "en")
