"""A file in a form is taken by the two addresses for uploads and by no other."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from callscope.accounts.services import create_key

pytestmark = pytest.mark.django_db


def a_file():
    return SimpleUploadedFile("big.bin", b"\0" * 3_000_000)


@pytest.fixture
def incoming(settings):
    folder = settings.DATA_DIR / "incoming"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_is_refused_at_the_sign_in_and_nothing_is_written(incoming, monkeypatch):
    """The CSRF check reads the form before anybody is known."""
    monkeypatch.setattr("tempfile.NamedTemporaryFile", lambda *_a, **_k: pytest.fail("a file was written"))
    visitor = Client(enforce_csrf_checks=True)
    visitor.get("/login/")

    answer = visitor.post("/login/", {"username": "x", "password": "y", "x": a_file()})

    assert answer.status_code == 400


@pytest.mark.parametrize(("method", "path"), [("POST", "/api/projects/")])
def test_is_refused_by_the_api(alice, method, path):
    body = b'--b\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\nabc\r\n--b--\r\n'

    visitor = Client(headers={"Authorization": f"Api-Key {create_key(alice)[1]}"})
    answer = visitor.generic(method, path, body, content_type="multipart/form-data; boundary=b")

    assert answer.status_code == 400
    assert answer.json() == {"detail": "This address takes no files."}
