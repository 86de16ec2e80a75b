"""The account page: its password."""

import pytest
from django.test import Client

from tests.web.conftest import page, visitor_of
from tests.web.views.test_session import sign_in


@pytest.mark.django_db
class TestAccount:
    FIELDS = {
        "old_password": "alice-password",
        "new_password1": "a new long one",
        "new_password2": "a new long one",
    }

    def test_changes_the_password_and_ends_other_sessions(self, as_alice, alice):
        other = visitor_of(alice)

        as_alice.post("/account/", self.FIELDS)

        alice.refresh_from_db()
        assert alice.check_password("a new long one")
        assert as_alice.get("/account/").status_code == 200
        assert other.get("/account/").status_code == 302

    @pytest.mark.parametrize(
        "change", [{"old_password": "wrong"}, {"new_password2": "another"}, {"new_password1": "short"}]
    )
    def test_keeps_the_password_when_something_is_wrong(self, as_alice, alice, change):
        assert as_alice.post("/account/", self.FIELDS | change).status_code == 400

        alice.refresh_from_db()
        assert alice.check_password("alice-password")

    @pytest.mark.parametrize(
        ("language", "hint"), [("en", "Repeat the new password."), ("es", "Repita la contraseña nueva.")]
    )
    def test_says_in_plain_words_what_to_repeat(self, alice, language, hint):
        shown = page(visitor_of(alice, headers={"accept-language": language}).get("/account/"))

        assert hint in shown.text
        assert "for verification" not in shown.text
        assert "verificación" not in shown.text

    def test_lets_nobody_guess_the_old_password(self, as_alice, alice):
        """A session may be stolen; the password is worth more."""
        wrong = self.FIELDS | {"old_password": "wrong"}
        for _ in range(10):
            assert as_alice.post("/account/", wrong).status_code == 400

        answer = as_alice.post("/account/", self.FIELDS)

        assert "Wait 1 minute, then try again." in page(answer, 429).text
        alice.refresh_from_db()
        assert alice.check_password("alice-password")
        assert sign_in(Client(), "alice@example.com", "alice-password").status_code == 429
