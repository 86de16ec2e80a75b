"""Who may see, change and manage a project."""

import pytest

from callscope.accounts import services as accounts
from callscope.projects import permissions
from callscope.projects.services import create_project, share_project


@pytest.fixture
def team(alice):
    return accounts.create_team("Desk", admin=alice)


@pytest.fixture
def person_with(db, alice, bob, carol, team):
    """Return somebody who has the given role in the project of the test, None for a stranger."""
    project = create_project(carol, "Of the team", team=team)
    dora, erin = (accounts.create_user(f"{name}@example.com") for name in ("dora", "erin"))
    share_project(project, bob, "editor")
    share_project(project, dora, "viewer")
    people = {"owner": carol, "admin": alice, "editor": bob, "viewer": dora, None: erin}
    return lambda role: (people[role], project)


class TestVisibleTo:
    def test_spans_both_types_and_no_foreign_project(self, alice, bob, carol, team):
        own = create_project(alice, "Own")
        meetings = create_project(alice, "Meetings", type="general")
        shared = create_project(carol, "Shared")
        share_project(shared, alice)
        of_team = create_project(carol, "Of the team", team=team)
        create_project(carol, "Foreign")

        assert set(permissions.visible_to(alice)) == {own, meetings, shared, of_team}
        assert not permissions.visible_to(bob).exists()


class TestRoles:
    @pytest.mark.parametrize("role", permissions.ROLES)
    def test_give_each_person_the_role_of_the_table(self, person_with, role):
        assert permissions.get_role(*person_with(role)) == role

    def test_are_the_strongest_that_somebody_has(self, alice, bob, carol, team):
        project = create_project(carol, "Of the team", team=team)
        share_project(project, alice, "viewer")
        share_project(project, bob, "editor")

        assert permissions.get_role(carol, project) == "owner"
        assert permissions.get_role(alice, project) == "admin"
        assert permissions.get_role(bob, project) == "editor"
        share_project(project, bob, "viewer")
        assert permissions.get_role(bob, project) == "viewer"

    def test_are_none_for_strangers(self, carol, project):
        assert permissions.get_role(carol, project) is None

    def test_are_read_at_once_for_many_projects(self, alice, carol, team, django_assert_max_num_queries):
        projects = [create_project(carol, f"Project {n}", team=team) for n in range(20)]

        with django_assert_max_num_queries(2):
            roles = permissions.get_roles(alice, projects)

        assert set(roles.values()) == {"admin"}


class TestPermissions:
    @pytest.mark.parametrize(
        ("role", "can_write", "can_manage"),
        [
            ("owner", True, True),
            ("admin", True, True),
            ("editor", True, False),
            ("viewer", False, False),
            (None, False, False),
        ],
    )
    def test_follow_the_role(self, person_with, role, can_write, can_manage):
        person, project = person_with(role)

        assert permissions.can_write(person, project) is can_write
        assert permissions.can_manage(person, project) is can_manage
        assert permissions.writable(person, [project]) == ([project] if can_write else [])
