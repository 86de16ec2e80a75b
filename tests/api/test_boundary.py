"""What every path of the API answers before a view is reached."""

import io

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from callscope.interfaces.api.boundary import ApiBoundary


class TestABodyWithoutALength:
    """WSGI reads a body in chunks as an empty one: the caller must not be told that fields are missing."""

    def test_is_411_and_read_to_its_end(self, as_alice):
        body = io.BytesIO(b"x" * 600_000)

        response = as_alice.generic(
            "POST",
            "/api/files/",
            headers={"Transfer-Encoding": "chunked"},
            **{"CONTENT_LENGTH": "", "wsgi.input": body},
        )

        assert response.status_code == 411
        assert response.json() == {"detail": "Send the body with a Content-Length, not in chunks."}
        assert body.read() == b""


class TestAPathWithoutItsSlash:
    @pytest.mark.parametrize("path", ["/api/projects", "/calls/api/report", "/calls/api/calls"])
    def test_is_redirected_for_a_read(self, as_alice, path):
        response = as_alice.get(f"{path}?project_id=1")

        assert (response.status_code, response.headers["Location"]) == (301, f"{path}/?project_id=1")

    @pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
    def test_is_404_for_a_write_which_a_redirect_would_turn_into_a_read(self, as_alice, method):
        response = getattr(as_alice, method)("/api/files")

        assert response.status_code == 404
        assert response.json() == {"detail": "Not found. Paths end in a slash: /api/files/"}


class TestABodyThatIsTooLarge:
    def test_is_told_how_large_it_may_be(self, as_alice):
        response = as_alice.generic(
            "POST", "/api/projects/", b" " * 6_000_000, content_type="application/json"
        )

        assert response.status_code == 413
        assert response.json() == {"detail": "The body is too large. At most 5 MB are allowed."}


class TestABodyThatNobodyRead:
    """The server closes a connection on bytes that are left, and the next request over it goes unanswered."""

    @pytest.mark.parametrize("path", ["/api/files/", "/api/nowhere/", "/calls/"])
    def test_is_read_to_its_end(self, path):
        request = RequestFactory().post(path, b"x" * 600_000, content_type="text/plain")

        ApiBoundary(lambda _request: HttpResponse(status=401))(request)

        assert request.read() == b""

    def test_is_given_up_when_the_client_is_gone(self):
        request = RequestFactory().post("/api/files/", b"x", content_type="text/plain")
        request._stream = _Gone()

        response = ApiBoundary(lambda _request: HttpResponse(status=401))(request)

        assert response.status_code == 401


class _Gone:
    def read(self, _size: int) -> bytes:
        raise OSError("the client is gone")
