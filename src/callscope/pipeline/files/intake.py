"""Accept files, manifests and metadata: the entrance to the pipeline.

An upload is on disk and synced before its rows are written; the rows of a file,
its call, its queued analyses and its first job are written in one transaction,
which locks the project's row. So two uploads and a manifest at the same time end
with every value in place. Rules: docs/api.md, "Files", "Call metadata", "The manifest".
"""

import datetime as dt
import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls import erasure, manifest, manifest_file, metadata, storage
from callscope.calls.fields import GIVEN_FIELDS
from callscope.calls.models import Call, UploadedFile
from callscope.calls.moments import AHEAD
from callscope.calls.names import clean_file_name, stem
from callscope.db.transactions import run_in_transaction
from callscope.messages.message import Message
from callscope.pipeline.files.corrections import Before, Described, lock_call
from callscope.pipeline.ledger import trial_quota
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.processes import counters, crash_points
from callscope.projects.locking import lock_project
from callscope.projects.models import Project
from callscope.reviews.placements.agents import retire_replaced

# Imported where it is used: the packages that read recordings take long to load.
if TYPE_CHECKING:
    from callscope.transcription.probe import Length

MICROSECONDS = 1_000_000
_CHUNK = 1024 * 1024

KINDS = {kind: Message(f"kind_{kind}") for kind in ("audio", "srt", "vtt")}


class InvalidUpload(Exception):
    """An upload or a manifest is not acceptable; `errors` maps fields to messages.

    The field `errors` of a manifest holds the English texts of its rows.
    """

    def __init__(self, errors: Mapping[str, Sequence[Message | str]]) -> None:
        texts = {name: " ".join(map(str, messages)) for name, messages in errors.items()}
        super().__init__("; ".join(f"{name}: {text}" for name, text in texts.items()))
        self.errors = errors


@dataclass(frozen=True, slots=True)
class Incoming:
    """A complete file in the folder of incoming files, which accept_upload() moves away."""

    path: Path
    name: str  # as the client gave it
    size: int  # bytes
    sha256: str


def copy_to_incoming(source: Path) -> Incoming:
    """Copy a file of this machine into the folder of incoming files, as if it had been uploaded."""
    digest = hashlib.sha256()
    size = 0
    with (
        source.open("rb") as file,
        tempfile.NamedTemporaryFile(
            dir=storage.incoming_folder(), suffix=source.suffix, delete=False
        ) as copy,
    ):
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            copy.write(chunk)
    return Incoming(Path(copy.name), source.name, size, digest.hexdigest())


def accept_upload(
    incoming: Incoming,
    *,
    project: Project,
    user: User,
    file_type: str = "",
    fields: Mapping[str, Any] | None = None,
    now: dt.datetime | None = None,
) -> UploadedFile:
    """Store an uploaded file, enqueue its first job and return its row.

    `fields` may hold the six metadata fields; blank ones count as absent. Raise
    InvalidUpload or trial_quota.TrialQuotaExceeded, after which nothing is stored.
    """
    now = now or timezone.now()
    name = clean_file_name(incoming.name)
    values = _check_form(project, incoming, name, file_type, fields or {})
    kind, length = _inspect_content(incoming, name, file_type, user)
    key = storage.new_key(project.pk, name)
    # A crash between here and the commit leaves bytes without a row; the mark lets them be found.
    erasure.mark_pending(key, now=now)
    storage.save(incoming.path, key)
    file = UploadedFile(
        original_filename=name,
        file_type=kind,
        storage_key=key,
        size=incoming.size,
        sha256=incoming.sha256,
        duration_us=length and round(length.duration_s * MICROSECONDS),
        uploaded_by=user,
        created_at=now,
    )
    try:
        stored = run_in_transaction(lambda: _store_file(file, project.pk, user, values, length))
    except BaseException:
        erasure.erase_unconfirmed(key)
        raise
    counters.count("callscope_uploads_total", type=kind)
    counters.count("callscope_upload_bytes_total", incoming.size)
    crash_points.reach_point("upload_answer")
    return stored


def update_metadata(file: UploadedFile, fields: Mapping[str, Any], by: User) -> Call:
    """Write the given metadata fields into the file's call, and return the call.

    Nothing is analyzed again. Raise InvalidUpload if the file belongs to no call,
    InvalidMetadata, and Call.DoesNotExist if it was erased meanwhile.
    """
    if file.call_id is None:
        require_call_project(file.project)
        raise InvalidUpload({"file": [Message("file_without_call")]})
    return describe_call(file.call_id, file.project, fields, by).call


def describe_call(
    call_id: int,
    project: Project,
    fields: Mapping[str, Any],
    by: User,
    *,
    seen: Mapping[str, str] | None = None,
) -> Described:
    """Write the given metadata fields into the call of the project; return it with what was overwritten.

    With `seen`, as metadata.write_texts() returns it, nothing is overwritten that was changed since. Raise
    InvalidMetadata, MetadataConflict, and Call.DoesNotExist if the call was erased meanwhile.
    """
    from callscope.reports.store import facts

    values = metadata.read_changes(fields)

    def write() -> Described:
        call = lock_call(project, call_id)
        if seen is not None:
            metadata.reject_overtaken(call, values, seen)
        before = Before.of(call, values)
        if metadata.says_agent(call, values):
            retire_replaced([call.pk])
        if metadata.apply_values(call, values, source=Call.DatetimeSource.API):
            call.save(update_fields=metadata.WRITTEN_COLUMNS)
            facts.update_metadata(call)
        earlier = before.compare(call)
        if earlier is not None:  # also where it only renamed the agent, in all calls
            subject = f"call {call.pk}"
            audit.record(by, "call.metadata_changed", subject, project=call.project_id, fields=sorted(values))
        return Described(call, earlier)

    return run_in_transaction(write)


def apply_manifest(
    project: Project, file: BinaryIO, by: User, now: dt.datetime | None = None, *, is_careful: bool = False
) -> manifest.ManifestResult:
    """Apply the CSV to the project's calls, and keep the rows of files that are still to come.

    `is_careful` refuses times of the future and dates that may have the month first, and names unknown
    columns.
    Raise InvalidUpload if the project is not a call project, or if no row is valid;
    then its errors hold those of the rows, under `errors`. A process that ends on the way leaves
    the rows until there; the same manifest, sent again, writes them once more and goes on.
    """
    from callscope.reports.store import facts

    require_call_project(project)

    def in_project(write: Callable[[Project], manifest.WrittenBatch]) -> manifest.WrittenBatch:
        def locked() -> manifest.WrittenBatch:
            held = lock_project(project.pk)
            if held is None:  # deleted meanwhile
                raise InvalidUpload({"project": [project_not_found(str(project.pk))]})
            return write(held)

        return run_in_transaction(locked)

    now = now or timezone.now()
    try:
        result = manifest.apply_rows(
            manifest_file.read_rows(file, latest=now + AHEAD if is_careful else None),
            now=now,
            on_said_agents=retire_replaced,
            on_changed=facts.refresh,
            in_project=in_project,
        )
    except manifest_file.InvalidManifest as error:
        raise InvalidUpload({"file": [error.message], "errors": []}) from None
    if not result.matched and not result.unmatched:
        raise InvalidUpload({"file": [Message("manifest_no_rows")], "errors": result.errors})
    if is_careful:
        result.unknown_columns = manifest_file.list_unknown_columns(file)
    audit.record(
        by,
        "manifest.applied",
        f"project {project.pk}",
        matched=result.matched,
        unmatched=len(result.unmatched),
        errors=len(result.errors),
    )
    return result


def require_call_project(project: Project) -> None:
    """Raise InvalidUpload if the files of the project have no calls."""
    if project.type != Project.Type.CALL:
        raise InvalidUpload({"project": [_not_a_call_project(project)]})


def _check_form(
    project: Project, incoming: Incoming, name: str, file_type: str, fields: Mapping[str, Any]
) -> metadata.Values:
    errors: dict[str, list[Message]] = {}
    values: metadata.Values = {}
    if not name:
        errors["file"] = [Message("unusable_name")]
    elif not incoming.size:
        errors["file"] = [Message("empty_file")]
    if file_type and file_type not in KINDS:
        errors["file_type"] = [Message("unknown_file_type", value=file_type[:40], allowed=", ".join(KINDS))]
    try:
        values = metadata.read_form(fields)
    except metadata.InvalidMetadata as error:
        errors.update(error.errors)
    if project.type != Project.Type.CALL and (values or errors.keys() & set(GIVEN_FIELDS)):
        errors["project"] = [_not_a_call_project(project)]
    if errors:
        raise InvalidUpload(errors)
    return values


def _inspect_content(
    incoming: Incoming, name: str, file_type: str, user: User
) -> "tuple[str, Length | None]":
    """Return the file's type, and its length where the user has a quota."""
    from callscope.transcription import probe
    from callscope.transcription.sniff import detect_file_type, explain_refusal

    kind = detect_file_type(incoming.path, name=name)
    if kind is None:
        raise InvalidUpload({"file": [explain_refusal(incoming.path)]})
    if file_type and file_type != kind:
        message = Message("other_content", kind=KINDS[kind], given=KINDS[file_type])
        raise InvalidUpload({"file": [message]})
    # Measuring reads the whole file, so it is done only where there is a quota.
    if user.trial_quota_us is None:
        return kind, None
    try:
        return kind, probe.measure_length(incoming.path, kind, name=name)
    except probe.UnreadableRecording as error:
        raise InvalidUpload({"file": [error.message]}) from None


def _store_file(
    file: UploadedFile, project_id: int, user: User, values: metadata.Values, length: "Length | None"
) -> UploadedFile:
    """Write the rows of an accepted file, holding the locks on its user's quota and its project."""
    if length is not None:
        trial_quota.charge_upload(user, file.file_type, round(length.charged_s * MICROSECONDS))
    project = lock_project(project_id)
    if project is None:
        raise InvalidUpload({"project": [project_not_found(project_id)]})
    file.pk = None
    file.project = project
    file.is_private = project.configuration.private_transcription
    file.call = _get_or_create_call(file, project) if project.type == Project.Type.CALL else None
    file.save(force_insert=True)
    erasure.confirm(file.storage_key)
    former = file.call.newest_file_id if file.call else None
    if file.call:
        _fill_call(file.call, file, project, values)
    job = jobs.enqueue(Job.Kind.TRANSCRIBE, project, file.pk, file=file)
    file.task_id = job.pk
    file.save(update_fields=["task_id"])
    action = "file.uploaded" if former is None else "file.replaced"
    audit.record(user, action, f"file {file.pk}", project=project.pk, call=file.call_id, former=former)
    crash_points.reach_point("row_commit")
    return file


def _get_or_create_call(file: UploadedFile, project: Project) -> Call:
    """Return the call of this file name, created if the name is new."""
    name = file.original_filename
    call = Call.objects.select_for_update(of=("self",), no_key=True).filter(
        project=project, file_name=name
    ).first() or Call(project=project, file_name=name, name_stem=stem(name))
    call.uploaded_at = file.created_at
    is_provisional = call.call_datetime_source == Call.DatetimeSource.UPLOAD_TIME
    # Results that are in the reports keep their day until those of this file replace them.
    if is_provisional and not CallAnalysis.objects.filter(call=call.pk, is_live=True).exists():
        call.call_datetime = file.created_at
    call.save()
    call.project = project
    return call


def _fill_call(call: Call, file: UploadedFile, project: Project, values: metadata.Values) -> None:
    """Make the file the newest of its call, with its metadata and its queued analyses."""
    from callscope.analysis.analyze import enabled_types
    from callscope.reports.store import facts

    call.newest_file = file
    waiting = manifest.take_waiting_values(project, call.file_name)
    for given, source in ((waiting, Call.DatetimeSource.MANIFEST), (values, Call.DatetimeSource.API)):
        if metadata.says_agent(call, given):
            retire_replaced([call.pk])
        metadata.apply_values(call, given, source=source)
    call.save()
    CallAnalysis.objects.filter(call=call, is_newest=True).update(is_newest=False)
    enabled = enabled_types(project.configuration)
    states = {column: AnalysisState.QUEUED for name, column in STATE_FIELDS.items() if name in enabled}
    CallAnalysis.objects.create(file=file, call=call, project=project, **states)
    facts.refresh([call.pk])


def project_not_found(project_id: object) -> Message:
    """Return the same message for an absent and for an invisible project, which must look alike."""
    return Message("project_not_visible", value=str(project_id)[:40])


def _not_a_call_project(project: Project) -> Message:
    return Message("not_call_project", value=project.pk)
