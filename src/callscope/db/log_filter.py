"""Keep the log readable while the database, the disk, the bucket or the broker is in trouble."""

import logging

from callscope.db.trouble import passes_by_itself

# What a lost connection to a broker raises in these packages is known trouble too.
BROKER_LOGGERS = ("celery", "kombu", "amqp")


class WithoutKnownTracebacks(logging.Filter):
    """Put trouble that passes by itself into one line: its traceback says nothing new each time."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True: every record is kept, some without their traceback."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return True
        is_of_broker = record.name.split(".")[0] in BROKER_LOGGERS and isinstance(error, OSError)
        if is_of_broker or passes_by_itself(error):
            first = (str(error).strip().splitlines() or [""])[0]
            record.msg = f"{record.getMessage()}: {type(error).__name__}: {first}"
            record.args = ()
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True
