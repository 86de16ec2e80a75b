"""Housekeeping that workers do when there is nothing else to do."""

import logging
import time

from django.db import Error

LIMIT_S = 5.0  # then jobs have their turn again

logger = logging.getLogger(__name__)


def fold() -> None:
    """Fold what has piled up in the report store; a failure is logged, the next idle moment tries again."""
    from callscope.reports import states
    from callscope.reports.fold import fold_once

    until = time.monotonic() + LIMIT_S
    try:
        states.compact()
        while fold_once() and time.monotonic() < until:
            pass
    except Error as error:
        logger.warning("The report store could not be folded: %s", error)
