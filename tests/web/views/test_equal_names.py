"""Projects of one name: asked about before one is made, and distinguished where one is chosen."""

import datetime as dt

import pytest
from django.utils import timezone

from callscope.accounts.services import create_team
from callscope.interfaces.web.project_access import tell_apart
from callscope.interfaces.web.templatetags import formatting
from callscope.projects import services
from callscope.projects.models import Project
from tests.web.conftest import page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NEW = {"type": "call", "start": "empty"}


def create(client, name, **more):
    return client.post("/projects/new/", {**NEW, "name": name, **more})


class TestNewName:
    def test_of_an_own_project_has_to_be_confirmed(self, as_alice, alice, project):
        asked = page(create(as_alice, " service  LINE"), 400)

        assert "You already have a project with this name. Choose another name" in asked.text
        [button] = asked.all("button", name="same_name")
        assert button["value"] == "service LINE"
        assert alice.projects.count() == 1
        assert create(as_alice, "service LINE", same_name=button["value"]).status_code == 302
        assert alice.projects.count() == 2

    def test_is_asked_about_again_once_it_was_changed(self, as_alice, alice, project):
        services.create_project(alice, "Sales")

        assert create(as_alice, "Sales", same_name="Service line").status_code == 400
        assert create(as_alice, "Returns", same_name="Service line").status_code == 302
        assert sorted(each.name for each in alice.projects.all()) == ["Returns", "Sales", "Service line"]

    def test_of_a_shared_project_says_whose_it_is(self, as_carol, carol, project):
        assert create(as_carol, "Service line").status_code == 302  # of a project that she does not see
        carol.projects.all().delete()
        services.share_project(project, carol)

        asked = page(create(as_carol, "Service line"), 400)

        assert "alice@example.com has a project with this name." in asked.text


class TestChoices:
    def names(self, *projects):
        return [each.name for each in tell_apart(projects)]

    def test_name_what_is_different(self, alice, bob, project):
        other = services.create_project(bob, "service line")
        alone = services.create_project(bob, "Sales")
        assert self.names(project, other, alone) == [
            "Service line · alice@example.com", "service line · bob@example.com", "Sales",
        ]  # fmt: skip
        other.team = create_team("North", admin=bob)
        other.save()
        assert self.names(project, other) == ["Service line · No team", "service line · North"]

    def test_fall_back_on_the_day_and_the_number(self, alice, project):
        other = services.create_project(alice, "Service line")
        assert self.names(project, other) == [f"Service line · no. {each.pk}" for each in (project, other)]
        day = timezone.make_aware(dt.datetime(2026, 3, 1, 12))
        Project.objects.filter(pk=other.pk).update(created_at=day)
        assert self.names(project, other)[1] == f"Service line · {formatting.day(day.date())}"

    @pytest.mark.parametrize(
        "address", ["/report/", "/calls/", "/upload/", "/usage/", "/audit/", "/keys/", "/projects/new/"]
    )
    def test_stand_on_the_pages(self, as_alice, bob, alice, project, address):
        services.share_project(services.create_project(bob, "Service line"), alice, "editor")
        if address == "/audit/":
            Project.objects.filter(owner=bob).update(team=create_team("North", admin=alice))

        shown = page(as_alice.get(address, follow=True)).text

        apart = ("No team", "North") if address == "/audit/" else ("alice@example.com", "bob@example.com")
        assert all(f"Service line · {words}" in shown for words in apart)

    def test_stand_where_reports_are_ordered_by_mail(self, bob, alice, project):
        from callscope.interfaces.web.views.sharing.report_mails import Subscribe

        services.share_project(services.create_project(bob, "Service line"), alice)

        choices = [label for _value, label in Subscribe(alice).fields["project_id"].choices]

        assert choices == ["Service line · alice@example.com", "Service line · bob@example.com"]
