"""What an agent who sees own calls and nothing else is led to: the pages that hold something for them."""

import pytest

from callscope.calls.own_calls import link_user
from callscope.pipeline.decisions.appeal_edits import file_appeal
from callscope.projects.services import create_project, share_project
from callscope.reviews.notes import create_note
from tests.web.conftest import bring, line, page, visitor_of
from tests.web.views.reviewing.test_samples import judge

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

    @pytest.mark.parametrize("address", ["/questions/", "/reviews/", "/projects/"])
    def test_is_led_to_the_own_page_where_there_is_nothing_for_agents(self, as_carol, own_page, address):
        found = page(as_carol.get(address))

        assert "You see your own calls." in found.text
        assert "Set up the first project" not in found.text
        assert "New project" not in found.text
        assert "My page" in [text.strip() for text in found.texts]

    def test_is_not_led_from_a_call_to_the_answers_of_all(self, as_carol, as_alice, project, carol):
        answers = {"Was a refund promised?": {"answer": "Yes", "quotes": []}}
        [call] = bring(project, line(9, custom_questions={"answers": answers}))
        link_user(project, carol.email, call.agent)

        for who, is_led in ((as_carol, False), (as_alice, True)):
            text = page(who.get(f"/calls/{call.pk}/")).text
            assert "Was a refund promised?" in text
            assert ("The answers of all calls" in text) == is_led

    @pytest.mark.parametrize("gets", ["a role", "a project"])
    def test_with_anything_more_to_see_has_the_places_of_others(self, as_carol, carol, own_page, alice, gets):
        if gets == "a project":
            create_project(carol, "Mine", "general")
        else:
            share_project(create_project(alice, "Other"), carol, role="viewer")

        found = page(as_carol.get("/account/"))

        expected = ["", *map(str.lower, NAVIGATION[1:])]
        if gets != "a project":  # a viewer has nowhere to upload to
            expected.remove("upload")
        assert [address.strip("/") for address in places(found)] == expected
        assert "/usage/" in menu(found)

    def test_reads_own_calls_under_that_name_without_a_choice_of_projects(self, as_carol, own_page, world):
        found = page(as_carol.get("/calls/"))

        assert "My calls" in [text.strip() for text in found.texts]
        assert not found.all("select", id="f-project")
        assert "call-1.wav" in found.text

    def test_is_addressed_by_notes_appeals_and_what_was_read(self, as_carol, carol, alice, own_page, world):
        call = world[0]
        judge(call, alice, "not_met")
        create_note(call, "Well done.", 3, alice, is_shared=True)
        file_appeal(call.pk, "greeting", "I did.", carol)

        before = page(as_carol.get(f"/calls/{call.pk}/")).text
        as_carol.post(f"/calls/{call.pk}/acknowledge/")
        after = page(as_carol.get(f"/calls/{call.pk}/")).text
        theirs = page(visitor_of(alice).get(f"/calls/{call.pk}/")).text

        assert "shared with you" in before
        assert "You appealed on" in before
        assert before.index("Review by a person") < before.index("I have read this review")
        assert "You read the review on" in after
        assert "I have read this review" not in after
        assert "The agent read the review on" in theirs
        assert "shared with the agent" in theirs
        assert f"{carol.email} appealed on" in theirs


class TestListsOfOneAgent:
    def test_have_no_column_or_order_of_agents(self, as_carol, as_alice, own_page, project):
        scope = f"?project_id={project.pk}"
        own, all_calls = (page(who.get(f"/calls/{scope}")) for who in (as_carol, as_alice))

        for found, is_own in ((own, True), (all_calls, False)):
            assert bool(found.all("th", scope="col") and "c-agent" in str(found.elements)) != is_own
            assert bool(found.all("option", value="agent__name")) != is_own
            heads = len(found.all("th", scope="col"))
            [row] = [len(each) for each in rows_of(found)[:1]]
            assert heads == row == len(found.all("col")), is_own

    @pytest.mark.parametrize("address", ["/calls/", "/report/"])
    def test_name_no_projects_among_the_filters_of_a_phone(self, as_carol, as_alice, own_page, address):
        for who, is_own in ((as_carol, True), (as_alice, False)):
            html = who.get(f"{address}?project_id=").content.decode()
            assert ("All projects · " in " ".join(html.replace("<option", "").split())) != is_own

    def test_have_no_tab_or_table_of_agents(self, as_carol, as_alice, own_page, project):
        scope = f"?project_id={project.pk}"
        for who, is_own in ((as_carol, True), (as_alice, False)):
            found = page(who.get(f"/report/{scope}"))
            tabs = [a["href"] for a in found.all("a") if a["href"].startswith("/report/agents/?")]
            assert bool(tabs) != is_own
            tables = {a["href"].split("?")[0] for a in found.all("a", **{"class": "menu-item"})}
            assert ({"/report/agents.csv", "/report/agent-criteria.xlsx"} <= tables) != is_own

    def test_lead_from_the_former_address_of_the_tab_to_the_own_page(self, as_carol, own_page, project):
        days = "date_range=last_90_days"

        answer = as_carol.get(f"/report/agents/?project_id={project.pk}&{days}")

        assert answer["Location"] == f"{own_page}&{days}"
        assert page(as_carol.get(answer["Location"]))

    @pytest.mark.parametrize("part", ["", "criteria/", "reasons/", "trend/"])
    def test_lead_nowhere_that_is_closed(self, as_carol, own_page, project, part):
        addresses = (f"/report/{part}?project_id={project.pk}", "/calls/", own_page)
        links = {a["href"] for each in addresses for a in page(as_carol.get(each)).all("a")}
        inside = {each.split("#")[0] for each in links if each.startswith("/")}

        codes = {each: as_carol.get(each, follow=True).status_code for each in inside}
        assert codes == dict.fromkeys(inside, 200)


def rows_of(found):
    """Return the cells of each row of the body of the tables."""
    rows, in_body = [], False
    for tag, attributes in found.elements:
        if tag in ("thead", "tbody"):
            in_body = tag == "tbody"
        elif in_body and tag == "tr":
            rows.append([])
        elif in_body and tag in ("td", "th"):
            rows[-1].append(attributes)
    return rows


def test_upload_is_a_place_of_those_who_may_and_of_those_who_begin(as_alice, as_carol, carol, project):
    assert "/upload/" in places(page(as_alice.get("/account/")))
    assert "/upload/" in places(page(as_carol.get("/account/")))  # no project yet: the page says how to begin

    share_project(project, carol, role="viewer")
    assert "/upload/" not in places(page(as_carol.get("/account/")))

    share_project(project, carol, role="editor")
    assert "/upload/" in places(page(as_carol.get("/account/")))
