"""Who gets the report of which project by mail. A mail is for the person who asked for it.

It needs the same right as the page of the report; the user of an agent, who sees own calls alone, gets none.
"""

import datetime as dt
from collections.abc import Collection

from callscope.accounts import audit, mail
from callscope.accounts.models import User
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.models import Job, ReportMail
from callscope.pipeline.queue import jobs
from callscope.pipeline.report_mail.schedule import find_latest_due, find_next_due
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reports.window import find_day_at_work


def list_mails(user: User) -> list[ReportMail]:
    """Return what a person gets of the projects in sight, by the name of the project."""
    found = ReportMail.objects.filter(user=user, project__in=permissions.visible_to(user))
    return sorted(found.select_related("project"), key=lambda each: (each.project.name.casefold(), each.pk))


def find_retries(mails: Collection[ReportMail]) -> dict[int, dt.datetime]:
    """Return when those of the mails are tried again that the mail server did not take."""
    queued = Job.objects.filter(kind=Job.Kind.MAIL, state=Job.State.QUEUED).exclude(error="")
    return dict(
        queued.filter(subject_id__in=[each.pk for each in mails]).values_list("subject_id", "run_after")
    )


def subscribe(user: User, project: Project, rhythm: str, *, language: str, now: dt.datetime) -> ReportMail:
    """Send the person, who sees the project, its report from the next due date on, in this rhythm alone."""

    def write() -> ReportMail:
        written, _is_new = ReportMail.objects.update_or_create(
            user=user,
            project=project,
            defaults={
                "rhythm": rhythm,
                "language": language,
                "due_date": find_next_due(rhythm, find_day_at_work(now)),
                "problem": "",
            },
        )
        audit.record(user, "report_mail.started", f"project {project.pk}", rhythm=rhythm)
        return written

    return run_in_transaction(write)


def send_now(user: User, mail_id: int, *, now: dt.datetime) -> ReportMail | None:
    """Make a mail of the user due, about the latest period that is over.

    None for one that does not exist, or whose project the user does not see any more. The next one comes
    at its usual date.
    """

    def write() -> ReportMail | None:
        own = ReportMail.objects.filter(user=user, project__in=permissions.visible_to(user))
        found = (
            ReportMail.objects.select_for_update().filter(pk__in=own.filter(pk=mail_id).values("pk")).first()
        )
        if found is not None:
            found.due_date = find_latest_due(found.rhythm, find_day_at_work(now))
            found.problem = ""
            found.save(update_fields=["due_date", "problem"])
        return found

    found = run_in_transaction(write)
    if found is not None:
        _enqueue(found)
    return found


def unsubscribe(user: User, mail_id: int) -> bool:
    """Send no more of one's own mails; return False for one that does not exist."""

    def write() -> bool:
        found = ReportMail.objects.select_for_update().filter(user=user, pk=mail_id).first()
        if found is not None:
            end(found, by=user)
        return found is not None

    return run_in_transaction(write)


def end(subscription: ReportMail, *, by: User | None) -> None:
    """Delete a subscription, in a transaction; without `by` because its person lost the access."""
    subscription.delete()
    audit.record(by, "report_mail.ended", f"project {subscription.project_id}", user=subscription.user_id)


def may_receive(subscription: ReportMail) -> bool:
    """Return whether the person is active and sees the project today."""
    user = subscription.user
    return user.is_active and permissions.get_role(user, subscription.project) is not None


def enqueue_due_mails(*, now: dt.datetime) -> int:
    """Enqueue every mail that is due and not in the making; return how many. None where no mail is set up.

    One that could not be sent is due still, so the next search tries it again.
    """
    if not mail.is_mail_set_up():
        return 0
    due = ReportMail.objects.filter(due_date__lte=find_day_at_work(now)).select_related("project")
    return sum(map(_enqueue, due))


def _enqueue(due: ReportMail) -> bool:
    """Enqueue a mail; return False where that is done already."""
    tries = Job.objects.filter(kind=Job.Kind.MAIL, subject_id=due.pk)
    if tries.filter(state__in=jobs.OPEN_STATES).exists():
        return False
    tries.delete()
    run_in_transaction(lambda: jobs.enqueue(Job.Kind.MAIL, due.project, due.pk))
    return True
