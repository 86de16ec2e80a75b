"""Whether this process can serve: what /readyz answers, remembered for a few seconds.

Anybody may ask, as often as they like, so asking must cost nothing: one request checks, the
others get what it found. The broker is left out: it only wakes workers, and without it uploads are
accepted and jobs are found in the job table.
"""

import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.core.files.storage import default_storage

from callscope.pipeline.models import Job
from callscope.pipeline.operation import health_checks
from callscope.pipeline.operation.check_result import CheckResult

REMEMBERED_S = 5.0
LONGEST_CHECK_S = 30.0  # a check that hangs for longer says that nothing is ready
MISSING_FILE = ".probe"


class Readiness:
    """The latest results of the checks; one object for all threads of a process."""

    def __init__(
        self, check: Callable[[], list[CheckResult]], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._check = check
        self._clock = clock
        self._lock = threading.Lock()
        self._results: list[CheckResult] = []
        self._checked_at_s = float("-inf")

    def get_results(self) -> list[CheckResult]:
        """Return what was found within REMEMBERED_S, or check now."""
        if self._age_s() < REMEMBERED_S:
            return self._results
        # Only a process that has never checked lets its callers wait for one another.
        is_first = not self._results
        if not self._lock.acquire(timeout=LONGEST_CHECK_S if is_first else 0):
            if self._age_s() < LONGEST_CHECK_S:
                return self._results
            return [CheckResult("checks", False, f"no answer for {LONGEST_CHECK_S:.0f} s")]
        try:
            if self._age_s() >= REMEMBERED_S:
                self._results = self._check()
                self._checked_at_s = self._clock()
            return self._results
        finally:
            self._lock.release()

    def _age_s(self) -> float:
        return self._clock() - self._checked_at_s


def check_readiness() -> list[CheckResult]:
    """Check what a web process needs: database, storage, and the job table as the queue."""
    return [health_checks.check_database(), check_storage_answers(), check_job_table()]


def check_storage_answers() -> CheckResult:
    """Check the storage; a bucket is only asked, because each write of one is paid for."""
    if not settings.ENVIRONMENT.storage_url:
        return health_checks.check_storage()
    try:
        default_storage.exists(MISSING_FILE)
    except Exception as error:
        return CheckResult("storage", False, type(error).__name__)
    return CheckResult("storage", True, "the bucket answers")


def check_job_table() -> CheckResult:
    """Check that jobs can be queued."""
    try:
        Job.objects.exists()
    except Exception as error:
        return CheckResult("queue", False, type(error).__name__)
    return CheckResult("queue", True, "the job table answers")


readiness = Readiness(check_readiness)
