"""The administration commands: what they print, with which exit status, and what they refuse."""

import datetime as dt
import gzip
import json

import pytest

from callscope.accounts.models import ApiKey, User
from callscope.projects.models import Project


class TestUser:
    def test_create_prints_id_and_email(self, callscope):
        document = callscope.json("user", "create", "Ana@Example.com")

        user = User.objects.get()
        assert document == {"id": user.pk, "email": "ana@example.com"}
        assert not user.has_usable_password()

    def test_create_reads_the_password_from_stdin(self, callscope):
        callscope.json("user", "create", "ana@example.com", "--password-stdin", stdin="long enough words\n")

        assert User.objects.get().check_password("long enough words")

    def test_create_warns_of_a_weak_password_and_takes_it(self, callscope):
        result = callscope("user", "create", "ana@example.com", "--password-stdin", "--json", stdin="pw\n")

        assert "too short" in result.stderr
        assert json.loads(result.stdout)["email"] == "ana@example.com"
        assert User.objects.get().check_password("pw")

    def test_create_refuses_an_empty_password_and_a_taken_email(self, callscope, alice):
        result = callscope("user", "create", "ana@example.com", "--password-stdin", stdin="")

        assert (result.exit_code, result.stderr) == (1, "The password is empty.\n")
        assert callscope.failure("user", "create", "ALICE@example.com") == [
            'A user with the e-mail "alice@example.com" exists already.'
        ]

    def test_create_makes_superusers(self, callscope):
        callscope.json("user", "create", "ana@example.com", "--superuser")

        assert User.objects.get().is_superuser

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

        assert line == "2020-01-01 is past. The key would never be valid."
        assert not ApiKey.objects.exists()

    @pytest.mark.parametrize("date", ["31/12/2099", "2099-02-30", "tomorrow", "2099-W01-1", "9999-12-31"])
    def test_refuses_what_is_no_day(self, callscope, alice, date):
        assert "Allowed: a date" in callscope.wrong_usage("key", "create", alice.email, "--expires", date)

    def test_revoke_takes_a_prefix(self, callscope, alice):
        made = callscope.json("key", "create", alice.email)

        assert callscope.json("key", "revoke", made["prefix"]) == {"prefix": made["prefix"], "revoked": True}
        assert not ApiKey.objects.is_valid(made["key"])
        assert callscope.failure("key", "revoke", "abcdefgh") == ['No key has the prefix "abcdefgh".']


class TestProject:
    def test_create_with_a_configuration(self, callscope, alice, tmp_path):
        file = tmp_path / "config.yaml"
        file.write_text(
            "language: es\nrubric: {sections: [{name: A, criteria: [{id: g, name: G, max_points: 2}]}]}\n"
        )

        made = callscope.json("project", "create", "Service line", "--owner", alice.email, "--config", file)

        shown = callscope.json("project", "show", made["id"])
        assert (shown["name"], shown["type"], shown["owner"]) == ("Service line", "call", alice.email)
        assert shown["config"]["rubric"]["sections"][0]["criteria"][0]["max_points"] == 2

    def test_create_tells_every_error_of_a_configuration_and_makes_nothing(self, callscope, alice, tmp_path):
        file = tmp_path / "config.yaml"
        file.write_text("language: fr\nshift_hours: {day_start: 30}\n")

        lines = callscope.failure("project", "create", "P", "--owner", alice.email, "--config", file)

        assert lines == [
            "language: must be en, es or auto, not 'fr'",
            "shift_hours.day_start: must be at most 23, not 30",
        ]
        assert not Project.objects.exists()

    def test_create_in_a_team_and_of_a_type(self, callscope, alice, bob):
        team = callscope.json("team", "create", "Desk", "--admin", alice.email)["id"]

        made = callscope.json(
            "project", "create", "Meetings", "--owner", bob.email, "--team", team, "--type", "general"
        )

        project = Project.objects.get(pk=made["id"])
        assert (project.team_id, project.type) == (team, "general")
        told = callscope.wrong_usage("project", "create", "P", "--owner", bob.email, "--type", "chat")
        assert told == "Invalid value for '--type': 'chat' is not one of 'call', 'general'."

    def test_show_prints_what_configure_reads(self, callscope, project, tmp_path):
        file = tmp_path / "config.yaml"
        file.write_text("language: es\n")
        assert callscope.json("project", "configure", project.pk, file)["config_version"] == 2

        file.write_text(callscope("project", "show", project.pk).stdout)

        again = callscope.json("project", "configure", project.pk, file)
        assert (again["changed"], again["config_version"]) == (False, 2)

    def test_show_says_none_where_there_is_no_team(self, callscope, project):
        assert "# team: none\n" in callscope("project", "show", project.pk).stdout

    @pytest.mark.parametrize("text", ["a: [", "- a list", "", "\x00"])
    def test_configure_names_a_file_that_is_wrong_as_a_whole(self, callscope, project, tmp_path, text):
        file = tmp_path / "config.yaml"
        file.write_text(text)

        (line,) = callscope.failure("project", "configure", project.pk, file)

        assert line.startswith(f"{file}: ")

    def test_share_as_viewer_or_editor(self, callscope, project, bob):
        callscope.json("project", "share", project.pk, bob.email)
        assert project.shares.get().role == "viewer"

        callscope.json("project", "share", project.pk, bob.email, "--role", "editor")
        assert project.shares.get().role == "editor"
        told = callscope.wrong_usage("project", "share", project.pk, bob.email, "--role", "boss")
        assert told == "Invalid value for '--role': 'boss' is not one of 'viewer', 'editor'."

    def test_a_missing_file_or_project_is_named(self, callscope, project, tmp_path):
        (line,) = callscope.failure("project", "configure", project.pk, tmp_path / "none.yaml")
        assert line == f"{tmp_path}/none.yaml: No such file or directory."
        assert callscope.failure("project", "show", 10**30) == [f"No project has the id {10**30}."]


class TestCalls:
    def test_import_reports_created_replaced_and_errors(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.write_text('{"file_name": "a"}\n{"file_name": "b", "sentiment": "angry"}\n')

        document = callscope.json("calls", "import", project.pk, file)

        assert (document["created"], document["replaced"]) == (1, 0)
        assert document["errors"] == ['line 2, b: sentiment is "angry"; allowed: positive, neutral, negative']

    def test_import_fails_when_no_line_went_in(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.write_text("nonsense\n")

        result = callscope("calls", "import", project.pk, file, "--json")

        assert result.exit_code == 1
        assert json.loads(result.stdout)["created"] == 0

    def test_import_fails_when_the_file_cannot_be_read_to_its_end(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl.gz"
        lines = "".join(f'{{"file_name": "{n}-{n * n}.wav"}}\n' for n in range(20_000))
        file.write_bytes(gzip.compress(lines.encode())[:-5_000])

        result = callscope("calls", "import", project.pk, file, "--json")

        document = json.loads(result.stdout)
        assert (result.exit_code, document["created"] > 0) == (1, True)
        assert "damaged" in document["errors"][-1]

    def test_import_of_an_empty_file_is_fine(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.touch()

        assert callscope.json("calls", "import", project.pk, file)["errors"] == []

    def test_export_counts_the_calls(self, callscope, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.write_text('{"file_name": "a"}\n{"file_name": "b"}\n')
        callscope.json("calls", "import", project.pk, file)

        assert callscope.json("calls", "export", project.pk, tmp_path / "out.jsonl.gz") == {"calls": 2}

    def test_are_refused_in_a_general_project(self, callscope, project, tmp_path):
        project.type = "general"
        project.save()
        file = tmp_path / "calls.jsonl"
        file.touch()

        for verb in ("import", "export"):
            (line,) = callscope.failure("calls", verb, project.pk, file)
            assert line.startswith(f"Project {project.pk} is of type general.")

    def test_export_names_a_folder_that_is_not_there(self, callscope, project, tmp_path):
        (line,) = callscope.failure("calls", "export", project.pk, tmp_path / "none" / "x.jsonl")

        assert line == f"{tmp_path}/none/x.jsonl: no file can be written there."
