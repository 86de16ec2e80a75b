"""The figures of the installation in the text format of Prometheus.

They are the same whichever web process is asked: states are read from the tables, and counters
are the sums of what every process has stored (processes.py), at most BEAT_S old.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Count, Min

from callscope import __version__
from callscope.db import clock
from callscope.pipeline.files import retry_failed
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.operation import processes, site_checks
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers.listing import list_engine_states
from callscope.pipeline.queue.breakers.site import list_waiting_jobs
from callscope.processes import counters
from callscope.reports.models import JournalEntry

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Name: type, help.
METRICS = {
    "callscope_info": ("gauge", "The version; always 1."),
    "callscope_jobs": ("gauge", "Jobs by queue and state: due, paused, running, failed."),
    "callscope_failed_files": ("gauge", "Files that may end better when tried again, by what failed."),
    "callscope_oldest_due_job_seconds": ("gauge", "How long the oldest due job of a queue has waited."),
    "callscope_workers": ("gauge", "Live workers that take jobs of a queue."),
    "callscope_processes": ("gauge", "Live processes by role and machine."),
    "callscope_engine_paused": ("gauge", "1 while work pauses for an engine or bucket in trouble."),
    "callscope_disk_free_bytes": ("gauge", "Free space where the data folder of a machine is."),
    "callscope_disk_size_bytes": ("gauge", "Size of that disk."),
    "callscope_clock_ahead_seconds": ("gauge", "How far a machine's clock is ahead of the database's."),
    "callscope_report_changes_waiting": ("gauge", "Changes that reports read before they are compacted."),
    "callscope_requests_total": ("counter", "Requests by door, method and class of status."),
    "callscope_request_seconds": ("histogram", "How long requests took, by door."),
    "callscope_uploads_total": ("counter", "Accepted uploads by type."),
    "callscope_upload_bytes_total": ("counter", "Bytes of accepted uploads."),
    "callscope_job_runs_total": ("counter", "Runs of jobs by kind and outcome: done, not done, lost."),
    "callscope_job_seconds": ("histogram", "How long the runs of jobs took, by kind."),
    "callscope_engine_requests_total": ("counter", "Requests to engines by host."),
    "callscope_engine_answers_total": ("counter", "Answers of engines by host and class of status."),
    "callscope_engine_seconds": ("histogram", "How long engines took to begin their answer, by host."),
}
LIMIT = re.compile(r'(?<=[{,])le="([^"]*)"')
PARTS_OF_HISTOGRAMS = ("_bucket", "_sum", "_count")


def collect_metrics() -> dict[str, float]:
    """Return every sample and its value."""
    alive = processes.list_alive()
    samples: dict[str, float] = {}

    def put(name: str, value: float, **labels: str) -> None:
        samples[counters.format_sample(name, labels)] = value

    put("callscope_info", 1, version=__version__)
    for queue, count in site_checks.count_workers(alive).items():
        put("callscope_workers", count, queue=queue)
    by_role: dict[tuple[str, str], int] = defaultdict(int)
    for process in alive:
        by_role[process.role, process.host] += 1
        if process.disk_free is not None and process.disk_size is not None:
            put("callscope_disk_free_bytes", process.disk_free, host=process.host)
            put("callscope_disk_size_bytes", process.disk_size, host=process.host)
        if process.clock_ahead_ms is not None:
            put("callscope_clock_ahead_seconds", process.clock_ahead_ms / 1000, host=process.host)
    for (role, host), count in by_role.items():
        put("callscope_processes", count, role=role, host=host)
    for engine in list_engine_states():
        is_paused = engine.state != EngineState.State.WORKING
        put("callscope_engine_paused", int(is_paused), kind=engine.kind, address=engine.address)
    transcriptions, analyses = retry_failed.count_retryable()
    put("callscope_failed_files", transcriptions, kind="transcribe")
    put("callscope_failed_files", analyses, kind="analyze")
    put("callscope_report_changes_waiting", JournalEntry.objects.count())
    return {**samples, **collect_jobs(), **processes.sum_counted()}


def collect_jobs() -> dict[str, float]:
    """Return the samples about jobs; those that are done are not counted, for they are too many."""
    now = clock.read_now()
    samples: dict[str, float] = {}
    due, paused = list_waiting_jobs()
    counted = {
        "due": due,
        "paused": paused,
        "running": Job.objects.filter(state=Job.State.RUNNING),
        "failed": Job.objects.filter(state=Job.State.FAILED),
    }
    for state, found in counted.items():
        by_queue = {str(queue): count for queue, count in found.values_list("queue").annotate(Count("pk"))}
        for queue in jobs.QUEUES:
            key = counters.format_sample("callscope_jobs", {"queue": queue, "state": state})
            samples[key] = by_queue.get(queue, 0)
    oldest = {str(queue): at for queue, at in due.values_list("queue").annotate(Min("run_after"))}
    for queue in jobs.QUEUES:
        key = counters.format_sample("callscope_oldest_due_job_seconds", {"queue": queue})
        samples[key] = (now - oldest[queue]).total_seconds() if queue in oldest else 0
    return samples


def format_metrics(samples: counters.Counts) -> str:
    """Return the samples as text, grouped by metric; what no metric describes is left out."""
    by_metric: dict[str, list[str]] = defaultdict(list)
    for key in _sort(samples):
        by_metric[find_metric(key)].append(f"{key} {samples[key]:.10g}")
    lines = []
    for name, (kind, text) in METRICS.items():
        if name in by_metric:
            lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *by_metric[name]]
    return "\n".join(lines) + "\n"


def find_metric(sample: str) -> str:
    """Return the name of the metric that a sample belongs to; "" if there is none."""
    name = sample.partition("{")[0]
    if name in METRICS:
        return name
    for part in PARTS_OF_HISTOGRAMS:
        base = name.removesuffix(part)
        if base != name and METRICS.get(base, ("",))[0] == "histogram":
            return base
    return ""


def _sort(samples: Iterable[str]) -> list[str]:
    """Order samples by name, labels and, in a histogram, by the limit of the bucket as a number."""

    def place(key: str) -> tuple[str, float]:
        limit = LIMIT.search(key)
        return (LIMIT.sub("", key), float(limit[1])) if limit else (key, 0.0)

    return sorted(samples, key=place)
