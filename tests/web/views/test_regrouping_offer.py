"""Who regroups contact reasons reads before when that was done last, and what it has to go by."""

import datetime as dt

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.contact_reasons.models import CallReason
from callscope.interfaces.web.presenters.reasons import offer_regrouping
from callscope.interfaces.web.templatetags.formatting import moment
from callscope.pipeline.files.regrouping import Outlook, find_outlook
from callscope.pipeline.models import Job
from tests.web.conftest import bring, line, page, visitor_of

pytestmark = pytest.mark.django_db
WHEN = dt.datetime(2026, 3, 20, 12, tzinfo=dt.UTC)


@pytest.fixture
def calls(project):
    """Three calls with a reason, one of which only the topic is known, one of which nothing is."""
    reasons = ("Billing", "Billing", "Access", None)
    lines = [line(n, topic=f"topic {n}", contact_reason=each) for n, each in enumerate(reasons, start=1)]
    return bring(project, *lines, line(5, topic=None))


@pytest.fixture
def regrouped(project, calls):
    """The project was regrouped; two of its calls came later, and another regrouping failed."""
    made = {"project": project, "subject_id": project.pk, "kind": Job.Kind.REGROUP, "run_after": WHEN}
    Job.objects.create(**made, state=Job.State.DONE, claimed_at=WHEN, finished_at=WHEN)
    later = WHEN + dt.timedelta(days=1)
    Job.objects.create(**made, state=Job.State.FAILED, claimed_at=later, finished_at=later)
    CallAnalysis.objects.filter(project=project).update(completed_at=WHEN - dt.timedelta(hours=1))
    CallAnalysis.objects.filter(call__in=calls[2:4]).update(completed_at=WHEN + dt.timedelta(hours=1))
    return project


class TestOutlook:
    def test_counts_calls_that_are_new_and_calls_that_wait(self, regrouped, calls):
        assert CallReason.objects.filter(project=regrouped).count() == 3
        assert find_outlook(regrouped) == Outlook(WHEN, 5, 2, 1, is_under_way=False)
        CallAnalysis.objects.filter(call=calls[3]).update(completed_at=WHEN - dt.timedelta(hours=1))
        assert find_outlook(regrouped) == Outlook(WHEN, 5, 1, 0, is_under_way=False)

    def test_of_the_first_regrouping_has_all_calls(self, project, calls):
        assert find_outlook(project) == Outlook(None, 5, 5, 1, is_under_way=False)


class TestOffer:
    @pytest.mark.parametrize(
        "address", ["/projects/{}/reasons/", "/report/reasons/?project_id={}"], ids=["list", "report"]
    )
    def test_stands_next_to_the_button_and_in_its_dialog(self, as_alice, regrouped, address):
        found = page(as_alice.get(address.format(regrouped.pk)))

        facts = (
            f"Last regrouped: {moment(WHEN)}. 2 of 5 calls are new since then. 1 of them waits for a reason."
        )
        assert facts in found.text
        [button] = [each for each in found.all("button") if "Regroup" in each.get("data-confirm", "")]
        question, rest = button["data-confirm"].split("?", 1)
        assert question == "Regroup the contact reasons of Service line"
        assert facts in rest
        assert "you can undo it there" in rest
        assert "button" in button["class"].split()
        assert found.all("dialog", id="confirm")

    @pytest.mark.parametrize("address", ["/projects/{}/reasons/", "/report/reasons/?project_id={}"])
    def test_is_not_made_to_viewers(self, regrouped, carol, address):
        from callscope.projects.services import share_project

        share_project(regrouped, carol, "viewer")

        assert "Last regrouped" not in page(visitor_of(carol).get(address.format(regrouped.pk))).text

    @pytest.mark.parametrize(
        ("outlook", "facts"),
        [
            (
                Outlook(None, 3, 3, 3, is_under_way=False),
                ["Not regrouped yet.", "3 calls are analyzed.", "3 of them wait for a reason."],
            ),
            (
                Outlook(WHEN, 3, 0, 0, is_under_way=False),
                [
                    f"Last regrouped: {moment(WHEN)}.",
                    "No call is new since then, so few reasons will change.",
                ],
            ),
        ],
    )
    def test_says_what_there_is(self, outlook, facts):
        offer = offer_regrouping(outlook, "Is this it?")

        assert offer.facts == facts
        assert offer.question.startswith("Regroup the contact reasons of Is this it?? ")


def test_a_regrouping_that_is_asked_for_is_under_way(as_alice, project, calls):
    as_alice.post(f"/projects/{project.pk}/reasons/regroup/")

    assert find_outlook(project).is_under_way
    assert timezone.now() - Job.objects.get(kind=Job.Kind.REGROUP).created_at < dt.timedelta(minutes=5)
