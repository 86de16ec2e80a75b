"""Reports by mail: once for each date, to people with access alone, again only where one surely failed."""

import dataclasses
import datetime as dt
import smtplib
from types import SimpleNamespace

import pytest
from django.core import mail as outbox
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone

from callscope.accounts import organization
from callscope.accounts.models import AuditEvent
from callscope.calls.models import Agent, AgentUser
from callscope.pipeline.erasure.users import erase_user
from callscope.pipeline.models import Job, ReportMail
from callscope.pipeline.queue import jobs
from callscope.pipeline.report_mail import sending, subscriptions
from callscope.pipeline.workers.stages import run_stage
from callscope.pipeline.workers.worker import claim_and_start
from callscope.projects.services import share_project, unshare_project
from callscope.reports.window import server_zone
from tests.web.conftest import bring, line

pytestmark = pytest.mark.django_db

SUNDAY, MONDAY = (dt.datetime(2026, 3, day, 8, tzinfo=server_zone()) for day in (1, 2))
WEEK = dt.timedelta(days=7)


class Server(EmailBackend):
    """A mail server that fails as a test says."""

    on_open: Exception | None = None
    on_send: Exception | None = None

    def open(self):
        if Server.on_open:
            raise Server.on_open

    def send_messages(self, messages):
        if Server.on_send:
            raise Server.on_send
        return super().send_messages(messages)


@pytest.fixture(autouse=True)
def server(settings, monkeypatch):
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT, email_url="smtp://localhost", public_url="https://calls.example.com"
    )
    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend", Server)
    monkeypatch.setattr(Server, "on_open", None)
    monkeypatch.setattr(Server, "on_send", None)
    return Server


@pytest.fixture
def printed(monkeypatch):
    """Print no PDF; return what was asked for."""
    asked = []

    def build(projects, window, **options):
        asked.append((projects, window, options["language"]))
        return SimpleNamespace(
            content=b"%PDF",
            file_name="report.pdf",
            narrative=SimpleNamespace(reply=None),
            model=None,
            opening="This period has 3 calls.",
        )

    monkeypatch.setattr(sending, "build_report_pdf", build)
    return asked


@pytest.fixture
def weekly(alice, project):
    return subscriptions.subscribe(alice, project, "weekly", language="en", now=SUNDAY)


def work(now, monkeypatch=None):
    """Enqueue what is due at a moment and run it once; return how many were enqueued, and the latest job."""
    enqueued = subscriptions.enqueue_due_mails(now=now)
    job = claim_and_start()
    if job is not None:
        try:
            sending.send_report(job, now=now)
        except Exception as error:
            return enqueued, error
    return enqueued, job


class TestAReport:
    def test_goes_to_its_person_with_the_week_before_as_pdf(self, weekly, alice, project):
        assert work(SUNDAY) == (0, None)

        work(MONDAY)

        [sent] = outbox.outbox
        assert sent.to == [alice.email]
        assert sent.subject == f"Report of {project.name}, Feb 23, 2026 – Mar 1, 2026"
        link = f"https://calls.example.com/report/?project_id={project.pk}&start_date=2026-02-23&end_date=2026-03-01"
        assert link in sent.body
        assert link.replace("&", "&amp;") in sent.alternatives[0][0]
        assert "https://calls.example.com/report/mails/" in sent.body
        name, content, kind = sent.attachments[0]
        assert (kind, content[:5]) == ("application/pdf", b"%PDF-")
        assert name.endswith("2026-02-23-to-2026-03-01.pdf")
        event = AuditEvent.objects.get(action="report.mailed")
        assert (event.actor_id, event.subject) == (alice.pk, f"project {project.pk}")

    def test_says_in_its_text_what_the_figures_come_to(self, weekly, project):
        bring(project, *(line(day, call_datetime=f"2026-02-{22 + day}T10:00:00+00:00") for day in (1, 2)))

        work(MONDAY)

        [sent] = outbox.outbox
        said = (
            "This period has 2 calls (0.0 hours). The average score of 2 scored calls is 100.0\u00a0%; "
            "100.0\u00a0% of all possible points were earned."
        )
        assert said in sent.body
        assert said in sent.alternatives[0][0]

    def test_is_from_the_organization_where_it_has_a_name(self, weekly, printed):
        organization.set_name("Union")

        work(MONDAY)

        [sent] = outbox.outbox
        assert sent.from_email.startswith('"Union" <')
        assert sent.body.endswith("-- \nSent with Callscope\n")
        html = sent.alternatives[0][0]
        assert html.index("Union</p>") < html.index("Sent with Callscope")

    def test_is_sent_once_for_each_date(self, weekly, printed):
        for now in (MONDAY, MONDAY, MONDAY + WEEK / 2, MONDAY + WEEK, MONDAY + WEEK):
            work(now)

        assert len(outbox.outbox) == 2
        assert len({sent.extra_headers["Message-ID"] for sent in outbox.outbox}) == 2
        weekly.refresh_from_db()
        assert weekly.due_date == dt.date(2026, 3, 16)

    def test_goes_at_once_when_asked_for_and_then_at_its_date(self, weekly, alice, printed):
        work(SUNDAY)
        subscriptions.send_now(alice, weekly.pk, now=SUNDAY)
        subscriptions.send_now(alice, weekly.pk, now=SUNDAY)  # two clicks, one mail
        for now in (SUNDAY, MONDAY, MONDAY + WEEK):
            work(now)

        starts = [window.start.isoformat() for _projects, window, _language in printed]
        assert starts == ["2026-02-16", "2026-02-23", "2026-03-02"]
        assert len(outbox.outbox) == 3

    def test_that_was_missed_for_weeks_is_sent_for_the_latest_alone(self, weekly, printed):
        work(MONDAY + 4 * WEEK)

        assert len(outbox.outbox) == 1
        assert printed[0][1].end == dt.date(2026, 3, 29)

    def test_speaks_the_language_in_which_it_was_asked_for(self, alice, project, printed):
        subscriptions.subscribe(alice, project, "monthly", language="es", now=SUNDAY)

        work(MONDAY + 5 * WEEK)

        assert "Informe de" in outbox.outbox[0].subject
        assert printed[0][2] == "es"

    def test_asked_for_again_changes_its_rhythm(self, weekly, alice, project):
        subscriptions.subscribe(alice, project, "monthly", language="en", now=SUNDAY)

        found = ReportMail.objects.get()
        assert (found.rhythm, found.due_date) == ("monthly", dt.date(2026, 4, 1))

    def test_waits_for_nothing_where_no_mail_is_set_up(self, weekly, settings):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, email_url="")

        assert subscriptions.enqueue_due_mails(now=MONDAY) == 0

    def test_goes_from_no_worker_that_has_no_mail_server(self, weekly, printed, settings):
        subscriptions.enqueue_due_mails(now=MONDAY)
        job = claim_and_start()
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, email_url="", public_url="")

        run_stage(job)

        job.refresh_from_db()
        assert (job.state, outbox.outbox, printed) == (Job.State.QUEUED, [], [])
        assert "CALLSCOPE_EMAIL_URL is not set" in job.error


class TestAMailServer:
    def test_that_is_down_is_tried_again_and_costs_no_report(self, weekly, printed, server):
        server.on_open = ConnectionRefusedError()
        subscriptions.enqueue_due_mails(now=MONDAY)
        job = claim_and_start()

        run_stage(job)  # by the clock of today, later than Monday

        job.refresh_from_db()
        assert (job.state, job.attempts) == ("queued", 1)
        assert job.error == "The mail server is not accepting mail right now (ConnectionRefusedError)."
        assert printed == []

    def test_that_was_down_for_all_attempts_is_tried_at_the_next_search(self, weekly, printed, server):
        server.on_open = TimeoutError()
        subscriptions.enqueue_due_mails(now=MONDAY)
        job = claim_and_start()
        jobs.fail(job, "It was down.")
        server.on_open = None

        assert work(MONDAY + dt.timedelta(hours=1))[0] == 1
        assert len(outbox.outbox) == 1
        assert Job.objects.get(kind=Job.Kind.MAIL).state == Job.State.DONE

    @pytest.mark.parametrize(
        "busy",
        [
            smtplib.SMTPDataError(451, b"later"),
            smtplib.SMTPRecipientsRefused({"alice@example.com": (450, b"greylisted")}),
        ],
    )
    def test_that_is_busy_gets_the_mail_later(self, weekly, printed, server, busy):
        server.on_send = busy
        assert isinstance(work(MONDAY)[1], sending.mail.MailServerDown)
        server.on_send = None
        Job.objects.all().delete()

        work(MONDAY)

        assert len(outbox.outbox) == 1

    def test_that_refuses_gets_no_second_copy(self, weekly, printed, server):
        server.on_send = smtplib.SMTPRecipientsRefused({"alice@example.com": (550, b"no such user")})
        work(MONDAY)
        server.on_send = None

        assert work(MONDAY) == (0, None)
        assert outbox.outbox == []
        weekly.refresh_from_db()
        assert (weekly.problem, weekly.due_date, weekly.sent_at) == ("refused", dt.date(2026, 3, 9), None)

    @pytest.mark.parametrize("answer", [smtplib.SMTPServerDisconnected("gone"), TimeoutError()])
    def test_that_goes_silent_gets_one_more_copy(self, weekly, printed, server, answer):
        server.on_send = answer
        assert isinstance(work(MONDAY)[1], sending.mail.MailServerDown)
        server.on_send = None
        Job.objects.all().delete()

        work(MONDAY)

        assert len(outbox.outbox) == 1
        weekly.refresh_from_db()
        assert (weekly.problem, weekly.due_date) == ("", dt.date(2026, 3, 9))

    @pytest.mark.parametrize("answer", [smtplib.SMTPServerDisconnected("gone"), TimeoutError()])
    def test_that_goes_silent_twice_gets_no_third_copy(self, weekly, printed, server, answer):
        server.on_send = answer
        work(MONDAY)
        Job.objects.all().delete()
        work(MONDAY)
        server.on_send = None

        assert work(MONDAY) == (0, None)
        assert outbox.outbox == []
        weekly.refresh_from_db()
        assert (weekly.problem, weekly.due_date, weekly.sent_at) == ("unsure", dt.date(2026, 3, 9), None)

    def test_gets_the_mail_of_a_worker_that_died_before_the_answer_was_stored(self, weekly, printed, server):
        self.die(server)

        work(MONDAY)

        [message] = outbox.outbox
        assert message.extra_headers["Message-ID"].startswith(f"<report-{weekly.pk}-2026-02-23-")
        weekly.refresh_from_db()
        assert (weekly.problem, weekly.due_date) == ("", dt.date(2026, 3, 9))

    def test_gets_no_third_copy_where_two_workers_died(self, weekly, printed, server):
        self.die(server)
        self.die(server)

        work(MONDAY)

        assert outbox.outbox == []
        weekly.refresh_from_db()
        assert (weekly.problem, weekly.due_date) == ("unsure", dt.date(2026, 3, 9))

    def die(self, server):
        server.on_send = SystemExit()
        with pytest.raises(SystemExit):
            work(MONDAY)
        server.on_send = None
        jobs.requeue_interrupted(Job.objects.get())


class TestAPerson:
    def test_who_lost_access_gets_none_and_is_forgotten(self, alice, bob, project, printed):
        share_project(project, bob, by=alice)
        subscriptions.subscribe(bob, project, "weekly", language="en", now=SUNDAY)
        unshare_project(project, bob, by=alice)

        work(MONDAY)

        assert (outbox.outbox, printed, ReportMail.objects.count()) == ([], [], 0)
        assert AuditEvent.objects.get(action="report_mail.ended").detail["user"] == bob.pk

    def test_who_loses_access_while_the_report_is_made_gets_none(
        self, alice, bob, project, printed, monkeypatch
    ):
        share_project(project, bob, by=alice)
        subscriptions.subscribe(bob, project, "weekly", language="en", now=SUNDAY)
        build = sending.build_report_pdf

        def build_slowly(*arguments, **options):
            unshare_project(project, bob, by=alice)
            return build(*arguments, **options)

        monkeypatch.setattr(sending, "build_report_pdf", build_slowly)
        work(MONDAY)

        assert (len(printed), outbox.outbox, ReportMail.objects.count()) == (1, [], 0)

    def test_who_was_deactivated_or_sees_own_calls_alone_gets_none(self, alice, bob, project, printed):
        agent = Agent.objects.create(owner=alice, name="Ana", name_key="ana")
        AgentUser.objects.create(created_at=timezone.now(), project=project, email=bob.email, agent=agent)
        for user in (alice, bob):
            subscriptions.subscribe(user, project, "weekly", language="en", now=SUNDAY)
        alice.is_active = False
        alice.save()

        for _ in range(2):
            work(MONDAY)

        assert (outbox.outbox, ReportMail.objects.count()) == ([], 0)

    def test_who_is_erased_leaves_none(self, weekly, alice, bob):
        erase_user(alice, move_projects_to=bob)

        assert ReportMail.objects.count() == 0

    def test_ends_own_mails_alone(self, weekly, alice, bob):
        assert not subscriptions.unsubscribe(bob, weekly.pk)
        assert subscriptions.unsubscribe(alice, weekly.pk)
        assert not subscriptions.unsubscribe(alice, weekly.pk)
