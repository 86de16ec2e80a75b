"""What a replay compares besides the score: goal, reasons, mistakes, prompts, trackers and questions."""

import copy
import json

import pytest

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.pipeline.models import ReplayedCall
from callscope.pipeline.rubric_changes.replays import drafts
from callscope.pipeline.rubric_changes.replays.besides import load_pairs, read_findings
from callscope.pipeline.rubric_changes.replays.besides_comparison import compare_besides
from callscope.pipeline.rubric_changes.replays.progress import read_progress
from callscope.projects.configuration import parse
from callscope.projects.models import Project
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import RUBRIC, configure
from tests.pipeline.rubric_changes.conftest import bring

pytestmark = pytest.mark.django_db

OPEN = [
    ("Agent", "Good morning, how can I help you?"),
    ("Customer", "I want to know about the weather in Lisbon."),
    ("Agent", "The voucher number is four seven."),
]
SETTINGS = {
    **RUBRIC,
    "contact_reasons": {
        "mode": "predefined",
        "codes": [
            {"code": "Billing", "phrases": ["charged twice"]},
            {"code": "Other", "phrases": ["weather in Lisbon"]},
        ],
    },
    "no_protocol": {
        "prompts": [{"id": "help", "text": "Offers help", "any_of": ["how can I help you"]}],
        "mistakes": [{"id": "sorry", "text": "Apologizes", "any_of": ["I am sorry"]}],
    },
    "trackers": [{"id": "voucher", "name": "Voucher", "rule": {"any_of": ["voucher number"]}}],
    "custom_questions": ["Which invoice was charged?"],
}


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Alice's call project with four calls: two of them solve a bill, in two a voucher is named."""
    from tests.pipeline.conftest import TALK

    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = configure(Project.objects.create(name="Service line", owner=alice), SETTINGS)
        return bring(project, TALK, TALK, OPEN, OPEN)


@pytest.fixture
def analyzed(made, db):
    return copy.deepcopy(made)


@pytest.fixture
def calls(analyzed):
    return list(CallAnalysis.objects.filter(project=analyzed).order_by("call").values_list("call", flat=True))


def run_replay(project, **changed):
    replay = drafts.request_replay(project, {**project.config, **changed}, by=project.owner)
    run_due_jobs()
    replay.refresh_from_db()
    return replay


def kind_of(replay, name):
    return next(row for row in read_progress(replay).besides["kinds"] if row["kind"] == name)


def counts(row):
    return {item["id"]: (item["before"], item["after"]) for item in row["items"]}


class TestReplay:
    def test_that_changes_nothing_shows_what_there_is_and_no_change(self, analyzed):
        kinds = read_progress(run_replay(analyzed)).besides["kinds"]

        assert {row["kind"]: (row["calls"], row["changed"], row["changed_calls"]) for row in kinds} == {
            name: (4, 0, []) for name in ("goal", "reason", "mistakes", "prompts", "trackers", "questions")
        }
        assert [counts(row) for row in kinds] == [
            {"reached": (2, 2), "missed": (0, 0), "unknown": (2, 2)},
            {"Billing": (2, 2), "Other": (2, 2), "": (0, 0)},
            {"sorry": (2, 2)},
            {"help": (0, 0)},
            {"voucher": (2, 2)},
            {"Which invoice was charged?": (2, 2)},
        ]

    def test_of_other_goal_phrases_says_in_which_calls_the_goal_is_reached(self, analyzed, calls):
        goal = {"description": "A voucher is given", "phrases": ["the voucher number is"]}

        replay = run_replay(analyzed, goal=goal)

        found = kind_of(replay, "goal")
        assert (found["calls"], found["changed"], found["changed_calls"]) == (4, 2, calls[2:])
        assert counts(found) == {"reached": (2, 4), "missed": (0, 0), "unknown": (2, 0)}
        share = read_progress(replay).besides["goal"]
        assert (share["before"], share["after"]) == (
            {"known": 2, "reached": 2, "pct": 100.0},
            {"known": 4, "reached": 4, "pct": 100.0},
        )
        assert (share["change"], share["low"], share["high"]) == (0.0, 0.0, 0.0)
        assert load_pairs(replay, calls[2:3])[calls[2]]["after"]["goal"] == "reached"

    def test_of_other_codes_prompts_mistakes_and_trackers_counts_each(self, analyzed, calls):
        codes = [{"code": "Billing", "phrases": ["charged twice"]}, {"code": "Talk", "phrases": ["Lisbon"]}]
        prompts = [{"id": "solve", "text": "Corrects", "any_of": ["let me correct the invoice"]}]
        replay = run_replay(
            analyzed,
            contact_reasons={"mode": "predefined", "codes": codes},
            no_protocol={"prompts": prompts, "mistakes": []},
            trackers=[
                {"id": "invoice", "name": "Invoice", "rule": {"speaker": "any", "any_of": ["my invoice"]}}
            ],
            custom_questions=["What is the weather?", "Which invoice was charged?"],
        )

        reason, mistakes, prompts = (kind_of(replay, name) for name in ("reason", "mistakes", "prompts"))
        assert counts(reason) == {"Billing": (2, 2), "Talk": (None, 2), "": (0, 0), "Other": (2, None)}
        assert (reason["changed"], reason["changed_calls"]) == (2, calls[2:])
        assert (counts(mistakes), mistakes["changed_calls"]) == ({"sorry": (2, None)}, calls[:2])
        assert counts(prompts) == {"solve": (None, 2), "help": (0, None)}
        assert prompts["changed_calls"] == calls[2:]
        trackers, questions = kind_of(replay, "trackers"), kind_of(replay, "questions")
        assert counts(trackers) == {"invoice": (None, 2), "voucher": (2, None)}
        assert trackers["changed_calls"] == calls
        # A question that only the draft asks is no change of an answer.
        assert (questions["calls"], questions["changed"]) == (4, 0)
        assert counts(questions)["What is the weather?"] == (None, 2)

    def test_compares_no_reasons_where_one_side_groups_them(self, analyzed):
        grouped = run_replay(analyzed, contact_reasons={"mode": "open_ended", "codes": []})
        configure(analyzed, {**SETTINGS, "contact_reasons": {"mode": "open_ended", "codes": []}})
        coded = run_replay(analyzed, contact_reasons=SETTINGS["contact_reasons"])
        neither = run_replay(analyzed)

        for replay, expected in ((grouped, (2, None)), (coded, (None, 2))):
            row = kind_of(replay, "reason")
            assert (row["calls"], row["changed"], counts(row)["Billing"]) == (0, 0, expected)
        assert "reason" not in [row["kind"] for row in read_progress(neither).besides["kinds"]]

    def test_of_a_project_without_a_rubric_compares_the_goal(self, analyzed):
        configure(analyzed, {**SETTINGS, "rubric": {"sections": []}})

        replay = run_replay(analyzed, goal={"description": "", "phrases": ["the voucher number is"]})

        found = read_progress(replay)
        assert (found.change["calls"], found.baseline) == (0, {"judged_again": 4})
        assert kind_of(replay, "goal")["changed"] == 2

    def test_keeps_no_word_of_a_call(self, analyzed):
        replay = run_replay(analyzed)

        stored = json.dumps([replay.outcome, *ReplayedCall.objects.values_list("answers", flat=True)])

        for said in ("orning", "twice", "Lisbon", "four seven", "determined"):
            assert said not in stored

    def test_forgets_calls_that_are_erased(self, analyzed, calls):
        from callscope.pipeline.erasure import removal

        replay = run_replay(analyzed, trackers=[])
        assert kind_of(replay, "trackers")["changed_calls"] == calls[2:]

        removal.erase_call(CallAnalysis.objects.get(call=calls[2], is_live=True).call)

        assert kind_of(replay, "trackers")["changed_calls"] == calls[3:]
        assert load_pairs(replay, calls).keys() == set(calls) - {calls[2]}

    def test_says_nothing_where_an_earlier_release_judged_some_of_its_calls(self, analyzed, calls):
        replay = drafts.request_replay(analyzed, analyzed.config, by=analyzed.owner)
        earlier = {"before": None, "after": None, "is_judged_again": True}
        ReplayedCall.objects.filter(replay=replay, call=calls[0]).update(answers=earlier)
        run_due_jobs()

        replay.refresh_from_db()
        found = read_progress(replay)
        assert (found.state, found.besides) == ("completed", None)
        assert load_pairs(replay, calls[:1]) == {}


class TestWhereALanguageModelJudges:
    def test_a_stored_result_serves_and_no_question_is_asked_for_it(self, analyzed, model, calls):
        configure(analyzed, RUBRIC)
        insights = {**CallAnalysis.objects.get(call=calls[0]).insights, "goal_reached": False}
        CallAnalysis.objects.filter(call=calls[0]).update(insights=insights)
        plan = drafts.plan_replay(analyzed, {**analyzed.config, "goal": {"description": "Sold"}})

        replay = run_replay(analyzed, goal={"description": "Sold", "phrases": []})

        # The model says "unknown" of each call; the answers of before are the stored ones.
        assert len(model.prompts) == plan.estimate["requests"] == 4
        assert counts(kind_of(replay, "goal")) == {"reached": (1, 0), "missed": (1, 0), "unknown": (2, 4)}
        assert read_progress(replay).besides["goal"]["after"] == {"known": 0, "reached": 0, "pct": None}
        assert read_progress(replay).besides["goal"]["change"] is None

    def test_only_whether_something_is_found_for_a_question_counts(self):
        from callscope.analysis.results.findings import Findings

        config = parse({"custom_questions": ["Why?", "When?", "Who?", "Where?"]})
        answers = {
            "Why?": {"answer": "An invoice was wrong.", "quotes": []},
            "When?": {"answer": "no determinado", "quotes": ["[00:01] yesterday"]},
            "Who?": {"answer": "not determined", "quotes": []},
        }

        found = read_findings(Findings(custom_questions={"answers": answers}), config)

        assert found["questions"] == [0, 1]
        assert "goal" not in found  # without insights nothing is known of it, not even that it is unknown


class TestGoalShare:
    @staticmethod
    def compare(*states):
        config = parse({})
        rows = [
            (number, {"before": {"goal": old}, "after": {"goal": new}})
            for number, (old, new) in enumerate(states)
        ]
        return compare_besides(rows, config, config)["goal"]

    def test_has_the_interval_of_the_same_calls(self):
        found = self.compare(*[("reached", "missed")] * 4, *[("reached", "reached")] * 6)

        # Each call counts in both: the mean of four times −100 and six times 0, with Student's t for nine.
        assert (found["before"]["pct"], found["after"]["pct"], found["change"]) == (100.0, 60.0, -40.0)
        assert (found["low"], found["high"]) == (-76.94, -3.06)

    def test_counts_calls_that_become_unknown(self):
        found = self.compare(
            *[("reached", "unknown")] * 5, *[("missed", "missed")] * 5, ("reached", "reached")
        )

        assert (found["before"]["known"], found["after"]["known"]) == (11, 6)
        assert (found["change"], found["low"] < found["change"] < found["high"]) == (-37.88, True)

    def test_without_calls_has_no_change(self):
        assert self.compare() == {
            "before": {"known": 0, "reached": 0, "pct": None},
            "after": {"known": 0, "reached": 0, "pct": None},
            "change": None,
            "low": None,
            "high": None,
        }
