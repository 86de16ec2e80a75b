"""Send one report by mail: at least once for each date, and at most twice.

Before the mail goes to the server, its date is stored as handed over; what the server answers decides
whether that is taken back. Where no answer was stored, because the worker died or the connection broke, the
mail may be lost: the next attempt sends it once more, under the same Message-ID. Where that ends without an
answer as well, it is left at that, and the page says so. A report is about the latest date that is due: what
a server that was off for a month has missed is not sent one by one.
"""

import datetime as dt
import logging

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db import transaction
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import override

from callscope.accounts import audit, mail
from callscope.calls.private_words import engines_for_projects
from callscope.messages.message import Message
from callscope.pipeline.ledger import usage
from callscope.pipeline.models import Job, ReportMail
from callscope.pipeline.queue import jobs
from callscope.pipeline.report_mail import schedule, subscriptions
from callscope.reports.pdf.pdf import ReportDocument, build_report_pdf
from callscope.reports.window import Window, find_day_at_work
from callscope.reviews.reading import list_hidden

logger = logging.getLogger(__name__)


def send_report(job: Job, *, now: dt.datetime) -> None:
    """Send the mail of a claimed job, and end the job. Raises MailServerDown."""
    today = find_day_at_work(now)
    found = ReportMail.objects.select_related("user", "project").filter(pk=job.subject_id).first()
    if found is None or found.due_date > today:
        jobs.finish(job)
        return
    due = schedule.find_latest_due(found.rhythm, today)
    is_second = found.handed_over_for == due
    if is_second and found.problem == ReportMail.Problem.UNSURE:
        logger.warning("The report mail %s of %s may not have arrived; it was sent twice.", found.pk, due)
        _settle(job, found, today, problem=ReportMail.Problem.UNSURE)
        return
    if not subscriptions.may_receive(found):
        _drop(job, found)
        return
    with mail.connect():  # a server that is down is found before a language model is paid
        pass
    start, end = schedule.find_days(found.rhythm, due)
    document = build_report_pdf(
        [found.project],
        Window(start, end),
        language=found.language,
        generated_at=now,
        blinded=list_hidden(found.user).all,
        is_mailed=True,
    )
    if document.narrative.reply and document.model:
        usage.record_narrative(found.user, document.model.name, document.narrative.reply)
    message = write_message(found, start, end, document)
    with mail.connect() as server:
        if not begin_handing_over(job, found, due):
            _drop(job, found)
            return
        try:
            mail.hand_over(server, message)
        except mail.MailServerDown:
            # What happened to the one before stays unknown.
            before = due if is_second else None
            ReportMail.objects.filter(pk=found.pk, handed_over_for=due).update(
                handed_over_for=before, problem=""
            )
            raise
        except mail.MailRefused as error:
            logger.error("The mail server refuses report mail %s of %s: %s.", found.pk, due, error)
            _settle(job, found, today, problem=ReportMail.Problem.REFUSED)
        except mail.MailUnsure as error:
            if not is_second:
                logger.warning("Report mail %s of %s may not have arrived: %s.", found.pk, due, error)
                raise mail.MailServerDown(Message("mail_server_down", cause=str(error))) from None
            logger.error("Report mail %s of %s may not have arrived: %s.", found.pk, due, error)
            _settle(job, found, today, problem=ReportMail.Problem.UNSURE)
        else:
            _settle(job, found, today, sent_at=now)


def begin_handing_over(job: Job, subscription: ReportMail, due: dt.date) -> bool:
    """Store that the mail goes to the server; False where it was changed or may not go any more."""
    with transaction.atomic():
        jobs.hold(job)
        latest = ReportMail.objects.select_for_update().filter(pk=subscription.pk).first()
        if latest is None or latest.due_date != subscription.due_date:
            return False
        if not subscriptions.may_receive(latest):
            return False
        is_second = latest.handed_over_for == due
        latest.handed_over_for = due
        latest.problem = ReportMail.Problem.UNSURE if is_second else ""
        latest.save(update_fields=["handed_over_for", "problem"])
    return True


def _settle(
    job: Job,
    subscription: ReportMail,
    today: dt.date,
    *,
    sent_at: dt.datetime | None = None,
    problem: str = "",
) -> None:
    """End the job and wait for the next date."""
    with transaction.atomic():
        jobs.finish(job)
        latest = ReportMail.objects.select_for_update().filter(pk=subscription.pk).first()
        if latest is not None:
            latest.due_date = schedule.find_next_due(latest.rhythm, today)
            latest.handed_over_for, latest.problem = None, problem
            latest.sent_at = sent_at or latest.sent_at
            latest.save()
        audit.record(
            subscription.user,
            "report.mailed",
            f"project {subscription.project_id}",
            hosts=engines_for_projects(subscription.project).llm_hosts,
            problem=problem,
        )


def _drop(job: Job, subscription: ReportMail) -> None:
    """End the job without a mail, and the subscription of somebody who lost the access."""
    with transaction.atomic():
        jobs.finish(job)
        latest = ReportMail.objects.select_for_update().filter(pk=subscription.pk).first()
        if latest is not None and not subscriptions.may_receive(latest):
            subscriptions.end(latest, by=None)


def write_message(
    subscription: ReportMail, start: dt.date, end: dt.date, document: ReportDocument
) -> EmailMessage:
    here = mail.build_link("web:report")
    report_link = f"{here}?project_id={subscription.project_id}&start_date={start}&end_date={end}"
    settings_link = mail.build_link("web:report-mails")
    with override(subscription.language):
        names = {
            "project": " ".join(subscription.project.name.split()),
            "start": date_format(start, _("M j, Y")),
            "end": date_format(end, _("M j, Y")),
            "opening": document.opening,
            "report": report_link,
            "settings": settings_link,
        }
        subject = _("Report of %(project)s, %(start)s – %(end)s") % names
        text = (
            _(
                "The report of %(project)s from %(start)s to %(end)s is attached.\n\n%(opening)s\n\n"
                "Open it with the calls behind each figure:\n%(report)s\n\n"
                "You subscribed to this mail. Unsubscribe or change it here:\n%(settings)s\n"
            )
            % names
        )
        text, html = mail.sign(text, button=_("Open the report"))
    # The same for each attempt, so that a mail server or program that gets two shows one.
    host = here.split("/")[2].split(":")[0]
    headers = {
        "Message-ID": f"<report-{subscription.pk}-{start}-{end}@{host}>",
        "List-Unsubscribe": f"<{settings_link}>",
        "Auto-Submitted": "auto-generated",
    }
    sender, recipients = mail.name_sender(), [subscription.user.email]
    message = EmailMultiAlternatives(subject, text, sender, recipients, headers=headers)
    message.attach_alternative(html, "text/html")
    message.attach(document.file_name, document.content, "application/pdf")
    return message
