"""What every path of the API answers before a view is reached."""

import pytest


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
    def test_says_how_large_it_may_be(self, as_alice):
        response = as_alice.generic(
            "POST", "/api/projects/", b" " * 6_000_000, content_type="application/json"
        )

        assert response.status_code == 413
        assert response.json() == {"detail": "The body is too large. At most 5 MB are allowed."}
