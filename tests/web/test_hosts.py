"""The names of this server: only those that are set are answered, and the answer says where."""

import pytest
from django.test import Client

from callscope.accounts.services import create_key
from tests.web.conftest import page

pytestmark = pytest.mark.django_db


def test_a_name_that_is_not_set_is_refused_on_pages(caplog):
    answer = Client().get("/login/", headers={"host": "evil.example"})

    assert "CALLSCOPE_ALLOWED_HOSTS" in page(answer, 400).text
    assert "evil.example" not in answer.content.decode()
    assert not caplog.records  # anybody can cause it


def test_a_name_that_is_not_set_is_refused_by_the_api(alice):
    headers = {"host": "evil.example", "Authorization": f"Api-Key {create_key(alice)[1]}"}

    answer = Client().get("/calls/api/calls/", headers=headers)

    assert answer.status_code == 400
    assert "CALLSCOPE_ALLOWED_HOSTS" in answer.json()["detail"]


def test_other_errors_of_the_api_do_not_speak_of_hosts(alice):
    headers = {"Authorization": f"Api-Key {create_key(alice)[1]}"}

    assert Client().get("/api/nothing/", headers=headers).json() == {"detail": "Not found."}
