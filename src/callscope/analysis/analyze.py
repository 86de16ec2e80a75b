"""Transcript in, findings out: the entry of this room.

Which analyses run is told by the configuration; who judges is told by the
settings: a language model where one is configured, else the rules analyser. A
private project has a language model of its own, or none: see ADR 9.
"""

from functools import lru_cache

from django.conf import settings

from callscope.analysis import findings, llm_analyser, rules_analyser
from callscope.analysis.conversation import Conversation, read
from callscope.analysis.findings import EngineUse, Findings
from callscope.analysis.meaning import MeaningMatcher
from callscope.engines.embeddings.choose import choose_embedder
from callscope.engines.llm.client import ChatClient
from callscope.environment import EngineAddress
from callscope.projects.configuration import Configuration
from callscope.transcription.models import Transcript

__all__ = ["EngineUse", "Findings", "analyze", "enabled_types"]


def enabled_types(config: Configuration) -> list[str]:
    """Return the analysis types that a project asks for, in the order of the interface."""
    asked = {
        findings.COPC: bool(config.rubric.criteria()),
        findings.NO_PROTOCOL: bool(config.no_protocol.prompts or config.no_protocol.mistakes),
        findings.CUSTOM_QUESTIONS: bool(config.custom_questions),
        findings.INSIGHTS: True,
    }
    return [name for name, is_asked in asked.items() if is_asked]


def analyze(transcript: Transcript, config: Configuration, *, config_version: int | None = None) -> Findings:
    """Return all enabled analyses of one transcript; slow, and writes nothing.

    An analysis that fails for good leaves None and a sentence in `errors`.
    Raises EngineUnavailable when a later try may succeed.
    """
    conversation = read(
        transcript.segments or [],
        language=config.language,
        spoken_language=transcript.language,
        quality=transcript.quality or {},
    )
    types = enabled_types(config)
    version = config_version if config_version is not None else transcript.project.config_version
    client = _language_model(private=config.private_transcription)
    if client and any(s.words for s in conversation.segments):
        names = _known_agent_names(transcript)
        result = llm_analyser.analyze(
            conversation, config, client, types=types, known_names=names, rubric_version=version
        )
    else:
        embedder = choose_embedder(settings.ENVIRONMENT, private=config.private_transcription)
        meaning = MeaningMatcher(embedder, conversation.language, phrases=_all_phrases(config))
        result = rules_analyser.analyze(conversation, config, meaning, types=types, rubric_version=version)
    return _with_quality(result, conversation)


def _all_phrases(config: Configuration) -> list[str]:
    rules = [c.rule for _, c in config.rubric.criteria() if c.rule]
    return [p for r in rules for p in r.any_of] + [
        p for prompt in config.no_protocol.prompts for p in prompt.any_of
    ]


def _language_model(*, private: bool) -> ChatClient | None:
    address = settings.ENVIRONMENT.private_llm if private else settings.ENVIRONMENT.llm
    return _chat_client(address, operator_run=private) if address.address else None


@lru_cache(maxsize=4)
def _chat_client(address: EngineAddress, *, operator_run: bool) -> ChatClient:
    return ChatClient(
        address.address,
        api_key=address.api_key,
        model=address.model,
        operator_run=operator_run,
        pricing=address.tokens_cost_micros,
    )


def _known_agent_names(transcript: Transcript) -> list[str]:
    """Return the names by which the agent of this call is known, so that they stay out of the prompt."""
    call = transcript.file.call
    return [call.agent.name] if call and call.agent else []


def _with_quality(result: Findings, conversation: Conversation) -> Findings:
    """Say in every result that it was read from a poor transcript, and why."""
    if not conversation.quality.get("ok", True):
        for part in (result.copc, result.no_protocol, result.custom_questions, result.insights):
            if part is not None:
                part["transcript_quality"] = conversation.quality
    return result
