"""The navigation says how much waits for a visitor, and of nothing else."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.interfaces.web.waiting import MOST, build_statement, count_waiting
from callscope.projects.models import ProjectShare
from callscope.projects.services import create_project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.models import (
    CalibratedCall,
    Calibration,
    CalibrationRater,
    Review,
    ReviewSample,
    SampledCall,
)
from tests.web.conftest import CONFIGURATION, bring, bring_three, line, page, visitor_of


def draw(calls, reviewer):
    """Let these calls wait for the reviewer."""
    sample = ReviewSample.objects.create(
        project=calls[0].project, seed=1, per_agent=1, uncertain_pct=0, candidates=3,
        created_at=timezone.now(),
    )  # fmt: skip
    for position, call in enumerate(calls):
        SampledCall.objects.create(
            sample=sample, call=call, position=position, reviewer=reviewer, reason="random"
        )
    return sample


def calibrate(calls, *raters):
    calibration = Calibration.objects.create(project=calls[0].project, created_at=timezone.now())
    for position, call in enumerate(calls):
        CalibratedCall.objects.create(calibration=calibration, call=call, position=position)
    return [
        CalibrationRater.objects.create(calibration=calibration, position=position, user=user)
        for position, user in enumerate(raters)
    ]


def submit(call, reviewer, rater=None, **fields):
    now = timezone.now()
    given = {
        "revision": 1 + Review.all_objects.filter(call=call).count(),
        "state": "submitted",
        "criteria": [],
    }
    return Review.all_objects.create(
        call=call, project=call.project, file=call.newest_file, reviewer=reviewer, rater=rater,
        created_at=now, changed_at=now, submitted_at=now, **(given | fields),
    )  # fmt: skip


def appeal(call, by, **fields):
    now = timezone.now()
    about = {"criterion_id": "greeting", "criterion_name": "Greets", **fields}
    return Appeal.objects.create(
        call=call,
        project=call.project,
        judged_at=now,
        appellant=by,
        reason="Because.",
        created_at=now,
        **about,
    )


def fail(call):
    CallAnalysis.objects.filter(call=call).update(insights_state=AnalysisState.FAILED)


def shown(visitor, address="/account/"):
    """Return the numbers in the navigation with their sentences, and how many there are."""
    found = page(visitor.get(address))
    return [each["title"] for tag, each in found.elements if "badge" in each.get("class", "").split()]


@pytest.mark.django_db
class TestNavigation:
    def test_shows_nothing_where_nothing_waits(self, as_alice, world):
        assert shown(as_alice) == []

    def test_counts_reviews_ratings_appeals_and_failed_calls(self, as_alice, alice, bob, project, world):
        draw(world[:2], alice)
        draw(world[:1], alice)  # the same call once more
        calibrate(world[2:], alice)
        [free] = bring(project, line(4))
        appeal(free, bob)
        fail(world[1])

        assert sorted(shown(as_alice)) == [
            "1 call that could not be analyzed",
            "2 calls to review, 1 call to rate, 1 appeal to decide",
        ]
        failures = page(as_alice.get("/account/")).all("span", **{"class": "badge bad"})
        assert [each["title"] for each in failures] == ["1 call that could not be analyzed"]
        text = page(as_alice.get("/account/")).text
        assert "Reviews 4 : 2 calls to review, 1 call to rate, 1 appeal to decide" in text
        assert "Calls 1 : 1 call that could not be analyzed" in text

    def test_says_it_in_spanish(self, alice, bob, world):
        draw(world[:2], alice)
        visitor = visitor_of(alice, headers={"accept-language": "es"})

        [said] = shown(visitor)

        assert said == "2 llamadas por revisar"

    def test_counts_no_more_than_it_has_to(self, as_alice, alice, world, monkeypatch):
        monkeypatch.setattr("callscope.interfaces.web.waiting.MOST", 2)
        for call in world:
            fail(call)

        assert shown(as_alice) == ["1+ calls that could not be analyzed"]
        assert MOST == 100

    def test_asks_one_query_of_who_may_write_and_none_of_others(self, alice, bob, project, world):
        ProjectShare.objects.create(project=project, user=bob, role="viewer")
        counted = {}
        for user in (alice, bob):
            visitor = visitor_of(user)
            with CaptureQueriesContext(connection) as captured:
                visitor.get("/account/")
            counted[user] = sum("reviews_sampledcall" in each["sql"] for each in captured)

        assert counted == {alice: 1, bob: 0}

    def test_shows_nothing_to_who_may_only_read(self, bob, project, world):
        ProjectShare.objects.create(project=project, user=bob, role="viewer")
        draw(world, bob)
        fail(world[0])

        assert shown(visitor_of(bob)) == []

    def test_shows_nothing_of_the_projects_of_others(self, carol, world, alice, bob):
        create_project(carol, "Another", document=CONFIGURATION)
        draw(world, carol)
        calibrate(world, carol)
        appeal(world[0], bob)
        fail(world[0])

        assert shown(visitor_of(carol)) == []


@pytest.mark.django_db
class TestWaiting:
    def test_ends_with_the_review(self, alice, world):
        draw(world[:2], alice)
        submit(world[0], alice)

        assert count_waiting(alice).reviews == 1

    def test_looks_at_the_newest_draws_alone(self, alice, world, monkeypatch):
        monkeypatch.setattr("callscope.interfaces.web.waiting.NEWEST", 2)
        build_statement.cache_clear()
        draw(world, alice)
        submit(world[2], alice)

        waiting = count_waiting(alice)

        build_statement.cache_clear()  # others look at more
        assert waiting.reviews == 1

    def test_ends_with_the_rating_and_with_the_calibration(self, alice, bob, world):
        mine, _ = calibrate(world, alice, bob)
        submit(world[0], alice, mine)
        assert count_waiting(alice).ratings == 2

        mine.calibration.state, mine.calibration.closed_at = "closed", timezone.now()
        mine.calibration.save()
        assert count_waiting(alice).ratings == 0

    def test_leaves_out_appeals_that_the_visitor_may_not_decide(self, alice, bob, world):
        first, second, third = world
        appeal(first, bob, review=submit(first, alice))  # judged by the visitor
        appeal(second, alice)
        calibrate([third], alice)
        appeal(third, bob)  # would say how a call was judged that the visitor rates
        assert count_waiting(alice).appeals == 0

        submit(second, alice, is_current=True)
        Appeal.objects.filter(call=second).update(appellant=bob)
        assert count_waiting(alice).appeals == 0

    def test_counts_appeals_to_decide_in_every_project(self, as_alice, alice, bob, world):
        other = create_project(alice, "Another line", document=CONFIGURATION)
        theirs = bring_three(other)
        draw(theirs[:1], alice)
        appeal(theirs[1], bob)
        appeal(world[1], bob)
        appeal(world[2], alice)  # open, but not to be decided by the visitor

        found = page(as_alice.get(f"/projects/{world[0].project_id}/reviews/"))

        assert "Another line (1 call to review, 1 appeal to decide)" in found.text
        assert "1 appeal to decide" in found.text
        assert sum(count_waiting(alice)) == 3
        assert "Another line 1 0 1" in page(as_alice.get("/reviews/")).text

    def test_the_list_of_appeals_says_why_it_holds_more_than_are_counted(self, as_alice, alice, bob, world):
        appeal(world[0], bob)
        appeal(world[1], alice)
        as_before = "waiting appeals."

        both = page(as_alice.get("/appeals/")).text
        Appeal.objects.filter(call=world[0]).delete()
        other = page(as_alice.get("/appeals/")).text
        Appeal.objects.update(appellant=bob)
        all_of_them = page(as_alice.get("/appeals/")).text

        assert count_waiting(alice).appeals == 1
        assert f"You can decide 1 of 2 {as_before}" in both and "Someone else decides 1" in both
        assert f"You can decide none of the {as_before}" in other
        assert as_before not in all_of_them

    def test_leads_to_the_reviews_of_other_projects(self, as_alice, alice, world):
        other = create_project(alice, "Another line", document=CONFIGURATION)
        draw(bring_three(other)[:2], alice)
        draw(world[:1], alice)

        found = page(as_alice.get(f"/projects/{world[0].project_id}/reviews/"))

        assert "Calls wait for you in other projects, too : Another line (2 calls to review)" in found.text
        assert found.all("a", href=f"/projects/{other.pk}/reviews/")
