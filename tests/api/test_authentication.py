"""Who may ask, and how errors look."""

import datetime as dt
import io
import json
import secrets

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from callscope.accounts.models import ApiKey

pytestmark = pytest.mark.django_db

PATHS = ["/api/projects/", "/api/files/", "/calls/api/report/", "/api/schema/"]


@pytest.fixture
def key(alice):
    return ApiKey.objects.create_key(name="k", user=alice)


def ask(header, path="/api/projects/", client=None):
    return (client or APIClient()).get(path, headers={"Authorization": header})


class TestNobody:
    @pytest.mark.parametrize("path", PATHS)
    def test_gets_401_that_names_the_scheme(self, anonymous, path):
        response = anonymous.get(path)

        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"] == "Api-Key"
        assert list(response.json()) == ["detail"]

    @pytest.mark.parametrize("task", ["1", "no-uuid", "00000000-0000-4000-8000-000000000000"])
    def test_gets_401_for_any_task(self, anonymous, task):
        assert anonymous.post(f"/api/tasks/{task}/retry/").status_code == 401

    def test_gets_401_for_a_wrong_method_too(self, anonymous):
        assert anonymous.put("/api/files/").status_code == 401


class TestKey:
    def test_acts_as_its_owner(self, key, project):
        assert [p["id"] for p in ask(f"Api-Key {key[1]}").json()["results"]] == [project.pk]

    @pytest.mark.parametrize(
        "form",
        [
            "",
            "Api-Key",
            "Api-Key ",
            "Api-Key  {key}",
            "Api-Key\t{key}",
            "Api-Key {key} ",
            "Bearer {key}",
            "Token {key}",
            "Basic YWxpY2U6eA==",
            "{key}",
            "Api-Key {prefix}",
            "Api-Key {prefix}.",
            "Api-Key .{secret}",
            "Api-Key {prefix}.{prefix}",
            "Api-Key {prefix}.{secret}x",
            "Api-Key abcdefgh.{secret}",
            "Api-Key {prefix} {secret}",
            "Api-Key {prefix}\x00.{secret}",
            "Api-Key " + "x" * 10_000,
            "Api-Key é.ñ",
        ],
    )
    def test_is_refused_with_403_unless_the_header_is_exactly_right(self, key, form):
        prefix, secret = key[1].split(".")

        response = ask(form.format(key=key[1], prefix=prefix, secret=secret))

        assert response.status_code == 403
        assert list(response.json()) == ["detail"]

    def test_is_refused_where_the_comparison_in_constant_time_says_so(self, key, monkeypatch):
        monkeypatch.setattr(secrets, "compare_digest", lambda *_: False)

        assert ask(f"Api-Key {key[1]}").status_code == 403

    def test_is_refused_once_revoked(self, key):
        key[0].revoked = True
        key[0].save()

        assert ask(f"Api-Key {key[1]}").status_code == 403

    def test_is_refused_once_expired(self, key):
        key[0].expiry_date = timezone.now() - dt.timedelta(seconds=1)
        key[0].save()

        assert ask(f"Api-Key {key[1]}").status_code == 403

    def test_is_refused_when_its_owner_is_inactive(self, key, alice):
        alice.is_active = False
        alice.save()

        assert ask(f"Api-Key {key[1]}").status_code == 403

    def test_that_is_wrong_is_refused_with_a_good_session(self, alice):
        client = APIClient()
        client.force_login(alice)

        assert client.get("/api/projects/").status_code == 200
        assert ask("Api-Key wrong", client=client).status_code == 403

    def test_needs_no_csrf_token(self, as_alice):
        assert as_alice.post("/api/projects/", {"name": "New"}, format="json").status_code == 201


class TestSession:
    def test_of_a_user_who_became_inactive_gets_403(self, alice):
        client = APIClient()
        client.force_login(alice)
        alice.is_active = False
        alice.save()

        assert client.get("/api/projects/").status_code == 403

    def test_needs_the_csrf_token_for_unsafe_methods(self, alice):
        client = APIClient(enforce_csrf_checks=True)
        client.force_login(alice)

        refused = client.post("/api/projects/", {"name": "New"}, format="json")
        client.cookies["csrftoken"] = "a" * 32
        accepted = client.post(
            "/api/projects/", {"name": "New"}, format="json", headers={"X-CSRFToken": "a" * 32}
        )

        assert (refused.status_code, list(refused.json())) == (403, ["detail"])
        assert accepted.status_code == 201


class TestErrors:
    @pytest.mark.parametrize(
        "path", ["/api/nope/", "/api", "/calls/api/nope", "/api/files/x/", "/api/\x00/", "/api/é/"]
    )
    def test_of_unrouted_paths_are_json(self, anonymous, path):
        response = anonymous.get(path)

        assert response.status_code == 404
        assert response.json() == {"detail": "Not found."}

    @pytest.mark.parametrize(
        "path", ["/api/files/%s/", "/api/projects/%s/", "/api/transcripts/%s/", "/api/files/%s/content/"]
    )
    @pytest.mark.parametrize("number", ["0", str(2**63), str(2**70), "9" * 5000])
    def test_of_impossible_ids_are_404(self, as_alice, path, number):
        assert as_alice.get(path % number).status_code == 404

    def test_of_a_wrong_method_name_what_is_allowed(self, as_alice):
        response = as_alice.put("/api/files/")

        assert response.status_code == 405
        assert "POST" in response.headers["Allow"]
        assert list(response.json()) == ["detail"]

    @pytest.mark.parametrize(
        "body",
        [
            b"{",
            b"[]",
            b"7",
            b"null",
            b'"x"',
            b"\xff\xfe",
            b'{"name": NaN}',
            b"[" * 100_000,
            b'{"name": ' + b"9" * 5000 + b"}",
            json.dumps({"name": "x"}).encode("utf-16"),
        ],
    )
    def test_of_bodies_that_are_no_json_object_are_400(self, as_alice, body):
        response = as_alice.generic("POST", "/api/projects/", body, content_type="application/json")

        assert response.status_code == 400
        assert list(response.json()) == ["detail"]

    def test_of_a_body_that_is_too_large_are_413(self, as_alice):
        body = json.dumps({"name": "x", "config": {"x": "y" * 6_000_000}})

        response = as_alice.generic("POST", "/api/projects/", body, content_type="application/json")

        assert response.status_code == 413
        assert list(response.json()) == ["detail"]

    @pytest.mark.parametrize("charset", ["hex", "base64", "utf-7", "utf-16", "no-such", "", '"'])
    def test_do_not_come_from_a_strange_charset(self, monkeypatch, charset):
        from django.core.handlers.wsgi import WSGIRequest

        from callscope import wsgi

        monkeypatch.setattr(wsgi, "_gate", lambda environ, _start: [WSGIRequest(environ).GET["x"].encode()])
        kind = f"application/json; charset={charset}; x=1"
        environ = {
            "REQUEST_METHOD": "GET",
            "QUERY_STRING": "x=%C3%B1",
            "CONTENT_TYPE": kind,
            "wsgi.input": io.BytesIO(),
        }

        assert list(wsgi.application(environ, lambda *_: None)) == ["ñ".encode()]

    @pytest.mark.parametrize(
        "part",
        [
            b'Content-Disposition: form-data; name="project"\r\n\r\n\xed\xa0\x80',
            b"Content-Disposition: form-data; name=\"file\"; filename*=bogus''x.srt\r\n\r\nx",
            b"Content-Disposition: form-data; name=\"file\"; filename*=hex''x.srt\r\n\r\nx",
            b'Content-Disposition: form-data; name="file"; filename="a\x00b.srt"\r\n\r\nx',
            b"Content-Disposition: form-data; name=\"file\"; filename*=UTF-8''%ED%A0%80.srt\r\n\r\nx",
            b'Content-Disposition: form-data; name="file"; filename="a"\r\n'
            b"Content-Transfer-Encoding: base64\r\n\r\n!",
            b'Content-Disposition: form-data; name="' + b"x" * 10_000 + b'"\r\n\r\nx',
            b"",
        ],
    )
    def test_of_strange_forms_are_400(self, as_alice, part):
        body = b"--B\r\n" + part + b"\r\n--B--\r\n"

        response = as_alice.generic(
            "POST", "/api/files/", body, content_type="multipart/form-data; boundary=B"
        )

        assert response.status_code == 400, response.content

    @pytest.mark.parametrize(
        "kind", ["multipart/form-data", "multipart/form-data; boundary=" + "x" * 300, "nonsense", ""]
    )
    def test_of_strange_content_types_are_4xx(self, as_alice, kind):
        assert as_alice.generic("POST", "/api/files/", b"--B", content_type=kind).status_code in (400, 415)

    def test_are_english_whatever_the_browser_prefers(self, as_alice):
        response = as_alice.get("/api/files/?page=7", headers={"Accept-Language": "es"})

        assert response.json() == {"detail": "Invalid page."}

    def test_of_a_missing_slash_lead_to_the_path(self, as_alice):
        response = as_alice.get("/api/files?project=1")

        assert (response.status_code, response.headers["Location"]) == (301, "/api/files/?project=1")

    def test_of_a_crash_are_json(self, alice, as_alice, monkeypatch):
        from callscope.interfaces.api.views import projects

        monkeypatch.setattr(projects.permissions, "get_roles", lambda *_: 1 / 0)
        as_alice.raise_request_exception = False

        response = as_alice.get("/api/projects/")

        assert response.status_code == 500
        assert list(response.json()) == ["detail"]
