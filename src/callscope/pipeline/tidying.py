"""Housekeeping that workers do when there is nothing else to do."""

import logging
from importlib import import_module

from django.db import Error

logger = logging.getLogger(__name__)


def fold() -> None:
    """Fold what has piled up in the report store; a failure is logged, the next idle moment tries again."""
    report_store = import_module("callscope.reports.fold")
    try:
        report_store.fold_once()
    except Error as error:
        logger.warning("The report store could not be folded: %s", error)
