"""From a stored transcript to findings.

The configuration says which analyses run, and the engines who judges: a language
model where one is configured, else the rules. A private project has a language
model of its own, or none: see ADR 9.
"""

import time

from callscope.analysis.conversation.talk import measure_call
from callscope.analysis.conversation.turns import Conversation, build_conversation
from callscope.analysis.llm.analyzer import analyze_with_llm
from callscope.analysis.results import findings
from callscope.analysis.results.findings import EngineUse, Findings
from callscope.analysis.results.schema import Insights
from callscope.analysis.rules.analyzer import analyze_by_rules, analyze_half_heard
from callscope.analysis.rules.reason_codes import explain_code
from callscope.analysis.rules.trackers import follow_trackers
from callscope.engines.registry import Engines
from callscope.messages.message import Message, MessageError
from callscope.processes.time_limit import TimeLimitExceeded, limited
from callscope.projects.configuration import Configuration
from callscope.transcription.models import Transcript
from callscope.transcription.schema import Quality

__all__ = [
    "AnalysisTooLong",
    "EngineUse",
    "Findings",
    "analyze",
    "enabled_types",
    "read_agent_name",
    "read_conversation",
]


# Of processor time, so that a busy machine changes no result.
RULES_LIMIT_S = 120.0


class AnalysisTooLong(MessageError):
    """The settings hold too many phrases for a transcript of this length."""


def enabled_types(config: Configuration) -> list[str]:
    """Return the analysis types that a project asks for, in the order of the interface."""
    asked = {
        findings.COPC: bool(config.rubric.criteria()),
        findings.NO_PROTOCOL: bool(config.no_protocol.prompts or config.no_protocol.mistakes),
        findings.CUSTOM_QUESTIONS: bool(config.custom_questions),
        findings.INSIGHTS: True,
    }
    return [name for name, is_asked in asked.items() if is_asked]


def analyze(
    transcript: Transcript,
    config: Configuration,
    engines: Engines,
    *,
    config_version: int | None = None,
    agent_name: str | None = None,
) -> Findings:
    """Return all enabled analyses of one transcript; slow, and writes nothing.

    `agent_name` takes the place of the one in the metadata, which is hidden from a language model.
    An analysis that fails for good leaves None and a sentence in `errors`.
    Raises EngineUnavailable when a later try may succeed, AnalysisTooLong when none will.
    """
    try:
        return _analyze(transcript, config, engines, config_version, agent_name)
    except TimeLimitExceeded as exceeded:
        raise AnalysisTooLong(Message("analysis_too_long", value=f"{exceeded.seconds:g}")) from None


def read_conversation(transcript: Transcript, config: Configuration) -> Conversation:
    """Return the conversation in a stored transcript, in the language of the settings or its own."""
    return build_conversation(
        transcript.segments or [],
        language=config.language,
        spoken_language=transcript.language,
        quality=transcript.quality or Quality(ok=True, reasons=[]),
    )


def read_agent_name(transcript: Transcript) -> str:
    """Return the agent's name in the metadata of the call; "" without one."""
    call = transcript.file.call
    return call.agent.name if call and call.agent else ""


def _analyze(
    transcript: Transcript,
    config: Configuration,
    engines: Engines,
    config_version: int | None,
    agent_name: str | None,
) -> Findings:
    conversation = read_conversation(transcript, config)
    types = enabled_types(config)
    version = config_version if config_version is not None else transcript.project.config_version
    if conversation.is_half_heard:
        # A language model would judge a call that nobody held, and be paid for it.
        result = analyze_half_heard(conversation, config, types=types, rubric_version=version)
    elif engines.llm and conversation.has_words:
        name = read_agent_name(transcript) if agent_name is None else agent_name
        names = [name] if name else []
        result = analyze_with_llm(
            conversation, config, engines.llm, types=types, known_names=names, rubric_version=version
        )
    else:
        with limited(RULES_LIMIT_S, time.thread_time):
            result = analyze_by_rules(
                conversation, config, engines.embedder, types=types, rubric_version=version
            )
    if result.insights is not None and config.trackers:
        with limited(RULES_LIMIT_S, time.thread_time):
            result.insights["trackers"] = follow_trackers(config, conversation, engines.embedder)
    if result.insights is not None and config.contact_reasons.mode == "predefined":
        with limited(RULES_LIMIT_S, time.thread_time):
            _explain_code(result.insights, config, conversation, engines)
    if result.insights is not None:
        result.insights["talk"] = measure_call(
            transcript.segments or [],
            transcript.speech or {},
            language=transcript.language,
            is_half_heard=conversation.is_half_heard,
        )
    if not conversation.quality.get("ok", True):
        for part in (result.copc, result.no_protocol, result.custom_questions, result.insights):
            if part is not None:
                part["transcript_quality"] = conversation.quality
    return result


def _explain_code(
    insights: Insights, config: Configuration, conversation: Conversation, engines: Engines
) -> None:
    """Add what was said for the code of a predefined list, and how sure it is."""
    code, topic = insights["contact_reason_code"], insights["topic"]
    if not (code or topic):
        return
    found = explain_code(config.contact_reasons, code, topic, conversation, engines.embedder)
    insights["contact_reason_quote"] = found.quote
    insights["contact_reason_confidence"] = found.confidence
