"""The page of a replay: what the draft changes, what it is compared with, and which calls move."""

import dataclasses
import datetime as dt
import json
import re

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.environment import EngineAddress
from callscope.interfaces.web.views.rubrics.publication import name_sides
from callscope.pipeline.decisions.calibration_edits import open_calibration
from callscope.pipeline.models import Replay, ReplayedCall, Rescore
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.pipeline.rubric_changes.replays.drafts import request_replay
from callscope.projects.configuration import parse
from callscope.projects.services import configure_project, create_project, share_project
from callscope.reports.window import Window
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.testing import run_due_jobs
from tests.web.conftest import bring, give_transcript, line, page, visitor_of

MARCH_2 = dt.date(2026, 3, 2)


def address_of(replay):
    return f"/projects/{replay.project_id}/replays/{replay.pk}/"


@pytest.mark.django_db
class TestReplayPage:
    @pytest.fixture
    def call(self, project):
        return bring(project, line())[0]

    def shown(self, client, call, document):
        """Return the page of a replay in which one call moved from 50 to 70 points, by points alone."""
        criteria = {"greeting": "met", "identity": "met"}
        before = {"score": 50.0, "has_critical_error": False, "criteria": criteria}
        after = {"score": 70.0, "has_critical_error": False, "criteria": criteria}
        replay = Replay.objects.create(
            project=call.project,
            config=document,
            config_version=call.project.config_version,
            completed_at=timezone.now(),
            outcome=compare_answers([(call.pk, {"before": before, "after": after})]),
        )
        return page(client.get(f"/projects/{call.project_id}/replays/{replay.pk}/")).text

    def test_lists_what_the_draft_changes(self, as_alice, call):
        document = parse(call.project.config).as_document()
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 4

        text = self.shown(as_alice, call, document)

        assert "What the draft changes in version 1: 1 setting Criterion “Greets” · Points: 10 → 4" in text
        assert "The answers to 2 criteria stay as they are in all of these calls." in text

    def test_wraps_the_buttons_that_name_parts_of_the_settings(self, as_alice, call):
        document = parse(call.project.config).as_document()
        document["rubric"]["name"] = document["goal"]["description"] = "Other"
        self.shown(as_alice, call, document)

        shown = page(as_alice.get(address_of(Replay.objects.get())))

        assert "Open the draft in the settings: Goal of the caller" in shown.text
        assert "actions wrapping" in [each.get("class") for each in shown.all("div")]

    def test_names_every_setting_in_words(self, as_alice, call):
        document = parse(call.project.config).as_document()
        document["rubric"]["name"] = "Other"

        assert "1 setting Rubric · Name: Rubric → Other" in self.shown(as_alice, call, document)

    @pytest.fixture
    def draft(self, call):
        document = parse(call.project.config).as_document()
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 4
        return document

    def test_leads_back_to_the_draft_in_the_editor(self, as_alice, call, draft):
        text = self.shown(as_alice, call, draft)
        replay = Replay.objects.get()
        editor = f"/projects/{call.project_id}/settings/rubric/?draft={replay.pk}"
        assert "Open the draft in the settings" in text
        assert [a for a in page(as_alice.get(address_of(replay))).all("a") if a["href"] == editor]

        found = page(as_alice.get(editor))

        [settings] = found.all("div", id="settings")
        assert json.loads(settings["data-draft"]) == {"rubric": draft["rubric"]}
        assert json.loads(settings["data-document"]) == parse(call.project.config).as_document()
        assert "Nothing of it is saved yet." in found.text
        assert "Show what is saved" in found.text
        assert "The same settings were saved since then" not in found.text

    def test_offers_the_draft_on_no_other_page_and_to_nobody_who_only_reads(self, as_alice, bob, call, draft):
        self.shown(as_alice, call, draft)
        replay = Replay.objects.get()
        share_project(call.project, bob)

        for client, part in ((as_alice, "goal"), (as_alice, "yaml"), (visitor_of(bob), "rubric")):
            address = f"/projects/{call.project_id}/settings/{part}/?draft={replay.pk}"
            assert "data-draft-notice" not in client.get(address).content.decode()
        assert "Open the draft" not in page(visitor_of(bob).get(address_of(replay))).text
        for odd in ("", "x", "9" * 18):
            address = f"/projects/{call.project_id}/settings/rubric/?draft={odd}"
            assert "data-draft-notice" not in as_alice.get(address).content.decode()

    def test_says_that_a_draft_is_not_there(self, as_alice, alice, call, draft):
        self.shown(as_alice, call, draft)
        own = Replay.objects.get().pk
        other = create_project(alice, "Other")
        self.shown(as_alice, bring(other, line())[0], draft)
        others = Replay.objects.get(project=other)
        settings = f"/projects/{call.project_id}/settings"

        def notice(part, query):
            text = page(as_alice.get(f"{settings}/{part}/{query}")).text
            found = re.search(r"There is no draft (\S+); these are", text)
            return found and found[1]

        assert notice("rubric", f"?draft={own + 999}") == str(own + 999)
        assert notice("yaml", f"?draft={others.pk}") == str(others.pk)
        assert notice("goal", "?draft=<b>") == "<b>"
        assert notice("rubric", f"?draft={own}") is None
        assert notice("goal", f"?draft={own}") is None  # which has nothing of it
        assert notice("rubric", "") is None

    def test_says_why_nothing_of_a_draft_is_shown(self, as_alice, bob, call, draft):
        self.shown(as_alice, call, draft)
        query = f"?draft={Replay.objects.get().pk}"
        share_project(call.project, bob)

        def notice(client, part, query=query):
            found = page(client.get(f"/projects/{call.project_id}/settings/{part}/{query}"))
            sentence = re.search(r"These are the saved settings: .*?\.", found.text)
            return sentence and sentence[0]

        assert "only people who can change them see a draft" in notice(visitor_of(bob), "rubric")
        assert "changes nothing in this part" in notice(as_alice, "goal")
        assert "this page shows nothing of the draft" in notice(as_alice, "yaml")
        assert notice(as_alice, "rubric") is None
        assert notice(visitor_of(bob), "rubric", "") is None
        found = page(as_alice.get(f"/projects/{call.project_id}/settings/goal/{query}"))
        assert found.all("a", href=f"/projects/{call.project_id}/settings/rubric/{query}")

    def test_leads_from_each_part_of_a_draft_to_its_others_and_carries_their_settings(
        self, as_alice, call, draft
    ):
        draft["goal"] = {"description": "Sold", "phrases": []}
        self.shown(as_alice, call, draft)
        query = f"?draft={Replay.objects.get().pk}"
        settings = f"/projects/{call.project_id}/settings"

        found = page(as_alice.get(f"{settings}/goal/{query}"))

        [fields] = found.all("div", id="settings")
        assert json.loads(fields["data-draft"]) == {"goal": draft["goal"]}
        assert json.loads(fields["data-draft-rest"]) == {"rubric": draft["rubric"]}
        assert "Saving here stores this part alone. The draft also changes: Rubric" in found.text
        [publish] = [a for a in found.all("a") if a["href"].endswith("#publish-title")]
        assert publish["href"] == f"{address_of(Replay.objects.get())}#publish-title"
        assert "Publish the whole draft" in found.text
        call.project.refresh_from_db()
        other = {
            **call.project.config,
            "no_protocol": {"mistakes": [{"id": "late", "text": "Is late", "any_of": ["late"]}]},
        }
        configure_project(call.project, other)
        overtaken = page(as_alice.get(f"{settings}/goal/{query}"))
        assert "Publish the whole draft" not in overtaken.text and "Open the replay" in overtaken.text
        assert not [a for a in overtaken.all("a") if a["href"].endswith("#publish-title")]
        assert (
            len(found.all("a", href=f"{settings}/rubric/{query}")) == 2
        )  # in the navigation and above the fields
        assert found.all("a", href=f"{settings}/goal/{query}")
        assert found.all("a", href=f"{settings}/trackers/")

    def test_carries_nothing_else_where_a_draft_is_in_one_part(self, as_alice, call, draft):
        self.shown(as_alice, call, draft)

        answer = as_alice.get(f"/projects/{call.project_id}/settings/rubric/?draft={Replay.objects.get().pk}")

        assert "data-draft-rest" not in answer.content.decode()
        assert "The draft also changes" not in page(answer).text
        assert "Publish the draft" in page(answer).text

    def test_replays_an_outdated_draft_again_with_what_others_have_saved(self, as_alice, call, draft):
        give_transcript(call)
        self.shown(as_alice, call, draft)
        replay = Replay.objects.get()
        today = {**parse(call.project.config).as_document(), "goal": {"description": "Sold", "phrases": []}}
        configure_project(call.project, today)
        assert (
            "Other settings were saved since this replay began" in page(as_alice.get(address_of(replay))).text
        )

        answer = as_alice.post(f"{address_of(replay)}again/")

        again = Replay.objects.get(pk__gt=replay.pk)
        assert answer.url == address_of(again)
        assert again.config == {**today, "rubric": draft["rubric"]}
        assert again.config_version == call.project.config_version
        assert ReplayedCall.objects.filter(replay=again).count() == 1

    def test_says_what_a_replay_again_costs_before_a_model_judges_it(self, as_alice, call, draft, settings):
        give_transcript(call)
        self.shown(as_alice, call, draft)
        replay = Replay.objects.get()
        configure_project(call.project, {**call.project.config, "goal": {"description": "Sold"}})
        settings.ENVIRONMENT = dataclasses.replace(
            settings.ENVIRONMENT, llm=EngineAddress("http://llm.example:8000/v1", model="m")
        )
        again = f"{address_of(replay)}again/"
        assert page(as_alice.get(address_of(replay))).all("form", action=f"{again}#replay-again")

        asked = page(as_alice.post(again))

        assert "Requests to the model, at least" in asked.text and "Estimated cost" in asked.text
        assert asked.all("input", name="confirmed") and asked.all("a", href=address_of(replay))
        assert Replay.objects.count() == 1
        assert as_alice.post(again, {"confirmed": "yes"}).url == address_of(Replay.objects.latest("pk"))
        assert Replay.objects.count() == 2

    def test_says_that_a_draft_lacks_what_others_have_saved_in_the_same_settings(self, as_alice, call, draft):
        self.shown(as_alice, call, draft)
        today = parse(call.project.config).as_document()
        today["rubric"]["sections"][0]["criteria"][0]["max_points"] = 7
        configure_project(call.project, today)

        editor = f"/projects/{call.project_id}/settings/rubric/?draft={Replay.objects.get().pk}"

        text = page(as_alice.get(editor)).text
        assert "This part was saved since then: version 2." in text
        assert (
            "shown as the draft has it (what is saved comes first): Criterion “Greets” · Points: 7 → 4"
            in text
        )

    def test_names_what_a_draft_undoes_of_newer_settings_before_and_after_it_is_replayed_again(
        self, as_alice, call, draft
    ):
        draft["rubric"]["sections"][1]["criteria"][0]["name"] = "Checks the caller"
        self.shown(as_alice, call, draft)  # greeting 4 points, and another name
        replay = Replay.objects.get()
        today = parse(call.project.config).as_document()
        greeting, identity = (section["criteria"][0] for section in today["rubric"]["sections"])
        greeting["max_points"] = 7
        configure_project(call.project, today)
        identity |= {"name": "Checks who calls", "guideline": "Asks two questions."}
        configure_project(call.project, today)
        points, name = "Criterion “Greets” · Points", "Criterion “Checks the caller” · Name"

        before = page(as_alice.get(address_of(replay))).text
        as_alice.post(f"{address_of(replay)}again/")

        again = Replay.objects.get(pk__gt=replay.pk)
        assert again.draft_version == 1
        assert again.config["rubric"]["sections"][1]["criteria"][0]["guideline"] == "Asks two questions."
        named = "The draft changes 2 settings that were saved meanwhile, too, and undoes what was saved"
        assert before.index(named) < before.index("points on average")
        # One version in each list: that of the replay, and the current one.
        own, undone = before[before.index("What the draft") :].split("What it undoes in version 3")
        assert own.startswith("What the draft changes in version 1: 2 settings")
        assert f"{points}: 10 → 4" in own and "Guideline" not in own
        assert undone.startswith(" if it is replayed again: 2 settings Saved in version 2")
        assert f"{points}: 7 → 4 Saved in version 3 {name}: Checks who calls → Checks the caller" in undone
        assert "2 settings: " in page(as_alice.get(f"/projects/{call.project_id}/versions/")).text
        Replay.objects.filter(pk=again.pk).update(completed_at=timezone.now(), outcome=replay.outcome)
        after = page(as_alice.get(address_of(again))).text
        assert "This draft is older than version 3 and undoes what was saved of 2 settings" in after
        assert "What the draft changes in version 3: 2 settings" in after
        assert f"Undoes what version 2 saved {points}: 7 → 4 Undoes what version 3 saved" in after
        assert after.count(points) == after.count(name) == 1 and "Guideline" not in after
        assert "Publish the draft" in after

    def test_offers_no_replay_where_the_current_version_has_all_that_a_draft_changes(
        self, as_alice, call, draft
    ):
        self.shown(as_alice, call, draft)
        configure_project(call.project, {**draft, "goal": {"description": "Sold", "phrases": []}})

        found = page(as_alice.get(address_of(Replay.objects.get())))

        assert "version 2 is current. It has all that this draft changes." in found.text
        assert "Replay again" not in found.text and not found.all("form", id="replay-again")

    def test_folds_a_long_list_of_what_the_draft_changes(self, as_alice, call, draft):
        self.shown(as_alice, call, draft)
        address = address_of(Replay.objects.get())
        assert [each for each in page(as_alice.get(address)).all("details") if "open" in each]
        for section in draft["rubric"]["sections"]:
            section["criteria"][0] |= {"name": "Other", "guideline": "Other", "max_points": 3}
        Replay.objects.update(config=draft)

        assert not [each for each in page(as_alice.get(address)).all("details") if "open" in each]

    def test_undoes_nothing_where_newer_settings_are_others_or_were_taken_back(self, as_alice, call, draft):
        self.shown(as_alice, call, draft)
        document = parse(call.project.config).as_document()
        configure_project(call.project, {**document, "goal": {"description": "Sold", "phrases": []}})
        document = parse(call.project.config).as_document()
        former = json.loads(json.dumps(document))
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 7
        configure_project(call.project, document)
        configure_project(call.project, former)

        text = page(as_alice.get(address_of(Replay.objects.get()))).text

        assert "version 4 is current. Replay the draft again" in text
        assert "undoes" not in text

    @pytest.mark.parametrize(
        ("drawn", "said"),
        [
            ({"sample": 2}, "2 calls, a random sample of 3"),
            ({"sample": 9}, "3 calls, all that can be compared"),
            ({"window": Window(MARCH_2)}, "2 calls, all from Mar 2, 2026 on"),
            ({"window": Window(None, MARCH_2)}, "2 calls, all up to Mar 2, 2026"),
            ({"window": Window(MARCH_2, MARCH_2)}, "1 call, all from Mar 2, 2026 to Mar 2, 2026"),
        ],
    )
    def test_says_who_started_it_when_and_how_its_calls_were_drawn(self, as_alice, project, drawn, said):
        for call in bring(project, line(1), line(2), line(3)):
            give_transcript(call)
        replay = request_replay(project, project.config, by=project.owner, **drawn)

        text = page(as_alice.get(address_of(replay))).text

        assert re.search(rf"Started on \w+ \d+, \d+ \d\d:\d\d by alice@example.com · {said}", text)
        Replay.objects.update(drawn_from=None, start_date=None, end_date=None, created_by=None)
        text = page(as_alice.get(address_of(replay))).text
        assert re.search(rf"Started on \w+ \d+, \d+ \d\d:\d\d · {said.partition(',')[0]}", text)
        assert "random" not in text and ", all" not in text

    def test_is_listed_with_what_its_draft_changes(self, as_alice, call, draft):
        draft["rubric"]["name"] = draft["goal"]["description"] = "Other"
        self.shown(as_alice, call, draft)
        Replay.objects.create(project=call.project, config=call.project.config, config_version=1)

        listed = page(as_alice.get(f"/projects/{call.project_id}/versions/")).text

        assert "3 settings: Goal of the caller · Reached when; Rubric · Name; …" in listed
        assert "no setting" in listed

    def test_calls_by_its_version_what_reports_may_not_show_now(self, as_alice, call, draft):
        give_transcript(call)
        draft["goal"] = {"description": "Sold", "phrases": []}
        replay = request_replay(call.project, draft, by=call.project.owner)
        run_due_jobs()
        address = address_of(replay)

        def check():
            found = page(as_alice.get(address))
            assert found.all("td", **{"data-label": "Version 1"})
            for text in (found.text, page(as_alice.get(f"{address}calls/")).text):
                assert not re.search(r"\bNow\b|Calls now|Only now", text)
            sides = name_sides(replay)
            assert (sides.calls_before, sides.only_before) == ("Calls, version 1", "Only version 1")

        check()
        call.project.refresh_from_db()
        configure_project(call.project, {**call.project.config, "goal": {"description": "x"}})
        check()  # newer settings have overtaken it

    def test_says_that_a_draft_changes_nothing(self, as_alice, call):
        text = self.shown(as_alice, call, call.project.config)

        assert text.index("The draft changes no setting.") < text.index("points on average with the draft")
        assert "Publish" not in text
        [replay] = Replay.objects.all()
        settings = f"/projects/{call.project_id}/settings/rubric/"
        assert page(as_alice.get(address_of(replay))).all("a", href=settings)
        assert "Open the settings" in text
        answer = as_alice.post(f"{address_of(replay)}publish/", {"rescore": "all"}, follow=True)
        assert "The draft is version" not in page(answer).text
        replay.refresh_from_db()
        assert replay.published_version is None
        assert not Rescore.objects.exists()

    def test_folds_the_tables_of_a_draft_that_changes_nothing(self, as_alice, call):
        give_transcript(call)
        replay = request_replay(call.project, call.project.config, by=call.project.owner)
        run_due_jobs()

        shown = page(as_alice.get(address_of(replay)))

        assert "The draft changes no setting. Nothing changes in 1 call." in shown.text
        assert "points on average" not in shown.text
        assert shown.text.index("Nothing changes in 1 call.") < shown.text.index("Average score")
        assert not [each for each in shown.all("details") if "open" in each]

    def test_shows_what_changes_by_a_model_with_a_draft_that_changes_nothing(self, as_alice, call, settings):
        settings.ENVIRONMENT = dataclasses.replace(
            settings.ENVIRONMENT, llm=EngineAddress("http://llm.example:8000/v1", model="m")
        )

        text = self.shown(as_alice, call, call.project.config)

        assert "The draft changes no setting. What changes all the same comes from the language model" in text
        assert "+20.0 points on average" in text and "Calls that change most" in text

    def test_says_before_its_start_that_a_draft_changes_nothing(self, as_alice, call, draft):
        give_transcript(call)
        said = "The draft changes no setting: a replay has nothing to compare."

        def estimate(document):
            asked = {"document": document, "sample": 1, "estimate_only": True}
            address = f"/projects/{call.project_id}/replays/"
            return as_alice.post(address, asked, content_type="application/json").json()

        unchanged = estimate(parse(call.project.config).as_document())
        assert said in unchanged["estimate"] and not unchanged["has_work"]
        assert "<dl" not in unchanged["estimate"]  # what costs nothing has no cost
        changed = estimate(draft)
        assert said not in changed["estimate"] and changed["has_work"]

    def test_says_before_its_start_which_calls_it_compares(self, as_alice, alice, draft):
        project = create_project(alice, "Three")
        address = f"/projects/{project.pk}/replays/"

        def estimate(sample):
            asked = {"document": draft, "sample": sample, "estimate_only": True}
            found = as_alice.post(address, asked, content_type="application/json").json()
            return " ".join(re.sub("<[^>]+>", " ", found["estimate"]).split()), found["has_work"]

        words, has_work = estimate(100)
        assert "No call has both results and a transcript" in words and not has_work
        for call in bring(project, line(1), line(2), line(3)):
            give_transcript(call)
        assert "Calls all 3 that can be compared (100 requested) Judgments" in estimate(100)[0]
        assert "Calls all 3 that can be compared Judgments" in estimate(3)[0]
        assert "Calls 2 of 3 Judgments" in estimate(2)[0]
        assert re.search(r"estimated (about|less than|unknown)", estimate(2)[0])

    def test_gives_the_score_that_a_review_made_next_to_that_of_the_machine(self, as_alice, call):
        document = call.project.config
        assert "After a review" not in self.shown(as_alice, call, document)
        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        analysis.machine_copc = analysis.copc
        analysis.copc = {**analysis.copc, "score_percentage": 28.3}
        analysis.save()

        text = self.shown(as_alice, call, document)

        assert "what the machine answered, without corrections by people" in text
        assert "Call After a review Version 1 With the draft Change call-1.wav 28.3 50.0 70.0 +20.0" in text

    def test_explains_kappa_where_it_has_criteria(self, as_alice, project):
        [call] = bring(project, line())
        sides = [
            {"score": 50.0, "has_critical_error": False, "criteria": {"greeting": answer}}
            for answer in ("met", "not_met")
        ]
        replay = Replay.objects.create(
            project=project,
            config=project.config,
            config_version=project.config_version,
            completed_at=timezone.now(),
            outcome=compare_answers([(call.pk, dict(zip(("before", "after"), sides, strict=True)))]),
        )

        text = page(as_alice.get(address_of(replay))).text

        assert "κ says how far the answers of both sides agree, beyond chance" in text

    def test_begins_with_the_difference_and_what_is_certain_of_it(self, as_alice, project):
        calls = bring(project, line(1), line(2), line(3))

        def judged(score):
            return {"score": score, "has_critical_error": False, "criteria": {"greeting": "met"}}

        moves = zip(calls, (50.0, 60.0, 70.0), (51.0, 62.0, 73.0), strict=True)
        rows = [
            (call.pk, {"before": judged(before), "after": judged(after)}) for call, before, after in moves
        ]
        replay = Replay.objects.create(
            project=project,
            config=project.config,
            config_version=project.config_version,
            completed_at=timezone.now(),
            outcome=compare_answers(rows),
        )

        text = page(as_alice.get(f"/projects/{project.pk}/replays/{replay.pk}/")).text

        # +1, +2 and +3: mean 2, s = 1, t(2) = 4.3027, so 2 ± 2.48; over unpaired calls it would be ± 27.6
        first = "+2.0 points on average with the draft no clear change 95 % interval −0.5 to +4.5 · 3 calls"
        assert text.index(first) < text.index("Average score")
        assert "3 calls, 60.0 → 62.0" in page(as_alice.get(f"/projects/{project.pk}/versions/")).text

    def test_says_that_it_starts_before_a_call_is_judged(self, as_alice, call):
        give_transcript(call)
        replay = request_replay(call.project, call.project.config, by=call.project.owner)

        text = page(as_alice.get(address_of(replay))).text

        assert "The replay is starting …" in text
        assert "calls are judged" not in text

    def test_says_which_calls_it_does_not_list_and_which_have_no_score(self, as_alice, alice, project):
        calls = bring(project, line(1), line(2), line(3))
        sides = [
            {"score": score, "has_critical_error": False, "criteria": {"greeting": "met"}}
            for score in (80.0, 60.0, None)
        ]
        rows = [
            (calls[0].pk, {"before": sides[0], "after": sides[1]}),
            (calls[1].pk, {"before": sides[1], "after": sides[0]}),
            (calls[2].pk, {"before": sides[2], "after": sides[2]}),
        ]
        replay = Replay.objects.create(
            project=project,
            config=project.config,
            config_version=project.config_version,
            completed_at=timezone.now(),
            outcome=compare_answers(rows),
        )
        ReplayedCall.objects.bulk_create(
            ReplayedCall(replay=replay, call=call, answers=answers)
            for call, (_, answers) in zip(calls, rows, strict=True)
        )
        address = f"/projects/{project.pk}/replays/{replay.pk}/"

        text = page(as_alice.get(address)).text
        assert "1 of 3 drawn calls has no score on one side or both" in text
        assert "open calibrations" not in text

        open_calibration(project.pk, CalibrationPlan([calls[0].pk], [alice.email], "", None), alice)
        text = page(as_alice.get(address)).text
        assert "call-1.wav" not in text
        assert "1 call of your open calibrations is among those that change most." in text

    def test_shows_a_replay_of_an_earlier_release_without_the_difference(self, as_alice, call):
        outcome = compare_answers([])
        del outcome["change"], outcome["baseline"]
        replay = Replay.objects.create(
            project=call.project,
            config=call.project.config,
            config_version=call.project.config_version,
            completed_at=timezone.now(),
            outcome=outcome,
        )

        text = page(as_alice.get(f"/projects/{call.project_id}/replays/{replay.pk}/")).text

        assert "points on average" not in text
        assert "compared the draft with stored results of any version" in text
        assert "Calls that gain a critical error: 0." in text
        assert "Completed" in page(as_alice.get(f"/projects/{call.project_id}/versions/")).text

    def test_says_that_a_figure_of_an_earlier_release_may_be_of_other_versions(self, as_alice, call):
        text = self.shown(as_alice, call, call.project.config)

        assert "The change may include what other versions changed up to version 1." in text
        listed = page(as_alice.get(f"/projects/{call.project_id}/versions/")).text
        assert "1 call, 50.0 → 70.0 % · may include what other versions changed" in listed

    def test_compares_with_one_version_whichever_judged_the_calls(self, as_alice, call):
        give_transcript(call)
        document = {**call.project.config, "goal": {"description": "Sold", "phrases": []}}
        configure_project(call.project, document)
        replay = request_replay(call.project, call.project.config, by=call.project.owner)
        run_due_jobs()

        text = page(as_alice.get(address_of(replay))).text

        assert "other versions changed" not in text
        assert "Both sides are what the machine answers, without corrections by people." in text
        assert "For this comparison, 1 call was judged with version 2 too." in text
        listed = page(as_alice.get(f"/projects/{call.project_id}/versions/")).text
        assert "may include" not in listed

    @pytest.mark.parametrize(("day", "wrong"), [("", "Choose a day."), ("x", "is not a date")])
    def test_asks_for_the_day_next_to_its_field_and_keeps_the_choice(self, as_alice, call, draft, day, wrong):
        self.shown(as_alice, call, draft)
        address = f"{address_of(Replay.objects.get())}publish/"

        answer = as_alice.post(address, {"rescore": "from", "start_date": day})

        found = page(answer, 400)
        assert wrong in found.text
        [field] = found.all("input", name="start_date")
        assert field["aria-invalid"] == "true"
        assert [a["value"] for a in found.all("input", name="rescore") if "checked" in a] == ["from"]
        assert Replay.objects.get().published_version is None

    def test_takes_no_day_after_the_newest_call_and_says_which_is_the_latest(self, as_alice, call, draft):
        give_transcript(call)
        self.shown(as_alice, call, draft)
        replay = Replay.objects.get()
        said = (
            "The newest call that can be scored again is of Mar 1, 2026. Choose that day or an earlier one."
        )

        answer = as_alice.post(
            f"{address_of(replay)}publish/", {"rescore": "from", "start_date": "2026-03-02"}
        )

        found = page(answer, 400)
        assert said in found.text
        [field] = found.all("input", name="start_date")
        assert (field["value"], field["max"], field["aria-invalid"]) == ("2026-03-02", "2026-03-01", "true")
        replay.refresh_from_db()
        call.project.refresh_from_db()
        assert (replay.published_version, call.project.config_version) == (None, 1)
        sent = {"rescore": "from", "start_date": "2026-03-01"}
        as_alice.post(f"{address_of(replay)}publish/", sent)
        assert Rescore.objects.get().calls == 1

    def test_takes_no_day_where_no_call_can_be_scored_again(self, as_alice, call, draft):
        self.shown(as_alice, call, draft)

        sent = {"rescore": "from", "start_date": "2026-03-01"}
        found = page(as_alice.post(f"{address_of(Replay.objects.get())}publish/", sent), 400)

        assert "There is no call that can be scored again." in found.text

    def test_says_how_many_calls_a_day_covers_before_it_is_published(self, as_alice, project, draft):
        for call in bring(project, line(2), line(3)):
            give_transcript(call)
        replay = request_replay(project, draft, by=project.owner)

        def said(day):
            return page(as_alice.get(f"{address_of(replay)}days/?start_date={day}")).text

        assert said("2026-03-02") == "2 calls are scored again."  # what they come to is not known yet
        assert said("2026-03-03") == "1 call is scored again."
        assert "is of Mar 3, 2026. Choose that day" in said("2026-03-04")
        assert said("") == ""
        answer = as_alice.get(f"{address_of(replay)}days/?start_date=2026-03-02")
        [counted] = page(answer).all("span")
        assert counted["data-ask-from"].startswith("Publish version 2 and score 2 calls again? New results")

    def test_asks_before_stored_results_change_with_the_version_and_the_calls(self, as_alice, call, draft):
        self.shown(as_alice, call, draft)  # of calls that have no words any more, none is scored again
        address = address_of(Replay.objects.get())
        [form] = page(as_alice.get(address)).all("form", action=f"{address}publish/")
        assert "data-ask-all" not in form
        give_transcript(call)

        [form] = page(as_alice.get(address)).all("form", action=f"{address}publish/")

        assert form["data-ask-all"].startswith("Publish version 2 and score 1 call again? New")
        assert form["data-ask-from"].startswith("Publish version 2 and score all calls from this day on")

    def test_says_once_its_draft_is_published_and_publishes_it_no_second_time(self, as_alice, call, draft):
        self.shown(as_alice, call, draft)
        replay = Replay.objects.get()
        as_alice.post(f"{address_of(replay)}publish/", {"rescore": "none"})

        found = page(as_alice.get(address_of(replay)))

        assert "Published as version 2 on " in found.text
        assert "The draft is the current version of the settings." in found.text
        assert found.all("a", href=f"/projects/{call.project_id}/versions/", **{"class": "button"})
        assert not found.all("input", name="rescore")
        answer = as_alice.post(f"{address_of(replay)}publish/", {"rescore": "all"}, follow=True)
        assert f"The draft of replay {replay.pk} is published already, as version 2." in page(answer).text
        assert "The draft is version" not in page(answer).text
        assert not Rescore.objects.exists()

    def test_asks_for_no_other_replay_of_a_published_draft_when_settings_are_saved_later(
        self, as_alice, call, draft
    ):
        self.shown(as_alice, call, draft)
        replay = Replay.objects.get()
        as_alice.post(f"{address_of(replay)}publish/", {"rescore": "none"})
        call.project.refresh_from_db()
        configure_project(call.project, {**call.project.config, "goal": {"description": "Sold"}})

        text = page(as_alice.get(address_of(replay))).text

        assert "Other settings were saved after it: version 3 is current." in text
        assert "since this replay began" not in text

    def test_says_how_many_calls_would_be_scored_again(self, as_alice, call, draft):
        give_transcript(call)

        assert "are all scored again (1 call)" in self.shown(as_alice, call, draft)
