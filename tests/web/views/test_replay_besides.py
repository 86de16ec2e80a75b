"""The page of a replay, besides the score: the goal, and in which calls something else is found."""

import dataclasses

import pytest
from django.utils import timezone

from callscope.environment import EngineAddress
from callscope.pipeline.models import Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays.besides_comparison import MOST_LISTED, compare_besides
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.pipeline.rubric_changes.replays.drafts import request_replay
from callscope.projects.configuration import parse
from callscope.projects.services import configure_project, share_project
from callscope.testing import run_due_jobs
from tests.web.conftest import bring, give_transcript, line, page, visitor_of

pytestmark = pytest.mark.django_db

CODES = [{"code": "Billing"}, {"code": "Faults"}]
TRACKER = {"id": "offers", "name": "Other offers", "rule": {"any_of": ["cheaper"]}}
MISTAKE = {"id": "rude", "text": "Is rude", "any_of": ["whatever"]}


def show(client, project, sides, *, numbers=None, **changed):
    """Return the page of a replay whose calls have these findings before and after."""
    calls = bring(project, *(line(number) for number in numbers or range(1, len(sides) + 1)))
    before, after = parse(project.config), parse({**project.config, **changed})
    answers = {"score": 50.0, "has_critical_error": False, "criteria": {"greeting": "met"}}
    rows = [
        (
            call.pk,
            {
                "before": answers,
                "after": answers,
                "is_judged_again": True,
                "besides": {"before": old, "after": new},
            },
        )
        for call, (old, new) in zip(calls, sides, strict=True)
    ]
    besides = compare_besides([(pk, row["besides"]) for pk, row in rows], before, after)
    replay = Replay.objects.create(
        project=project,
        config=after.as_document(),
        config_version=project.config_version,
        completed_at=timezone.now(),
        outcome={**compare_answers(rows), "besides": besides},
    )
    ReplayedCall.objects.bulk_create(ReplayedCall(replay=replay, call_id=pk, answers=row) for pk, row in rows)
    return page(client.get(f"/projects/{project.pk}/replays/{replay.pk}/"))


def goals(*pairs):
    return [({"goal": old}, {"goal": new}) for old, new in pairs]


class TestGoal:
    GOAL = {"description": "Sold", "phrases": ["I will take it"]}

    def test_that_is_reached_less_often_stands_next_to_a_score_that_stays(self, as_alice, project):
        sides = goals(*[("reached", "missed")] * 6, *[("reached", "reached")] * 6)

        text = show(as_alice, project, sides, goal=self.GOAL).text

        assert "±0.0 points on average with the draft no clear change" in text
        assert "Besides the score : Goal reached, 6 calls change" in text
        assert (
            "−50.0 points of “Goal reached” with the draft Version 1:" in text
        )  # clear: the interval is below 0
        former = "Version 1: 100.0 % of 12 calls with a known outcome"
        draft = "With the draft: 50.0 % of 12 calls with a known outcome"
        assert f"{former} · {draft} · 95 % interval −83.2 to −16.8" in text
        assert "reached 12 6 not reached 0 6 6 of 12 calls change." in text
        assert "call-1.wav reached not reached" in text and "call-7.wav" not in text

    def test_of_few_calls_says_so(self, as_alice, project):
        text = show(
            as_alice, project, goals(("reached", "unknown"), ("missed", "missed")), goal=self.GOAL
        ).text

        assert "with the draft few calls Version 1: 50.0 % of 2 calls with a known outcome" in text
        assert "With the draft: 0.0 % of 1 call with a known outcome" in text

    def test_that_is_known_in_no_call_has_no_figure(self, as_alice, project):
        text = show(as_alice, project, goals(("reached", "unknown")), goal=self.GOAL).text

        assert "points of “Goal reached”" not in text
        assert "Version 1: 100.0 % of 1 call with a known outcome · With the draft: known in no call" in text

    def test_that_the_draft_touches_in_vain_changes_nothing(self, as_alice, project):
        text = show(as_alice, project, goals(*[("reached", "reached")] * 2), goal=self.GOAL).text

        assert "Goal reached Nothing changes in 2 calls." in text
        assert "calls change" not in text

    def test_is_shown_in_the_list_of_replays(self, as_alice, project):
        show(as_alice, project, goals(("reached", "missed"), ("reached", "reached")), goal=self.GOAL)

        assert (
            "50.0 → 50.0 % · goal reached 100.0 → 50.0 %"
            in page(as_alice.get(f"/projects/{project.pk}/versions/")).text
        )


class TestOtherKinds:
    def test_show_what_is_found_on_one_side_alone(self, as_alice, project):
        configure_project(project, {**project.config, "no_protocol": {"mistakes": [MISTAKE], "prompts": []}})
        nothing = {"goal": "unknown", "mistakes": [], "trackers": []}
        sides = [
            ({**nothing, "mistakes": ["rude"]}, nothing),
            (nothing, {**nothing, "trackers": ["offers"]}),
        ]

        text = show(
            as_alice, project, sides, no_protocol={"mistakes": [], "prompts": []}, trackers=[TRACKER]
        ).text

        assert "Besides the score : Mistakes, 1 call changes · Trackers, 1 call changes" in text
        assert "Is rude 1 – These settings do not look for it. 1 of 2 calls changes." in text
        assert "call-1.wav Is rude –" in text and "call-2.wav – Other offers" in text
        assert "Goal reached" not in text  # neither touched nor changed

    def test_that_the_draft_leaves_alone_and_that_stay_are_not_shown(self, as_alice, project):
        configure_project(project, {**project.config, "trackers": [TRACKER]})

        text = show(as_alice, project, [({"trackers": ["offers"]}, {"trackers": ["offers"]})]).text

        assert "Besides the score" not in text

    def test_reasons_are_compared_by_their_codes(self, as_alice, project):
        codes = {"mode": "predefined", "codes": CODES}
        configure_project(project, {**project.config, "contact_reasons": codes})
        sides = [({"reason": "Billing"}, {"reason": ""}), ({"reason": "Faults"}, {"reason": "Faults"})]

        text = show(as_alice, project, sides, contact_reasons={**codes, "codes": CODES[1:]}).text

        assert "Billing 1 – These settings do not look for it." in text
        assert "call-1.wav Billing Other" in text

    def test_reasons_that_are_grouped_are_not_compared(self, as_alice, project):
        groups = {"mode": "open_ended", "codes": CODES}
        text = show(as_alice, project, [({}, {})], contact_reasons=groups).text
        assert "Contact reason Not compared: similar topics are grouped over all calls" in text

        coded = {"mode": "predefined", "codes": CODES}
        text = show(as_alice, project, [({}, {"reason": "Billing"})], contact_reasons=coded).text
        assert "Billing – These settings do not look for it. 1" in text
        assert "Not compared call by call: only one of the two settings has codes." in text
        assert "Besides the score : Contact reason: “Other” in 0 of 1 call with the draft" in text

    def test_reasons_that_get_codes_say_beneath_the_score_in_how_many_calls_none_fits(
        self, as_alice, project
    ):
        sides = [({}, {"reason": ""}), ({}, {"reason": ""}), ({}, {"reason": "Billing"})]

        codes = {"mode": "predefined", "codes": CODES}
        text = show(as_alice, project, sides, contact_reasons=codes).text

        assert "Besides the score : Contact reason: “Other” in 2 of 3 calls with the draft" in text
        assert "no code fits" not in text

    def test_reasons_that_lose_their_codes_say_so_beneath_the_score(self, as_alice, project):
        configure_project(
            project, {**project.config, "contact_reasons": {"mode": "predefined", "codes": CODES}}
        )

        grouped = {"mode": "open_ended", "codes": CODES}
        text = show(as_alice, project, [({"reason": "Billing"}, {})], contact_reasons=grouped).text

        assert "Besides the score : Contact reason: without codes with the draft" in text

    def test_of_many_calls_list_the_first(self, as_alice, project):
        sides = [({"trackers": []}, {"trackers": ["offers"]})] * (MOST_LISTED + 2)

        text = show(as_alice, project, sides, trackers=[TRACKER]).text

        assert "The first 20 of 22 calls that change" in text
        assert "call-20.wav" in text and "call-21.wav" not in text


class TestOfAnEarlierRelease:
    @pytest.fixture
    def replay(self, project):
        bring(project, line())
        goal = {"description": "Sold", "phrases": []}
        return Replay.objects.create(
            project=project,
            config=parse({**project.config, "goal": goal}).as_document(),
            config_version=project.config_version,
            completed_at=timezone.now(),
            outcome=compare_answers([]),
        )

    def test_says_what_is_not_recorded_and_offers_to_replay_it_again(self, as_alice, bob, replay):
        address = f"/projects/{replay.project_id}/replays/{replay.pk}/"

        shown = page(as_alice.get(address))

        assert "and questions are not recorded in this replay. Replay the draft again" in shown.text
        assert shown.all("form", action=f"{address}again/#replay-again")
        share_project(replay.project, bob)
        assert "Replay again" not in page(visitor_of(bob).get(address)).text

    def test_says_what_it_costs_before_a_model_judges_it_again(self, as_alice, replay, settings):
        give_transcript(replay.project.calls.get())
        settings.ENVIRONMENT = dataclasses.replace(
            settings.ENVIRONMENT, llm=EngineAddress("http://llm.example:8000/v1", model="m")
        )
        again = f"/projects/{replay.project_id}/replays/{replay.pk}/again/"

        asked = page(as_alice.post(again))

        assert "Requests to the model, at least" in asked.text
        assert asked.all("input", name="confirmed")
        assert not Replay.objects.exclude(pk=replay.pk).exists()
        assert as_alice.post(again, {"confirmed": "yes"}).status_code == 302
        assert Replay.objects.exclude(pk=replay.pk).count() == 1

    def test_is_recorded_once_it_is_replayed_again(self, as_alice, replay):
        give_transcript(replay.project.calls.get())

        answer = as_alice.post(f"/projects/{replay.project_id}/replays/{replay.pk}/again/")
        run_due_jobs()

        text = page(as_alice.get(answer.url)).text
        assert "not recorded" not in text
        assert "Goal reached Nothing changes in 1 call." in text


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("reasons", "Codes are compared; reasons that are grouped from similar topics are not."),
        ("questions", "Compared is whether an answer or a passage is found"),
    ],
)
def test_the_settings_say_what_a_replay_does_not_compare(as_alice, project, part, said):
    [call] = bring(project, line())
    give_transcript(call)

    assert said in page(as_alice.get(f"/projects/{project.pk}/settings/{part}/")).text
    assert said not in page(as_alice.get(f"/projects/{project.pk}/settings/goal/")).text


def test_saving_the_targets_alone_leaves_a_replay_ready_to_be_published(as_alice, project):
    [call] = bring(project, line())
    give_transcript(call)
    replay = request_replay(project, project.config, by=project.owner)
    run_due_jobs()
    configure_project(project, {**project.config, "targets": {"average_score": 80}})

    text = page(as_alice.get(f"/projects/{project.pk}/replays/{replay.pk}/")).text

    assert "Other settings were saved since" not in text
