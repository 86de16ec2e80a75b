"""What probes say in one sentence, what they show of how they were made, and which criteria they fold."""

import pytest
from django.utils import translation

from callscope.interfaces.web.views.rubrics.probes import sum_up_fairness, sum_up_steadiness
from callscope.pipeline.models import Probe
from callscope.pipeline.rubric_changes.probes.steadiness import count_flips
from tests.web.conftest import Page, bring, line, page

pytestmark = pytest.mark.django_db


def overall(calls, flips, low=None, high=None):
    return {"calls": calls, "flips": flips, "flip_pct": 100 * flips / calls if calls else None,
            "low": low, "high": high}  # fmt: skip


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            overall(5, 0, 0.0, 43.45),
            "No answer changed in 5 calls. With so few, up to 43.4\u00a0% of calls could still have one.",
        ),
        (
            overall(1, 0, 0.0, 79.3),
            "No answer changed in 1 call. With so few, up to 79.3\u00a0% of calls could still have one.",
        ),
        (
            overall(200, 0, 0.0, 1.9),
            "No answer changed in 200 calls: they change in less than 1.9\u00a0% of calls.",
        ),
        (
            overall(40, 2, 1.4, 16.5),
            "An answer changed in 2 of 40 calls: 5.0\u00a0%, 95\u00a0% interval 1.4 to 16.5.",
        ),
        (overall(0, 0), "No call could be judged twice, so nothing is known."),
    ],
)
def test_says_what_is_known_and_what_is_still_possible(found, sentence):
    with translation.override("en"):
        assert sum_up_steadiness(found) == sentence


def test_folds_what_did_not_change(as_alice, project, alice):
    [call] = bring(project, line(1))
    rows = [overall(9, 0, 0.0, 29.9) | {"criterion_id": "greeting"},
            overall(9, 3, 12.1, 64.6) | {"criterion_id": "identity"}]  # fmt: skip
    flipped = [{"call_id": call.pk, "criterion_id": "identity", "answers": {"met": 1, "not_met": 1}}]
    probe = Probe.objects.create(
        kind="steadiness", project=project, config=project.config, config_version=1, variants=["a", "b"],
        estimate={"calls": 9}, completed_at="2026-03-01T10:00:00Z",
        outcome={"criteria": rows, "overall": overall(9, 3, 12.1, 64.6), "flipped": flipped},
    )  # fmt: skip

    shown = page(as_alice.get(f"/projects/{project.pk}/probes/{probe.pk}/")).text
    listed = page(as_alice.get(f"/projects/{project.pk}/probes/")).text

    assert "changed in 3 of 9 calls" in listed
    assert "An answer counts as changed when repeats disagree." in shown
    assert "An answer changed in 3 of 9 calls: 33.3 %" in shown
    first, _, folded = shown.partition("1 criterion whose answers did not change")
    assert "Verifies the caller" in first and "Greets" not in first
    assert "Greets" in folded
    assert "κ" not in shown  # nobody reviewed a call, so the column would hold dashes alone


def test_speaks_of_no_period_where_nothing_was_judged(as_alice, project):
    row = overall(0, 0) | {"criterion_id": "greeting"}
    probe = Probe.objects.create(
        kind="steadiness", project=project, config=project.config, config_version=1, variants=["a", "b"],
        estimate={"calls": 9}, completed_at="2026-03-01T10:00:00Z",
        outcome={"criteria": [row], "overall": overall(0, 0), "flipped": []}, engine="a model",
    )  # fmt: skip

    shown = as_alice.get(f"/projects/{project.pk}/probes/{probe.pk}/").content.decode()

    assert shown.count('<span class="vh">No call was judged for this.</span>') == 2
    assert "period" not in shown


def test_lists_the_group_that_changed_most(as_alice, project):
    groups = [{"group": name, "overall": overall(9, flips)} for name, flips in
              [("repeat", 5), ("order", 1), ("dialect_british", 2)]]  # fmt: skip
    Probe.objects.create(
        kind="fairness", project=project, config=project.config, config_version=1, variants=["a", "b"],
        estimate={"calls": 9}, completed_at="2026-03-01T10:00:00Z",
        outcome={"calls": 9, "groups": groups, "moved": []},
    )  # fmt: skip

    assert (
        "changed in up to 2 of 9 calls, too few for a verdict"
        in page(as_alice.get(f"/projects/{project.pk}/probes/")).text
    )


def test_says_that_rules_have_nothing_to_be_steady_about(as_alice, project):
    shown = page(as_alice.get(f"/projects/{project.pk}/probes/")).text

    assert "No language model judges this project." in shown


def test_lists_no_most_where_nothing_changed(as_alice, project):
    Probe.objects.create(
        kind="fairness", project=project, config=project.config, config_version=1, variants=["a", "b"],
        estimate={"calls": 2}, completed_at="2026-03-01T10:00:00Z",
        outcome={"calls": 2, "groups": [
            {"group": "dialect_british", "overall": overall(1, 0)},
            {"group": "order", "overall": overall(2, 0)},
        ], "moved": []},
    )  # fmt: skip

    shown = page(as_alice.get(f"/projects/{project.pk}/probes/")).text

    assert "changed in 0 of 2 calls, too few for a verdict" in shown
    assert "up to 0" not in shown


def test_says_that_rules_cannot_change_and_shows_no_interval(as_alice, project, alice):
    rows = [overall(5, 0, 0.0, 43.45) | {"criterion_id": "greeting"}]
    probe = Probe.objects.create(
        kind="steadiness", project=project, config=project.config, config_version=7, variants=["1", "2", "3"],
        estimate={"calls": 5}, completed_at="2026-03-01T10:00:00Z", created_by=alice,
        outcome={"criteria": rows, "overall": overall(5, 0, 0.0, 43.45), "flipped": []},
    )  # fmt: skip

    by_rules = page(as_alice.get(f"/projects/{project.pk}/probes/{probe.pk}/")).text
    html = as_alice.get(f"/projects/{project.pk}/probes/{probe.pk}/").content.decode()
    assert "5\N{NO-BREAK SPACE}calls · 3\N{NO-BREAK SPACE}judgments of each call</p>" in html
    Probe.objects.update(engine="a model")
    by_model = page(as_alice.get(f"/projects/{project.pk}/probes/{probe.pk}/")).text

    assert "No answer changed: rules always give the same answer to the same words." in by_rules
    assert "43.4" not in by_rules
    assert "With so few, up to 43.4" in by_model
    assert (
        f"{alice.email} · Began at version 7 of the settings · 5 calls · 3 judgments of each call" in by_rules
    )


@pytest.mark.parametrize(
    ("calls", "interval", "heads"),
    [
        (0, (None, None), []),
        (5, (0.0, 0.0), ["95 % interval"]),
        (40, (-2.0, 1.0), ["95 % interval", "95 % interval of the shift"]),
    ],
)
def test_leaves_out_columns_of_intervals_that_nobody_knows(as_alice, project, calls, interval, heads):
    shift = {"calls": calls, "mean": -0.5 if calls else None, "low": interval[0], "high": interval[1]}
    group = {"group": "order", "overall": count_flips(0, calls), "criteria": [], "score_shift": shift}
    probe = Probe.objects.create(
        kind="fairness", project=project, config=project.config, config_version=1, variants=["a", "b"],
        estimate={"calls": 9}, completed_at="2026-03-01T10:00:00Z",
        outcome={"calls": calls, "groups": [{**group, "unchanged": 0}], "moved": []},
    )  # fmt: skip

    answer = as_alice.get(f"/projects/{project.pk}/probes/{probe.pk}/").content.decode()
    head = Page(answer.partition("Copies against")[2].partition("</thead>")[0])

    assert [each.replace("\u00a0", " ") for each in head.texts if "interval" in each] == heads


def fairness(**flips):
    """Return the outcome of so many changed calls, of so many compared, by group."""
    groups = [{"group": name, "overall": count_flips(*found)} for name, found in flips.items()]
    return {"calls": max(calls for _, calls in flips.values()), "groups": groups}


def test_names_all_kinds_with_which_rules_answer_otherwise():
    found = fairness(
        repeat=(0, 30),
        order=(1, 14),
        names_arabic_women=(0, 12),
        names_arabic_men=(2, 29),
        dialect_british=(3, 30),
    )
    said = (
        "Other answers with British spelling (3 of 30), facts in another order (1 of 14), "
        "Arabic names of men (2 of 29). The same words again changed nothing."
    )

    with translation.override("en"):
        assert sum_up_fairness({**found, "moved": []}, is_by_rules=True) == said
        found["moved"] = [{"call_id": number} for number in (7, 7, 8)]
        assert sum_up_fairness(found, is_by_rules=True) == f"{said} These copies are of 2 different calls."


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (
            fairness(repeat=(0, 2), order=(0, 2)),
            "2 calls were compared with their copies: at least 10 are needed to say anything.",
        ),
        (
            fairness(repeat=(0, 30), order=(0, 30), names_arabic_women=(0, 12)),
            "No answer changed in 42 copies. The fewest had Arabic names of women: 12.",
        ),
        (
            fairness(repeat=(3, 30), order=(2, 30), names_arabic_women=(4, 30)),
            "No copies clearly change more answers than the same words again do. "
            "Most changed with Arabic names of women: 4 of 30 calls.",
        ),
        (
            fairness(repeat=(0, 30), order=(20, 30)),
            "Copies with facts in another order change more answers than the same words again do: "
            "20 of 30 calls, against 0 of 30.",
        ),
        (
            fairness(repeat=(0, 30), order=(0, 0)),
            "No call had a copy that differs from it, so nothing is known.",
        ),
    ],
)
def test_says_whether_copies_change_more_than_the_same_words(outcome, sentence):
    with translation.override("en"):
        assert sum_up_fairness(outcome) == sentence
