"""An address with more parameters than are read is answered in words, on every page and by the API."""

import pytest
from django.test import Client

from callscope.accounts.services import create_key
from tests.web.conftest import page

pytestmark = pytest.mark.django_db
LONG = "?" + "&" * 2001


@pytest.mark.parametrize("path", ["/login/", "/nowhere/", "/share/nothing/"])
def test_of_strangers_are_refused(path, caplog):
    answer = Client().get(path + LONG)

    assert answer.status_code in (400, 404)
    assert page(answer, answer.status_code).text
    assert not [each for each in caplog.records if each.levelname == "ERROR"]  # anybody can cause it


@pytest.mark.parametrize("path", ["/calls/", "/report/", "/projects/"])
def test_of_pages_are_refused(as_alice, path):
    assert "could not be read" in page(as_alice.get(path + LONG), 400).text


def test_of_the_api_are_refused(alice, as_alice):
    headers = {"Authorization": f"Api-Key {create_key(alice)[1]}"}

    for answer in (
        as_alice.get(f"/calls/api/calls/{LONG}"),
        Client().get(f"/calls/api/calls/{LONG}", headers=headers),
    ):
        assert (answer.status_code, list(answer.json())) == (400, ["detail"])
