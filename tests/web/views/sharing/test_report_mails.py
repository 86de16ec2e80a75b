"""The page on which people ask for reports by mail."""

import dataclasses
import datetime as dt

import pytest
from django.utils import timezone

from callscope.calls.models import Agent, AgentUser
from callscope.pipeline.models import Job, ReportMail
from callscope.projects.models import Project
from callscope.projects.services import share_project, unshare_project
from tests.web.conftest import page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

HERE = "/report/mails/"


@pytest.fixture(autouse=True)
def mail_server(settings):
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT, email_url="smtp://localhost", public_url="https://calls.example.com"
    )


class TestAsking:
    def test_is_for_oneself_and_lasts(self, as_alice, alice, project):
        form = {"project_id": project.pk, "rhythm": "monthly"}

        before = page(as_alice.get(HERE)).text
        answer = page(as_alice.post(HERE, form, follow=True))

        assert "Subscribe to a project again" not in before
        assert "Subscribe to a project again" in answer.text
        found = ReportMail.objects.get()
        assert (found.user, found.project, found.rhythm, found.language) == (alice, project, "monthly", "en")
        assert "On the first of the month, about the previous month" in answer.text
        assert "alice@example.com" in answer.text

    def test_stores_the_language_of_the_pages(self, as_alice, project, settings):
        as_alice.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"

        as_alice.post(HERE, {"project_id": project.pk, "rhythm": "weekly"})

        assert ReportMail.objects.get().language == "es"

    @pytest.mark.parametrize(
        "form",
        [{}, {"rhythm": "daily"}, {"project_id": "x"}, {"project_id": "9" * 30}, {"project_id": "1\x00"}],
    )
    def test_refuses_what_cannot_be(self, as_alice, project, form):
        given = {"project_id": project.pk, "rhythm": "weekly", **form} if form else {}

        assert as_alice.post(HERE, given).status_code == 400
        assert not ReportMail.objects.exists()

    def test_offers_projects_in_sight_alone(self, as_carol, carol, project):
        agent = Agent.objects.create(owner=project.owner, name="Ana", name_key="ana")
        AgentUser.objects.create(created_at=timezone.now(), project=project, email=carol.email, agent=agent)
        Project.objects.create(name="General", owner=carol, type="general")

        assert project.name not in page(as_carol.get(HERE)).text
        assert as_carol.post(HERE, {"project_id": project.pk, "rhythm": "weekly"}).status_code == 400

    def test_needs_a_mail_server(self, as_alice, project, settings):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, email_url="")

        assert "CALLSCOPE_EMAIL_URL" in page(as_alice.get(HERE)).text
        assert as_alice.post(HERE, {"project_id": project.pk, "rhythm": "weekly"}).status_code == 400


class TestSendingNow:
    def test_says_when_a_mail_that_the_server_did_not_take_is_tried_again(self, as_alice, project):
        as_alice.post(HERE, {"project_id": project.pk, "rhythm": "weekly"})
        as_alice.post(f"{HERE}{ReportMail.objects.get().pk}/send/")
        assert "being sent" in page(as_alice.get(HERE)).text
        later = timezone.now().replace(year=2031, month=5, day=6, hour=7, minute=8)

        Job.objects.filter(kind=Job.Kind.MAIL).update(attempts=1, error="down", run_after=later)

        text = page(as_alice.get(HERE)).text
        assert "The mail server did not take it; next attempt: May 6, 2031 07:08" in text
        assert "being sent" not in text

    def test_makes_the_mail_of_the_latest_week_due(self, as_alice, alice, project):
        as_alice.post(HERE, {"project_id": project.pk, "rhythm": "weekly"})
        mail = ReportMail.objects.get()
        coming = mail.due_date

        answer = page(as_alice.post(f"{HERE}{mail.pk}/send/", follow=True))

        mail.refresh_from_db()
        assert f"The report of {project.name} is on its way to alice@example.com." in answer.text
        assert "being sent" in answer.text
        assert mail.due_date == coming - dt.timedelta(days=7)
        assert Job.objects.get(kind=Job.Kind.MAIL).subject_id == mail.pk

    def test_is_for_own_mails_alone_and_needs_a_mail_server(self, as_alice, as_carol, project, settings):
        as_alice.post(HERE, {"project_id": project.pk, "rhythm": "weekly"})
        address = f"{HERE}{ReportMail.objects.get().pk}/send/"

        as_carol.post(address)
        as_carol.post(f"{HERE}{'9' * 30}/send/")
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, email_url="")
        as_alice.post(address)

        assert not Job.objects.filter(kind=Job.Kind.MAIL).exists()
        assert as_alice.get(address).status_code == 405

    def test_has_a_limit_that_subscribing_again_does_not_lift(self, as_alice, project):
        for _ in range(5):
            as_alice.post(HERE, {"project_id": project.pk, "rhythm": "weekly"})
            mail = ReportMail.objects.get()
            answer = page(as_alice.post(f"{HERE}{mail.pk}/send/", follow=True))
            assert "is on its way to" in answer.text
            as_alice.post(f"{HERE}{mail.pk}/end/")
        Job.objects.all().delete()
        as_alice.post(HERE, {"project_id": project.pk, "rhythm": "weekly"})

        answer = page(as_alice.post(f"{HERE}{ReportMail.objects.get().pk}/send/", follow=True))

        assert "alice@example.com has had several mails already." in answer.text
        assert not Job.objects.exists()

    def test_says_nothing_of_a_project_that_is_out_of_sight(self, as_carol, alice, carol, project):
        share_project(project, carol, by=alice)
        as_carol.post(HERE, {"project_id": project.pk, "rhythm": "weekly"})
        unshare_project(project, carol, by=alice)
        Project.objects.filter(pk=project.pk).update(name="Merger with Initech")

        answer = page(as_carol.post(f"{HERE}{ReportMail.objects.get().pk}/send/", follow=True))

        assert "Merger" not in answer.text
        assert not Job.objects.exists()


class TestEnding:
    def test_is_for_own_mails_alone(self, as_alice, as_carol, project):
        as_alice.post(HERE, {"project_id": project.pk, "rhythm": "weekly"})
        end = f"{HERE}{ReportMail.objects.get().pk}/end/"

        assert "You were not subscribed to this mail." in page(as_carol.post(end, follow=True)).text
        assert ReportMail.objects.exists()
        assert as_alice.get(end).status_code == 405
        assert "You will no longer get this mail." in page(as_alice.post(end, follow=True)).text
        assert not ReportMail.objects.exists()
        assert as_alice.post(f"{HERE}{'9' * 30}/end/").status_code == 302
