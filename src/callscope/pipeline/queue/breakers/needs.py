"""Which engines a job asks.

A job names what its work needs, which does not depend on settings; each process
knows by its own settings which engines that means.
"""

from django.conf import settings

from callscope.calls import storage
from callscope.calls.models import UploadedFile
from callscope.calls.private_words import hold_private
from callscope.engines.identity import (
    EngineId,
    identify_local_speech,
    identify_sentence_model,
    public_address,
)
from callscope.environment import IN_PROCESS, EngineAddress
from callscope.pipeline.models import Job
from callscope.projects.models import Project

FILE = "file"  # a transcript that was uploaded: no engine, but the storage
SPEECH, PRIVATE_SPEECH = "speech", "private_speech"
LANGUAGE, PRIVATE_LANGUAGE = "language", "private_language"
LANGUAGE_VECTORS = "language_vectors"  # meanings are compared whatever the language model says
EMBEDDINGS, PRIVATE_VECTORS = "embeddings", "private_vectors"
NAMES = (
    FILE,
    SPEECH,
    PRIVATE_SPEECH,
    LANGUAGE,
    LANGUAGE_VECTORS,
    PRIVATE_LANGUAGE,
    EMBEDDINGS,
    PRIVATE_VECTORS,
)


def find_needs(kind: str, project: Project, file: UploadedFile | None = None) -> str:
    """Return one of NAMES, or "" for work that asks nothing outside; `file` is the one worked on."""
    is_private = bool(project.config.get("private_transcription"))  # without reading all of it
    is_private = is_private or (file.is_private if file else hold_private([project.pk]))
    if kind == Job.Kind.TRANSCRIBE:
        if file is None or file.file_type != UploadedFile.Type.AUDIO:
            return FILE
        return PRIVATE_SPEECH if is_private else SPEECH
    if kind in (Job.Kind.ANALYZE, Job.Kind.REPLAY, Job.Kind.RESCORE, Job.Kind.PROBE):
        if is_private:
            return PRIVATE_LANGUAGE
        # Trackers and codes are compared by meaning also where a language model judges.
        reasons = project.config.get("contact_reasons") or {}
        always_compares = project.config.get("trackers") or reasons.get("mode") == "predefined"
        return LANGUAGE_VECTORS if always_compares else LANGUAGE
    if kind == Job.Kind.MAIL:  # without a language model, the report has a summary of fixed sentences
        return ""
    return PRIVATE_VECTORS if is_private else EMBEDDINGS


def find_needs_of_job(job: Job) -> str:
    """Return the needs of a stored job by what its file and project are today."""
    file = None
    if job.kind in (Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE):
        file = UploadedFile.objects.only("file_type", "is_private").filter(pk=job.subject_id).first()
    return find_needs(job.kind, job.project, file)


def list_engines(needs: str) -> list[EngineId]:
    """Return the engines that work with these needs asks, also those in this process.

    Not a recognizer in this process for private recordings: each of them says by itself that it is missing.
    """
    environment = settings.ENVIRONMENT
    named: list[EngineId | None] = []
    if needs in (FILE, SPEECH, PRIVATE_SPEECH):
        named.append(storage.storage_id())
    if needs == SPEECH:
        named.append(_identify_speech(environment.transcriber))
    elif needs == PRIVATE_SPEECH:
        named.append(_remote("speech", environment.private_transcriber))
    elif needs in (LANGUAGE, LANGUAGE_VECTORS):
        named.append(_remote("language", environment.llm))
    elif needs == PRIVATE_LANGUAGE:
        named.append(_remote("language", environment.private_llm))
    # A language model judges without embeddings; where they decide on a reason, it can wait.
    needs_vectors = needs in (EMBEDDINGS, LANGUAGE_VECTORS) or (
        needs == LANGUAGE and not environment.llm.address
    )
    if environment.embed_model_dir:
        if needs_vectors or needs in (PRIVATE_LANGUAGE, PRIVATE_VECTORS):
            named.append(identify_sentence_model(environment.embed_model_dir))
    elif needs_vectors:
        named.append(_remote("embeddings", environment.embed_url))
    return [engine for engine in named if engine is not None]


def list_configured_engines() -> list[EngineId]:
    """Return every engine and bucket that this process may ask, each once."""
    return list(dict.fromkeys(engine for needs in NAMES for engine in list_engines(needs)))


def _identify_speech(engine: EngineAddress) -> EngineId | None:
    if engine.address in IN_PROCESS:
        return identify_local_speech(engine.address, engine.model)
    return _remote("speech", engine)


def _remote(kind: str, engine: EngineAddress) -> EngineId | None:
    if engine.address in IN_PROCESS:
        return None
    return EngineId(kind, public_address(engine.address))
