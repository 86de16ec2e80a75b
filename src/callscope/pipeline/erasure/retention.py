"""The sweep: remove what is past the days that a project keeps it.

It goes through the project's files by id, in portions. Each portion is one transaction with its audit
event, under the project's lock, and reads again what is due: a sweep that was killed, or that another
one has overtaken, goes on with what is left. Bytes go after the commit, as with every erasure.
Rules: docs/security.md, "Retention".
"""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db.models import Q

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.accounts.trail import cutting
from callscope.analysis.models import MACHINE_COLUMNS, RESULT_FIELDS, STATE_FIELDS, CallAnalysis
from callscope.analysis.results.quote_removal import remove_quotes
from callscope.calls import erasure
from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons.following import follow_reviews
from callscope.contact_reasons.models import CallReason
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.erasure import cleaning, due_removal, removal, traces
from callscope.pipeline.erasure.due_removal import Cutoffs
from callscope.pipeline.erasure.receipt import Receipt
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.processes import crash_points
from callscope.projects.configuration import Retention
from callscope.projects.locking import lock_project
from callscope.projects.models import Project
from callscope.reviews import removal as reviews
from callscope.transcription.models import Transcript

ACTION = "retention.applied"
FILES_AT_ONCE = 200  # looked at in one transaction
EVERY = dt.timedelta(days=1)


def enqueue_due_sweeps(*, now: dt.datetime) -> int:
    """Enqueue a sweep for each project that has days set and was not swept for a day; return how many."""
    enqueued = 0
    for project in list_projects_with_days():
        sweeps = Job.objects.filter(kind=Job.Kind.RETENTION, subject_id=project.pk)
        if sweeps.filter(Q(state__in=jobs.OPEN_STATES) | Q(created_at__gt=now - EVERY)).exists():
            continue
        sweeps.delete()
        run_in_transaction(lambda project=project: jobs.enqueue(Job.Kind.RETENTION, project, project.pk))  # type: ignore[misc]
        enqueued += 1
    return enqueued


def find_next_sweep(project: Project, *, now: dt.datetime) -> dt.datetime:
    """Return when the next sweep of a project with days is due: at once, or a day after the latest."""
    sweeps = Job.objects.filter(kind=Job.Kind.RETENTION, subject_id=project.pk)
    latest = sweeps.order_by("-created_at").values_list("state", "created_at").first()
    return now if latest is None or latest[0] in jobs.OPEN_STATES else max(now, latest[1] + EVERY)


def list_projects_with_days() -> list[Project]:
    """Return the projects that remove anything, by id."""
    kept = Project.objects.order_by("pk").values_list("pk", "config__retention")
    swept = [pk for pk, days in kept if isinstance(days, dict) and any(days.values())]
    return list(Project.objects.filter(pk__in=swept).order_by("pk"))


def cut_audit_trail(*, now: dt.datetime) -> int:
    """Cut old audit events off where that is due; return how many went. Raises DamagedTrail."""
    removed = cutting.cut_if_due(now=now)
    if removed:
        run_in_transaction(cleaning.request_cleaning)
    return removed


def sweep_project(project: Project, *, now: dt.datetime, by: User | None = None) -> Receipt:
    """Remove what is past its days at this moment; the receipt counts it over all portions.

    In the receipt, `recordings` and `transcripts` are files, `analyses` results of files, and `calls`
    and `files` what was erased as a whole.
    """
    receipt = Receipt("retention")
    after: int | None = 0
    while after is not None:
        after = run_in_transaction(
            lambda after=after: _sweep_portion(receipt, project.pk, after, now, by)  # type: ignore[misc]
        )
        crash_points.reach_point("sweep_portion")
    receipt.is_cleaned = cleaning.clean_if_due()
    return receipt


def _sweep_portion(
    receipt: Receipt, project_id: int, after: int, now: dt.datetime, by: User | None
) -> int | None:
    """Sweep the next files; return the id of the last one, None if none was left."""
    project = lock_project(project_id)
    if project is None:
        return None
    if not after:
        traces.forget_earlier_judgments(project)
    config = project.configuration
    cutoffs = Cutoffs.of(config.retention, now)
    due = {
        "results": due_removal.find_due_results(cutoffs),
        "transcripts": due_removal.find_due_transcripts(cutoffs),
        "recordings": due_removal.find_due_recordings(cutoffs),
    }
    conditions = due_removal.find_spent(project, cutoffs)
    for condition in due.values():
        conditions |= condition
    found = due_removal.list_idle_files(project).filter(conditions, pk__gt=after).order_by("pk")
    ids = list(found.values_list("pk", flat=True)[:FILES_AT_ONCE])
    if not ids:
        return None
    files = UploadedFile.objects.filter(pk__in=ids)
    list(files.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    ids_of = {
        name: list(files.filter(condition).values_list("pk", flat=True)) for name, condition in due.items()
    }
    counts = Counter[str]()
    counts.update(_remove_results(project, ids_of["results"], now))
    counts.update(_remove_transcripts(ids_of["transcripts"], now))
    with_recordings = UploadedFile.objects.filter(pk__in=ids_of["recordings"])
    counts["recordings"] += _remove_bytes(with_recordings, now)
    counts.update(_erase_spent(project, cutoffs, ids))
    crash_points.reach_point("sweep_rows")
    if counts.total():
        cleaning.request_cleaning()
        _record(receipt, by, project, config.retention, counts)
    return ids[-1]


def _remove_results(project: Project, file_ids: Sequence[int], now: dt.datetime) -> Counter[str]:
    """Empty the results of these files; calls whose results they are leave the reports."""
    from callscope.reports.store import facts

    counts: Counter[str] = Counter()
    if not file_ids:
        return counts
    of_files = Q(file__in=file_ids)
    topics = traces.read_topics(of_files)
    rows = CallAnalysis.objects.filter(of_files)
    calls = sorted(rows.filter(is_live=True).values_list("call_id", flat=True))
    emptied = (*STATE_FIELDS.values(), *RESULT_FIELDS.values(), *MACHINE_COLUMNS.values())
    empty: dict[str, None] = dict.fromkeys(emptied)
    # The row stays: each file of a call has one, by which uploads are counted.
    counts["analyses"] = rows.update(
        is_live=False, completed_at=None, config_version=None, provenance=None, errors={}, **empty
    )
    UploadedFile.objects.filter(pk__in=file_ids).update(results_removed_at=now)
    counts["reviews"] = reviews.remove_reviews(file_ids)
    with follow_reviews(calls):
        pass  # their reviews are gone, and so is what these said of agents and reasons
    CallReason.objects.filter(call__in=calls).delete()
    traces.forget_judgments(project, calls)
    Call.objects.filter(pk__in=calls, agent_source=Call.AgentSource.LLM).update(agent=None, agent_source="")
    facts.refresh(calls)
    counts.update(traces.forget_calls(project, names=[], topics=topics))
    return counts


def _remove_transcripts(file_ids: Sequence[int], now: dt.datetime) -> Counter[str]:
    """Remove transcripts, uploaded ones too, and what the results of these files quote of them."""
    files = UploadedFile.objects.filter(pk__in=file_ids)
    Transcript.objects.filter(file__in=file_ids).delete()
    _remove_bytes(files.exclude(due_removal.IS_AUDIO), now)
    for analysis in CallAnalysis.objects.filter(file__in=file_ids).order_by("pk"):
        columns = [*RESULT_FIELDS.values(), *MACHINE_COLUMNS.values()]
        for name in columns:
            if result := getattr(analysis, name):
                setattr(analysis, name, remove_quotes(result))
        analysis.save(update_fields=columns)
    reviews.remove_words(file_ids)
    return Counter(transcripts=files.update(transcript_removed_at=now))


def _remove_bytes(files: Any, now: dt.datetime) -> int:
    """Take the bytes from these files, also from storage once the transaction commits; return how many."""
    with_bytes = files.filter(due_removal.HAS_BYTES)
    keys = [key for pair in with_bytes.values_list("storage_key", "playback_key") for key in pair]
    erasure.erase_when_committed(keys, now=now)
    removed: int = with_bytes.update(storage_key="", playback_key="", sha256="", content_removed_at=now)
    return removed


def _erase_spent(project: Project, cutoffs: Cutoffs, file_ids: Sequence[int]) -> Counter[str]:
    """Erase the calls of these files of which nothing is left, and such files without a call."""
    files = UploadedFile.objects.filter(pk__in=file_ids)
    call_ids = sorted({pk for pk in files.values_list("call_id", flat=True) if pk is not None})
    spent = due_removal.find_spent_calls(project, cutoffs, call_ids)
    counts = removal.erase_calls(project, spent) if spent else Counter()
    for file in files.filter(due_removal.find_spent(project, cutoffs), call=None).order_by("pk"):
        counts.update(removal.erase_file(project, file, None))
    # They are empty by now, and were counted where they were emptied.
    for name in ("analyses", "transcripts", "recordings"):
        counts.pop(name, None)
    return counts


def _record(
    receipt: Receipt, by: User | None, project: Project, retention: Retention, counts: Counter[str]
) -> None:
    erased = {name: number for name, number in sorted(counts.items()) if number}
    event = audit.record(
        by, ACTION, f"project {project.pk}", project=project.pk, erased=erased, days=retention.model_dump()
    )
    receipt.add(event, counts)
