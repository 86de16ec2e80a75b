"""Transcript in, findings out: the entry of this room.

Which analyses run is told by the configuration; who judges is told by the
settings: a language model where one is configured, else the rules analyser.
"""

from django.conf import settings

from callscope.analysis import findings, rules_analyser
from callscope.analysis.conversation import read
from callscope.analysis.findings import EngineUse, Findings
from callscope.analysis.meaning import MeaningMatcher
from callscope.engines.embeddings.choose import choose_embedder
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
    version = config_version if config_version is not None else transcript.project.config_version
    meaning = MeaningMatcher(choose_embedder(settings.ENVIRONMENT), conversation.language)
    return rules_analyser.analyze(
        conversation, config, meaning, types=enabled_types(config), rubric_version=version
    )
