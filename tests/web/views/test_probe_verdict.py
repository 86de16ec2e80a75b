"""What a steadiness probe says in one sentence, and which criteria it folds."""

import pytest
from django.utils import translation

from callscope.interfaces.web.views.rubrics.probes import sum_up_steadiness
from callscope.pipeline.models import Probe
from tests.web.conftest import bring, line, page

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

    assert "3 of 9 changed" in listed
    assert "An answer counts as changed when repeats disagree." in shown
    assert "An answer changed in 3 of 9 calls: 33.3 %" in shown
    first, _, folded = shown.partition("1 criterion whose answers did not change")
    assert "Verifies the caller" in first and "Greets" not in first
    assert "Greets" in folded
    assert "κ" not in shown  # nobody reviewed a call, so the column would hold dashes alone


def test_lists_the_group_that_changed_most(as_alice, project):
    groups = [{"group": name, "overall": overall(9, flips)} for name, flips in
              [("repeat", 5), ("order", 1), ("dialect_british", 2)]]  # fmt: skip
    Probe.objects.create(
        kind="fairness", project=project, config=project.config, config_version=1, variants=["a", "b"],
        estimate={"calls": 9}, completed_at="2026-03-01T10:00:00Z",
        outcome={"calls": 9, "groups": groups, "moved": []},
    )  # fmt: skip

    assert "up to 2 of 9 changed" in page(as_alice.get(f"/projects/{project.pk}/probes/")).text


def test_says_that_rules_have_nothing_to_be_steady_about(as_alice, project):
    shown = page(as_alice.get(f"/projects/{project.pk}/probes/")).text

    assert "No language model judges this project." in shown
