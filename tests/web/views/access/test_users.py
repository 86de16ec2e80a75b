"""The pages on which administrators erase users."""

import pytest

from callscope.accounts.models import AuditEvent, User
from callscope.accounts.services import create_team
from callscope.calls.models import Call
from callscope.projects.models import Project
from callscope.projects.services import share_project
from tests.web.conftest import bring, page, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_root(db):
    return visitor_of(User.objects.create_user("root@example.com", "root-password", is_superuser=True))


def address(user):
    return f"/users/{user.pk}/erase/"


class TestUsers:
    def test_are_listed_for_administrators_alone(self, as_root, as_carol, alice, project):
        found = page(as_root.get("/users/"))

        assert "alice@example.com active 1" in found.text
        assert found.all("a", href=address(alice))
        assert as_carol.get("/users/").status_code == as_carol.get(address(alice)).status_code == 403
        assert as_carol.post(address(alice), {"email": alice.email}).status_code == 403
        assert User.objects.filter(pk=alice.pk).exists()

    def test_stand_in_the_menu_of_administrators_alone(self, as_root, as_carol):
        assert page(as_root.get("/account/")).all("a", href="/users/")
        assert not page(as_carol.get("/account/")).all("a", href="/users/")


class TestErasing:
    def test_somebody_without_projects_leaves_a_receipt_without_names(self, as_root, bob):
        answer = as_root.post(address(bob), {"email": " Bob@Example.com "})

        event = AuditEvent.objects.get(action="user.erased")
        assert answer.status_code == 200
        assert "Users: 1" in page(answer).text
        assert event.digest in page(answer).text
        assert "bob@" not in answer.content.decode()
        assert event.actor.email == "root@example.com"
        assert not User.objects.filter(pk=bob.pk).exists()

    def test_needs_the_e_mail_once_more(self, as_root, bob):
        answer = as_root.post(address(bob), {"email": "alice@example.com"})

        assert answer.status_code == 400
        assert "does not match" in answer.content.decode()
        assert User.objects.filter(pk=bob.pk).exists()

    def test_gives_projects_to_somebody_who_may_change_them_already(
        self, as_root, alice, bob, carol, project
    ):
        share_project(project, bob, "editor")
        share_project(project, carol, "viewer")

        form = page(as_root.get(address(alice)))
        assert "They are transferred to bob@example.com" in form.text
        assert "carol@example.com" not in form.text and "to root@example.com" not in form.text
        for chosen in ("", "99999999", str(carol.pk), str(User.objects.get(email="root@example.com").pk)):
            refused = as_root.post(address(alice), {"email": alice.email, "projects": chosen})
            assert refused.status_code == 400
        as_root.post(address(alice), {"email": alice.email, "projects": str(bob.pk)})

        assert Project.objects.get().owner == bob
        assert not User.objects.filter(pk=alice.pk).exists()

    def test_erases_projects_if_that_is_chosen(self, as_root, alice, project):
        bring(project, {"file_name": "zqjx.wav", "topic": "bill"})

        answer = as_root.post(address(alice), {"email": alice.email, "projects": "erase"})

        assert "Projects: 1 Calls: 1" in page(answer).text
        assert not Project.objects.exists() and not Call.objects.exists()
        assert not User.objects.filter(pk=alice.pk).exists()

    def test_of_the_only_admin_of_a_team_is_refused_before_anything_goes(self, as_root, alice, project):
        create_team("Sales", admin=alice)

        answer = as_root.post(address(alice), {"email": alice.email, "projects": "erase"})

        assert answer.status_code == 400
        assert "only admin of team" in answer.content.decode()
        assert Project.objects.count() == 1

    def test_of_an_administrator_is_for_the_command_line(self, as_root):
        root = User.objects.get(email="root@example.com")

        answer = as_root.post(address(root), {"email": root.email}, follow=True)

        assert "can only be erased on the command line" in page(answer).text
        assert User.objects.filter(pk=root.pk).exists()

    def test_of_nobody_is_404(self, as_root):
        assert as_root.get("/users/99999999999999999999/erase/").status_code == 404
