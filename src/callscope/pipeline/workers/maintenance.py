"""Housekeeping that the job process does between jobs."""

import logging
import sqlite3
import time

from django.db import Error

from callscope.accounts.trail.chaining import chain_notes
from callscope.pipeline.erasure import cleaning
from callscope.pipeline.models import SiteProcess
from callscope.pipeline.operation import processes

TIME_LIMIT_S = 5.0  # then jobs have their turn again

logger = logging.getLogger(__name__)


def compact() -> None:
    """Compact the report store, clean up after erasures, store what was counted, chain audit notes.

    Transcripts of an older version, or of a backup, are indexed for search. Answers to weak criteria are
    held back where a project asks a person for them.

    What fails is logged and tried again later.
    """
    from callscope.pipeline.decisions import weak_criteria
    from callscope.reports.search import spoken_words
    from callscope.reports.store import status_counts
    from callscope.reports.store.compaction import compact_once

    until = time.monotonic() + TIME_LIMIT_S
    try:
        status_counts.compact_status_counts()
        while compact_once() and time.monotonic() < until:
            pass
        while spoken_words.index_missing() and time.monotonic() < until:
            pass
        cleaning.clean_if_due(TIME_LIMIT_S)
        weak_criteria.hold_weak_criteria(until)
    except Error as error:
        logger.warning("The report store could not be compacted: %s", error)
    try:
        processes.beat(SiteProcess.Role.JOBS)
    except Error as error:
        logger.warning("What was counted could not be stored, and waits: %s", error)
    try:
        chain_notes()
    except (Error, sqlite3.Error, OSError) as error:
        logger.warning("Notes could not be added to the audit trail, and wait: %s", error)
