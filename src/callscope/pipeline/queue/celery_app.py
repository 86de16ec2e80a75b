"""The Celery application: it carries job ids to workers and nothing else.

Settings: docs/operations.md, "A broker". The job table is the truth, so results
are not stored, and a message may be lost or come twice.
"""

from functools import cache

from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

WAKE_UP_TASK = "callscope.ring"  # its name in messages, so workers of other versions know it
QUEUE_PREFIX = "callscope."
CONNECT_TIMEOUT_S = 3.0
# After this long Redis hands a message that nobody confirmed to another worker. That costs nothing
# if the first worker still works on the job, because the second message finds it claimed.
VISIBILITY_TIMEOUT_S = 300
UNREACHABLE_ERRORS = (OperationalError, OSError)


@cache
def get_celery_app() -> Celery:
    """Return the application for CALLSCOPE_QUEUE_URL."""
    app = Celery("callscope", broker=settings.QUEUE_URL, set_as_current=False)
    app.conf.update(
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_create_missing_queues=True,
        task_default_queue=QUEUE_PREFIX + "default",
        task_publish_retry=False,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        broker_connection_timeout=CONNECT_TIMEOUT_S,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=_transport_options(settings.QUEUE_URL),
        timezone="UTC",
    )
    return app


def send_job_id(job_id: str, *, queue: str) -> None:
    """Put one job id into a queue of the broker. Raise one of UNREACHABLE_ERRORS."""
    get_celery_app().send_task(WAKE_UP_TASK, args=[job_id], queue=QUEUE_PREFIX + queue, retry=False)


def count_messages() -> dict[str, int]:
    """Return how many messages wait in each queue; 0 for a queue that no worker has made yet."""
    counts = {}
    for name in ("asr", "llm", "default"):
        with get_celery_app().connection_for_read(connect_timeout=CONNECT_TIMEOUT_S) as connection:
            channel = connection.channel()
            try:
                counts[name] = channel.queue_declare(QUEUE_PREFIX + name, passive=True).message_count
            except connection.channel_errors:
                counts[name] = 0
    return counts


def ping_broker() -> None:
    """Raise one of UNREACHABLE_ERRORS, or the broker's own error, unless it can be reached now."""
    with get_celery_app().connection_for_write(connect_timeout=CONNECT_TIMEOUT_S) as connection:
        connection.ensure_connection(max_retries=1, timeout=CONNECT_TIMEOUT_S)


def _transport_options(url: str) -> dict[str, object]:
    if url.startswith("amqp"):
        return {
            "confirm_publish": True,
            "read_timeout": CONNECT_TIMEOUT_S,
            "write_timeout": CONNECT_TIMEOUT_S,
        }
    return {
        "visibility_timeout": VISIBILITY_TIMEOUT_S,
        # Look for unconfirmed messages every 5 seconds; the defaults make it 100.
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
        "socket_timeout": 30.0,
    }
