"""Erase files and projects: rows, results and bytes.

Deleting a file erases its recording, its transcript and its analyses. Its call
falls back to the file before, or goes with its last file. Rules: docs/api.md, "Files".
"""

from django.db import transaction
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls import erasure
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.deadlocks import in_transaction
from callscope.pipeline.models import Job
from callscope.projects import administration
from callscope.projects.models import Project


def delete_file(file: UploadedFile, by: User | None = None) -> None:
    """Erase one file; the reports follow in the same transaction, the bytes go when it is committed."""
    in_transaction(lambda: _delete_file(file.pk, file.project_id, by))


def _delete_file(file_id: int, project_id: int, by: User | None) -> None:
    from callscope.reports import facts

    project = Project.objects.select_for_update(no_key=True).get(pk=project_id)
    # A worker that is busy with the file loses its claim with the row, and writes nothing.
    Job.objects.filter(kind__in=[Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE], subject_id=file_id).delete()
    file = UploadedFile.objects.select_for_update(of=("self",)).filter(pk=file_id).first()
    if file is None:  # somebody else was faster
        return
    keys = [file.storage_key, file.playback_key]
    audit.record(by, "file.deleted", f"file {file.pk}", project=project.pk, file_name=file.original_filename)
    call = Call.objects.select_for_update(of=("self",)).get(pk=file.call_id) if file.call_id else None
    if call is None:
        file.delete()
    else:
        was_live = CallAnalysis.objects.filter(file=file, is_live=True).exists()
        CallAnalysis.objects.filter(file=file).delete()
        file.delete()
        previous = UploadedFile.objects.filter(call=call).order_by("-pk").first()
        if previous is not None:
            _fall_back(call, previous, project, revive=was_live)
        facts.refresh([call.pk])
        if previous is None:
            call.delete()
    erasure.erase_when_committed(keys, now=timezone.now())


def delete_project(project: Project, by: User | None = None) -> None:
    """Erase a project with all its files, results and recordings."""
    with transaction.atomic():
        keys = [
            key
            for pair in UploadedFile.objects.filter(project=project).values_list(
                "storage_key", "playback_key"
            )
            for key in pair
        ]
        administration.delete_project(project, by)
        erasure.erase_when_committed(keys, now=timezone.now())


def _fall_back(call: Call, previous: UploadedFile, project: Project, *, revive: bool) -> None:
    """Make the file before the newest one of its call; its results come back if the erased ones were live."""
    call.newest_file = previous
    call.uploaded_at = previous.created_at
    if call.call_datetime_source == Call.DatetimeSource.UPLOAD_TIME:
        call.call_datetime = previous.created_at
    call.save(update_fields=["newest_file", "uploaded_at", "call_datetime"])
    CallAnalysis.objects.filter(call=call, is_newest=True).exclude(file=previous).update(is_newest=False)
    CallAnalysis.objects.filter(file=previous).update(is_newest=True)
    if not revive:
        return
    from callscope.contact_reasons import grouping
    from callscope.contact_reasons.models import CallReason

    CallReason.objects.filter(call=call).delete()
    latest = CallAnalysis.objects.filter(call=call, completed_at__isnull=False).order_by("-file_id").first()
    if latest is not None:
        latest.is_live = True
        latest.superseded_at = latest.superseded_by = latest.superseded_by_file = None
        latest.save(update_fields=["is_live", "superseded_at", "superseded_by", "superseded_by_file"])
        grouping.classify_arrival(call, latest.insights or {}, project.configuration)
