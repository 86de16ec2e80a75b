"""Projects that move between teams: who may, who sees them then, and whose agents theirs are."""

import pytest

from callscope.accounts.models import AuditEvent
from callscope.accounts.services import add_team_member, create_team
from callscope.calls.agents import AgentResolver
from callscope.calls.models import Agent, AgentUser, Call
from callscope.calls.own_calls import link_user
from callscope.projects import permissions, services
from callscope.reports.overview.report import build_report
from callscope.reports.window import ALL_TIME
from tests.web.conftest import bring, line, page, visitor_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def north(alice):
    return create_team("North", admin=alice)


def move(client, project, team, **options):
    return client.post(f"/projects/{project.pk}/team/", {"team": team}, **options)


class TestMoving:
    def test_gives_the_project_to_the_admins_of_the_team(self, as_alice, alice, bob, project, north):
        add_team_member(north, bob, admin=True)
        assert not permissions.visible_to(bob).exists()

        answer = page(as_alice.post(f"/projects/{project.pk}/team/", {"team": north.pk}, follow=True))

        assert "The project is now in the team North." in answer.text
        assert permissions.get_role(bob, project.__class__.objects.get(pk=project.pk)) == "admin"
        event = AuditEvent.objects.get(action="project.team_changed")
        assert (event.actor, event.detail) == (alice, {"former": None, "new": north.pk})
        assert move(as_alice, project, "none").status_code == 302
        assert not permissions.visible_to(bob).exists()

    def test_has_to_be_chosen_and_is_asked_about_by_name(self, as_alice, project, north):
        address = f"/projects/{project.pk}/settings/general/"

        shown = page(as_alice.get(address))

        [select] = [each for each in shown.all("select") if each["name"] == "team"]
        assert "required" in select
        assert "Choose a team North" in shown.text
        [button] = [each for each in shown.all("button") if "{choice}" in each.get("data-confirm", "")]
        assert button["data-confirm"] == "Move the project to “{choice}”?"
        assert "Nothing was moved" in page(move(as_alice, project, "", follow=True)).text
        move(as_alice, project, north.pk)
        assert "Choose a team No team" in page(as_alice.get(address)).text

    def test_makes_its_agents_those_of_the_team_without_renaming_any(self, as_alice, alice, project, north):
        calls = bring(
            project, line(1), line(2, agent_id="7", agent_name="Ben Okafor"), line(3, agent_name="Only Here")
        )
        other = services.create_project(alice, "Stays")
        bring(other, line(1))
        link_user(project, "ana@example.com", Agent.objects.get(name="Ana Ruiz"))
        neighbor = services.create_project(alice, "In the team", team=north)
        known = AgentResolver(neighbor).resolve("7", "Benjamin O.")
        bring(neighbor, line(1, agent_id="7", agent_name="Benjamin O."))
        before = [
            (row.agent, row.calls, row.average_score)
            for row in build_report([project], ALL_TIME, None).agents
        ]

        move(as_alice, project, north.pk)

        project.refresh_from_db()
        agents = [Call.objects.get(pk=call.pk).agent for call in calls]
        assert {agent.team_id for agent in agents} == {north.pk}
        assert agents[1] == known and known.__class__.objects.get(pk=known.pk).name == "Benjamin O."
        assert AgentUser.objects.get().agent == agents[0]
        after = [
            (row.agent, row.calls, row.average_score)
            for row in build_report([project], ALL_TIME, None).agents
        ]
        assert sorted(after) == sorted(
            (name.replace("Ben Okafor", "Benjamin O."), *rest) for name, *rest in before
        )
        assert [a.name for a in Agent.objects.filter(owner=alice)] == [
            "Ana Ruiz"
        ]  # of the project that stays
        assert [row.agent for row in build_report([other], ALL_TIME, None).agents] == ["Ana Ruiz"]

    def test_is_offered_and_done_only_where_one_looks_after_the_team(
        self, as_alice, as_carol, alice, bob, carol, project
    ):
        south = create_team("South", admin=carol)
        services.share_project(project, bob, "editor")

        assert "Move the project" not in page(as_alice.get(f"/projects/{project.pk}/people/")).text
        for client, team, status in (
            (as_alice, south.pk, 302), (as_alice, "none", 302), (as_alice, "x", 302), (as_alice, 10**30, 302),
            (visitor_of(bob), south.pk, 403), (as_carol, south.pk, 404),
        ):  # fmt: skip
            assert move(client, project, team).status_code == status, team
        project.refresh_from_db()
        assert project.team is None
        assert not AuditEvent.objects.filter(action="project.team_changed").exists()

    def test_out_of_all_teams_is_for_the_owner_alone(self, as_alice, bob, project, north):
        add_team_member(north, bob, admin=True)
        move(as_alice, project, north.pk)

        move(visitor_of(bob), project, "none")

        project.refresh_from_db()
        assert project.team == north
