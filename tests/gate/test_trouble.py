"""What is answered while the database is locked or the disk is full: 503, and when to try again."""

import errno
import sqlite3

import pytest
from django.db import OperationalError
from django.test import Client

from callscope.accounts.services import create_key

pytestmark = pytest.mark.django_db


def locked():
    cause = sqlite3.OperationalError("database is locked")
    cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
    error = OperationalError("database is locked")
    error.__cause__ = cause
    return error


@pytest.fixture(params=["locked", "full"])
def trouble(request):
    return locked() if request.param == "locked" else OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def visitor(alice):
    return Client(raise_request_exception=False, headers={"Authorization": f"Api-Key {create_key(alice)[1]}"})


def test_the_api_says_so_in_json(visitor, trouble, monkeypatch):
    def fail(*_arguments, **_named):
        raise trouble

    monkeypatch.setattr("callscope.projects.permissions.visible_to", fail)

    answer = visitor.get("/api/projects/")

    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "Nothing was stored" in answer.json()["detail"]


def test_a_page_says_so(alice, trouble, monkeypatch):
    def fail(*_arguments, **_named):
        raise trouble

    monkeypatch.setattr("callscope.projects.permissions.visible_to", fail)
    visitor = Client(raise_request_exception=False)
    visitor.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")

    answer = visitor.get("/projects/")

    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "cannot store or read" in answer.content.decode()
    assert "<img" not in answer.content.decode()  # its sign has the colors of the theme


def test_before_a_view_is_reached_the_api_still_answers_in_json(alice, trouble, monkeypatch):
    """The session is read by a middleware."""

    def fail(*_arguments, **_named):
        raise trouble

    visitor = Client(raise_request_exception=False)
    visitor.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", fail)

    answer = visitor.get("/api/projects/")

    assert answer.status_code == 503
    assert "detail" in answer.json()
