"""Versions of a rubric over the API and on their page."""

import pytest

from callscope.projects.services import configure_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def url(project, alice):
    configure_project(project, {"language": "es"}, by=alice)
    return f"/api/projects/{project.pk}/rubric-versions/"


def test_are_listed_newest_first_with_exactly_these_fields(as_alice, url):
    answer = as_alice.get(url).json()

    assert (answer["count"], answer["next"], answer["previous"]) == (2, None, None)
    second, first = answer["results"]
    assert list(second) == ["number", "author", "created_at", "is_current", "changes", "config"]
    assert (second["number"], second["author"], second["is_current"]) == (2, "alice@example.com", True)
    assert second["changes"] == [{"path": "language", "change": "changed", "former": "en", "new": "es"}]
    assert (first["author"], first["config"].get("language", "en")) == (None, "en")


def test_are_restored_as_a_new_version(as_alice, project, url):
    answer = as_alice.post(f"{url}1/restore/")

    assert (answer.status_code, answer.json()) == (200, {"number": 3, "restored": 1, "changed": True})
    assert as_alice.get(f"/api/projects/{project.pk}/").json()["config"]["language"] == "en"


def test_are_restored_by_writers_alone(as_alice, as_bob, as_carol, bob_views, url):
    assert as_bob.get(url).status_code == 200
    assert as_bob.post(f"{url}1/restore/").status_code == 403
    assert as_carol.post(f"{url}1/restore/").status_code == 404
    for number in ("9", "0", "9" * 40):
        assert as_alice.post(f"{url}{number}/restore/").status_code == 404


@pytest.mark.parametrize("page", ["9", "x", "0"])
def test_end_with_their_last_page(as_alice, url, page):
    assert as_alice.get(f"{url}?page={page}").status_code == 404


def test_have_a_page(client, alice, bob, bob_views, project, url):
    client.force_login(alice)
    page = client.get(f"/projects/{project.pk}/versions/").content.decode()
    assert "alice@example.com" in page
    assert "Language of the calls" in page
    assert page.count("first version") == 1

    answer = client.post(f"/projects/{project.pk}/versions/1/restore/", follow=True)

    assert "Version 1 is restored as version 3." in answer.content.decode()
    client.force_login(bob)
    assert client.post(f"/projects/{project.pk}/versions/1/restore/").status_code == 403
