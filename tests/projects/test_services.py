"""Projects made, configured, shared and deleted."""

import pytest

from callscope.accounts import services as accounts
from callscope.accounts.models import AuditEvent
from callscope.projects import services
from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.models import ConfigVersion, Project
from callscope.projects.services import InvalidProject, NoSuchProject


class TestCreatingAProject:
    def test_stores_the_document_with_every_default_as_version_1(self, alice):
        project = services.create_project(alice, " Service  line ", document={"language": "es"})

        assert project.name == "Service line"
        assert project.config["language"] == "es"
        assert project.config["shift_hours"] == {"day_start": 8, "day_end": 20}
        assert project.config_versions.get().number == 1

    def test_refuses_a_wrong_document_whole(self, alice):
        with pytest.raises(InvalidConfiguration):
            services.create_project(alice, "Service line", document={"language": "fr"})

        assert not Project.objects.exists()

    def test_refuses_an_unknown_type_and_names_those_there_are(self, alice):
        with pytest.raises(InvalidProject, match="call, general"):
            services.create_project(alice, "Service line", type="chat")

    @pytest.mark.parametrize("name", ["", " \n", "x" * 256, "a\x00", "\ud800"])
    def test_needs_a_name(self, alice, name):
        with pytest.raises(InvalidProject) as refusal:
            services.create_project(alice, name)

        assert refusal.value.field == "name"

    def test_puts_nothing_into_a_team_for_one_who_is_no_member(self, alice, carol):
        team = accounts.create_team("Desk", admin=alice)

        with pytest.raises(InvalidProject, match="not a member"):
            services.create_project(carol, "Service line", team=team, by=carol)


class TestConfiguring:
    def test_adds_a_version_and_keeps_the_former(self, project, alice):
        assert services.configure_project(project, {"language": "es"}, by=alice)

        project.refresh_from_db()
        assert project.config_version == 2
        assert project.configuration.language == "es"
        assert ConfigVersion.objects.get(project=project, number=2).created_by == alice

    def test_adds_no_version_when_the_document_says_the_same(self, project):
        services.configure_project(project, {"language": "es"})

        assert not services.configure_project(project, {"language": "es", "vocabulary": []})
        assert project.config_version == 2

    def test_leaves_everything_when_the_document_is_wrong(self, project):
        with pytest.raises(InvalidConfiguration):
            services.configure_project(project, {"shift_hours": {"day_start": 9, "day_end": 9}})

        project.refresh_from_db()
        assert project.config_version == 1


class TestSharing:
    def test_changes_the_role_the_second_time(self, project, bob):
        services.share_project(project, bob)
        services.share_project(project, bob, "editor")

        assert project.shares.get().role == "editor"

    def test_is_refused_for_the_owner_and_for_unknown_roles(self, project, alice, bob):
        with pytest.raises(InvalidProject, match="owns"):
            services.share_project(project, alice)
        with pytest.raises(InvalidProject, match="viewer, editor"):
            services.share_project(project, bob, "admin")

    def test_is_taken_back_once(self, project, bob):
        services.share_project(project, bob)
        services.unshare_project(project, bob)

        with pytest.raises(InvalidProject, match="not shared"):
            services.unshare_project(project, bob)


class TestDeleting:
    def test_leaves_a_trace(self, project, alice):
        services.delete_project(project, by=alice)

        event = AuditEvent.objects.get(action="project.deleted")
        assert event.actor == alice
        assert event.detail["name"] == "Service line"
        assert not Project.objects.exists()


@pytest.mark.parametrize("project_id", [0, -1, 77, 2**63, 10**40])
def test_a_project_that_does_not_exist_is_not_found(db, project_id):
    with pytest.raises(NoSuchProject):
        services.find_project(project_id)
