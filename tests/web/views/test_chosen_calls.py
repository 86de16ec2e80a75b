"""Saved views of the call list, and what is done with the calls that a person ticked."""

import pytest

from callscope.accounts.models import AuditEvent
from callscope.calls.models import Call
from callscope.interfaces.web.models import SavedView
from callscope.pipeline.models import Job, Rescore
from callscope.projects.models import Project, ProjectShare
from callscope.reviews.models import ReviewSample
from tests.web.conftest import bring, line, page

pytestmark = pytest.mark.django_db

CHOSEN = "/calls/chosen/"


@pytest.fixture
def calls(project):
    bring(project, *[line(n, greeting=0 if n == 2 else 10) for n in range(1, 4)])
    return list(Call.objects.filter(project=project).order_by("pk").values_list("pk", flat=True))


class TestChosenCalls:
    def test_are_asked_about_in_a_dialog(self, as_alice, calls):
        """The buttons only name what to ask; the dialog and its script do it."""
        found = page(as_alice.get("/calls/?project_id="))

        assert [a for a in found.all("button") if "data-confirm" in a]
        assert found.all("dialog", id="confirm")
        assert [a for a in found.all("script") if "js/confirm" in a.get("src", "")]

    def test_are_deleted_with_one_event_and_lead_back_to_the_list(self, as_alice, alice, project, calls):
        form = {
            "do": "delete",
            "confirmed": "yes",
            "call": calls[:2],
            "back_sentiment": "neutral",
            "back_page": "4",
        }

        response = as_alice.post(CHOSEN, form)

        assert response["Location"] == "/calls/?sentiment=neutral"
        assert list(Call.objects.filter(project=project).values_list("pk", flat=True)) == calls[2:]
        event = AuditEvent.objects.get(action="calls.erased")
        assert (event.actor_id, event.subject) == (alice.pk, f"project {project.pk}")

    def test_are_asked_about_where_no_dialog_did(self, as_alice, project, calls):
        form = {"do": "delete", "call": calls[:2], "back_sentiment": "neutral"}

        asked = page(as_alice.post(CHOSEN, form))

        assert Call.objects.filter(project=project).count() == 3
        assert "2 calls with their recordings, transcripts and results are deleted for good." in asked.text
        assert [a["href"] for a in asked.all("a", **{"class": "button"})] == ["/calls/?sentiment=neutral"]
        again = {a["name"]: a["value"] for a in asked.all("input", type="hidden") if a["name"] != "call"}
        chosen = [a["value"] for a in asked.all("input", type="hidden", name="call")]
        as_alice.post(CHOSEN, {**again, "call": chosen, "do": "delete"})
        assert list(Call.objects.filter(project=project).values_list("pk", flat=True)) == calls[2:]

    def test_become_a_sample_for_the_person_who_chose_them(self, as_alice, alice, calls):
        as_alice.post(CHOSEN, {"do": "sample", "call": calls[1:]})

        drawn = ReviewSample.objects.get().calls.order_by("position")
        assert [(each.call_id, each.reviewer, each.reason) for each in drawn] == [
            (pk, alice, "chosen") for pk in calls[1:]
        ]

    def test_are_judged_again_and_no_others(self, as_alice, calls):
        as_alice.post(CHOSEN, {"do": "rescore", "call": calls[:1]})

        assert Rescore.objects.get().call_ids == calls[:1]
        assert Job.objects.filter(kind=Job.Kind.RESCORE).count() == 1

    def test_are_exported_as_csv_without_the_others(self, as_alice, calls):
        response = as_alice.post(CHOSEN, {"do": "export", "call": calls[:2]})

        rows = b"".join(response.streaming_content).decode().strip().splitlines()
        assert len(rows) == 3
        assert "call-3.wav" not in "".join(rows)

    def test_say_when_nothing_failed(self, as_alice, calls):
        response = as_alice.post(CHOSEN, {"do": "retry", "call": calls}, follow=True)

        assert "None of the selected calls has failed" in page(response).text

    def test_of_a_viewer_are_exported_and_never_changed(self, carol, as_carol, project, calls):
        ProjectShare.objects.create(project=project, user=carol, role=ProjectShare.Role.VIEWER)

        assert as_carol.post(CHOSEN, {"do": "export", "call": calls}).status_code == 200
        for do in ("delete", "sample", "rescore", "retry"):
            assert as_carol.post(CHOSEN, {"do": do, "call": calls}).status_code == 403
        assert Call.objects.filter(pk__in=calls).count() == 3

    def test_that_are_not_all_visible_are_left_as_they_are(self, as_alice, carol, calls):
        other = Project.objects.create(name="Other", owner=carol)
        bring(other, line(9))
        foreign = Call.objects.get(project=other).pk

        for call in (foreign, 99999999, "x", "1\x00", "9" * 30):
            assert (
                as_alice.post(
                    CHOSEN, {"do": "delete", "confirmed": "yes", "call": [calls[0], call]}
                ).status_code
                == 404
            )
        assert Call.objects.filter(pk__in=[*calls, foreign]).count() == 4

    def test_are_at_least_one_and_at_most_a_hundred(self, as_alice, calls):
        none = as_alice.post(CHOSEN, {"do": "delete"}, follow=True)
        many = as_alice.post(CHOSEN, {"do": "delete", "call": range(1, 102)}, follow=True)

        assert "No calls are selected" in page(none).text
        assert "At most 100 calls can be selected at once, not 101." in page(many).text

    def test_need_an_act_that_exists(self, as_alice, calls):
        assert as_alice.post(CHOSEN, {"do": "burn", "call": calls}).status_code == 404
        assert as_alice.get(CHOSEN).status_code == 405


class TestCallList:
    def test_shows_the_result_in_question_with_its_quote(self, as_alice, calls):
        missed = page(as_alice.get("/calls/?criterion=greeting&result=not_met"))
        met = page(as_alice.get("/calls/?criterion=greeting&result=met"))

        assert "call-2.wav" in missed.text
        assert "not met" in missed.text
        assert "Said at the start." in missed.text
        assert "good morning" in met.text

    def test_shows_as_many_calls_a_page_as_is_asked_for(self, as_alice, project):
        bring(project, *[line(1, file_name=f"{n}.wav") for n in range(60)])

        def count(query):
            return len(page(as_alice.get(f"/calls/{query}")).all("a", **{"class": "name"}))

        assert (count("?project_id="), count("?page_size=50"), count("?page_size=50&page=2")) == (25, 50, 10)
        assert count("?page_size=9999") == 25

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ("mistakes=true", ["a.wav"]),
            ("missed_prompts=true", ["b.wav"]),
            ("campaign=Spring", ["b.wav"]),
            ("min_length=100", ["a.wav"]),
            ("max_length=99.5", ["b.wav"]),
        ],
    )
    def test_is_filtered_by_mistakes_prompts_campaign_and_length(self, as_alice, project, query, names):
        mistake, prompt = {"id": "rude", "description": "Rude", "quote": ""}, {"id": "r", "description": "R"}
        bring(
            project,
            line(
                1,
                file_name="a.wav",
                duration_seconds=100,
                no_protocol={"mistakes": [mistake], "missing_prompts": []},
            ),
            line(
                2,
                file_name="b.wav",
                duration_seconds=60,
                campaign="Spring",
                no_protocol={"mistakes": [], "missing_prompts": [prompt]},
            ),
        )

        shown = page(as_alice.get(f"/calls/?{query}")).all("a", **{"class": "name"})
        listed = as_alice.get(f"/calls/api/calls/?{query}").json()

        assert len(shown) == len(names)
        assert ([item["file_name"] for item in listed["results"]], listed["count"]) == (names, len(names))

    def test_refuses_lengths_that_are_none(self, as_alice, project):
        for query in ("min_length=long", "max_length=-1", "min_length=9&max_length=3", "min_length=1e9"):
            assert as_alice.get(f"/calls/api/calls/?{query}").status_code == 400
            assert as_alice.get(f"/calls/?{query}").status_code == 400


def list_fields(shown):
    """The fields of a form of the list that say where it is to go back to."""
    return {a["name"]: a["value"] for a in shown.all("input", type="hidden") if a["name"].startswith("back_")}


class TestSavedViews:
    def test_keep_filters_and_order_under_a_name(self, as_alice, alice, calls):
        as_alice.post(
            "/calls/views/", {"do": "save", "name": " Worst ", "query": "critical=true&search=555&x=1"}
        )

        view = SavedView.objects.get()
        assert (view.user, view.name, view.query) == (alice, "Worst", "critical=true")
        assert page(as_alice.get("/calls/?project_id=")).all("a", href="/calls/?critical=true")

    def test_ask_before_one_of_the_same_name_is_replaced(self, as_alice, alice, project):
        view = SavedView.objects.create(user=alice, name="Worst", query="critical=true")
        sent = {"do": "save", "name": "Worst", "query": "critical=true&ordering=score_percentage"}

        asked = page(as_alice.post("/calls/views/", sent), 409)

        assert "You already have a view named “Worst”" in asked.text
        assert SavedView.objects.get().query == "critical=true"
        form = {a["name"]: a["value"] for a in asked.all("input") if a["name"] in ("query", "view", "name")}
        assert form == {"query": sent["query"], "view": str(view.pk), "name": "Worst"}
        assert page(as_alice.post("/calls/views/", {**form, "do": "save-as"}), 409).text == asked.text

        as_alice.post("/calls/views/", {**form, "do": "save-as", "name": "Worst, by score"})
        assert dict(SavedView.objects.values_list("name", "query")) == {
            "Worst": "critical=true",
            "Worst, by score": sent["query"],
        }
        done = as_alice.post("/calls/views/", {**form, "do": "replace"}, follow=True)
        assert "The view was replaced." in page(done).text
        assert SavedView.objects.get(name="Worst").query == sent["query"]

    def test_do_not_ask_where_nothing_differs(self, as_alice, project):
        for _time in range(2):
            sent = {"do": "save", "name": "Worst", "query": "critical=true"}
            assert as_alice.post("/calls/views/", sent).status_code == 302

        assert SavedView.objects.count() == 1

    def test_of_others_are_not_replaced(self, as_carol, alice, project):
        view = SavedView.objects.create(user=alice, name="Worst", query="critical=true")

        as_carol.post(
            "/calls/views/", {"do": "replace", "view": view.pk, "name": "X", "query": "failed=true"}
        )

        assert SavedView.objects.get(user=alice).query == "critical=true"

    def test_are_removed_from_the_list_as_it_is(self, as_alice, alice, project):
        view = SavedView.objects.create(user=alice, name="Worst", query="critical=true")
        here = "/calls/?date_range=ytd&search=bill&sentiment=negative"
        form = list_fields(page(as_alice.get(here)))

        left = as_alice.post("/calls/views/", {**form, "removed": view.pk})

        assert left.url == here
        assert not SavedView.objects.exists()
        assert "The view “Worst” was removed." in page(as_alice.get(here)).text

    def test_that_were_removed_are_restored_to_the_list_as_it_is(self, as_alice, alice, project):
        view = SavedView.objects.create(user=alice, name="Worst, so far", query="campaign=A+B&critical=true")
        as_alice.post("/calls/views/", {"removed": view.pk})
        here = "/calls/?date_range=ytd&goal=true"

        shown = page(as_alice.get(here))
        undo = next(a for a in shown.all("button") if a.get("name") == "undo")
        assert shown.all("form", id=undo["form"], action="/calls/views/")
        back = as_alice.post("/calls/views/", {**list_fields(shown), "undo": undo["value"]})

        assert back.url == here
        again = SavedView.objects.get()
        assert (again.user, again.name, again.query) == (alice, view.name, view.query)
        assert "The view “Worst, so far” is back." in page(as_alice.get(here)).text

    def test_do_not_come_back_over_another_of_the_same_name(self, as_alice, alice, project):
        view = SavedView.objects.create(user=alice, name="Worst", query="critical=true")
        as_alice.post("/calls/views/", {"removed": view.pk})
        SavedView.objects.create(user=alice, name="Worst", query="failed=true")

        asked = as_alice.post("/calls/views/", {"undo": "name=Worst&query=critical%3Dtrue"})

        assert asked.status_code == 409
        assert SavedView.objects.get().query == "failed=true"

    def test_leave_the_list_as_it_is_when_they_are_saved(self, as_alice, calls):
        here = "/calls/?date_range=ytd&search=line&sentiment=neutral"
        shown = page(as_alice.get(here))
        query = shown.all("input", name="query")[0]["value"]
        sent = {**list_fields(shown), "query": query, "name": "Calm", "do": "save"}

        assert "The text of “Search” is not saved" in shown.text
        assert "is not saved" not in page(as_alice.get("/calls/?sentiment=neutral")).text
        assert as_alice.post("/calls/views/", sent).url == here
        assert SavedView.objects.get().query == "date_range=ytd&sentiment=neutral"
        view = page(as_alice.get(here)).all("a", href=f"/calls/?{query}")
        assert view and "aria-current" not in view[0]
        assert "aria-current" in page(as_alice.get(view[0]["href"])).all("a", **view[0])[0]

    def test_lead_back_to_the_list_of_calls_alone(self, as_alice, alice, project):
        view = SavedView.objects.create(user=alice, name="Worst", query="")
        sent = {
            "removed": view.pk,
            "back_next": "//evil.example/",
            "next": "//evil.example/",
            "back_goal": "//x",
        }

        assert as_alice.post("/calls/views/", sent).url == "/calls/?goal=%2F%2Fx"

    def test_are_of_one_person(self, as_alice, alice, as_carol, project):
        view = SavedView.objects.create(user=alice, name="Mine", query="critical=true")

        as_carol.post("/calls/views/", {"removed": view.pk})

        assert SavedView.objects.filter(pk=view.pk).exists()
        assert "Mine" not in page(as_carol.get("/calls/?project_id=")).text

    def test_refuse_names_that_are_none(self, as_alice, project):
        for name in ("", " ", "x" * 61, "\x00"):
            as_alice.post("/calls/views/", {"do": "save", "name": name, "query": "critical=true"})

        assert not SavedView.objects.exists()

    def test_are_bounded(self, as_alice, alice, project):
        SavedView.objects.bulk_create(SavedView(user=alice, name=str(n), query="") for n in range(50))

        as_alice.post("/calls/views/", {"do": "save", "name": "new", "query": "critical=true"})
        seventh = SavedView.objects.get(name="7")
        as_alice.post("/calls/views/", {"do": "replace", "view": seventh.pk, "query": "critical=true"})

        assert SavedView.objects.count() == 50
        assert SavedView.objects.get(name="7").query == "critical=true"


class TestACalibrationOfChosenCalls:
    def test_begins_with_these_calls(self, as_alice, project, calls):
        answer = as_alice.post(CHOSEN, {"do": "calibrate", "call": calls[:2]})

        assert answer.url == f"/projects/{project.pk}/calibrations/?call={calls[0]}&call={calls[1]}"
        kept = page(as_alice.get(answer.url)).all("input", name="call", checked=None)
        assert [each["value"] for each in kept] == [str(pk) for pk in calls[:2]]

    def test_is_of_one_project(self, as_alice, alice, calls):
        other = Project.objects.create(name="Other", owner=alice)
        bring(other, line(9))
        foreign = Call.objects.get(project=other).pk

        answer = as_alice.post(CHOSEN, {"do": "calibrate", "call": [calls[0], foreign]}, follow=True)

        assert "A calibration has calls of one project." in page(answer).text

    def test_is_not_for_viewers(self, carol, as_carol, project, calls):
        ProjectShare.objects.create(project=project, user=carol, role=ProjectShare.Role.VIEWER)

        assert as_carol.post(CHOSEN, {"do": "calibrate", "call": calls}).status_code == 403

    def test_takes_no_call_of_another_project(self, as_alice, carol, project, calls):
        other = Project.objects.create(name="Other", owner=carol)
        bring(other, line(9))
        foreign = Call.objects.get(project=other).pk

        for call in (foreign, 99999999, "x", "1\x00", "9" * 30, "-1"):
            shown = page(as_alice.get(f"/projects/{project.pk}/calibrations/", {"call": [calls[0], call]}))
            assert [each["value"] for each in shown.all("input", name="call")] == [str(calls[0])]
