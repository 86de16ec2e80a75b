"""Keys that only read, and keys that open one project: over every route."""

import copy

import pytest
from cast import Cast, make_cast
from rest_framework.test import APIClient

from callscope.accounts.models import ApiKey
from callscope.accounts.services import create_key
from callscope.projects.models import Project
from callscope.projects.services import create_project
from tests.api.test_matrix import MATRIX, address, ask, body_for, cases
from tests.conftest import copy_recordings

pytestmark = pytest.mark.django_db

READING = ("GET", "HEAD", "OPTIONS")
WRITING = ("POST", "PUT", "PATCH", "DELETE")


@pytest.fixture(scope="module")
def made(rows_of_module) -> Cast:
    with rows_of_module():
        return make_cast()


@pytest.fixture
def cast(made, db, recordings_of_module) -> Cast:
    copy_recordings(recordings_of_module)
    return copy.deepcopy(made)


@pytest.fixture
def owner(cast):
    return cast["owner"].user


def client_with(user, **scope) -> APIClient:
    _key, plaintext = create_key(user, name="scoped", **scope)
    client = APIClient(enforce_csrf_checks=True)
    client.credentials(HTTP_AUTHORIZATION=f"Api-Key {plaintext}")
    return client


class Asking:
    """What ask() needs of a caller."""

    def __init__(self, client):
        self.client = client


class TestAKeyThatReads:
    def test_reads_what_its_owner_reads_and_writes_nothing(self, cast, owner):
        reader, writer = Asking(client_with(owner, scope="read")), Asking(client_with(owner))
        wrong = []
        for route, rules, target, url in cases(cast):
            if target is not cast.own or "pdf" in route:
                continue
            for method in WRITING:
                response = ask(reader, method, url, body_for(route, method, target))
                if response.status_code != 403 or b"scope of this API key is read" not in response.read_bytes:
                    wrong.append((method, url, response.status_code))
            if "GET" in rules:
                answers = [ask(caller, "GET", url, {}).status_code for caller in (reader, writer)]
                if answers[0] != answers[1]:
                    wrong.append(("GET", url, answers))
        assert wrong == []


class TestAKeyOfOneProject:
    def test_finds_no_other_project_anywhere(self, cast, owner):
        """The owner's other project answers exactly as one that does not exist."""
        other = create_project(owner, "Other")
        asking = Asking(client_with(owner, project_id=other.pk))
        plain = Asking(client_with(owner))
        wrong = []
        for route, _rules, target, url in cases(cast):
            if "project" not in url.removeprefix("/api/projects/") and "<" not in route:
                continue
            if target is cast.own and "pdf" not in route:
                absent = address(route, cast.absent) + (url[url.index("?") :] if "?" in url else "")
                absent = absent.replace(str(cast.own.project), str(cast.absent.project))
                for method in MATRIX[route][next(iter(MATRIX[route]))]:
                    limited = ask(asking, method, url, body_for(route, method, target))
                    missing = ask(plain, method, absent, body_for(route, method, cast.absent))
                    if limited.status_code != missing.status_code or b"SECRET" in limited.read_bytes:
                        wrong.append((method, url, limited.status_code, missing.status_code))
        assert wrong == []

    def test_sees_that_project_alone_where_none_is_named(self, cast, owner):
        client = client_with(owner, project_id=cast.own.project)

        assert [each["id"] for each in client.get("/api/projects/").json()["results"]] == [cast.own.project]
        assert client.get("/calls/api/report/").json()["total_calls_all_time"] == 1
        assert client.get("/calls/api/calls/").json()["count"] == 1
        assert {row["project"] for row in client.get("/api/usage/").json()["results"]} <= {cast.own.project}
        assert {f"project {cast.own.project}"} >= {
            row["subject"]
            for row in client.get("/api/audit/").json()["results"]
            if row["subject"][:3] == "pro"
        }

    def test_works_in_it_as_before_and_creates_no_other(self, cast, owner):
        client = client_with(owner, project_id=cast.own.project)

        assert (
            client.patch(f"/api/files/{cast.own.file}/", {"campaign": "x"}, format="json").status_code == 200
        )
        refused = client.post("/api/projects/", {"name": "New"}, format="json")
        assert (refused.status_code, refused.json()) == (
            403,
            {"detail": "This API key opens one project. It cannot create others."},
        )

    def test_opens_nothing_once_the_project_is_deleted(self, cast, owner):
        gone = create_project(owner, "Gone")
        client = client_with(owner, project_id=gone.pk)
        Project.objects.filter(pk=gone.pk).delete()

        assert client.get("/api/projects/").json()["count"] == 0
        assert client.get("/calls/api/calls/").json()["count"] == 0


class TestKeysOfBefore:
    def test_keep_full_rights(self, cast):
        assert set(ApiKey.objects.values_list("scope", "project_id")) == {("write", None)}
