"""A judged call, made once for all tests of a file."""

import copy

import pytest

from callscope.accounts.models import User
from callscope.projects.models import Project
from tests.api.conftest import client_of
from tests.api.review_samples import judge_call
from tests.conftest import copy_recordings


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A judged call in a project of Alice's."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        return project, judge_call(client_of(alice), project)


@pytest.fixture
def project(made, db, recordings_of_module):
    copy_recordings(recordings_of_module)
    return copy.deepcopy(made[0])


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def call_id(made, project):
    return made[1]
