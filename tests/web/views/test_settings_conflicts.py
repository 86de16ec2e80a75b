"""Two people save the same part of a project's settings: what each page says, and what is stored."""

import json

import pytest

from callscope.projects.services import configure_project, share_project
from tests.web.conftest import Page, page, visitor_of

pytestmark = pytest.mark.django_db
GREETS = {"id": "g", "name": "Greets", "max_points": 5}


def rubric(**changes):
    return {"rubric": {"sections": [{"name": "Opening", "criteria": [{**GREETS, **changes}]}]}}


@pytest.fixture
def part(project):
    """Return the address of a part of a project whose version to edit is 2."""
    configure_project(project, rubric())
    return lambda slug: f"/projects/{project.pk}/settings/{slug}/"


@pytest.fixture
def as_bob(bob, project):
    share_project(project, bob, "editor")
    return visitor_of(bob)


def save(client, address, document, version=2, **more):
    sent = {"document": document, "version": version, **more}
    return client.post(address, json.dumps(sent), content_type="application/json")


def criterion(project):
    project.refresh_from_db()
    [[_, found]] = project.configuration.rubric.criteria()
    return found


def said(client, address):
    return " ".join(page(client.get(address)).text.split())


class TestTheOpenPage:
    """It sends JSON."""

    def test_saves_together_with_what_others_changed_and_names_them(self, as_alice, as_bob, project, part):
        assert save(as_bob, part("rubric"), rubric(max_points=7)).json()["merged"] is False

        answer = save(as_alice, part("rubric"), rubric(guideline="Names the company.")).json()

        assert (answer["errors"], answer["changed"], answer["merged"]) == ([], True, True)
        assert (criterion(project).max_points, criterion(project).guideline) == (7, "Names the company.")
        assert "Saved, together with what bob@example.com changed in version 3." in said(
            as_alice, part("rubric")
        )

    def test_counts_the_versions_before_that(self, as_alice, as_bob, part):
        save(as_bob, part("rubric"), rubric(max_points=7))
        save(as_bob, part("rubric"), rubric(max_points=8), version=3)

        save(as_alice, part("rubric"), rubric(guideline="Names the company."))

        assert "bob@example.com changed in version 4. 1 earlier version came in, too." in said(
            as_alice, part("rubric")
        )

    def test_says_so_where_it_was_oneself(self, as_alice, part):
        save(as_alice, part("rubric"), rubric(max_points=7))
        save(as_alice, part("rubric"), rubric(guideline="Names the company."))

        assert "with what you changed in another window, in version 3." in said(as_alice, part("rubric"))

    def test_says_that_there_was_nothing_to_save_but_theirs(self, as_alice, as_bob, part):
        save(as_bob, part("rubric"), rubric(max_points=7))

        answer = save(as_alice, part("rubric"), rubric()).json()

        assert (answer["changed"], answer["merged"]) == (False, True)
        assert "The page now shows what others saved." in said(as_alice, part("rubric"))

    def test_names_who_saved_what_both_changed(self, as_alice, as_bob, project, part):
        save(as_bob, part("rubric"), rubric(max_points=7))

        answer = save(as_alice, part("rubric"), rubric(max_points=4))

        notice = page_of(answer)
        assert answer.status_code == 409 and criterion(project).max_points == 7
        assert "bob@example.com saved these settings: version 3, " in notice.text
        assert (
            "You and bob@example.com both changed: Criterion “Greets” · Points: saved 7, yours 4"
            in notice.text
        )
        assert "Reload and take theirs" in notice.text
        [box] = notice.all("div", role="alert")
        assert box["tabindex"] == "-1"
        [over] = [a for a in notice.all("button") if a.get("name") == "over"]
        assert (over["value"], over["form"]) == ("3", "editor")

    def test_names_oneself_in_another_window(self, as_alice, part):
        save(as_alice, part("rubric"), rubric(max_points=7))

        notice = page_of(save(as_alice, part("rubric"), rubric(max_points=4)))

        assert "You saved these settings in another window: version 3" in notice.text
        assert "Changed in both windows:" in notice.text
        assert "alice@example.com" not in notice.text and "theirs" not in notice.text

    def test_names_no_single_person_where_several_changed_the_same(self, as_alice, as_bob, alice, part):
        save(as_bob, part("rubric"), rubric(max_points=7))
        save(as_alice, part("rubric"), rubric(max_points=7, guideline="Names it."), version=3)

        notice = page_of(save(as_alice, part("rubric"), rubric(max_points=4, guideline="Says it.")))

        assert "You and others both changed:" in notice.text

    def test_names_five_settings_and_counts_the_others(self, as_alice, as_bob, part):
        def sent(n):
            return {
                "rubric": {
                    "sections": [
                        {
                            "name": "Opening",
                            "criteria": [
                                {"id": f"c{at}", "name": f"C{at}", "max_points": n} for at in range(7)
                            ],
                        }
                    ]
                }
            }

        save(as_bob, part("rubric"), sent(5))
        save(as_bob, part("rubric"), sent(6), version=3)

        notice = page_of(save(as_alice, part("rubric"), sent(7), version=3))

        assert notice.text.count("saved 6, yours 7") == 5
        assert "and 2 more" in notice.text

    def test_saves_over_what_was_shown(self, as_alice, as_bob, project, part):
        save(as_bob, part("rubric"), rubric(max_points=7, guideline="Names the company."))
        save(as_alice, part("rubric"), rubric(max_points=4))

        answer = save(as_alice, part("rubric"), rubric(max_points=4), over=3)

        assert answer.status_code == 200 and answer.json()["merged"]
        assert (criterion(project).max_points, criterion(project).guideline) == (4, "Names the company.")

    @pytest.mark.parametrize("over", [None, True, "3", 99, -1])
    def test_saves_over_nothing_that_was_not_shown(self, as_alice, as_bob, project, part, over):
        save(as_bob, part("rubric"), rubric(max_points=7))

        assert save(as_alice, part("rubric"), rubric(max_points=4), over=over).status_code == 409
        assert criterion(project).max_points == 7

    def test_says_in_general_that_there_were_changes_where_nobody_knows_of_which_version(
        self, as_alice, project, part
    ):
        notice = page_of(save(as_alice, part("rubric"), rubric(max_points=4), version=None))

        assert "These settings have been changed since you opened them." in notice.text
        assert "both changed" not in notice.text
        assert save(as_alice, part("rubric"), rubric(max_points=4), None, over=2).status_code == 200


class TestTheForm:
    """Without scripts."""

    def test_saves_together_with_what_others_changed(self, as_alice, as_bob, project, part):
        unchanged = project.configuration.goal.description
        as_bob.post(part("goal"), {"version": "2", "goal.description": "Solved"})
        sent = {"version": "2", "goal.description": unchanged, "goal.phrases": "thank you"}

        saved = as_alice.post(part("goal"), sent, follow=True)

        project.refresh_from_db()
        assert project.config["goal"] == {"description": "Solved", "phrases": ["thank you"]}
        assert "Saved, together with what bob@example.com changed in version 3." in page(saved).text

    def test_keeps_what_was_typed_and_the_version_that_it_is_of(self, as_alice, as_bob, project, part):
        as_bob.post(part("questions"), {"version": "2", "custom_questions": "Why?"})
        sent = {"version": "2", "custom_questions": "When?"}

        found = page(as_alice.post(part("questions"), sent), 409)

        assert "You and bob@example.com both changed: Questions:" in " ".join(found.text.split())
        assert "When?" in found.text
        [edited, *_] = [a for a in found.all("input") if a.get("name") == "version"]
        [over] = [a for a in found.all("button") if a.get("name") == "over"]
        assert (edited["value"], over["value"], over["form"]) == ("2", "3", "editor")

        assert as_alice.post(part("questions"), sent).status_code == 409
        assert as_alice.post(part("questions"), {**sent, "over": "3"}).status_code == 302
        project.refresh_from_db()
        assert project.config["custom_questions"] == ["When?"]

    @pytest.mark.parametrize("slug", ["trackers", "yaml"])
    def test_of_yaml_offers_the_same(self, as_alice, as_bob, project, part, slug):
        def text(points):
            tracker = {"id": "t", "name": "T", "rule": {"any_of": [points]}}
            return json.dumps({**(project.config if slug == "yaml" else {}), "trackers": [tracker]})

        as_bob.post(part(slug), {"version": "2", "yaml": text("one")})
        sent = {"version": "2", "yaml": text("two")}

        found = page(as_alice.post(part(slug), sent), 409)

        assert "You and bob@example.com both changed:" in found.text and "two" in found.text
        [over] = [a for a in found.all("button") if a.get("name") == "over"]
        assert found.all("form", id=over["form"])
        assert as_alice.post(part(slug), {**sent, "over": over["value"]}).status_code == 302
        project.refresh_from_db()
        assert project.config["trackers"][0]["rule"]["any_of"] == ["two"]

    def test_that_is_wrong_keeps_the_version_that_it_is_of(self, as_alice, as_bob, part):
        as_bob.post(part("goal"), {"version": "2", "goal.description": "Solved"})

        found = page(as_alice.post(part("goal"), {"version": "2", "goal.phrases": "/(/"}), 400)

        assert {a["value"] for a in found.all("input") if a.get("name") == "version"} == {"2"}


def page_of(answer):
    """Return the notice of an answer as a page of its own."""
    return Page(answer.json()["notice"].replace("<strong>", "").replace("</strong>", ""))
