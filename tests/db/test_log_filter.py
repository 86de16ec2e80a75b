"""Trouble that passes is one line; a mistake keeps its traceback."""

import errno
import logging

import pytest

from callscope.db.log_filter import WithoutKnownTracebacks


def filtered(error, logger="django.request"):
    record = logging.LogRecord(
        logger, logging.ERROR, __file__, 1, "Internal Server Error: %s", ("/x",), (type(error), error, None)
    )
    assert WithoutKnownTracebacks().filter(record)
    return record


class TestFilter:
    @pytest.mark.parametrize(
        ("error", "logger"),
        [
            (OSError(errno.ENOSPC, "No space left on device"), "django.request"),
            (ConnectionResetError("reset by peer\nmore"), "celery.worker.consumer"),
        ],
    )
    def test_takes_the_traceback_of_known_trouble(self, error, logger):
        record = filtered(error, logger)

        assert record.exc_info is None
        assert record.levelname == "WARNING"
        assert record.getMessage().startswith("Internal Server Error: /x: ")
        assert "\n" not in record.getMessage()

    @pytest.mark.parametrize("error", [ValueError("x"), ConnectionResetError("x")])
    def test_keeps_that_of_a_mistake(self, error):
        record = filtered(error)

        assert record.exc_info is not None
        assert record.levelname == "ERROR"
