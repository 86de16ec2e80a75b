"""Send mail in the background, so that how long an answer takes does not say whether one was sent.

A mail that is lost, with the process or because the server refuses it, can be asked for again.
"""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse

MAX_WAITING = 100  # mails in each process; a flood must not fill the memory

_sender = ThreadPoolExecutor(1, thread_name_prefix="mail")
_places = threading.BoundedSemaphore(MAX_WAITING)
_log = logging.getLogger(__name__)


def is_mail_set_up() -> bool:
    """True if this server can send mail (CALLSCOPE_EMAIL_URL)."""
    return bool(settings.ENVIRONMENT.email_url)


def build_link(page: str, *parts: str) -> str:
    """Return the address of a page as people outside reach it, not by what a request claims of its host."""
    return settings.ENVIRONMENT.public_url + reverse(page, args=parts)


def send_later(subject: str, text: str, *, to: str) -> None:
    """Send a mail soon; the log says when that failed."""
    if not _places.acquire(blocking=False):
        _log.error("A mail was dropped: %s are waiting to be sent.", MAX_WAITING)
        return
    _sender.submit(_send, subject, text, to)


def wait_until_sent() -> None:
    """Return once every mail so far was sent or has failed."""
    _sender.submit(lambda: None).result()


def _send(subject: str, text: str, to: str) -> None:
    try:
        send_mail(subject, text, None, [to])
    except Exception as error:
        # What a server answers may repeat the address.
        _log.error("A mail could not be sent: %s.", type(error).__name__)
    finally:
        _places.release()
