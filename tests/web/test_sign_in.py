"""Signing in and out, language, theme and shortcuts."""

import pytest
from django.urls import reverse

from tests.web.conftest import page


def sign_in(client, email="alice@example.com", password="alice-password", **fields):
    return client.post("/login/", {"username": email, "password": password, **fields})


@pytest.mark.django_db
class TestSignIn:
    def test_asks_for_e_mail_and_password(self, visitor):
        form = page(visitor.get("/login/"))

        assert form.all("input", name="username")[0]["autocomplete"] == "username"
        assert form.all("input", name="password")[0]["type"] == "password"

    def test_opens_the_report(self, visitor, alice, project):
        response = sign_in(visitor)

        assert response.status_code == 302
        assert response["Location"] == "/"
        assert visitor.get("/", follow=True).redirect_chain[-1][0] == "/report/"

    def test_takes_the_e_mail_in_any_case(self, visitor, alice):
        assert sign_in(visitor, "  Alice@Example.COM ").status_code == 302

    def test_goes_back_to_the_page_that_was_asked_for(self, visitor, alice):
        asked = visitor.get("/calls/?sentiment=negative")

        assert asked["Location"] == "/login/?next=/calls/%3Fsentiment%3Dnegative"
        assert sign_in(visitor, next="/calls/?sentiment=negative")["Location"] == "/calls/?sentiment=negative"

    def test_goes_back_from_a_lost_form_to_its_page_and_says_so(self, visitor, alice):
        asked = visitor.post(
            "/projects/1/name/",
            {"name": "New"},
            headers={"referer": "http://testserver/projects/1/people/?a=b"},
        )

        assert asked["Location"] == "/login/?next=/projects/1/people/%3Fa%3Db"
        assert "nothing was changed" in page(visitor.get(asked["Location"])).text

    def test_goes_back_from_a_lost_form_to_no_other_host(self, visitor, alice):
        asked = visitor.post(
            "/projects/1/name/", {"name": "New"}, headers={"referer": "https://evil.example/report/"}
        )

        assert asked["Location"] == "/login/?next=/"

    @pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
    def test_never_leads_to_another_host(self, visitor, alice, target):
        assert sign_in(visitor, next=target)["Location"] == "/"

    @pytest.mark.parametrize(
        "email", ["nobody@example.com", "alice@example.com", "\x00", "é" * 400, "' OR 1=1 --"]
    )
    def test_tells_a_wrong_pair_without_saying_which_half(self, visitor, alice, email):
        answer = page(sign_in(visitor, email, "wrong"))

        assert answer.all("input", name="username")

    def test_refuses_a_deactivated_account(self, visitor, alice):
        alice.is_active = False
        alice.save()

        assert sign_in(visitor).status_code == 200
        assert visitor.get("/report/").status_code == 302

    def test_locks_after_too_many_failures_and_says_how_long(self, visitor, alice, settings):
        settings.AXES_FAILURE_LIMIT = 3
        for _ in range(3):
            answer = sign_in(visitor, password="wrong")

        locked = page(answer, 429)
        assert "Wait 15 minutes" in locked.text
        assert sign_in(visitor).status_code == 429

    def test_ends_the_session_of_a_user_who_was_deactivated(self, as_alice, alice):
        alice.is_active = False
        alice.save()

        assert as_alice.get("/report/")["Location"].startswith("/login/")


@pytest.mark.django_db
class TestSignOut:
    def test_ends_the_session(self, as_alice):
        assert as_alice.post("/logout/")["Location"] == "/login/"
        assert as_alice.get("/report/").status_code == 302

    def test_is_not_done_by_a_link(self, as_alice):
        answer = as_alice.get("/logout/")

        assert page(answer, 405).all("main")
        assert "POST" in answer["Allow"]
        assert as_alice.get("/report/").status_code == 200


@pytest.mark.django_db
class TestLanguage:
    def test_follows_the_browser(self, visitor):
        assert (
            "Contraseña" in page(visitor.get("/login/", headers={"accept-language": "es-MX,es;q=0.9"})).text
        )

    def test_stays_as_chosen_and_is_kept_in_the_profile(self, as_alice, alice):
        as_alice.post(reverse("web:language"), {"language": "es", "next": "/report/"})

        alice.refresh_from_db()
        assert alice.language == "es"
        assert page(as_alice.get("/report/")).all("html")[0]["lang"] == "es"

    def test_comes_from_the_profile_at_sign_in(self, visitor, alice):
        alice.language = "es"
        alice.save()

        sign_in(visitor)

        assert "Informe" in page(visitor.get("/report/")).text

    def test_ignores_an_unknown_one(self, as_alice, alice):
        as_alice.post(reverse("web:language"), {"language": "tlh"})

        alice.refresh_from_db()
        assert alice.language == ""


@pytest.mark.django_db
class TestTheme:
    @pytest.mark.parametrize(("asked", "shown"), [("dark", "dark"), ("light", "light"), ("<b>", "auto")])
    def test_is_written_by_the_server(self, visitor, asked, shown):
        visitor.post(reverse("web:theme"), {"theme": asked, "next": "/login/"})

        assert page(visitor.get("/login/")).all("html")[0]["data-theme"] == shown

    def test_goes_back_only_to_our_own_pages(self, visitor):
        answer = visitor.post(reverse("web:theme"), {"theme": "dark", "next": "https://evil.example/"})

        assert answer["Location"] == "/"


@pytest.mark.django_db
class TestShortcuts:
    @pytest.mark.parametrize(("asked", "kept"), [("off", "off"), ("on", "on"), ("<b>", "on")])
    def test_are_turned_off_for_this_browser(self, as_alice, asked, kept):
        as_alice.post(reverse("web:shortcuts"), {"shortcuts": asked, "next": "/account/"})

        shown = page(as_alice.get("/account/"))
        assert shown.all("html")[0]["data-keys"] == kept
        assert shown.all("button", name="shortcuts", value=kept)[0]["aria-pressed"] == "true"
