"""The Celery application: it carries job ids from the web to workers, nothing else.

Settings: docs/operations.md, "A broker". The job table is the truth, so results
are not stored, and a message may be lost or come twice.
"""

from functools import cache

from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

RING = "callscope.ring"
QUEUE_PREFIX = "callscope."
CONNECT_TIMEOUT_S = 3.0
# After this long Redis hands a message that nobody confirmed to another worker. It costs nothing
# when the first worker still works on the job: the second ring finds the job claimed.
VISIBILITY_TIMEOUT_S = 300
UNREACHABLE = (OperationalError, OSError)


@cache
def application() -> Celery:
    """Return the application for CALLSCOPE_QUEUE_URL."""
    app = Celery("callscope", broker=settings.ENVIRONMENT.queue_url, set_as_current=False)
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
        broker_transport_options=_transport_options(settings.ENVIRONMENT.queue_url),
        timezone="UTC",
    )
    return app


def send(job_id: str, *, queue: str) -> None:
    """Put one job id into a queue of the broker. Raises one of UNREACHABLE."""
    application().send_task(RING, args=[job_id], queue=QUEUE_PREFIX + queue, retry=False)


def check() -> None:
    """Raise one of UNREACHABLE, or what the broker answers, unless it can be reached now."""
    with application().connection_for_write(connect_timeout=CONNECT_TIMEOUT_S) as connection:
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
