"""Housekeeping that workers do when there is nothing else to do."""

import logging

from django.db import Error

logger = logging.getLogger(__name__)


def fold() -> None:
    """Fold what has piled up in the report store; a failure is logged, the next idle moment tries again."""
    from callscope.reports import fold as report_store

    try:
        report_store.fold_once()
    except Error as error:
        logger.warning("The report store could not be folded: %s", error)
