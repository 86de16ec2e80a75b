"""Send mail: short ones in the background of a request, and others by a worker that waits for the answer.

In the background, how long an answer takes does not say whether a mail was sent; one that is lost, with
the process or because the server refuses it, can be asked for again.
"""

import logging
import smtplib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from email.utils import parseaddr, quote
from typing import NoReturn

from django.conf import settings
from django.core.mail import EmailMessage, get_connection, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection
from django.urls import reverse
from django.utils.translation import gettext as _

from callscope.accounts.mail_html import write_html
from callscope.accounts.organization import read_shown
from callscope.messages.message import Message, MessageError

MOST_WAIT_S = 3.0  # for the mail server, by who wants to know at once
MAX_WAITING = 100  # mails in each process; a flood must not fill the memory

_sender = ThreadPoolExecutor(1, thread_name_prefix="mail")
_places = threading.BoundedSemaphore(MAX_WAITING)
_log = logging.getLogger(__name__)


class MailServerDown(MessageError):
    """The mail server cannot be reached or takes no mail now: the mail was not sent, try again later."""


class MailRefused(Exception):
    """The mail server takes this mail neither now nor later."""


class MailUnsure(Exception):
    """The connection broke after the mail was handed over: it may have been sent."""


def is_mail_set_up() -> bool:
    """True if this server can send mail (CALLSCOPE_EMAIL_URL)."""
    return bool(settings.ENVIRONMENT.email_url)


def build_link(page: str, *parts: str) -> str:
    """Return the address of a page as people outside reach it, not by what a request claims of its host."""
    return settings.ENVIRONMENT.public_url + reverse(page, args=parts)


def send_later(
    subject: str,
    text: str,
    *,
    to: str,
    button: str,
    keep_outcome: Callable[[bool], object] | None = None,
) -> None:
    """Send a mail soon, as text and as HTML in the active language; the log says when that failed.

    `button` says what the first link of the text opens. `keep_outcome` learns, mostly in another thread,
    whether the mail server took the mail.
    """
    if not _places.acquire(blocking=False):
        _log.error("A mail was dropped: %s are waiting to be sent.", MAX_WAITING)
        if keep_outcome is not None:
            keep_outcome(False)
        return
    # Signs within a name may end a line for the library that writes the header.
    mail = (" ".join(subject.split()), *sign(text, button=button), name_sender(), to)
    _sender.submit(_send_and_keep, mail, keep_outcome)


def send_and_wait(subject: str, text: str, *, to: str, button: str) -> bool | None:
    """Send a mail as `send_later` does; return whether the mail server took it, None if it is slow to say.

    Only for whom the time that it takes tells nothing that they may not know.
    """
    outcome: Future[bool] = Future()
    send_later(subject, text, to=to, button=button, keep_outcome=outcome.set_result)
    try:
        return outcome.result(timeout=MOST_WAIT_S)
    except TimeoutError:
        return None


def sign(text: str, *, button: str) -> tuple[str, str]:
    """Return a mail as text and HTML in the active language, by the organization, with Callscope below."""
    shown = read_shown()
    if not shown.name:
        return text, write_html(text, heading=shown.title, button=button)
    small_print = _("Sent with Callscope")
    signed = f"{text.rstrip()}\n\n-- \n{small_print}\n"
    return signed, write_html(text, heading=shown.title, button=button, small_print=small_print)


def name_sender() -> str:
    """Return the sender of mails: the address of the settings, named by them or else by the organization."""
    name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    organization = read_shown().name
    if name or not organization:
        return settings.DEFAULT_FROM_EMAIL
    return f'"{quote(organization)}" <{address}>'


def wait_until_sent() -> None:
    """Return once every mail so far was sent or has failed."""
    _sender.submit(lambda: None).result()


@contextmanager
def connect() -> Iterator[BaseEmailBackend]:
    """Open a connection to the mail server, for `hand_over`. Raises MailServerDown."""
    if not is_mail_set_up():  # whatever listens on this machine is not the server of the settings
        raise MailServerDown(Message("mail_server_down", cause="CALLSCOPE_EMAIL_URL is not set"))
    server = get_connection()
    try:
        server.open()
    except (OSError, smtplib.SMTPException) as error:
        raise MailServerDown(Message("mail_server_down", cause=type(error).__name__)) from None
    try:
        yield server
    finally:
        try:
            server.close()
        except (OSError, smtplib.SMTPException) as error:
            _log.info("The mail server did not say goodbye: %s.", type(error).__name__)


def hand_over(server: BaseEmailBackend, message: EmailMessage) -> None:
    """Send a mail to one person. Raises MailServerDown, MailRefused or MailUnsure."""
    try:
        server.send_messages([message])
    except smtplib.SMTPRecipientsRefused as error:
        _raise_refusal(next(iter(error.recipients.values()))[0])
    except smtplib.SMTPResponseException as error:
        _raise_refusal(error.smtp_code)
    except (OSError, smtplib.SMTPException) as error:
        raise MailUnsure(type(error).__name__) from None


def _raise_refusal(code: int) -> NoReturn:
    if 400 <= code < 500:
        raise MailServerDown(Message("mail_server_down", cause=str(code)))
    raise MailRefused(str(code))


def _send_and_keep(
    mail: tuple[str, str, str, str, str], keep_outcome: Callable[[bool], object] | None
) -> None:
    is_sent = _send(*mail)
    if keep_outcome is None:
        return
    try:
        keep_outcome(is_sent)
    except Exception as error:
        _log.error("What became of a mail could not be kept: %s.", type(error).__name__)
    finally:
        connection.close()  # of the thread that sends, which may have nothing to do for long


def _send(subject: str, text: str, html: str, sender: str, to: str) -> bool:
    """Send a mail; return whether the mail server took it."""
    try:
        return bool(send_mail(subject, text, sender, [to], html_message=html))
    except Exception as error:
        # What a server answers may repeat the address.
        _log.error("A mail could not be sent: %s.", type(error).__name__)
        return False
    finally:
        _places.release()
