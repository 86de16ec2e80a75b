"""Note in the audit trail which hosts are about to get what was said in a call, and what failed.

Noted before the attempt, so that one which is killed is in the trail too: an attempt that ends
before the engine was reached names it as well.
"""

import logging
import sqlite3
from collections.abc import Sequence

from django.db import DatabaseError

from callscope.accounts.models import User
from callscope.accounts.trail.notes import note
from callscope.calls.models import UploadedFile
from callscope.engines.registry import Engines
from callscope.projects.models import Project

logger = logging.getLogger(__name__)


def note_transcription(file: UploadedFile, engines: Engines) -> None:
    """Note an attempt to transcribe a recording; transcripts need no engine."""
    if file.file_type == UploadedFile.Type.AUDIO:
        _note(None, file, "transcription", engines.speech_hosts)


def note_analysis(file: UploadedFile, engines: Engines) -> None:
    """Note an attempt to analyze a transcript."""
    _note(None, file, "analysis", engines.word_hosts)


def note_trial(user: User | None, file: UploadedFile, engines: Engines) -> None:
    """Note that a user, or an operator, tries settings on a call."""
    _note(user, file, "trial", engines.word_hosts)


def note_failure(file: UploadedFile, *, stage: str, reason: str = "", analyses: Sequence[str] = ()) -> None:
    """Note that the work on a file failed for good; `analyses` are the types that it lacks.

    The event holds ids alone. Why it failed stands in the file resource.
    """
    try:
        note(
            None,
            "file.failed",
            f"file {file.pk}",
            project=file.project_id,
            call=file.call_id,
            stage=stage,
            reason=reason,
            analyses=list(analyses),
        )
    except (DatabaseError, sqlite3.Error, OSError) as error:  # its rows say so in any case
        logger.warning("The failure of file %s could not be noted: %s", file.pk, error)


def note_regrouping(project: Project, engines: Engines) -> None:
    """Note an attempt to group the topics of a project."""
    if engines.embedding_hosts:
        hosts = list(engines.embedding_hosts)
        note(
            None, "engine.called", f"project {project.pk}", project=project.pk, work="regrouping", hosts=hosts
        )


def note_naming(project: Project, engines: Engines) -> None:
    """Note that a language model is about to get topics of a project, to word names of contact reasons."""
    if engines.llm_hosts:
        hosts = list(engines.llm_hosts)
        note(None, "engine.called", f"project {project.pk}", project=project.pk, work="naming", hosts=hosts)


def _note(user: User | None, file: UploadedFile, work: str, hosts: Sequence[str]) -> None:
    if hosts:
        note(
            user,
            "engine.called",
            f"file {file.pk}",
            project=file.project_id,
            call=file.call_id,
            work=work,
            hosts=list(hosts),
        )
