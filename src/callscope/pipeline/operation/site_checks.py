"""The checks of `callscope doctor` that look at the whole installation: processes, jobs, disks, clocks."""

import datetime as dt
import time
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db.models import Count
from django.db.models.functions import Now

from callscope.db import clock
from callscope.engines.errors import Trouble
from callscope.pipeline.files import retry_failed
from callscope.pipeline.models import Job, SiteProcess
from callscope.pipeline.operation import agreement, processes
from callscope.pipeline.operation.check_result import CheckResult
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers.listing import list_engines_in_trouble
from callscope.pipeline.queue.breakers.site import list_waiting_jobs
from callscope.reports.models import JournalEntry, StoreState
from callscope.reports.store import version

MEGABYTE, GIGABYTE = 1024**2, 1024**3
FULL_BYTES = 256 * MEGABYTE  # less: nothing can be relied on
LOW_BYTES = 2 * GIGABYTE
LOW_SHARE = 0.05
CLOCK_WARNING_S, CLOCK_FAILURE_S = 2.0, 15.0  # half a lease: jobs would be taken from workers that live
LONG_WAIT = dt.timedelta(hours=1)
STUCK = dt.timedelta(seconds=2 * jobs.LEASE_S)
ABOUT_A_FILE = (Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE)
MAX_JOURNAL = 50_000  # entries; reports read all of them


def run_site_checks() -> list[CheckResult]:
    """Run them all; each needs the database."""
    alive = processes.list_alive()
    return [
        check_disk(),
        check_clock(alive),
        check_workers(alive),
        check_agreement(alive),
        check_waiting_jobs(alive),
        check_failed_jobs(),
        check_engine_states(),
        check_report_store(),
    ]


def check_disk() -> CheckResult:
    """Check the free space where the data folder is."""
    free, size = processes.measure_disk()
    if free is None or size is None:
        return CheckResult("disk", True, "there is no data folder on this machine")
    detail = f"{free / GIGABYTE:.1f} GB of {size / GIGABYTE:.1f} GB are free at {settings.DATA_DIR}"
    advice = "Make room, or move CALLSCOPE_DATA_DIR. Uploads stop at 64 MB, jobs at 32 MB."
    if free < FULL_BYTES:
        detail = f"{free / MEGABYTE:.1f} MB are free at {settings.DATA_DIR}"
        return CheckResult("disk", False, detail, advice)
    if free < min(LOW_BYTES, LOW_SHARE * size):
        return CheckResult("disk", False, detail, advice, is_warning=True)
    return CheckResult("disk", True, detail)


def check_clock(alive: list[SiteProcess]) -> CheckResult:
    """Compare the clocks of all machines with the database's, and this one's with the storage's."""
    ahead = {row.host: row.clock_ahead_ms / 1000 for row in alive if row.clock_ahead_ms is not None}
    own_ms = processes.measure_clock_ms()
    if own_ms is not None:
        ahead["this machine"] = own_ms / 1000
    stored_s = _storage_ahead_s()
    if stored_s is not None:
        ahead["this machine, by the storage's clock,"] = stored_s
    if not ahead:
        return CheckResult("clock", True, "one machine, one clock")
    place, worst_s = max(ahead.items(), key=lambda item: abs(item[1]))
    if abs(worst_s) < CLOCK_WARNING_S:
        return CheckResult("clock", True, f"within {abs(worst_s):.1f} s on {len(ahead)} clocks")
    side = "ahead" if worst_s > 0 else "behind"
    advice = "Let the machines keep time, for example by chrony or systemd-timesyncd."
    is_failure = abs(worst_s) >= CLOCK_FAILURE_S
    return CheckResult(
        "clock", False, f"{place} is {abs(worst_s):.1f} s {side}", advice, is_warning=not is_failure
    )


def _storage_ahead_s() -> float | None:
    """Return how far this clock is ahead of the bucket's; None for a folder and for no answer."""
    if isinstance(default_storage._wrapped, FileSystemStorage) or not settings.ENVIRONMENT.storage_url:  # type: ignore[attr-defined]
        return None
    try:
        storage = default_storage
        before_s = time.time()
        answer = storage.bucket.meta.client.head_bucket(Bucket=storage.bucket_name)  # type: ignore[attr-defined]
        after_s = time.time()
        from email.utils import parsedate_to_datetime

        theirs = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
    except Exception:  # the check of the storage says what is wrong with it
        return None
    # The header has whole seconds, on average half a second back.
    return (before_s + after_s) / 2 - theirs.timestamp() - 0.5


def check_workers(alive: list[SiteProcess]) -> CheckResult:
    """Check that each queue has a live worker."""
    counts = count_workers(alive)
    shown = ", ".join(f"{queue} {count}" for queue, count in counts.items())
    missing = [queue for queue, count in counts.items() if not count]
    if not missing:
        return CheckResult("workers", True, shown)
    waiting = Job.objects.filter(state=Job.State.QUEUED, queue__in=missing).count()
    advice = f"Start `callscope serve`, or `callscope worker --queues {','.join(missing)}` on a machine."
    detail = f"{shown}; {waiting} jobs wait for {', '.join(missing)}"
    return CheckResult("workers", False, detail, advice, is_warning=not waiting)


def count_workers(alive: list[SiteProcess]) -> dict[str, int]:
    """Return how many live workers take jobs of each queue."""
    taken = [row.queues.split(",") for row in alive if row.role == SiteProcess.Role.WORKER]
    return {queue: sum(queue in queues for queues in taken) for queue in jobs.QUEUES}


def check_agreement(alive: list[SiteProcess]) -> CheckResult:
    """Check that all processes have the settings in common that have to be."""
    differences = agreement.find_disagreements(alive)
    hosts = {row.host for row in alive}
    if differences:
        advice = "Give them the same value, see docs/operations.md, and start the processes again."
        return CheckResult("agreement of hosts", False, ". ".join(differences), advice)
    if len(hosts) > 1 and not settings.ENVIRONMENT.storage_url:
        detail = f"{len(hosts)} machines, and recordings are in a folder ({Path(settings.DATA_DIR)})"
        advice = "Mount the same folder on all of them, or set CALLSCOPE_STORAGE_URL."
        return CheckResult("agreement of hosts", False, detail, advice, is_warning=True)
    own = agreement.describe_settings(settings.ENVIRONMENT, secret_key=settings.SECRET_KEY)
    differences = agreement.find_disagreements([*alive, agreement.describe_shell(alive, own)])
    if differences:
        advice = "The other checks use the settings of this shell. Repeat them with those of the services."
        return CheckResult("agreement of hosts", False, ". ".join(differences), advice, is_warning=True)
    detail = f"live processes agree: {len(alive)}, on machines: {len(hosts)}"
    return CheckResult("agreement of hosts", True, detail)


def check_waiting_jobs(alive: list[SiteProcess]) -> CheckResult:
    """Look for jobs that wait long, or whose worker is gone and nobody takes them back."""
    now = clock.read_now()
    due, paused = list_waiting_jobs()
    oldest = due.order_by("run_after").values_list("run_after", flat=True).first()
    stuck = Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=Now() - STUCK).count()
    running = Job.objects.filter(state=Job.State.RUNNING).count()
    detail = f"{due.count()} due, {paused.count()} in a pause, {running} running"
    if stuck:
        advice = "No worker sweeps: start one." if not alive else "Read the log of the workers."
        return CheckResult("jobs", False, f"{detail}; {stuck} running without a worker", advice)
    if oldest is not None and now - oldest > LONG_WAIT:
        hours = (now - oldest).total_seconds() / 3600
        advice = "Start more workers, or look at what the engines below say."
        return CheckResult("jobs", False, f"{detail}; the oldest for {hours:.1f} h", advice, is_warning=True)
    return CheckResult("jobs", True, detail)


def check_failed_jobs() -> CheckResult:
    """Count what failed: transcriptions, analyses (of which a job may be done all the same), other jobs."""
    transcriptions, analyses = retry_failed.count_retryable()
    others = Job.objects.filter(state=Job.State.FAILED).exclude(kind__in=ABOUT_A_FILE)
    counts = {"transcriptions": transcriptions, "analyses": analyses}
    counts |= {str(kind): n for kind, n in others.values_list("kind").annotate(Count("pk")).order_by("kind")}
    detail = ", ".join(f"{name}: {count}" for name, count in counts.items() if count)
    if not detail:
        return CheckResult("failed jobs", True, "none")
    advice = "The pages of the projects say why."
    if transcriptions or analyses:
        advice = "The pages of the files say why. `callscope retry --failed` retries what can succeed."
    return CheckResult("failed jobs", False, detail, advice, is_warning=True)


def check_engine_states() -> CheckResult:
    """Name the engines and buckets that work pauses for."""
    trouble = list_engines_in_trouble()
    if not trouble:
        return CheckResult("engine states", True, "none is paused")
    detail = "; ".join(f"{each.kind} {each.address} is {each.state}: {each.detail}" for each in trouble)
    needs_a_person = any(each.needs_a_person for each in trouble)
    if any(each.reason == Trouble.MISSING for each in trouble):
        advice = "Put it where the worker looks; it is tried again every minute. See docs/engines.md."
    elif needs_a_person:
        advice = "Correct its key, quota, model or address."
    else:
        advice = "Work goes on by itself when it answers."
    return CheckResult("engine states", False, detail, advice, is_warning=True)


def check_report_store() -> CheckResult:
    """Check that reports can be read as they are stored."""
    stored = StoreState.objects.values_list("time_zone", "layout").first()
    if not version.is_current(stored):
        detail = "counted for another time zone or version"
        advice = "The next report rebuilds it. `callscope init` does so now."
        return CheckResult("report store", False, detail, advice, is_warning=True)
    waiting = JournalEntry.objects.count()
    if waiting > MAX_JOURNAL:
        advice = "Start a worker: workers compact it. Reports are slower until then."
        return CheckResult("report store", False, f"{waiting} changes wait", advice, is_warning=True)
    return CheckResult("report store", True, f"{waiting} changes wait to be compacted")
