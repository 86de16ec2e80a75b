"""Each test of these files begins with the calls and reasons that were made once for its file."""

import pytest


@pytest.fixture
def project(shared):
    return shared[0]


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def grouped(shared):
    return shared[1]
