"""Users, teams and keys: what the commands print, with which exit status, and what they refuse."""

import datetime as dt
import json
from dataclasses import replace

import pytest

from callscope.accounts.models import ApiKey, SecondFactor, Session, User

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
SESSION = {"created_at": NOW, "latest_at": NOW, "expire_date": NOW}


class TestUser:
    def test_create_prints_id_and_email(self, callscope):
        document = callscope.json("user", "create", "Ana@Example.com")

        user = User.objects.get()
        assert document == {"id": user.pk, "email": "ana@example.com"}
        assert not user.has_usable_password()

    def test_create_reads_the_password_from_stdin(self, callscope):
        callscope.json("user", "create", "ana@example.com", "--password-stdin", stdin="long enough words\n")

        assert User.objects.get().check_password("long enough words")

    def test_create_refuses_a_weak_password_unless_asked_to_take_it(self, callscope):
        command = ("user", "create", "ana@example.com", "--password-stdin", "--json")

        refused = callscope(*command, stdin="pw\n")

        assert refused.exit_code == 1
        assert "too short" in refused.stderr
        assert "--weak" in refused.stderr
        assert not User.objects.exists()
        assert callscope(*command, "--weak", stdin="pw\n").exit_code == 0
        assert User.objects.get().check_password("pw")

    def test_create_refuses_an_empty_password_and_a_taken_email(self, callscope, alice):
        result = callscope("user", "create", "ana@example.com", "--password-stdin", stdin="")

        assert (result.exit_code, result.stderr) == (1, "The password is empty.\n")
        assert callscope.failure("user", "create", "ALICE@example.com") == [
            'A user with the e-mail "alice@example.com" already exists.'
        ]

    def test_create_makes_superusers(self, callscope):
        callscope.json("user", "create", "ana@example.com", "--superuser")

        assert User.objects.get().is_superuser

    def test_password_sets_a_new_one_and_signs_out(self, callscope, alice):
        alice.sessions.create(session_key="x", **SESSION)
        command = ("user", "password", "ALICE@example.com", "--password-stdin")

        assert "add --weak." in callscope(*command, stdin="pw\n").stderr
        assert callscope(*command, stdin="").stderr == "The password is empty.\n"
        assert not alice.check_password("pw")
        assert alice.sessions.exists()
        assert callscope.json(*command, stdin="a new long one\n") == {"id": alice.pk}

        alice.refresh_from_db()
        assert alice.check_password("a new long one")
        assert not alice.sessions.exists()

    def test_email_changes_the_address(self, callscope, alice, bob):
        Session.objects.create(session_key="a", user=alice, **SESSION)

        changed = callscope.json("user", "email", alice.email, "Alice@New.example.com")

        assert changed == {"id": alice.pk, "email": "alice@new.example.com", "changed": True}
        assert User.objects.get(pk=alice.pk).email == "alice@new.example.com"
        assert not Session.objects.exists()
        again = callscope("user", "email", "alice@new.example.com", "alice@new.example.com")
        assert again.stdout == "alice@new.example.com has this e-mail already.\n"
        assert callscope.failure("user", "email", "alice@new.example.com", bob.email) == [
            f'A user with the e-mail "{bob.email}" already exists.'
        ]

    def test_sign_out_ends_all_sessions_of_one_user(self, callscope, alice, bob):
        for user, key in ((alice, "x"), (alice, "y"), (bob, "z")):
            user.sessions.create(session_key=key, **SESSION)

        assert callscope.json("user", "sign-out", alice.email) == {"id": alice.pk, "sessions": 2}
        assert bob.sessions.exists()

    def test_deactivate_and_activate(self, callscope, alice):
        assert callscope.json("user", "deactivate", alice.email) == {"id": alice.pk}
        alice.refresh_from_db()
        assert not alice.is_active

        callscope.json("user", "activate", alice.email)
        alice.refresh_from_db()
        assert alice.is_active

    def test_quota_sets_and_lifts_minutes(self, callscope, alice):
        callscope.json("user", "quota", alice.email, "90")
        alice.refresh_from_db()
        assert alice.trial_quota_us == 90 * 60_000_000

        callscope.json("user", "quota", alice.email, "none")
        alice.refresh_from_db()
        assert alice.trial_quota_us is None

    @pytest.mark.parametrize("minutes", ["many", "nan", "1E+999999", "-5", "10000001", ""])
    def test_quota_shows_what_it_cannot_take(self, callscope, alice, minutes):
        assert f'"{minutes}" is not a quota. Allowed: ' in callscope.wrong_usage(
            "user", "quota", alice.email, minutes
        )

    def test_an_unknown_user_is_named(self, callscope):
        assert callscope.failure("user", "deactivate", "nobody@example.com") == [
            'No user has the e-mail "nobody@example.com".'
        ]


class TestTeam:
    def test_create_and_add(self, callscope, alice, bob):
        team = callscope.json("team", "create", "Desk", "--admin", alice.email)["id"]

        assert callscope.json("team", "add", team, bob.email) == {"id": team}
        assert bob.memberships.get().is_admin is False
        callscope.json("team", "add", team, bob.email, "--admin")
        assert bob.memberships.get().is_admin is True
        callscope.json("team", "remove", team, bob.email)
        assert not bob.memberships.exists()

    @pytest.mark.parametrize("team", [99, 10**40])
    def test_add_names_a_team_that_is_not_there(self, callscope, bob, team):
        assert callscope.failure("team", "add", team, bob.email) == [f"No team has the id {team}."]


class TestKey:
    def test_create_shows_the_key_once(self, callscope, alice):
        document = callscope.json("key", "create", alice.email, "--name", "Nightly")

        assert document["key"].startswith(document["prefix"] + ".")
        assert ApiKey.objects.get_from_key(document["key"]).user == alice
        listed = callscope.json("key", "list", alice.email)["keys"]
        assert [key["prefix"] for key in listed] == [document["prefix"]]
        assert document["key"] not in json.dumps(listed)

    def test_is_good_through_the_whole_day_of_its_expiry(self, callscope, alice, settings):
        settings.TIME_ZONE = "Europe/Madrid"
        callscope.json("key", "create", alice.email, "--expires", "2099-07-01")

        assert ApiKey.objects.get().expiry_date == dt.datetime(2099, 7, 1, 21, 59, 59, 999999, tzinfo=dt.UTC)

    def test_refuses_a_day_that_is_past(self, callscope, alice):
        (line,) = callscope.failure("key", "create", alice.email, "--expires", "2020-01-01")

        assert line == "2020-01-01 is in the past. The key would never be valid."
        assert not ApiKey.objects.exists()

    @pytest.mark.parametrize("date", ["31/12/2099", "2099-02-30", "tomorrow", "2099-W01-1", "9999-12-31"])
    def test_refuses_what_is_no_day(self, callscope, alice, date):
        assert "Allowed: a date" in callscope.wrong_usage("key", "create", alice.email, "--expires", date)

    def test_revoke_takes_a_prefix(self, callscope, alice):
        made = callscope.json("key", "create", alice.email)

        assert callscope.json("key", "revoke", made["prefix"]) == {"prefix": made["prefix"], "revoked": True}
        assert not ApiKey.objects.is_valid(made["key"])
        assert callscope.failure("key", "revoke", "abcdefgh") == ['No key has the prefix "abcdefgh".']


class TestKeyScope:
    def test_is_given_and_listed(self, callscope, alice, project):
        callscope.json("key", "create", alice.email, "--scope", "read", "--project", str(project.pk))

        (row,) = callscope.json("key", "list")["keys"]
        assert (row["scope"], row["project"], row["used_at"]) == ("read", project.pk, None)

    def test_refuses_what_would_open_nothing(self, callscope, alice, bob, project):
        assert callscope.failure("key", "create", bob.email, "--project", str(project.pk)) == [
            f"bob@example.com cannot see project {project.pk}, so the key would give access to nothing."
        ]
        assert callscope.failure("key", "create", alice.email, "--scope", "all") == [
            '"all" is not a scope of a key. Allowed: read, write.'
        ]
        assert not ApiKey.objects.exists()


class TestResetTotp:
    def test_removes_the_second_factor(self, callscope, alice):
        alice.second_factor = SecondFactor.objects.create(user=alice, secret="x")

        assert callscope.json("user", "reset-totp", alice.email) == {"id": alice.pk, "removed": True}
        assert callscope.json("user", "reset-totp", alice.email) == {"id": alice.pk, "removed": False}
        assert not SecondFactor.objects.exists()


class TestInvite:
    def test_prints_a_link_that_creates_the_account(self, callscope, client):
        document = callscope.json("user", "invite", "Ana@Example.com")

        assert document["email"] == "ana@example.com"
        new = {"new_password1": "a new long one", "new_password2": "a new long one"}
        assert client.post(document["link"], new).status_code == 302
        assert User.objects.get().check_password("a new long one")

    def test_prints_a_whole_address_and_says_whose_it_is(self, callscope, settings):
        local = callscope("user", "invite", "ana@example.com").stdout
        document = callscope.json("user", "invite", "ben@example.com")
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, public_url="https://calls.example.com")
        public = callscope("user", "invite", "eve@example.com").stdout

        assert local.startswith("http://127.0.0.1:8000/invitation/")
        assert "because CALLSCOPE_PUBLIC_URL is not set." in local
        assert document["link"].startswith("http://127.0.0.1:8000/invitation/")
        assert public.startswith("https://calls.example.com/invitation/")
        assert "CALLSCOPE_PUBLIC_URL" not in public

    def test_refuses_who_has_an_account(self, callscope, alice):
        assert callscope.failure("user", "invite", "Alice@example.com") == [
            'A user with the e-mail "Alice@example.com" already exists.'
        ]
