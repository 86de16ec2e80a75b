"""Callers of the API: everybody of the cast with a key of their own."""

import copy

import pytest
from rest_framework.test import APIClient


class CopiedClient(APIClient):
    """A client whose copy sends the same key and cookies, and shares nothing with it."""

    def __deepcopy__(self, memo):
        fresh = CopiedClient(enforce_csrf_checks=True)
        fresh.defaults = dict(self.defaults)
        fresh.credentials(**self._credentials)
        fresh.cookies = copy.deepcopy(self.cookies, memo)
        return fresh


def client_of(user, **options):
    """Return a client that sends a fresh key of this user; no CSRF exemption is made."""
    from callscope.accounts.models import ApiKey

    _, plaintext = ApiKey.objects.create_key(name="tests", user=user)
    client = CopiedClient(enforce_csrf_checks=True, **options)
    client.credentials(HTTP_AUTHORIZATION=f"Api-Key {plaintext}")
    return client


@pytest.fixture
def anonymous():
    return APIClient(enforce_csrf_checks=True)


@pytest.fixture
def as_alice(alice):
    return client_of(alice)


@pytest.fixture
def as_bob(bob):
    return client_of(bob)


@pytest.fixture
def as_carol(carol):
    return client_of(carol)


@pytest.fixture
def bob_views(project, bob):
    """Alice's project, shared with Bob as viewer."""
    from callscope.projects.models import ProjectShare

    return ProjectShare.objects.create(project=project, user=bob, role="viewer")


@pytest.fixture
def bob_edits(project, bob):
    """Alice's project, shared with Bob as editor."""
    from callscope.projects.models import ProjectShare

    return ProjectShare.objects.create(project=project, user=bob, role="editor")
