"""The page of all calls in which one thing changes by a draft."""

import dataclasses
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from callscope.environment import EngineAddress
from callscope.pipeline.decisions.calibration_edits import open_calibration
from callscope.pipeline.models import Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays.besides_comparison import compare_besides
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.pipeline.rubric_changes.replays.drafts import request_replay
from callscope.projects.configuration import parse
from callscope.reviews.calibration.sessions import CalibrationPlan
from tests.web.conftest import bring, give_transcript, line, page, visitor_of

pytestmark = pytest.mark.django_db

GOAL = {"description": "Sold", "phrases": ["I will take it"]}


def judged(score, greeting="met", identity="met"):
    return {
        "score": score,
        "has_critical_error": False,
        "criteria": {"greeting": greeting, "identity": identity},
    }


def add_replay(project, sides, goals=None):
    """Store a completed replay whose calls were judged so before and after; return its address."""
    calls = bring(project, *(line(number) for number in range(1, len(sides) + 1)))
    pairs = goals or [("reached", "reached")] * len(sides)
    draft = parse({**project.config, "goal": GOAL})
    rows = [
        (
            call.pk,
            {
                "before": before,
                "after": after,
                "is_judged_again": True,
                "besides": {"before": {"goal": old}, "after": {"goal": new}},
            },
        )
        for call, (before, after), (old, new) in zip(calls, sides, pairs, strict=True)
    ]
    besides = compare_besides([(pk, row["besides"]) for pk, row in rows], parse(project.config), draft)
    replay = Replay.objects.create(
        project=project,
        config=draft.as_document(),
        config_version=project.config_version,
        completed_at=timezone.now(),
        outcome={**compare_answers(rows), "besides": besides},
    )
    ReplayedCall.objects.bulk_create(ReplayedCall(replay=replay, call_id=pk, answers=row) for pk, row in rows)
    return f"/projects/{project.pk}/replays/{replay.pk}/"


class TestCallsOfOneCriterion:
    SIDES = (
        (judged(50.0), judged(40.0, greeting="partly")),
        (judged(60.0), judged(60.0, greeting="not_applicable", identity="not_met")),  # the score stays
        (judged(70.0), judged(20.0, identity="not_met")),
        (judged(80.0), judged(50.0, greeting="not_met")),
    )

    def test_are_those_whose_answer_to_it_moves_whatever_the_score_does(self, as_alice, project):
        address = add_replay(project, self.SIDES)

        shown = page(as_alice.get(f"{address}calls/?criterion=greeting"))

        places = [shown.text.index(f"call-{number}.wav") for number in (4, 1, 2)]
        assert places == sorted(places)  # by how far the score moves
        assert "call-3.wav" not in shown.text
        assert "Calls whose answer to “Greets” changes" in shown.text
        assert "met → not applicable" in shown.text and "met → partly" in shown.text
        assert "met → not met" in shown.text
        assert shown.text.count("→") == 3  # no other criterion

    def test_are_led_to_from_its_figure(self, as_alice, project):
        address = add_replay(project, self.SIDES)

        links = [link["href"] for link in page(as_alice.get(address)).all("a", **{"class": "figure"})]

        assert links == [f"{address}calls/?criterion=greeting", f"{address}calls/?criterion=identity"]

    def test_show_what_each_answer_quotes_and_lead_to_its_second(self, as_alice, project):
        before = {**judged(50.0), "times": {"greeting": [3.0], "identity": [0.5]}}
        address = add_replay(project, [(before, judged(40.0, greeting="not_met"))])
        call = project.calls.get()
        give_transcript(call)

        shown = page(as_alice.get(f"{address}calls/?criterion=greeting"))

        assert "met → not met Version 1 Good morning, Ana here. 0:03" in shown.text
        assert "Hello?" not in shown.text
        [at] = [each["href"] for each in shown.all("a") if each["href"].endswith("#t=3")]
        back = f"{address}calls/?criterion=greeting&page=1"
        assert at == f"/calls/{call.pk}/?{urlencode({'from': back})}#t=3"
        opened = page(as_alice.get(at.partition("#")[0]))
        assert opened.all("a", href=back) and "Calls that change" in opened.text
        assert as_alice.get(back).status_code == 200
        odd = page(as_alice.get(f"/calls/{call.pk}/", {"from": "//evil.example/"}))
        assert not odd.all("a", href="//evil.example/") and "Calls that change" not in odd.text
        assert page(as_alice.get(address)).all("a", href=f"/calls/{call.pk}/#t=3")

    def test_of_another_kind_say_in_the_title_what_changes(self, as_alice, project):
        moved = [("reached", "unknown")]
        address = add_replay(project, [(judged(50.0), judged(50.0))], goals=moved)

        shown = page(as_alice.get(f"{address}calls/?kind=goal"))

        assert "Calls whose goal changes" in shown.text
        assert shown.all(
            "a",
            href=f"/calls/{project.calls.get().pk}/?"
            + urlencode({"from": f"{address}calls/?kind=goal&page=1"}),
        )

    def test_come_a_page_at_a_time(self, as_alice, project):
        address = add_replay(project, [(judged(50.0), judged(49.0, greeting="partly"))] * 21)

        first = page(as_alice.get(f"{address}calls/?criterion=greeting"))
        assert "1 – 20 of 21" in first.text and "call-21.wav" not in first.text
        [onward] = first.all("a", rel="next")
        second = page(as_alice.get(onward["href"]))

        assert "21 – 21 of 21" in second.text and "call-21.wav" in second.text
        assert "All calls whose score changes" in page(as_alice.get(address)).text


class TestFiguresThatAreRounded:
    APART = ((judged(50.04), judged(50.26)), (judged(60.0), judged(61.0)))  # 50.0 → 50.3 is +0.2
    NOTE = "Differences are rounded separately."

    def test_say_so_where_a_difference_is_another_one(self, as_alice, project):
        address = add_replay(project, self.APART)

        assert "50.0 50.3 +0.2" in page(as_alice.get(f"{address}calls/")).text
        assert page(as_alice.get(f"{address}calls/")).text.count(self.NOTE) == 1
        assert self.NOTE in page(as_alice.get(address)).text

    def test_say_so_once_on_a_page(self, as_alice, project):
        sides = [(judged(50.04), judged(50.26)), (judged(50.04), judged(50.26))]

        assert page(as_alice.get(add_replay(project, sides))).text.count(self.NOTE) == 1

    def test_say_nothing_where_it_is_not(self, as_alice, project):
        address = add_replay(project, [(judged(50.0), judged(40.0))])

        assert self.NOTE not in page(as_alice.get(f"{address}calls/")).text
        assert self.NOTE not in page(as_alice.get(address)).text

    def test_say_so_of_averages(self, as_alice, project):
        sides = [(judged(50.0), judged(50.26)), (judged(50.08), judged(50.26))]  # 50.04 → 50.26, by 0.22

        assert page(as_alice.get(add_replay(project, sides))).text.count(self.NOTE) == 1

    def test_have_no_interval_where_nothing_moves(self, as_alice, project):
        still = add_replay(project, [(judged(50.0), judged(50.0))] * 2)
        assert "95 % interval ±0.0 to" not in page(as_alice.get(still)).text

    def test_have_one_where_something_moves(self, as_alice, project):
        moved = add_replay(project, self.APART)
        assert "95 % interval −" in page(as_alice.get(moved)).text


class TestCallsThatAreHidden:
    def test_are_counted_in_the_head(self, as_alice, alice, project):
        address = add_replay(project, [(judged(50.0), judged(40.0)), (judged(60.0), judged(40.0))])
        hidden = project.calls.order_by("pk").first()
        open_calibration(project.pk, CalibrationPlan([hidden.pk], [alice.email], "", None), alice)

        text = page(as_alice.get(f"{address}calls/")).text

        assert "A draft, compared with version 1 · 1 of 2; 1 waits for your review" in text
        assert "It is not listed here, but counts in all figures." in text


class TestAnswersThatAreLeftOpen:
    SIDES = (
        (judged(50.0), {**judged(40.0, greeting="not_evaluated"), "left_open": {"greeting": "half_heard"}}),
        (judged(50.0), judged(40.0, greeting="not_evaluated")),  # of an earlier release
    )

    def test_say_why_call_by_call_and_in_sum(self, as_alice, project):
        address = add_replay(project, self.SIDES)
        why = "unreliable transcript: a missing phrase proves nothing"

        shown = page(as_alice.get(f"{address}calls/?criterion=greeting"))

        assert f"met → not evaluated ({why})" in " ".join(shown.text.replace("( ", "(").split())
        assert shown.text.count(why) == 1
        summed = " ".join(page(as_alice.get(address)).text.split())
        assert f"met → not evaluated: 2 {why}: 1 " in summed

    def test_say_why_behind_the_answer_that_they_were(self, as_alice, project):
        address = add_replay(project, [tuple(reversed(self.SIDES[0]))])

        text = " ".join(page(as_alice.get(f"{address}calls/?criterion=greeting")).text.split())

        why = "unreliable transcript: a missing phrase proves nothing"
        assert f"not evaluated ( {why} ) → met" in text or f"not evaluated ({why}) → met" in text

    def test_stand_below_all_moves_that_end_there(self, as_alice, project):
        left = {**judged(40.0, greeting="not_evaluated"), "left_open": {"greeting": "half_heard"}}
        moved = judged(40.0, greeting="not_met")
        sides = [(judged(50.0), left), (judged(50.0), left), (judged(50.0, "partly"), left)]
        address = add_replay(project, [*sides, (judged(50.0), moved)])
        why = "unreliable transcript: a missing phrase proves nothing"

        text = " ".join(page(as_alice.get(address)).text.split())

        assert f"met → not met: 1 met → not evaluated: 2 partly → not evaluated: 1 {why}: 3" in text


class TestCallsWhoseScoreChanges:
    def test_say_where_only_points_or_weights_differ(self, as_alice, project):
        address = add_replay(project, [(judged(50.0), judged(40.0)), (judged(50.0), judged(50.0))])

        text = page(as_alice.get(f"{address}calls/")).text

        assert "call-1.wav 50.0 40.0 −10.0 The same answers, with other points or weights" in text
        assert "call-2.wav" not in text


class TestCallsOfAnotherFinding:
    def test_are_all_listed_and_led_to_where_the_replay_cuts_its_list(self, as_alice, project):
        sides = [(judged(50.0), judged(50.0))] * 22
        goals = [("reached", "missed")] * 21 + [("missed", "missed")]
        address = add_replay(project, sides, goals)

        [onward] = [link for link in page(as_alice.get(address)).all("a") if "kind=goal" in link["href"]]
        assert onward["href"] == f"{address}calls/?kind=goal"
        assert "All 21 calls that change" in page(as_alice.get(address)).text
        shown = page(as_alice.get(f"{onward['href']}&page=2"))

        assert "21 – 21 of 21" in shown.text
        assert "call-21.wav reached not reached" in shown.text and "call-22.wav" not in shown.text


class TestWrongAddresses:
    @pytest.mark.parametrize("query", ["criterion=nothing", "kind=nothing", "kind=mistakes"])
    def test_are_not_found(self, as_alice, project, query):
        address = add_replay(project, [(judged(50.0), judged(40.0))])

        assert as_alice.get(f"{address}calls/?{query}").status_code == 404

    def test_of_a_replay_that_still_runs_lead_to_it(self, as_alice, project):
        give_transcript(bring(project, line())[0])
        replay = request_replay(project, project.config, by=project.owner)
        address = f"/projects/{project.pk}/replays/{replay.pk}/"

        assert as_alice.get(f"{address}calls/").url == address

    def test_are_closed_to_others(self, carol, project):
        address = add_replay(project, [(judged(50.0), judged(40.0))])

        assert visitor_of(carol).get(f"{address}calls/").status_code == 404


class TestCriteriaThatTheDraftLeaves:
    def test_are_named_where_their_answers_change(self, as_alice, project):
        address = add_replay(project, [(judged(50.0), judged(40.0, greeting="partly"))])

        text = page(as_alice.get(address)).text

        assert "The draft does not change this criterion itself: Greets." in text
        assert "Its answers change with other settings of the draft" in text

    def test_send_to_a_probe_where_a_model_judges(self, as_alice, project, settings):
        address = add_replay(project, [(judged(50.0), judged(40.0, greeting="partly"))])
        settings.ENVIRONMENT = dataclasses.replace(
            settings.ENVIRONMENT, llm=EngineAddress("http://llm.example:8000/v1", model="m")
        )

        text = page(as_alice.get(address)).text

        assert "Greets. A language model can answer differently" in text

    def test_are_not_named_where_the_draft_changes_them(self, as_alice, project):
        address = add_replay(project, [(judged(50.0), judged(40.0, greeting="partly"))])
        document = parse(project.config).as_document()
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 4
        Replay.objects.update(config=document)

        assert "does not change this criterion itself" not in page(as_alice.get(address)).text
