"""The entry "Reviews" of the navigation: who has it, where it leads, and what belongs to it."""

import pytest

from callscope.projects.services import create_project, share_project
from tests.web.conftest import page, visitor_of

pytestmark = pytest.mark.django_db


def entries(client, address="/calls/?project_id="):
    """Return the addresses of the navigation, and the current one."""
    links = [each for each in page(client.get(address)).all("a") if each.get("data-go")]
    return [each["href"] for each in links], [e["href"] for e in links if e.get("aria-current") == "page"]


class TestEntryReviews:
    def test_leads_to_the_only_project_and_to_one_that_the_address_names(self, as_alice, alice, project):
        only = as_alice.get("/reviews/")
        newest = create_project(alice, "Newest")

        assert only.url == f"/projects/{project.pk}/reviews/"
        assert as_alice.get(f"/reviews/?project_id={newest.pk}").url == f"/projects/{newest.pk}/reviews/"
        assert as_alice.get("/reviews/?project_id=%00").status_code == 200
        # A report of one project does not narrow what waits.
        assert "/reviews/" in entries(as_alice, f"/calls/?project_id={newest.pk}")[0]

    @pytest.mark.parametrize("part", ["reviews", "agreement", "samples", "sampling-plans"])
    def test_is_marked_on_the_pages_that_belong_to_it(self, as_alice, project, part):
        assert entries(as_alice, f"/projects/{project.pk}/{part}/")[1] == ["/reviews/"]

    def test_is_marked_in_the_review_of_a_call_and_not_on_its_page(self, as_alice, world):
        assert entries(as_alice, f"/calls/{world[0].pk}/review/")[1] == ["/reviews/"]
        assert "/reviews/" not in entries(as_alice, f"/calls/{world[0].pk}/")[1]

    def test_is_marked_on_appeals_and_not_on_settings(self, as_alice, project):
        assert entries(as_alice, "/appeals/")[1] == ["/reviews/"]
        assert entries(as_alice, f"/projects/{project.pk}/people/")[1] == ["/projects/"]

    def test_is_not_there_for_viewers(self, as_alice, project, carol):
        share_project(project, carol, role="viewer")

        assert "/reviews/" in entries(as_alice)[0]
        assert "/reviews/" not in entries(visitor_of(carol))[0]
        viewed = entries(visitor_of(carol), f"/projects/{project.pk}/reviews/")
        assert viewed[1] == ["/projects/"]

        shown = [
            page(visitor_of(carol).get(each, follow=True))
            for each in ("/report/", "/calls/", "/account/", "/projects/")
        ]
        assert not any(each.all("a", href="/reviews/") for each in shown)

    def test_says_to_viewers_who_reviews_and_who_can_let_them(self, as_carol, project, alice, bob, carol):
        share_project(project, carol, role="viewer")
        one = page(as_carol.get("/reviews/"), 403).text
        share_project(create_project(bob, "Another"), carol, role="viewer")
        several = page(as_carol.get("/reviews/"), 403).text

        assert "You are not allowed to do this Calls are reviewed by editors and the owner" in one
        assert f"Ask {alice.email} for the role of editor." in one
        assert "Its page “People” says who that is." in several
        assert alice.email in page(as_carol.get(f"/projects/{project.pk}/people/")).text

    def test_leads_to_the_first_steps_without_a_project_that_has_calls(self, as_carol, carol):
        assert page(as_carol.get("/reviews/")).all("a", href="/start/")

        create_project(carol, "Recordings", type="general")
        assert page(as_carol.get("/reviews/")).all("a", href="/start/")

    def test_leads_to_open_appeals(self, as_alice, project):
        found = page(as_alice.get(f"/projects/{project.pk}/reviews/"))

        assert len(found.all("a", href="/appeals/")) == 2  # the menu has it, too
