"""Probes and replays: no percentage, shift or kappa without the calls that it rests on."""

import re

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callscope.interfaces.web.views.rubrics import probes as probes_view
from callscope.pipeline.models import Probe, Replay
from callscope.pipeline.rubric_changes.probes.fairness import ORIGINAL, compare_groups
from callscope.pipeline.rubric_changes.probes.steadiness import compare_judgments
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.reviews.agreement.measures import ANSWERS, AnswerPair, measure_pairs
from tests.effort import count_examples
from tests.web.honest.page_tables import read_rows, read_text

pytestmark = pytest.mark.django_db
quickly = settings(
    max_examples=count_examples(10),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
answers = st.sampled_from(["met", "not_met", "not_evaluated"])
judgments = st.builds(
    lambda score, criteria: {
        "score": score,
        "has_critical_error": None if score is None else False,
        "criteria": criteria,
    },
    st.none() | st.sampled_from([0.0, 50.0, 75.0, 100.0]),
    st.dictionaries(st.sampled_from(["greeting", "identity"]), answers),
)
two_sides = st.lists(st.tuples(judgments, st.none() | judgments), max_size=14)
kappas = st.lists(st.tuples(st.sampled_from(ANSWERS), st.sampled_from(ANSWERS)), max_size=30).map(
    lambda said: measure_pairs(
        [AnswerPair(n, "greeting", "Greets", *both) for n, both in enumerate(said)], ANSWERS
    )
)


def show_probe(client, probe, outcome, agreement=None) -> str:
    """Return the page of a probe that came to this, next to this agreement with people on "greeting"."""
    Probe.objects.filter(pk=probe.pk).update(outcome=outcome)
    with pytest.MonkeyPatch.context() as patch:
        found = {} if agreement is None else {"greeting": agreement}
        patch.setattr(probes_view, "read_agreement", lambda _project: found)
        return client.get(f"/projects/{probe.project_id}/probes/{probe.pk}/").content.decode()


def check_shares(rows, flips) -> None:
    """Check that rows have the calls of their shares, as these figures do."""
    shown = sorted((row["Calls"], row["Changed calls"], row["Share"]) for row in rows)
    assert shown == sorted(
        (
            str(each["calls"]),
            str(each["flips"]),
            "–" if each["flip_pct"] is None else f"{each['flip_pct']:.1f}",
        )
        for each in flips
    )


class TestProbePage:
    @pytest.fixture
    def probe(self, project):
        return Probe.objects.create(
            kind="steadiness", project=project, config=project.config, config_version=1, variants=["a", "b"],
            estimate={"calls": 9}, completed_at=timezone.now(), outcome={}, engine="a model",
        )  # fmt: skip

    @quickly
    @given(rows=two_sides, agreement=st.none() | kappas)
    def test_shows_no_share_and_no_kappa_of_steadiness_without_its_calls(
        self, as_alice, probe, rows, agreement
    ):
        judged = [(call, each) for call, both in enumerate(rows) for each in both]
        outcome = compare_judgments(judged)
        page = show_probe(as_alice, probe, outcome, agreement)

        shown = [row for row in read_rows(page) if "Share" in row]
        check_shares(shown, [*outcome["criteria"], outcome["overall"]])
        for row in shown:
            assert row.get("κ", "–") == "–" or f"n {agreement.n}" in row["κ"]
        verdict = read_text(re.search(r'<p class="probe-verdict">(.*?)</p>', page, re.DOTALL)[1])
        assert "%" not in verdict or f"{outcome['overall']['calls']} call" in verdict

    @quickly
    @given(rows=two_sides)
    def test_shows_no_share_and_no_shift_of_fairness_without_its_calls(self, as_alice, probe, rows):
        by_call = {call: {ORIGINAL: before, "order": after} for call, (before, after) in enumerate(rows)}
        outcome = compare_groups(by_call, groups=["order"], unchanged={})
        Probe.objects.filter(pk=probe.pk).update(kind="fairness")
        page = show_probe(as_alice, probe, outcome)

        [group] = outcome["groups"]
        first, *others = (row for row in read_rows(page) if "Share" in row)
        check_shares([first, *others], [group["overall"], *(c for c in group["criteria"] if c["flips"])])
        shift = group["score_shift"]
        assert (first["Score shift"] == "–") == (shift["mean"] is None)
        if shift["mean"] is not None and shift["calls"] != group["overall"]["calls"]:
            assert first["Score shift"].endswith(f" n {shift['calls']}")


class TestReplayPage:
    @quickly
    @given(rows=two_sides)
    def test_shows_no_score_no_change_and_no_kappa_without_its_calls(self, as_alice, project, rows):
        replayed = [(call, {"before": before, "after": after}) for call, (before, after) in enumerate(rows)]
        outcome = compare_answers(replayed)
        replay = Replay.objects.create(
            project=project, config=project.config, config_version=project.config_version,
            completed_at=timezone.now(), outcome=outcome,
        )  # fmt: skip
        page = as_alice.get(f"/projects/{project.pk}/replays/{replay.pk}/").content.decode()

        shown = read_rows(page)
        scores = [row["Calls"] for row in shown if "Average score" in row]
        assert scores == [str(outcome[side]["calls"]) for side in ("before", "after")]
        change = re.search(
            r'<p class="replay-figure">.*?</p>\s*<p class="quiet-text">(.*?)</p>', page, re.DOTALL
        )
        assert (change is not None) == (outcome["change"]["average"] is not None)
        if change:
            assert re.search(rf"\b{outcome['change']['calls']} calls?$", read_text(change[1]))
        moved = [row for row in outcome["criteria"] if row["changed"]]
        counted = [sum(sum(found.values()) for found in row["table"].values()) for row in moved]
        assert [row["Calls"] for row in shown if "κ" in row] == list(map(str, counted))
