"""A second project of the same owner: lists merge projects."""

import pytest


@pytest.fixture
def other_project(alice):
    from callscope.projects.models import Project

    return Project.objects.create(name="Another line", owner=alice)
