"""What the page of a probe says to do next, and the button that starts one of too few calls again."""

from dataclasses import replace

import pytest

from callscope.environment import EngineAddress
from callscope.interfaces.web.views.rubrics.probe_advice import count_directions, describe_directions
from callscope.pipeline.models import Probe
from callscope.pipeline.rubric_changes.probes.requests import plan_fairness, request_probe
from callscope.pipeline.rubric_changes.probes.steadiness import count_flips
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import accept
from tests.web.conftest import bring, line, page

pytestmark = pytest.mark.django_db


def make_probe(project, flips, calls, *, kind="steadiness", engine="a model", found=None):
    row = count_flips(flips, calls)
    criteria = [{**row, "criterion_id": "identity"}]
    outcome = found or {"criteria": criteria, "overall": row, "flipped": []}
    return Probe.objects.create(
        kind=kind, project=project, config=project.config, config_version=1, variants=["1", "2", "3"],
        estimate={"calls": calls}, completed_at="2026-03-01T10:00:00Z", engine=engine, outcome=outcome,
    )  # fmt: skip


def show(client, probe):
    return page(client.get(f"/projects/{probe.project_id}/probes/{probe.pk}/"))


def fairness(same, copies):
    shift = {"calls": 0, "mean": None, "low": None, "high": None}
    known = {"criteria": [], "score_shift": shift, "unchanged": 0}
    groups = [
        {"group": name, "overall": count_flips(*found), **known}
        for name, found in (("repeat", same), ("order", copies))
    ]
    return {"calls": copies[1], "groups": groups, "moved": []}


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (
            [(50.0, 40.0)],
            "Of 1 copy with another answer, 1 scored lower than the call, 0 higher, 0 the same.",
        ),
        (
            [(50.0, 40.0), (60.0, 70.0), (None, 10.0), (80.0, 80.0)],
            "Of 4 copies with another answer, 1 scored lower than the call, 1 higher, 1 the same.",
        ),
    ],
)
def test_says_in_which_direction_copies_moved(scores, words):
    moved = [
        {"call_id": number, "group": "order", "score_before": before, "score_after": after}
        for number, (before, after) in enumerate(scores)
        for _criterion in range(2)  # a copy with two other answers is one copy
    ]

    assert describe_directions(count_directions(moved)) == words


@pytest.mark.parametrize(("after", "is_unfair"), [(50.0, False), (40.0, True)])
def test_calls_unfair_only_what_changes_a_score(as_alice, project, after, is_unfair):
    found = fairness((0, 30), (4, 30))
    [call] = bring(project, line(1))
    found["moved"] = [
        {
            "call_id": call.pk, "group": "order", "criterion_id": "identity", "before": "met",
            "after": "not_evaluated", "score_before": 50.0, "score_after": after,
        }
    ]  # fmt: skip

    text = show(as_alice, make_probe(project, 0, 30, kind="fairness", engine="", found=found)).text

    assert ("which is unfair" in text) is is_unfair
    assert ("Answers depend on how the same is said, but no copy has another score." in text) is not is_unfair


def test_starts_a_fairness_probe_of_too_few_calls_again_with_one_click(as_alice, project):
    for _ in range(11):
        accept(project)
    run_due_jobs()
    probe = request_probe(project, plan_fairness(project, sample=2, groups=["order"]), by=None)
    run_due_jobs()

    shown = show(as_alice, probe)
    assert "Nothing yet: so few calls cannot tell an effect of names or dialect from chance." in shown.text
    assert "Start again with 11 calls" in shown.text  # the project has no 30
    assert "Free: rules judge." in shown.text
    names = ("kind", "sample", "groups", "confirmed")
    fields = {name: shown.all("input", name=name)[0]["value"] for name in names}
    answer = as_alice.post(f"/projects/{project.pk}/probes/", fields)

    made = Probe.objects.order_by("-pk").first()
    assert answer.url == f"/projects/{project.pk}/probes/{made.pk}/"
    assert (made.estimate["calls"], made.variants) == (11, probe.variants)


def test_states_the_cost_before_a_model_starts_again(as_alice, project, settings):
    for _ in range(10):
        accept(project)
    run_due_jobs()
    probe = make_probe(project, 0, 5)
    settings.ENVIRONMENT = replace(
        settings.ENVIRONMENT, llm=EngineAddress("http://llm.example:8000/v1", model="m")
    )

    shown = show(as_alice, probe)

    assert "Start again with 10 calls" in shown.text
    assert "The cost is stated before it starts." in shown.text
    assert shown.all("input", name="repetitions")[0]["value"] == "3"
    assert not shown.all("input", name="confirmed")


def test_offers_no_start_without_enough_calls(as_alice, project):
    bring(project, line(1))

    shown = show(as_alice, make_probe(project, 0, 5))

    assert "Upload more calls: at least 10 with a transcript are needed for a verdict." in shown.text
    assert "Start again with" not in shown.text


@pytest.mark.parametrize(
    ("flips", "calls", "engine", "said"),
    [
        (3, 40, "a model", "Say in the rubric more precisely when these are met: Verifies the caller"),
        (0, 100, "a model", "The judge is steady: differences between results come from the calls."),
        (0, 40, "a model", "No sign that the judge is unsteady. More calls would make the limit lower."),
        (0, 5, "", "Rules are steady by design"),
    ],
)
def test_says_what_answers_that_changed_or_not_mean(as_alice, project, flips, calls, engine, said):
    shown = show(as_alice, make_probe(project, flips, calls, engine=engine))

    assert said in shown.text
    assert f"{calls} calls were judged 3 times each with the same settings." in shown.text
    assert "Start again with" not in shown.text
    assert ("To the rubric" in shown.text) == bool(flips)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (
            fairness((0, 30), (0, 30)),
            "No sign that a change of these kinds changes a result. No answer changed with this kind of "
            "copies, over 30 calls: facts in another order. Up to 11.4 % of calls could still change.",
        ),
        (fairness((3, 30), (4, 30)), "Answers change about as often as with the same words"),
        (fairness((0, 30), (4, 30)), "A few answers changed, but so few that it can be chance."),
        (
            fairness((0, 30), (20, 30)),
            "Callers or agents who say the same in another way may get another result",
        ),
    ],
)
def test_says_what_copies_mean(as_alice, project, outcome, said):
    assert said in show(as_alice, make_probe(project, 0, 30, kind="fairness", found=outcome)).text


def test_says_of_which_copies_there_are_too_few(as_alice, project):
    found = fairness((0, 30), (0, 9))
    found["calls"] = 30

    text = show(as_alice, make_probe(project, 0, 30, kind="fairness", found=found)).text

    assert "Fewer than 10 copies say nothing certain: facts in another order (9)." in text
    assert "Start the probe again with more calls" in text
    assert "could still change" not in text


def test_says_with_how_many_copies_nothing_changed_next_to_those_that_did(as_alice, project):
    found = fairness((0, 30), (20, 30))
    for calls in (34, 38):
        overall = count_flips(0, calls)
        found["groups"].append({**found["groups"][1], "group": f"new-{calls}", "overall": overall})

    text = show(as_alice, make_probe(project, 0, 30, kind="fairness", found=found)).text

    assert "may get another result, which is unfair. No answer changed with these kinds of copies" in text
    assert "over 34 to 38 calls each: new-34, new-38. Up to 10.2 % of calls could still change." in text


@pytest.mark.parametrize(
    ("kinds", "said"),
    [(4, "kind-1 (9), kind-2 (9), kind-3 (9), kind-4 (9)."), (5, "kind-2 (9), kind-3 (9), 2 more.")],
)
def test_names_a_last_kind_rather_than_counting_it(as_alice, project, kinds, said):
    found = fairness((0, 30), (0, 9))
    found["calls"] = 30
    [repeat, order] = found["groups"]
    found["groups"] = [repeat, *({**order, "group": f"kind-{number}"} for number in range(1, kinds + 1))]

    assert said in show(as_alice, make_probe(project, 0, 30, kind="fairness", found=found)).text


@pytest.mark.parametrize(
    ("rule", "score", "is_said"),
    [("zero_score", 0.0, True), ("zero_score", 40.0, False), ("flag", 0.0, False)],
)
def test_says_that_a_critical_error_sets_scores_to_0(as_alice, project, rule, score, is_said):
    found = fairness((0, 30), (4, 30))
    [call] = bring(project, line(1))
    found["moved"] = [
        {
            "call_id": call.pk, "group": "order", "criterion_id": "identity", "before": "met",
            "after": "not_met", "score_before": score, "score_after": score,
        }
    ]  # fmt: skip
    probe = make_probe(project, 0, 30, kind="fairness", engine="", found=found)
    probe.config = {**probe.config, "rubric": {**probe.config["rubric"], "on_critical_error": rule}}
    probe.save()

    assert ("a critical error sets the score to 0" in show(as_alice, probe).text) is is_said


@pytest.mark.parametrize("moved", [["met"], ["not_evaluated"], ["met", "not_evaluated"]])
def test_calls_no_change_by_rules_unsteady(as_alice, project, moved):
    found = fairness((0, 30), (4, 30))
    [call] = bring(project, line(1))
    row = {
        "call_id": call.pk, "group": "order", "criterion_id": "identity", "after": "not_met",
        "score_before": 50.0, "score_after": 40.0,
    }  # fmt: skip
    found["moved"] = [{**row, "before": before} for before in moved]
    probe = make_probe(project, 0, 30, kind="fairness", engine="", found=found)

    text = show(as_alice, probe).text

    said = "Other answers with facts in another order (4 of 30). The same words again changed nothing."
    assert f"{said} All these copies are of 1 call." in text
    assert "may get another result, which is unfair" in text
    assert ("add the words of the copy to the phrases" in text) == ("met" in moved)
    assert ("the words were close to the limit" in text) == ("not_evaluated" in moved)
    assert "read the quote" not in text
    assert "A model may answer" not in text
    assert "unsteady" not in text and "Start a steadiness probe" not in text
