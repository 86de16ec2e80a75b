"""Clean the database itself of rows that were erased.

SQLite overwrites deleted rows (PRAGMA secure_delete), but its search index and its write-ahead log
keep them until they are merged and emptied. PostgreSQL keeps them as dead rows until a VACUUM. That
takes its time where there are many calls, so it is done in portions: at once as far as the budget
goes, and the rest by a worker.
"""

import logging
import time

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from callscope.pipeline.models import CleaningDue
from callscope.reports.search import samples

UNLIMITED_S = 24 * 3600.0  # what a command spends
AT_ONCE_S = 2.0  # what a request spends on it
BUSY_MS = 2000  # how long an emptying of the log waits for readers
PATIENCE_S = 10.0  # how long a command tries again where readers are in the way, or a worker cleans, too
BETWEEN_S = 0.2  # two tries
VACUUMED_APPS = (
    "accounts", "calls", "transcription", "analysis", "reviews", "contact_reasons", "reports",
    "pipeline", "projects",
)  # fmt: skip

logger = logging.getLogger(__name__)


def request_cleaning() -> None:
    """Note that rows were erased, in the transaction that erases them."""
    _note_due()
    samples.note_erasure()


def _note_due() -> None:
    CleaningDue.objects.update_or_create(pk=1, defaults={"since": timezone.now()})


def clean_if_due(budget_s: float = AT_ONCE_S) -> bool:
    """Clean up after erasures; return True if nothing of them is left, False if the rest must wait.

    Inside a transaction, or when somebody reads for too long, it is left to the next call. A command, whose
    budget is UNLIMITED_S, tries again for a while.
    """
    began = time.monotonic()
    until = began + budget_s
    is_clean = _clean_once(until, is_again=False)
    while not is_clean and budget_s >= UNLIMITED_S and time.monotonic() < began + PATIENCE_S:
        if connection.in_atomic_block:
            break
        time.sleep(BETWEEN_S)
        is_clean = _clean_once(until, is_again=True)
    return is_clean


def _clean_once(until: float, *, is_again: bool) -> bool:
    due = CleaningDue.objects.filter(pk=1).first()
    if due is None and not is_again:
        return True
    if connection.in_atomic_block:
        return False
    try:
        if connection.vendor == "postgresql":
            if due is None:
                return True
            _vacuum()
            return _confirm(due)
        # A worker that has cleaned meanwhile may still be at the log.
        return _empty_log() if due is None else _clean_sqlite(due, until)
    except DatabaseError as error:
        logger.warning("The database is cleaned of erased rows later: %s", error)
        return False


def _clean_sqlite(due: CleaningDue, until: float) -> bool:
    from callscope.reports.search import call_texts, spoken_words

    is_merged = call_texts.merge_texts(until) and spoken_words.merge(until)
    if not is_merged or not _confirm(due):
        return False
    if _empty_log():
        return True
    with transaction.atomic():
        _note_due()
    return False


def _confirm(due: CleaningDue) -> bool:
    """Note that it is done, unless more was erased meanwhile."""
    return CleaningDue.objects.filter(pk=1, since=due.since).delete()[0] > 0


def _empty_log() -> bool:
    """Move the write-ahead log into the database and cut it to nothing; False if readers are in the way."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        usual = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            is_busy, *_ = cursor.fetchone()
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")
    return not is_busy


def _vacuum() -> None:
    """Let PostgreSQL drop dead rows; tables that this role may not vacuum are skipped with its warning."""
    from django.apps import apps

    tables = [
        connection.ops.quote_name(model._meta.db_table)
        for label in VACUUMED_APPS
        for model in apps.get_app_config(label).get_models(include_auto_created=True)
        if model._meta.managed
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM {', '.join(tables)}")
