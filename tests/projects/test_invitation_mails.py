"""What became of the mail of an invitation, as the thread that sends mails keeps it."""

import dataclasses

import pytest
from django.db import IntegrityError

from callscope.accounts import mail
from callscope.projects import invitations
from callscope.projects.models import Invitation
from callscope.projects.services import create_project


@pytest.fixture
def invitation(settings, alice):
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT, email_url="smtp://localhost", public_url="https://calls.example.com"
    )

    def send():
        project = create_project(alice, "Service line", document={})
        sent = invitations.send("new@example.com", "viewer", project=project, by=alice)
        mail.wait_until_sent()
        return Invitation.objects.get(pk=sent.invitation.pk)

    return send


@pytest.mark.django_db(transaction=True)
class TestTheMail:
    def test_that_a_server_took_is_sent(self, invitation):
        assert invitation().mail_state == "sent"

    def test_that_no_server_took_has_failed(self, invitation, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1  # nobody listens there

        assert invitation().mail_state == "failed"

    def test_that_is_one_too_many_in_the_process_has_failed(self, invitation, monkeypatch):
        monkeypatch.setattr(mail._places, "acquire", lambda blocking: False)

        assert invitation().mail_state == "failed"


@pytest.mark.django_db
def test_the_database_refuses_other_states(alice):
    project = create_project(alice, "Service line", document={})
    sent, _ = invitations.invite("new@example.com", "viewer", project=project, by=alice)

    with pytest.raises(IntegrityError):
        Invitation.objects.filter(pk=sent.pk).update(mail_state="lost")
