"""How a log line looks: text for people, or one JSON object for a collector of logs.

Every line knows what it is about: the request, the job, the file and the project at hand, which
note() states. They are of one thread, and of everything that it calls.
"""

import contextvars
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

_at_hand: contextvars.ContextVar[dict[str, object] | None] = contextvars.ContextVar("at_hand", default=None)


@contextmanager
def note(**ids: object) -> Iterator[None]:
    """Let every line inside carry these ids, such as request_id, job, file, project; None is left out."""
    added = {name: value for name, value in ids.items() if value is not None}
    token = _at_hand.set({**(_at_hand.get() or {}), **added})
    try:
        yield
    finally:
        _at_hand.reset(token)


def add_ids(**ids: object) -> None:
    """Add ids to what the surrounding note() states."""
    at_hand = _at_hand.get()
    if at_hand is not None:
        at_hand.update({name: value for name, value in ids.items() if value is not None})


def get_ids() -> dict[str, object]:
    """Return what note() has stated here."""
    return dict(_at_hand.get() or {})


class TextFormatter(logging.Formatter):
    """One line for people: time, level, logger, message. A traceback follows on lines of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line; a message of several lines becomes one."""
        record.message = " ".join(record.message.split("\n")).strip()
        return super().formatMessage(record)


class JsonFormatter(logging.Formatter):
    """One JSON object: time (ISO 8601, UTC), level, logger, message, the ids, and any traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object on one line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": " ".join(record.getMessage().split("\n")).strip(),
            "process": record.process,
            **get_ids(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
