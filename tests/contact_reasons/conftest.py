"""Calls of three matters, grouped into contact reasons."""

import pytest

from tests.contact_reasons.test_grouping import BILLS, PASSWORDS, SHIPPING, add_call, regroup


@pytest.fixture
def grouped(project):
    """Return the calls by their matter."""
    calls = {
        name: [add_call(project, topic) for topic in topics]
        for name, topics in {"bills": BILLS, "passwords": PASSWORDS, "shipping": SHIPPING}.items()
    }
    regroup(project)
    return calls
