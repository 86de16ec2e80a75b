"""Calls of three matters, grouped into contact reasons."""

import copy

import pytest

from callscope.accounts.models import User
from callscope.projects.models import Project
from tests.contact_reasons.test_grouping import BILLS, PASSWORDS, SHIPPING, add_call, regroup


@pytest.fixture
def grouped(project):
    """Return the calls by their matter."""
    return group_calls(project)


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A project of Alice's, and its calls by their matter, for files in which each test begins with them."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        return project, group_calls(project)


@pytest.fixture
def shared(made, db):
    return copy.deepcopy(made)


def group_calls(project):
    calls = {
        name: [add_call(project, topic) for topic in topics]
        for name, topics in {"bills": BILLS, "passwords": PASSWORDS, "shipping": SHIPPING}.items()
    }
    regroup(project)
    return calls
