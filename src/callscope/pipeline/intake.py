"""Take files and what is told about them in: the door to the pipeline.

An upload is on disk and synced before its rows are written; the rows of a file,
its call, its queued analyses and its first job are written in one transaction,
which holds the project's row. So two racing uploads and a manifest end with
every value in place. Rules: docs/api.md, "Files", "Call metadata", "The manifest".
"""

import datetime as dt
import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls import erasure, manifest, manifest_file, metadata, recordings
from callscope.calls.models import Call, UploadedFile
from callscope.calls.names import clean_file_name, stem
from callscope.pipeline import jobs
from callscope.pipeline.deadlocks import in_transaction
from callscope.pipeline.models import Job
from callscope.projects.models import Project

MICROSECONDS = 1_000_000
FREE_BELOW_US = 10 * MICROSECONDS  # audio that is too short to be transcribed costs nothing
_CHUNK = 1024 * 1024

KINDS = {"audio": "a recording", "srt": "an SRT transcript", "vtt": "a VTT transcript"}


class WrongUpload(Exception):
    """An upload or a manifest cannot be taken; `errors` holds field → sentences."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        super().__init__("; ".join(f"{name}: {' '.join(texts)}" for name, texts in errors.items()))
        self.errors = errors


class TrialQuotaExceeded(Exception):
    """The upload would go past the trial quota of its user; str() is one sentence."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file that has arrived whole at a path of ours. Taking it in moves it away."""

    path: Path
    name: str  # as the client gave it
    size: int  # bytes
    sha256: str


def copy_in(source: Path) -> Incoming:
    """Copy a file of this machine to where uploads arrive, as if it had been uploaded."""
    digest = hashlib.sha256()
    size = 0
    with (
        source.open("rb") as file,
        tempfile.NamedTemporaryFile(
            dir=recordings.incoming_folder(), suffix=source.suffix, delete=False
        ) as copy,
    ):
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            copy.write(chunk)
    return Incoming(Path(copy.name), source.name, size, digest.hexdigest())


def receive(
    incoming: Incoming,
    *,
    project: Project,
    user: User,
    file_type: str = "",
    fields: Mapping[str, Any] | None = None,
    now: dt.datetime | None = None,
) -> UploadedFile:
    """Take an uploaded file in and queue its work; return its row.

    `fields` may hold the six metadata fields; blank ones count as absent. Raises
    WrongUpload, and TrialQuotaExceeded; then nothing is stored.
    """
    now = now or timezone.now()
    name = clean_file_name(incoming.name)
    values = _check_form(project, incoming, name, file_type, fields or {})
    kind = _check_content(incoming, name, file_type)
    cost_us = _trial_cost_us(user, incoming.path, kind, name)
    key = recordings.new_key(project.pk, name)
    erasure.expect(key, now=now)
    recordings.keep(incoming.path, key)
    file = UploadedFile(
        original_filename=name,
        file_type=kind,
        storage_key=key,
        size=incoming.size,
        sha256=incoming.sha256,
        uploaded_by=user,
        created_at=now,
    )
    try:
        return in_transaction(lambda: _accept(file, project.pk, user, values, cost_us))
    except BaseException:
        erasure.erase_unclaimed(key)
        raise


def change_metadata(file: UploadedFile, fields: Mapping[str, Any], by: User) -> Call:
    """Write the metadata fields that are given into the file's call, and return the call.

    Nothing is analysed again. Raises WrongUpload for a file of another project than a call
    project, and WrongMetadata.
    """
    from callscope.reports import facts

    call_id = file.call_id
    if call_id is None:
        require_call_project(file.project)
        raise WrongUpload({"file": ["The file belongs to no call."]})
    values = metadata.read_changes(fields)

    def write() -> Call:
        call = (
            Call.objects.select_for_update(of=("self",), no_key=True).select_related("agent").get(pk=call_id)
        )
        call.project = file.project
        if metadata.apply(call, values, source=Call.DatetimeSource.API):
            call.save(update_fields=metadata.WRITTEN_COLUMNS)
            facts.redescribe(call)
            audit.record(by, "call.metadata_changed", f"call {call.pk}", fields=sorted(values))
        return call

    return in_transaction(write)


def apply_manifest(
    project: Project, file: BinaryIO, by: User, now: dt.datetime | None = None
) -> manifest.Result:
    """Apply the CSV to the project's calls and keep the rows of files to come.

    Raises WrongUpload when the project is not a call project, and when no row was
    usable; its errors then also hold those of the rows, under `errors`.
    """
    from callscope.reports import facts

    require_call_project(project)

    def write() -> manifest.Result:
        locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        rows = manifest_file.read_rows(file)
        result = manifest.apply(locked, rows, now=now or timezone.now(), changed=facts.refresh)
        if not result.matched and not result.unmatched:
            raise WrongUpload({"file": ["The CSV has no valid rows."], "errors": result.errors})
        audit.record(
            by,
            "manifest.applied",
            f"project {project.pk}",
            matched=result.matched,
            unmatched=len(result.unmatched),
            errors=len(result.errors),
        )
        return result

    try:
        return in_transaction(write)
    except manifest_file.WrongManifest as error:
        raise WrongUpload({"file": [str(error)], "errors": []}) from None


def require_call_project(project: Project) -> None:
    """Raise WrongUpload for a project whose files have no calls."""
    if project.type != Project.Type.CALL:
        raise WrongUpload({"project": [_not_a_call_project(project)]})


def _check_form(
    project: Project, incoming: Incoming, name: str, file_type: str, fields: Mapping[str, Any]
) -> metadata.Values:
    errors: dict[str, list[str]] = {}
    values: metadata.Values = {}
    if not name:
        errors["file"] = ["The file has no usable name."]
    elif not incoming.size:
        errors["file"] = ["The file is empty."]
    if file_type and file_type not in KINDS:
        errors["file_type"] = [f'"{file_type[:40]}" is not a file type. Allowed: {", ".join(KINDS)}.']
    try:
        values = metadata.read_form(fields)
    except metadata.WrongMetadata as error:
        errors.update(error.errors)
    if project.type != Project.Type.CALL and (values or any(n in errors for n in metadata.FIELDS)):
        errors["project"] = [_not_a_call_project(project)]
    if errors:
        raise WrongUpload(errors)
    return values


def _check_content(incoming: Incoming, name: str, file_type: str) -> str:
    from callscope.transcription.sniff import sniff

    kind = sniff(incoming.path, name=name)
    if kind is None:
        raise WrongUpload(
            {"file": ["The file is neither a recording that can be decoded nor an SRT or VTT transcript."]}
        )
    if file_type and file_type != kind:
        raise WrongUpload({"file": [f"The file is {KINDS[kind]}, not {KINDS[file_type]} as file_type says."]})
    return kind


def _trial_cost_us(user: User, path: Path, kind: str, name: str) -> int:
    """Return what the file takes from the user's quota; only measured where there is one."""
    if user.trial_quota_us is None:
        return 0
    from callscope.transcription import probe

    try:
        duration_us = round(probe.duration_s(path, kind, name=name) * MICROSECONDS)
    except probe.UnreadableRecording as error:
        raise WrongUpload({"file": [str(error)]}) from None
    return 0 if kind == "audio" and duration_us < FREE_BELOW_US else duration_us


def _accept(
    file: UploadedFile, project_id: int, user: User, values: metadata.Values, cost_us: int
) -> UploadedFile:
    """Write everything that an accepted file brings, holding the rows of the user's quota and the project."""
    _charge(user, cost_us)
    project = Project.objects.select_for_update(no_key=True).filter(pk=project_id).first()
    if project is None:
        raise WrongUpload({"project": [no_such_project(project_id)]})
    file.pk = None
    file.project = project
    file.call = _call_of(file, project) if project.type == Project.Type.CALL else None
    file.save(force_insert=True)
    erasure.claim(file.storage_key)
    if file.call:
        _describe(file.call, file, project, values)
    job = jobs.enqueue(Job.Kind.TRANSCRIBE, project, file.pk)
    file.task_id = job.pk
    file.save(update_fields=["task_id"])
    return file


def _charge(user: User, cost_us: int) -> None:
    if not cost_us:
        return
    payer = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if payer.trial_quota_us is not None and payer.trial_used_us + cost_us > payer.trial_quota_us:
        minutes = payer.trial_quota_us / MICROSECONDS / 60
        left = max(0, payer.trial_quota_us - payer.trial_used_us) / MICROSECONDS / 60
        raise TrialQuotaExceeded(
            f"This file has {cost_us / MICROSECONDS / 60:.2f} minutes; "
            f"{left:.2f} of the {minutes:g} minutes of the trial are left."
        )
    payer.trial_used_us += cost_us
    payer.save(update_fields=["trial_used_us"])


def _call_of(file: UploadedFile, project: Project) -> Call:
    """Return the call of this file name, made now if the name is new."""
    name = file.original_filename
    call = Call.objects.select_for_update(of=("self",), no_key=True).filter(
        project=project, file_name=name
    ).first() or Call(project=project, file_name=name, name_stem=stem(name))
    call.uploaded_at = file.created_at
    stands_in = call.call_datetime_source == Call.DatetimeSource.UPLOAD_TIME
    # Results that are reported already keep their day until those of this file take their place.
    if stands_in and not CallAnalysis.objects.filter(call=call.pk, is_live=True).exists():
        call.call_datetime = file.created_at
    call.save()
    call.project = project
    return call


def _describe(call: Call, file: UploadedFile, project: Project, values: metadata.Values) -> None:
    """Make the file its call's newest, with its metadata and its queued analyses."""
    from callscope.analysis.analyze import enabled_types
    from callscope.reports import facts

    call.newest_file = file
    metadata.apply(call, manifest.take_waiting(project, call.file_name), source=Call.DatetimeSource.MANIFEST)
    metadata.apply(call, values, source=Call.DatetimeSource.API)
    call.save()
    CallAnalysis.objects.filter(call=call, is_newest=True).update(is_newest=False)
    enabled = enabled_types(project.configuration)
    states = {column: AnalysisState.QUEUED for name, column in STATE_FIELDS.items() if name in enabled}
    CallAnalysis.objects.create(file=file, call=call, project=project, **states)
    facts.refresh([call.pk])


def no_such_project(project_id: object) -> str:
    """Say that a project is absent or not visible, in the same words."""
    return f"Project {str(project_id)[:40]} does not exist or is not visible to you."


def _not_a_call_project(project: Project) -> str:
    return f"Project {project.pk} is not a call project, so its files have no call metadata."
