"""Calls that could not be analyzed are counted above the list as they are in the report."""

import pytest
from django.utils import timezone

from callscope.accounts.models import User
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import AgentUser, Call, UploadedFile
from callscope.projects.models import ProjectShare
from callscope.projects.services import create_project
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import accept
from tests.web.conftest import CONFIGURATION, page, visitor_of

pytestmark = pytest.mark.django_db
ONE = "1 call could not be analyzed, or only in part."
RETRY = "Retry the file that can succeed"


@pytest.fixture
def failed(project, world):
    """One more call, of which nothing could be analyzed: it is in no list."""
    return accept_in_vain(project)


def accept_in_vain(project):
    """Accept a file whose analyses fail; return its call."""
    file = accept(project)
    UploadedFile.objects.filter(pk=file.pk).update(status=UploadedFile.Status.TRANSCRIBED)
    Transcript.objects.create(file=file, project=project, segments=[], engine="subtitles")
    CallAnalysis.objects.filter(file=file).update(
        copc_state=AnalysisState.FAILED, insights_state=AnalysisState.FAILED
    )
    return file.call


def shown(visitor, path):
    return visitor.get(path).content.decode()


@pytest.mark.parametrize("path", ["/calls/", "/report/"])
class TestOneProject:
    def test_leads_to_them_and_retries_them(self, as_alice, project, failed, path):
        text = shown(as_alice, f"{path}?project_id={project.pk}")

        assert ONE in text
        assert f'href="/projects/{project.pk}/files/?state=failed"' in text
        assert f'action="/projects/{project.pk}/retry-failed/"' in text
        assert RETRY in text

    def test_offers_no_retry_where_none_can_succeed(self, as_alice, project, failed, path):
        Transcript.objects.all().delete()

        text = shown(as_alice, f"{path}?project_id={project.pk}")

        assert ONE in text
        assert "retry-failed" not in text

    def test_offers_no_retry_to_those_who_only_read(self, bob, project, failed, path):
        ProjectShare.objects.create(project=project, user=bob, role=ProjectShare.Role.VIEWER)

        text = shown(visitor_of(bob), f"{path}?project_id={project.pk}")

        assert ONE in text
        assert RETRY not in text

    def test_keeps_to_the_period(self, as_alice, project, failed, path):
        query = f"?project_id={project.pk}&start_date=2026-03-01&end_date=2026-03-03"

        text = shown(as_alice, f"{path}{query}").partition("<main")[2]  # the navigation counts all days

        assert "could not be analyzed" not in text

    def test_says_nothing_where_none_failed(self, as_alice, project, world, path):
        assert "could not be analyzed" not in shown(as_alice, f"{path}?project_id={project.pk}")

    def test_names_each_project_of_several(self, as_alice, alice, project, failed, path):
        create_project(alice, "Another line", document=CONFIGURATION)

        text = shown(as_alice, f"{path}?project_id=")

        assert ONE in text
        assert f'href="/projects/{project.pk}/files/?state=failed">Service line (1)</a>' in " ".join(
            text.split()
        )
        assert RETRY not in text

    def test_counts_only_own_calls_for_an_agent(self, project, world, failed, path):
        user = User.objects.create_user("ben@example.com", "a long password 1")
        agent = Call.objects.get(file_name="call-2.wav").agent
        AgentUser.objects.create(project=project, agent=agent, email=user.email, created_at=timezone.now())
        visitor = visitor_of(user)
        assert "could not be analyzed" not in shown(visitor, path)

        Call.objects.filter(pk=failed.pk).update(agent=agent, agent_source="api")

        text = shown(visitor, path)
        assert ONE in text
        assert "state=failed" not in text
        assert RETRY not in text


def test_an_empty_list_says_so_too(as_alice, project):
    accept_in_vain(project)

    found = page(as_alice.get(f"/calls/?project_id={project.pk}"))

    assert ONE in " ".join(found.texts)
    assert "No analyzed calls yet" in " ".join(found.texts)
