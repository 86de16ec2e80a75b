"""Which projects a question spans. Rules: docs/api.md, "Scope"."""

import pytest
from django.contrib.auth.models import AnonymousUser

from callscope.accounts import services as accounts
from callscope.projects.scope import resolve_scope
from callscope.projects.services import create_project, share_project


@pytest.fixture
def team(alice, bob):
    """A team that Alice administers and Bob is a plain member of."""
    team = accounts.create_team("Desk", admin=alice)
    accounts.add_team_member(team, bob)
    return team


def ids(user, **question):
    return resolve_scope(user, **question).project_ids


class TestVisibleProjects:
    def test_are_own_shared_and_those_of_administered_teams(self, alice, bob, carol, team):
        own = create_project(alice, "Own")
        shared = create_project(carol, "Shared")
        share_project(shared, alice)
        of_team = create_project(carol, "Of the team", team=team)
        create_project(carol, "Foreign")

        assert ids(alice) == [own.pk, shared.pk, of_team.pk]

    def test_hide_the_teams_projects_from_plain_members(self, bob, carol, team):
        create_project(carol, "Of the team", team=team)

        assert ids(bob) == []

    def test_name_each_project_once(self, alice, team):
        project = create_project(alice, "Own, of the team", team=team)

        assert ids(alice) == [project.pk]

    def test_leave_out_projects_of_another_type(self, alice):
        create_project(alice, "Meetings", type="general")

        assert ids(alice) == []

    def test_are_not_more_for_superusers(self, bob, project):
        bob.is_superuser = True
        bob.save()

        assert ids(bob) == []

    def test_end_with_the_share_the_membership_or_the_account(self, alice, carol, team):
        of_team = create_project(carol, "Of the team", team=team)
        assert ids(alice) == [of_team.pk]

        accounts.remove_team_member(team, alice)
        assert ids(alice) == []

        accounts.deactivate_user(carol)
        assert ids(carol) == []

    def test_are_none_for_nobody(self, project):
        assert ids(AnonymousUser()) == []
        assert resolve_scope(AnonymousUser(), project_id=project.pk).project_not_found


class TestANamedTeam:
    def test_narrows_a_member_to_the_visible_projects_of_the_team(self, alice, bob, carol, team):
        create_project(alice, "Own")
        of_team = create_project(carol, "Of the team", team=team)
        shared_with_bob = create_project(carol, "Of the team, shared", team=team)
        share_project(shared_with_bob, bob)
        create_project(bob, "Bob's own")

        assert ids(alice, team=team.pk) == [of_team.pk, shared_with_bob.pk]
        assert ids(bob, team=team.pk) == [shared_with_bob.pk]

    def test_is_ignored_for_one_who_is_no_member(self, carol, team):
        own = create_project(carol, "Own")

        assert ids(carol, team=team.pk) == [own.pk]

    @pytest.mark.parametrize("team_id", [0, -3, 10**6, 2**63, 10**40])
    def test_is_ignored_when_there_is_no_such_team(self, alice, project, team_id):
        assert ids(alice, team=team_id) == [project.pk]


class TestANamedProject:
    def test_is_the_whole_scope(self, alice, project):
        create_project(alice, "Another")

        assert ids(alice, project_id=project.pk) == [project.pk]
        assert not resolve_scope(alice, project_id=project.pk).project_not_found

    @pytest.mark.parametrize("project_id", [0, -1, 10**6, 2**63, 10**40])
    def test_is_not_found_when_it_is_absent(self, alice, project, project_id):
        scope = resolve_scope(alice, project_id=project_id)

        assert scope.project_not_found
        assert scope.projects == []

    def test_is_not_found_when_it_is_foreign_or_of_another_type(self, alice, bob, project):
        meetings = create_project(alice, "Meetings", type="general")

        assert resolve_scope(bob, project_id=project.pk).project_not_found
        assert resolve_scope(alice, project_id=meetings.pk).project_not_found

    def test_is_not_found_outside_the_named_team(self, alice, project, team):
        assert resolve_scope(alice, project_id=project.pk, team=team.pk).project_not_found

    def test_costs_few_queries(self, alice, project, team, django_assert_max_num_queries):
        with django_assert_max_num_queries(2):
            resolve_scope(alice, project_id=project.pk, team=team.pk)
