"""What the form that publishes a draft says of the average score in the report, choice by choice."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.interfaces.web.views.rubrics import publish_form
from callscope.pipeline.decisions.review_edits import create_review
from callscope.pipeline.models import Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.pipeline.rubric_changes.replays.lost_answers import LosingCriterion, LostAnswers
from callscope.projects.configuration import parse
from callscope.projects.services import configure_project, share_project
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.revisions import GivenReview
from tests.web.conftest import bring, give_transcript, line, page, visitor_of

pytestmark = pytest.mark.django_db


def answer(score):
    criteria = {"greeting": "met", "identity": "met"}
    return {"score": score, "has_critical_error": False, "criteria": criteria}


def add_replay(project, calls, *, before=80.0, after=70.0, **more):
    """Add a completed replay of these calls, each judged alike, of a draft with other points."""
    document = parse(project.config).as_document()
    document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 4
    sides = {
        "before": answer(before) if before is not None else None,
        "after": answer(after) if after is not None else None,
        "is_judged_again": True,
    }
    replay = Replay.objects.create(
        project=project,
        config=document,
        config_version=project.config_version,
        created_by=project.owner,
        completed_at=timezone.now(),
        outcome=compare_answers([(call.pk, sides) for call in calls]),
        **more,
    )
    ReplayedCall.objects.bulk_create(ReplayedCall(replay=replay, call=call, answers=sides) for call in calls)
    return f"/projects/{project.pk}/replays/{replay.pk}/"


@pytest.fixture
def calls(project):
    """Twelve calls that earned 100 points in versions 1 and 2, where the third is current."""
    calls = bring(project, *(line(day) for day in range(1, 13)))
    for call in calls:
        give_transcript(call)
    for guideline in ("At once.", "By name."):
        document = parse(project.config).as_document()
        document["rubric"]["sections"][0]["criteria"][0]["guideline"] = guideline
        configure_project(project, document)
    judged = CallAnalysis.objects.filter(project=project)
    judged.update(config_version=3)
    judged.filter(call__in=calls[:4]).update(config_version=1)
    judged.filter(call=calls[4]).update(config_version=2)
    return calls


def review_all_met(call, by):
    given = [GivenAnswer("greeting", "met"), GivenAnswer("identity", "met")]
    create_review(call.pk, GivenReview(given, submits=True), by)


def change_draft(**changes):
    """Change the first criterion of the draft of the only replay."""
    replay = Replay.objects.get()
    replay.config["rubric"]["sections"][0]["criteria"][0].update(changes)
    replay.save()


def ask_all(client, address):
    """Return what is asked before all calls are scored again."""
    forms = page(client.get(address)).all("form")
    return only(each["data-ask-all"] for each in forms if "data-ask-all" in each)


def ask_from(client, address, day):
    """Return what is asked before the calls from a day of March on are scored again."""
    spans = page(client.get(f"{address}days/?start_date=2026-03-{day:02d}")).all("span")
    return only(each["data-ask-from"] for each in spans if "data-ask-from" in each)


def only(found):
    [one] = found
    return one


def lose(monkeypatch, criteria):
    """Let the calls lose answers to these criteria."""
    lost = LostAnswers(sum(each.answers for each in criteria), 9, criteria)
    monkeypatch.setattr(publish_form, "count_lost_answers", lambda *_: lost)


def text_of(client, address):
    return page(client.get(address)).text


class TestEachChoice:
    def test_says_what_the_report_shows_today_and_how_far_calls_move(self, as_alice, project, calls):
        text = text_of(as_alice, add_replay(project, calls))

        assert (
            "keep their results 100.0 % as today · average of 12 calls in the report"
            " · 5 hold results of versions 1, 2" in text
        )
        assert (
            "are all scored again (12 calls) −30.0 points against today on average"
            " · all 12 calls were replayed" in text
        )
        assert "so few calls say little" not in text and "on average, 95" not in text

    def test_gives_an_interval_where_some_of_the_calls_were_drawn(self, as_alice, project, calls):
        address = add_replay(project, calls[:11])
        for call in calls[:5]:
            sides = call.replayed.get().answers
            call.replayed.update(answers={**sides, "after": answer(95.0)})

        text = text_of(as_alice, address)

        # Mean and standard deviation of 5 × −5 and 6 × −30, with Student's t of 10 degrees of freedom.
        assert (
            "(12 calls) about −18.6 points against today on average, 95 % interval −27.4 to −9.9"
            " · from 11 replayed calls" in text
        )
        assert "today →" not in text

    def test_gives_none_where_the_calls_of_some_days_were_replayed(self, as_alice, project, calls):
        text = text_of(as_alice, add_replay(project, calls[:11], start_date=dt.date(2026, 3, 1)))

        assert (
            "−30.0 points against today on average of 11 replayed calls, which were not drawn at random"
            in text
        )
        assert "about −30.0" not in text

    def test_warns_where_versions_move_the_average_as_well(self, as_alice, project, calls):
        warning = (
            "5 of 12 calls were not judged by the current version: scored again, they change because of that,"
            " too. The draft alone moves the average of the 12 replayed calls by −10.0 points."
        )
        address = add_replay(project, calls)
        assert warning in text_of(as_alice, address)
        CallAnalysis.objects.filter(project=project).update(config_version=3)

        text = text_of(as_alice, address)

        assert "current version: scored again" not in text and "hold results of" not in text
        assert (
            "The draft alone moves the average of the 12 replayed calls by −10.0 points." in text
        )  # 80.0 by other rules
        assert "draft alone" not in text_of(as_alice, add_replay(project, calls, before=100.0))

    def test_says_why_the_head_of_the_page_has_another_figure(self, as_alice, alice, project, calls):
        said = "With what the machine answers alone it is −10.0 points, the figure at the top of this page."
        address = add_replay(project, calls)
        assert said not in text_of(as_alice, address)
        for call in calls[:6]:
            review_all_met(call, alice)

        text = text_of(as_alice, address)

        assert "−10.0 points on average with the draft" in text
        assert "moves the average of the 12 replayed calls by −5.0 points. That includes the answers" in text
        assert said in text

    def test_names_imported_results(self, as_alice, project, calls):
        judged = CallAnalysis.objects.filter(project=project)
        address = add_replay(project, calls)
        judged.filter(call=calls[0]).update(config_version=None)
        assert "5 hold results that are imported or of versions 1, 2" in text_of(as_alice, address)

        judged.filter(config_version__in=[1, 2]).update(config_version=3)

        assert "1 holds an imported result" in text_of(as_alice, address)

    def test_says_so_where_calls_are_few_or_none(self, as_alice, project, calls):
        few = text_of(as_alice, add_replay(project, calls[:3]))
        none = text_of(as_alice, add_replay(project, []))

        assert "from 3 replayed calls · so few calls say little" in few
        assert "None of these calls was replayed: nothing is known of their scores." in none

    def test_counts_the_calls_with_a_score_on_each_side(self, as_alice, project, calls):
        unscored = bring(project, line(13, copc=None))
        give_transcript(unscored[0])

        text = text_of(as_alice, add_replay(project, [*calls, *unscored]))

        assert (
            "−30.0 points against today on average · all 13 calls were replayed"
            " · with a score: 12 today, 13 afterwards" in text
        )

    def test_says_so_where_no_call_has_a_score_on_both_sides(self, as_alice, project, calls):
        lost = add_replay(project, calls, after=None)
        Replay.objects.update(config={**Replay.objects.get().config, "rubric": {"sections": []}})
        assert "no score afterwards · 12 replayed calls have one today" in text_of(as_alice, lost)

        unscored = bring(project, line(13, copc=None))
        give_transcript(unscored[0])

        gained = text_of(as_alice, add_replay(project, unscored))

        assert "no score today · 1 replayed call has one afterwards" in gained


class TestADay:
    def test_says_the_same_of_its_calls(self, as_alice, project, calls):
        address = add_replay(project, calls)

        text = text_of(as_alice, f"{address}days/?start_date=2026-03-02")

        assert text == (
            "11 calls are scored again. Of these calls alone: −30.0 points against today on average"
            " · all 11 calls were replayed · the draft alone: −10.0 points"
        )

    def test_says_in_how_many_calls_answers_of_people_count(self, as_alice, alice, project, calls):
        review_all_met(calls[-1], alice)
        address = add_replay(project, calls)

        text = text_of(as_alice, f"{address}days/?start_date=2026-03-02")

        assert "all 11 calls were replayed, 1 with answers of a person · the draft alone:" in text

    def test_shows_no_average_that_is_the_score_of_a_hidden_call(self, as_alice, alice, project, calls):
        create_review(calls[-1].pk, GivenReview([], blind=True, submits=False), alice)
        address = add_replay(project, calls)

        text = text_of(as_alice, f"{address}days/?start_date=2026-03-12")

        assert "one of them waits for your review or rating." in text
        assert "against today" not in text
        assert "against today" in text_of(as_alice, f"{address}days/?start_date=2026-03-01")


class TestLostAnswers:
    def test_are_of_all_calls_that_are_scored_again(self, as_alice, alice, project, calls):
        for call in calls[-3:]:
            review_all_met(call, alice)
        address = add_replay(project, calls[-1:])
        assert "no longer count" not in text_of(as_alice, address)
        change_draft(guideline="Asks for something else.")

        said = (
            "Over all calls that are scored again, {} answers of people no longer count (calls: {}), since"
            " their criteria ask something else or are gone: “Greets” {}"
        )
        assert said.format(3, 3, 3) in text_of(as_alice, address)
        assert text_of(as_alice, f"{address}days/?start_date=2026-03-11").endswith(said.format(2, 2, 2))

    def test_are_repeated_when_asked_to_confirm(self, as_alice, alice, project, calls):
        for call in calls[-3:]:
            review_all_met(call, alice)
        address = add_replay(project, calls[-1:])
        assert "that is so for" not in ask_all(as_alice, address) + ask_from(as_alice, address, 11)
        change_draft(guideline="Asks for something else.")

        asked = "the answer of the machine counts. Over all calls that are scored again, that is so for"
        assert ask_all(as_alice, address).endswith(f"{asked} 3 answers of people: “Greets” 3.")
        assert ask_from(as_alice, address, 11).endswith(f"{asked} 2 answers of people: “Greets” 2.")
        assert ask_from(as_alice, address, 12).endswith(f"{asked} 1 answer of a person: “Greets” 1.")

    def test_are_said_where_no_call_was_replayed(self, as_alice, alice, project, calls):
        review_all_met(calls[-1], alice)
        address = add_replay(project, [])
        change_draft(guideline="Asks for something else.")

        assert (
            "nothing is known of their scores. Over all calls that are scored again, 1 answer of a person no"
            " longer counts, since its criterion asks something else or is gone: “Greets” 1"
            in text_of(as_alice, address)
        )
        assert "that is so for 1 answer of a person: “Greets” 1." in ask_all(as_alice, address)

    def test_are_said_where_the_average_is_withheld(self, as_alice, alice, bob, project, calls):
        review_all_met(calls[-1], bob)
        create_review(calls[-2].pk, GivenReview([], blind=True, submits=False), alice)
        address = add_replay(project, calls[-3:])
        change_draft(guideline="Asks for something else.")

        assert (
            "one of them waits for your review or rating. Over all calls that are scored again, 1 answer of a"
            " person no longer counts" in text_of(as_alice, address)
        )
        assert "that is so for 1 answer of a person: “Greets” 1." in ask_all(as_alice, address)

    def test_include_what_an_earlier_version_changed(self, as_alice, alice, project, calls):
        review_all_met(calls[0], alice)  # by the first version, without the guideline of the third

        text = text_of(as_alice, add_replay(project, calls))

        assert "its criterion asks something else or is gone: “Greets” 1" in text

    def test_name_the_criteria_that_lose_most(self, as_alice, project, calls, monkeypatch):
        address = add_replay(project, calls)
        rows = [LosingCriterion("Greets", 1200), LosingCriterion('Says "hello"', 9), LosingCriterion("C", 4)]
        lose(monkeypatch, rows)
        named = '“Greets” 1,200, “Says "hello"” 9, “C” 4'
        assert f"or are gone: {named}" in text_of(as_alice, address)
        assert ask_all(as_alice, address).endswith(f": {named}.")

        lose(monkeypatch, [*rows, LosingCriterion("D", 3)])
        assert f"{named} and 1 more criterion" in text_of(as_alice, address)
        lose(monkeypatch, [*rows, LosingCriterion("D", 3), LosingCriterion("E", 2)])
        assert ask_all(as_alice, address).endswith(f": {named} and 2 more criteria.")


class TestPage:
    def test_reads_no_judgment_for_who_cannot_publish(self, as_alice, bob, project, calls, monkeypatch):
        address = add_replay(project, calls)
        share_project(project, bob)
        monkeypatch.setattr(publish_form, "expect_scores", lambda *_, **__: pytest.fail("was read"))

        assert "Publish the draft" not in text_of(visitor_of(bob), address)

    def test_asks_no_query_for_each_call(self, as_alice, project, calls):
        counts = []
        for some in (calls[:2], calls):
            address = add_replay(project, some)
            as_alice.get(address)
            with CaptureQueriesContext(connection) as asked:
                as_alice.get(address)
            counts.append(len(asked))

        assert counts[0] == counts[1]
