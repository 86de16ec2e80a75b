"""What an agent who sees own calls and nothing else is led to: the pages that hold something for them."""

import pytest

from callscope.calls.own_calls import link_user
from callscope.projects.services import create_project, share_project
from tests.web.conftest import page

pytestmark = pytest.mark.django_db
NAVIGATION = ["Report", "Calls", "Questions", "Upload", "Projects"]


@pytest.fixture
def own_page(project, world, carol):
    """Carol is the agent of the first call; the address of her page."""
    link_user(project, carol.email, world[0].agent)
    return f"/agents/{world[0].agent_id}/?project_id={project.pk}"


def places(found):
    return [link["href"] for link in found.all("a") if "data-go" in link]


def menu(found):
    return {link["href"] for link in found.all("a") if link.get("class") == "menu-item"}


class TestAnAgent:
    def test_lands_on_the_own_page(self, as_carol, own_page):
        assert as_carol.get("/")["Location"] == own_page

    def test_is_led_to_what_holds_own_calls(self, as_carol, own_page, project):
        found = page(as_carol.get(own_page))

        kept = f"?project_id={project.pk}"
        assert places(found) == [own_page, f"/calls/{kept}", "/appeals/", f"/report/{kept}"]
        assert menu(found) == {"/account/", "/invitations/", "/keys/"}
        [current] = [link["href"] for link in found.all("a") if "data-go" in link and "aria-current" in link]
        assert current == own_page

    def test_finds_every_place_open(self, as_carol, own_page):
        found = page(as_carol.get(own_page))

        assert {as_carol.get(address).status_code for address in [*places(found), *menu(found)]} == {200}

    def test_is_not_asked_to_set_up_a_project_in_order_to_upload(self, as_carol, own_page):
        text = page(as_carol.get("/upload/")).text

        assert "You cannot upload calls" in text
        assert "Set up the first project" not in text

    @pytest.mark.parametrize("gets", ["a role", "a project"])
    def test_with_anything_more_to_see_has_the_places_of_others(self, as_carol, carol, own_page, alice, gets):
        if gets == "a project":
            create_project(carol, "Mine", "general")
        else:
            share_project(create_project(alice, "Other"), carol, role="viewer")

        found = page(as_carol.get("/account/"))

        assert [address.strip("/") for address in places(found)] == ["", *map(str.lower, NAVIGATION[1:])]
        assert "/usage/" in menu(found)
