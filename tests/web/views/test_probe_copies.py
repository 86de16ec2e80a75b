"""Which words a copy changed is shown next to the answer that moved."""

import pytest
from django.utils import timezone

from callscope.calls.models import Call
from callscope.pipeline.models import Probe, ProbedCall
from callscope.pipeline.rubric_changes.probes import requests
from callscope.pipeline.rubric_changes.probes.steadiness import count_flips
from callscope.reviews.models import Calibration
from callscope.testing import run_due_jobs
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import accept, configure, srt
from tests.pipeline.rubric_changes.conftest import NAMED
from tests.web.conftest import page

pytestmark = pytest.mark.django_db


@pytest.fixture
def probe(project):
    """A call whose copy with other names lost its greeting."""
    accept(project, srt(NAMED))
    run_due_jobs()
    call = Call.objects.get()
    before = {"score": 50.0, "has_critical_error": False, "criteria": {"greeting": "met"}}
    after = {**before, "score": 0.0, "criteria": {"greeting": "not_evaluated"}, "times": {}}
    moved = {
        "call_id": call.pk, "group": "names_arabic_men", "criterion_id": "greeting", "before": "met",
        "after": "not_evaluated", "score_before": 50.0, "score_after": 0.0,
    }  # fmt: skip
    shift = {"calls": 1, "mean": -50.0, "low": None, "high": None}
    group = {"group": "names_arabic_men", "unchanged": 0, "score_shift": shift, "criteria": []}
    probe = Probe.objects.create(
        kind="fairness", project=project, config=project.config, config_version=1, estimate={"calls": 1},
        variants=["original", "names_arabic_men"], completed_at="2026-03-01T10:00:00Z",
        outcome={"calls": 1, "groups": [{**group, "overall": count_flips(1, 1)}], "moved": [moved]},
    )  # fmt: skip
    for variant, answers in (
        ("original", {**before, "times": {"greeting": [0.0]}}),
        ("names_arabic_men", after),
    ):
        judgment = {"answers": answers, "is_same": False}
        ProbedCall.objects.create(probe=probe, call=call, variant=variant, judgment=judgment)
    return probe


@pytest.fixture
def url(project, probe):
    call = Call.objects.get()
    return f"/projects/{project.pk}/probes/{probe.pk}/copies/{call.pk}/names_arabic_men/"


def test_shows_both_lines_and_both_quotes(as_alice, project, probe, url):
    shown = page(as_alice.get(f"/projects/{project.pk}/probes/{probe.pk}/"))
    [fold] = [each for each in shown.all("details") if each.get("hx-get", "").startswith(url)]
    assert fold["hx-get"] == url
    assert shown.all("a", href=url)  # without scripts

    part = as_alice.get(fold["hx-get"], headers={"hx-request": "true"}).content.decode()

    assert "<html" not in part
    assert "My name is <del>John</del> <del>Smith</del>. I have" in part
    assert "My name is <ins>" in part
    assert "Good morning, this is Ana Ruiz speaking" in part  # the quote of "met"
    assert "without a quote" in part
    assert page(as_alice.get(url)).all("a", href=f"/projects/{project.pk}/probes/{probe.pk}/")


def test_says_that_the_words_are_gone(as_alice, probe, url):
    Transcript.objects.all().delete()

    shown = page(as_alice.get(url)).text

    assert "The transcript was removed, so its words cannot be shown any more." in shown
    assert "Smith" not in shown


def test_hides_calls_that_are_being_calibrated(as_alice, as_carol, alice, project, probe, url):
    calibration = Calibration.objects.create(project=project, created_at=timezone.now())
    calibration.calls.create(call=Call.objects.get(), position=0)
    calibration.raters.create(user=alice, position=0)

    shown = page(as_alice.get(f"/projects/{project.pk}/probes/{probe.pk}/"))

    assert not shown.all("a", href=url)
    assert as_alice.get(url).status_code == 404
    assert as_carol.get(url).status_code == 404


def test_says_how_near_the_decisive_words_come(as_alice, project):
    criterion = {
        "id": "birth", "name": "Asks for the date of birth", "max_points": 1,
        "rule": {"any_of": ["could you tell me your date of birth"]},
    }  # fmt: skip
    configure(project, {"rubric": {"sections": [{"name": "All", "criteria": [criterion]}]}})
    accept(project, srt([*NAMED, ("Agent", "Could you confirm your date of birth for me?")]))
    run_due_jobs()
    probe = requests.request_probe(
        project, requests.plan_fairness(project, groups=["dialect_informal"]), by=project.owner
    )
    run_due_jobs()
    base = f"/projects/{project.pk}/probes/{probe.pk}/"

    shown = page(as_alice.get(base))
    copied = page(as_alice.get(f"{base}copies/{Call.objects.get().pk}/dialect_informal/"))

    assert "Asks for the date of birth: met → not met" in shown.text
    assert "100.0 → 0.0" in shown.text
    assert "% likely to say “could you tell me your date of birth”" in copied.text
    assert "From 60 % on, words count as said; below 30 %, as not said." in copied.text
    first = copied.all("tr", **{"class": "is-decisive"})
    assert len(first) == 1
    assert "decisive" in copied.text
