"""Count what this process does, in the form in which Prometheus reads it.

A key is a whole sample name such as `callscope_uploads_total` or `callscope_requests_total{door="api"}`,
so that adding up the figures of many processes is adding up numbers under equal keys.
"""

import threading
from collections.abc import Mapping

# Upper limits in seconds; what takes longer counts under +Inf alone.
BUCKETS_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)

_lock = threading.Lock()
_counted: dict[str, float] = {}

Counts = Mapping[str, float]


def count(name: str, value: float = 1, **labels: str) -> None:
    """Add to a counter."""
    key = format_sample(name, labels)
    with _lock:
        _counted[key] = _counted.get(key, 0) + value


def observe(name: str, seconds: float, **labels: str) -> None:
    """Add one duration to a histogram."""
    keys = [
        *(
            format_sample(f"{name}_bucket", {**labels, "le": f"{limit:g}"})
            for limit in BUCKETS_S
            if seconds <= limit
        ),
        format_sample(f"{name}_bucket", {**labels, "le": "+Inf"}),
        format_sample(f"{name}_count", labels),
    ]
    total = format_sample(f"{name}_sum", labels)
    with _lock:
        for key in keys:
            _counted[key] = _counted.get(key, 0) + 1
        _counted[total] = _counted.get(total, 0) + seconds


def take() -> dict[str, float]:
    """Return what was counted since the last time, and begin from zero."""
    with _lock:
        taken = dict(_counted)
        _counted.clear()
    return taken


def put_back(counts: Counts) -> None:
    """Add again what take() returned and nobody could store."""
    with _lock:
        for key, value in counts.items():
            _counted[key] = _counted.get(key, 0) + value


def add_up(*all_counts: Counts) -> dict[str, float]:
    """Return the sums of several counts."""
    total: dict[str, float] = {}
    for counts in all_counts:
        for key, value in counts.items():
            total[key] = total.get(key, 0) + value
    return total


def format_sample(name: str, labels: Mapping[str, str]) -> str:
    """Return the name of a sample with its labels, which are escaped."""
    if not labels:
        return name
    pairs = (f'{label}="{_escape(value)}"' for label, value in sorted(labels.items()))
    return f"{name}{{{','.join(pairs)}}}"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
