"""Cookies, and what a browser may keep: over HTTPS, over HTTP, under a path of its own."""

import dataclasses
import os
import subprocess
import sys

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client, RequestFactory

from callscope.accounts.services import create_key
from callscope.interfaces.gate import body_gate
from callscope.interfaces.gate.entrance import build_entrance
from tests.web.conftest import visitor_of

pytestmark = pytest.mark.django_db
HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
OURS = ("callscope_session", "csrftoken", "callscope_browser")


def sign_in(client, **options):
    client.get("/login/", **options)
    form = {"username": "alice@example.com", "password": "alice-password"}
    return client.post("/login/", form, **options)


class TestOverHttps:
    def test_are_secure_and_bound_to_the_host(self, alice):
        answer = sign_in(Client(), secure=True)

        assert set(answer.cookies) == {f"__Host-{name}" for name in OURS}
        for morsel in answer.cookies.values():
            assert (morsel["secure"], morsel["path"], morsel["domain"]) == (True, "/", "")

    def test_keep_a_user_signed_in_until_the_sign_out(self, alice):
        visitor = Client(enforce_csrf_checks=True)
        page = visitor.get("/login/", secure=True)
        token = page.context["csrf_token"]
        form = {"username": "alice@example.com", "password": "alice-password", "csrfmiddlewaretoken": token}
        referer = {"HTTP_REFERER": "https://testserver/login/"}
        assert visitor.post("/login/", form, secure=True, **referer).status_code == 302
        account = visitor.get("/account/", secure=True)
        assert account.status_code == 200

        form = {"csrfmiddlewaretoken": account.context["csrf_token"]}
        answer = visitor.post("/logout/", form, secure=True, **referer)

        assert answer.cookies["__Host-callscope_session"].value == ""
        assert visitor.get("/account/", secure=True).status_code == 302

    def test_without_the_prefix_count_for_nothing(self, alice):
        """Another host of the domain can set these."""
        fixed = visitor_of(alice)

        assert fixed.get("/account/").status_code == 200
        assert fixed.get("/account/", secure=True).status_code == 302

    def test_of_the_look_are_secure_too(self):
        answer = Client().post("/preferences/theme/", {"theme": "dark"}, secure=True)

        assert answer.cookies["callscope_theme"]["secure"]

    def test_keep_their_names_under_a_path(self, alice, settings):
        settings.SESSION_COOKIE_PATH = settings.CSRF_COOKIE_PATH = "/tools/"
        answer = sign_in(Client(), secure=True)

        assert set(answer.cookies) == set(OURS)
        assert all(morsel["secure"] for morsel in answer.cookies.values())

    @pytest.mark.parametrize("path", ["/login/", "/api/projects/", "/nothing/", "/healthz"])
    def test_is_where_a_browser_comes_back(self, path):
        assert "max-age=31536000" in Client().get(path, secure=True)["Strict-Transport-Security"]
        assert "Strict-Transport-Security" not in Client().get(path)


class TestTheSetting:
    @pytest.mark.parametrize(
        ("https", "forwarded", "header", "is_https"),
        [
            ("auto", "https", HEADER, True),
            ("auto", "http", HEADER, False),
            ("auto", None, HEADER, False),
            ("on", None, None, True),
            ("off", "https", None, False),
        ],
    )
    def test_says_when_https_holds(self, settings, https, forwarded, header, is_https):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, https=https)
        settings.SECURE_PROXY_SSL_HEADER = header  # as settings.py derives it
        environ = RequestFactory().get("/login/").environ
        if forwarded:
            environ["HTTP_X_FORWARDED_PROTO"] = forwarded
        sent = []

        answer = build_entrance(WSGIHandler())(environ, lambda _status, headers: sent.extend(headers))
        b"".join(answer)

        cookies = [value for name, value in sent if name == "Set-Cookie"]
        assert cookies
        assert all(("Secure" in cookie) == is_https for cookie in cookies)
        assert ("Strict-Transport-Security" in dict(sent)) == is_https

    @pytest.mark.parametrize("https", ["auto", "on", "off"])
    def test_decides_whether_the_header_of_the_proxy_counts(self, https):
        code = "from callscope import settings; print(settings.SECURE_PROXY_SSL_HEADER)"
        environment = os.environ | {"CALLSCOPE_HTTPS": https}
        printed = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

        assert printed == (str(HEADER) if https == "auto" else "None")


class TestOverHttp:
    def test_keep_their_names(self, alice):
        answer = sign_in(Client())

        assert set(answer.cookies) == set(OURS)
        assert not any(morsel["secure"] for morsel in answer.cookies.values())


def test_a_bound_session_counts_for_the_size_of_a_body():
    environ = {"HTTP_COOKIE": "__Host-callscope_session=x", "REQUEST_METHOD": "POST", "PATH_INFO": "/login/"}
    assert body_gate.body_limit(environ) == body_gate.DOCUMENT_BYTES


class TestWhatABrowserKeeps:
    @pytest.mark.parametrize(
        "path", ["/login/", "/report/", "/calls/", "/account/", "/nothing/", "/api/files/", "/api/nothing/"]
    )
    def test_is_no_answer(self, alice, path):
        assert visitor_of(alice).get(path)["Cache-Control"] == "no-store"
        assert Client().get(path)["Cache-Control"] == "no-store"

    def test_is_no_answer_to_a_key(self, alice):
        key = create_key(alice)[1]
        for path in ("/api/files/", "/calls/api/report/", "/api/projects/99/"):
            answer = Client().get(path, headers={"Authorization": f"Api-Key {key}"})
            assert answer["Cache-Control"] == "no-store"

    def test_is_static_files(self, settings):
        answer = Client().get(f"{settings.STATIC_URL}web/css/setup.css")

        assert answer.status_code == 200
        assert "immutable" in answer["Cache-Control"]
        assert Client().get(f"{settings.STATIC_URL}nothing.css")["Cache-Control"] == "no-store"

    def test_is_cleared_at_the_sign_out(self, alice):
        assert visitor_of(alice).post("/logout/")["Clear-Site-Data"] == '"cache", "storage"'
