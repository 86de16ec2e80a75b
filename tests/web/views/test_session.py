"""Signing in and out, language, theme and shortcuts."""

import pytest
from django.test import Client
from django.urls import reverse

from callscope.accounts.models import SignInCounter
from callscope.accounts.password_hasher import TooManyHashes
from tests.web.conftest import page


def sign_in(client, email="alice@example.com", password="alice-password", **fields):
    return client.post("/login/", {"username": email, "password": password, **fields})


@pytest.mark.django_db
class TestSignIn:
    def test_asks_for_e_mail_and_password(self, visitor):
        form = page(visitor.get("/login/"))

        assert form.all("input", name="username")[0]["autocomplete"] == "username"
        assert form.all("input", name="password")[0]["type"] == "password"

    def test_says_who_helps_with_a_lost_password_where_no_mail_can(self, visitor, settings):
        import dataclasses

        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, email_url="")

        assert "creates accounts and resets passwords." in page(visitor.get("/login/")).text

    def test_says_that_signing_out_everywhere_ends_this_session_too(self, as_alice):
        assert "This session ends, too" in page(as_alice.get("/account/")).text

    def test_puts_the_cursor_where_something_is_missing(self, visitor, alice):
        def focused(answer):
            return [each["name"] for each in page(answer).all("input") if "autofocus" in each]

        assert focused(visitor.get("/login/")) == ["username"]
        assert focused(sign_in(visitor, password="wrong")) == ["password"]
        assert focused(sign_in(visitor, email="", password="wrong")) == ["username"]

    def test_opens_the_report(self, visitor, alice, project):
        response = sign_in(visitor)

        assert response.status_code == 302
        assert response["Location"] == "/"
        assert visitor.get("/", follow=True).redirect_chain[-1][0] == f"/report/?project_id={project.pk}"

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
        assert visitor.get("/report/?project_id=").status_code == 302

    def test_waits_after_ten_wrong_passwords_whatever_the_spelling(self, visitor, alice):
        statuses = [sign_in(visitor, password="wrong").status_code for _ in range(10)]

        assert statuses == [200] * 9 + [429]
        for spelling in ("alice@example.com", "Alice@example.com", "ALICE@EXAMPLE.COM"):
            answer = sign_in(visitor, spelling)
            assert "Wait 1 minute, then try again." in page(answer, 429).text
            assert 0 < int(answer["Retry-After"]) <= 60

    def test_lets_nobody_keep_a_user_out_from_elsewhere(self, visitor, alice):
        for _ in range(11):
            sign_in(visitor, password="wrong")

        elsewhere = Client(REMOTE_ADDR="203.0.113.9")
        assert sign_in(elsewhere).status_code == 302

    def test_lets_a_browser_in_that_has_signed_in_before(self, visitor, alice):
        """Also where the guesses come from the same address, as behind an office's router."""
        sign_in(visitor)
        visitor.post("/logout/")
        guesser = Client()
        for _ in range(11):
            sign_in(guesser, password="wrong")

        assert sign_in(guesser).status_code == 429
        assert sign_in(visitor).status_code == 302

    def test_knows_a_browser_for_one_user_only_and_only_by_a_cookie_of_ours(self, visitor, alice, bob):
        sign_in(visitor)
        visitor.post("/logout/")
        for _ in range(10):
            sign_in(visitor, "bob@example.com", "wrong")
        forger = Client()
        forger.cookies["callscope_browser"] = visitor.cookies["callscope_browser"].value + "x"

        assert sign_in(visitor, "bob@example.com", "bob-password").status_code == 429
        assert sign_in(forger, "bob@example.com", "bob-password").status_code == 429

    def test_says_so_when_too_many_sign_in_at_once_and_counts_nothing(
        self, visitor, alice, monkeypatch, caplog
    ):
        def refuse(*_given):
            raise TooManyHashes

        with monkeypatch.context() as patch:
            patch.setattr("django.contrib.auth.hashers.MD5PasswordHasher.verify", refuse)
            answers = [sign_in(visitor) for _ in range(11)]

        assert {answer.status_code for answer in answers} == {503}
        assert answers[0]["Retry-After"] == "5"
        assert "Many people are signing in" in page(answers[0], 503).text
        assert not caplog.records  # a flood must not fill the log
        assert sign_in(visitor).status_code == 302

    def test_writes_nothing_when_no_password_can_be_checked(self, visitor, alice, monkeypatch):
        def refuse():
            raise TooManyHashes

        monkeypatch.setattr("callscope.interfaces.web.views.session.require_place", refuse)

        assert sign_in(visitor).status_code == 503
        assert not SignInCounter.objects.exists()

    def test_ends_the_session_of_a_user_who_was_deactivated(self, as_alice, alice):
        alice.is_active = False
        alice.save()

        assert as_alice.get("/report/?project_id=")["Location"].startswith("/login/")


@pytest.mark.django_db
class TestSignOut:
    def test_ends_the_session(self, as_alice):
        assert as_alice.post("/logout/")["Location"] == "/login/"
        assert as_alice.get("/report/?project_id=").status_code == 302

    def test_is_not_done_by_a_link(self, as_alice):
        answer = as_alice.get("/logout/")

        assert page(answer, 405).all("main")
        assert "POST" in answer["Allow"]
        assert as_alice.get("/report/?project_id=").status_code == 200


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
        assert page(as_alice.get("/report/?project_id=")).all("html")[0]["lang"] == "es"

    def test_comes_from_the_profile_at_sign_in(self, visitor, alice):
        alice.language = "es"
        alice.save()

        sign_in(visitor)

        assert "Informe" in page(visitor.get("/report/?project_id=")).text

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


class TestRows:
    @pytest.mark.django_db
    @pytest.mark.parametrize(
        ("asked", "kept"), [("compact", "compact"), ("normal", "normal"), ("tiny", "normal")]
    )
    def test_are_as_high_as_was_chosen(self, as_alice, asked, kept):
        as_alice.post(reverse("web:rows"), {"rows": asked, "next": "/account/"})

        shown = page(as_alice.get("/account/"))
        assert shown.all("html")[0]["data-density"] == kept
        assert shown.all("button", name="rows", value=kept)[0]["aria-pressed"] == "true"
