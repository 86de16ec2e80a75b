"""Agents' users on the page of a project's people: who sees the calls of which agent."""

import pytest

from callscope.accounts.models import User
from callscope.calls.models import AgentUser, Call
from callscope.pipeline.decisions.appeal_edits import file_appeal
from callscope.projects.models import Invitation
from callscope.projects.services import create_project, share_project
from tests.web.conftest import bring, line, page, visitor_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def link(client, project, name, email="dana@example.com"):
    agent = Call.objects.filter(project=project, agent__name=name).first().agent
    sent = {"email": email, "agent_id": agent.pk}
    return page(client.post(f"/projects/{project.pk}/agent-users/", sent, follow=True)).text


class TestALink:
    def test_warns_of_an_agent_whose_name_begins_alike(self, as_alice, project):
        names = ("Dana", "Dana Kowalski", "Danae Ruiz", "Luis Soto")
        bring(project, *[line(n, agent_name=name) for n, name in enumerate(names, start=1)])

        said = link(as_alice, project, "Dana Kowalski")

        assert "sees the calls of Dana Kowalski, and nothing else of this project." in said
        assert "Calls of Dana are not among them." in said
        assert AgentUser.objects.get().agent.name == "Dana Kowalski"

    @pytest.mark.parametrize(
        ("email", "agent", "field"),
        [("dana at example", "", "agent-email"), ("dana@example.com", "99", "id_agent_id")],
    )
    def test_says_at_its_field_what_is_wrong_and_keeps_the_rest(self, as_alice, project, email, agent, field):
        [call] = bring(project, line(1, agent_name="Dana Kowalski"))
        sent = {"email": email, "agent_id": agent or call.agent_id}

        found = page(as_alice.post(f"/projects/{project.pk}/agent-users/", sent), 400)

        wrong = [a.get("id") for tag, a in found.elements if a.get("aria-invalid")]
        assert wrong == [field]
        assert found.all("input", id="agent-email")[0]["value"] == email
        assert not AgentUser.objects.exists()

    def test_begins_without_an_agent_and_asks_for_one(self, as_alice, project):
        bring(project, line(1, agent_name="Dana Kowalski"), line(2, agent_name="Luis Soto"))
        before = page(as_alice.get(f"/projects/{project.pk}/people/"))

        sent = {"email": "dana@example.com", "agent_id": ""}
        found = page(as_alice.post(f"/projects/{project.pk}/agent-users/", sent), 400)

        [choice] = before.all("select", name="agent_id")
        assert "required" in choice
        assert "Choose an agent Dana Kowalski Luis Soto" in before.text
        assert not [each for each in before.all("option") if "selected" in each and each.get("value")]
        assert "Choose an agent." in found.text
        assert [a.get("id") for tag, a in found.elements if a.get("aria-invalid")] == ["id_agent_id"]
        assert found.all("input", id="agent-email")[0]["value"] == "dana@example.com"
        assert not AgentUser.objects.exists()

    def test_warns_of_nobody_else(self, as_alice, project):
        bring(project, line(1, agent_name="Dana Kowalski"), line(2, agent_name="Danae Ruiz"))

        assert "are not among them" not in link(as_alice, project, "Dana Kowalski")


class TestASecondLink:
    """Of an e-mail that has a link already: nobody's access is moved unasked, and the trail keeps both."""

    @pytest.fixture(autouse=True)
    def agents(self, project):
        bring(project, line(1, agent_name="Dana Kowalski"), line(2, agent_name="Luis Soto"))

    def test_asks_before_it_replaces_the_first(self, as_alice, project):
        link(as_alice, project, "Dana Kowalski")
        agent = Call.objects.get(agent__name="Luis Soto").agent
        sent = {"email": "Dana@example.com", "agent_id": agent.pk}
        address = f"/projects/{project.pk}/agent-users/"

        asked = page(as_alice.post(address, sent), 400)

        assert "dana@example.com already sees the calls of Dana Kowalski." in asked.text
        assert AgentUser.objects.get().agent.name == "Dana Kowalski"
        [replaced] = asked.all("input", name="replaces")
        said = page(as_alice.post(address, {**sent, "replaces": replaced["value"]}, follow=True)).text
        assert "sees the calls of Luis Soto instead of Dana Kowalski, and nothing else" in said
        assert AgentUser.objects.get().agent.name == "Luis Soto"
        moved = as_alice.get("/audit/?kind=people").context["rows"][0]
        assert [(str(each.name), each.value) for each in moved.details] == [
            ("Agent", "Luis Soto"),
            ("Agent before", "Dana Kowalski"),
            ("User", "dana@example.com"),
        ]

    def test_to_the_same_agent_asks_nothing(self, as_alice, project):
        link(as_alice, project, "Dana Kowalski")

        assert "and nothing else of this project." in link(as_alice, project, "Dana Kowalski")

    def test_says_what_a_person_with_a_role_keeps(self, as_alice, project, bob):
        share_project(project, bob, role="viewer")

        said = link(as_alice, project, "Dana Kowalski", email=bob.email)

        assert f"{bob.email} is linked to the calls of Dana Kowalski, and keeps the access as Viewer." in said
        assert "and nothing else of this project." not in said


class TestALinkWithoutAccount:
    @pytest.fixture
    def root(self, db):
        return User.objects.create_user("root@example.com", "root-password", is_superuser=True)

    @pytest.fixture
    def own_project(self, root):
        own = create_project(root, "Own line", document={})
        bring(own, line(1, agent_name="Dana Kowalski"))
        return own

    def test_says_alike_to_managers_that_it_may_wait(self, as_alice, project, bob):
        bring(project, line(1, agent_name="Dana Kowalski"))

        unknown, known = (
            link(as_alice, project, "Dana Kowalski", email=email) for email in ("dana@example.com", bob.email)
        )

        assert "Anyone who signs in as dana@example.com sees the calls of Dana Kowalski" in unknown
        assert f"Anyone who signs in as {bob.email} sees the calls of Dana Kowalski" in known
        assert "waiting for an account" not in unknown + known
        assert "from the administrator of this server" in known

    def test_is_marked_for_managers_until_somebody_is_seen_to_use_it(self, as_alice, project, bob, carol):
        calls = bring(project, *[line(n, agent_name=f"Agent {n}") for n in (1, 2, 3)])
        emails = ("dana@example.com", bob.email, carol.email)
        for number, email in enumerate(emails, start=1):
            link(as_alice, project, f"Agent {number}", email=email)
        share_project(project, carol, role="viewer")  # so that she is among the people above

        def read():
            return page(as_alice.get(f"/projects/{project.pk}/people/")).text

        before = read()
        assert [f"{email} no sign of use yet" in before for email in emails] == [True, True, False]
        assert "Only administrators see whether the address has an account." in before

        file_appeal(calls[1].pk, "greeting", "I greeted her.", bob)

        after = read()
        assert [f"{email} no sign of use yet" in after for email in emails] == [True, False, False]

    def test_shows_administrators_that_it_waits(self, root, own_project, bob):
        as_root = visitor_of(root)

        said = link(as_root, own_project, "Dana Kowalski")

        assert "No account has the address dana@example.com. Once one does, it will see" in said
        assert "dana@example.com waiting for an account Dana Kowalski" in said
        said = link(as_root, own_project, "Dana Kowalski", email=bob.email)
        assert f"{bob.email} sees the calls of Dana Kowalski, and nothing else of this project." in said
        assert f"{bob.email} waiting" not in said
        assert "no sign of use" not in said
        assert page(as_root.get(f"/projects/{own_project.pk}/people/")).all("a", href="/users/")

    def test_leaves_the_administrator_who_made_it_free_to_invite(self, root, own_project):
        as_root = visitor_of(root)
        link(as_root, own_project, "Dana Kowalski")

        said = page(as_root.post("/users/", {"email": "dana@example.com"})).text

        assert "a person without an account can create one" in said
        assert Invitation.objects.get().creates_account
