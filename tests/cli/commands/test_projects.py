"""Projects: what the commands print, with which exit status, and what they refuse."""

import pytest

from callscope.projects.models import Project


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
        message = callscope.wrong_usage("project", "create", "P", "--owner", bob.email, "--type", "chat")
        assert message == "Invalid value for '--type': 'chat' is not one of 'call', 'general'."

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
        message = callscope.wrong_usage("project", "share", project.pk, bob.email, "--role", "boss")
        assert message == "Invalid value for '--role': 'boss' is not one of 'viewer', 'editor'."

    def test_transfer_gives_the_project_to_anybody_active(self, callscope, project, alice, bob):
        given = callscope.json("project", "transfer", project.pk, "Bob@example.com")

        assert given == {"id": project.pk, "owner": bob.email, "former": alice.email}
        project.refresh_from_db()
        assert project.owner == bob
        assert list(project.shares.values_list("user", "role")) == [(alice.pk, "editor")]
        assert callscope.failure("project", "transfer", project.pk, bob.email) == [
            f"{bob.email} already owns project {project.pk}."
        ]
        callscope.json("user", "deactivate", alice.email)
        assert callscope.failure("project", "transfer", project.pk, alice.email) == [
            f"{alice.email} cannot own the project. Choose an active user who can see it."
        ]

    def test_a_missing_file_or_project_is_named(self, callscope, project, tmp_path):
        (line,) = callscope.failure("project", "configure", project.pk, tmp_path / "none.yaml")
        assert line == f"{tmp_path}/none.yaml: No such file or directory."
        assert callscope.failure("project", "show", 10**30) == [f"No project has the id {10**30}."]
