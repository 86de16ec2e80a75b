"""What people are asked about calls whose results the retention removed: nothing; on both databases."""

import datetime as dt
from functools import partial

import pypdfium2
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from callscope.calls.own_calls import link_user
from callscope.calls.share_links import create_link
from callscope.interfaces.web.waiting import count_waiting
from callscope.pipeline.decisions.calibration_edits import open_calibration
from callscope.pipeline.decisions.filtered_draws import draw_filtered
from callscope.pipeline.erasure.retention import sweep_project
from callscope.pipeline.erasure.traces import forget_judgments
from callscope.pipeline.models import ProbedCall, ReplayedCall
from callscope.projects.models import Project
from callscope.reports.pdf.pdf import build_report_pdf
from callscope.reports.window import ALL_TIME, Window
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.reading import list_hidden, list_hidden_calls
from callscope.reviews.sampling.draw import SamplePlan
from callscope.reviews.sampling.listing import list_sampled_calls
from callscope.reviews.sampling.work_list import list_progress
from callscope.reviews.waiting import Work, count_work_by_project
from tests.web.conftest import bring, give_transcript, line, page, remove_results, visitor_of
from tests.web.test_waiting import appeal
from tests.web.views.reviewing.test_calibrations import rate
from tests.web.views.reviewing.test_samples import judge
from tests.web.views.test_probe_advice import make_probe
from tests.web.views.test_replay_publish import add_replay

pytestmark = pytest.mark.django_db


@pytest.fixture
def calls(project):
    made = bring(project, line(1), line(2))
    for call in made:
        give_transcript(call)
    return made


@pytest.fixture
def sample(project, calls, alice):
    return draw_filtered(project, SamplePlan(per_agent=5, reviewers=[alice.email]), None)


def test_a_sample_counts_them_apart(as_alice, alice, project, calls, sample):
    judge(calls[0], alice, "met")
    remove_results(project)

    [row] = list_progress([sample])
    found = page(as_alice.get(f"/projects/{project.pk}/samples/{sample.pk}/"))
    listed = page(as_alice.get(f"/projects/{project.pk}/reviews/"))

    assert (row["calls"], row["reviewed"], row["results_removed"]) == (2, 0, 2)
    assert {each["state"] for each in list_sampled_calls(sample)} == {"results_removed"}
    assert "Reviewed – Results removed 2" in found.text
    assert "The results of all its calls were removed, as set in the retention of the project" in found.text
    assert "Withdraw" not in found.text
    assert "Calibrate with these calls" not in found.text
    assert f"Sample {sample.pk}" in listed.text and "results removed –" in listed.text
    assert "0 of" not in listed.text
    for shown in (found, listed, page(as_alice.get(f"/calls/{calls[1].pk}/"))):
        assert not [each for each in shown.all("a") if str(each.get("href")).endswith("/review/")]


def test_a_sample_counts_the_reviewed_ones_among_the_others(as_alice, alice, project, calls, sample):
    judge(calls[0], alice, "met")
    sample.due = dt.date(2026, 1, 1)
    sample.save()
    remove_results(project, spares=[calls[0]])

    [row] = list_progress([sample])
    found = page(as_alice.get(f"/projects/{project.pk}/samples/{sample.pk}/")).text
    listed = page(as_alice.get(f"/projects/{project.pk}/reviews/")).text

    assert (row["calls"], row["reviewable"], row["reviewed"], row["results_removed"]) == (2, 1, 1, 1)
    assert "Reviewed 1 of 1 Results removed 1" in found
    assert "nothing to review" not in found
    assert "1 of 1 results of 1 call removed" in listed
    assert "overdue" not in listed


def test_none_waits_to_be_reviewed_or_rated(as_alice, alice, project, calls, sample):
    open_calibration(project.pk, CalibrationPlan([calls[0].pk], [alice.email]), alice)
    assert count_work_by_project(alice, Project.objects.all()) == {project.pk: Work(2, 1, 1)}
    assert list_hidden_calls(alice) == {call.pk for call in calls}

    remove_results(project)

    assert not sum(count_waiting(alice))
    assert list_hidden_calls(alice) == list_hidden(alice).all == frozenset()
    assert "The results of this call were removed on" in page(as_alice.get(f"/calls/{calls[0].pk}/")).text


def test_a_calibration_waits_for_no_rating(as_alice, alice, project, calls):
    plan = CalibrationPlan([call.pk for call in calls], [alice.email])
    opened = open_calibration(project.pk, plan, alice)
    address = f"/projects/{project.pk}/calibrations/{opened.pk}/"
    assert "2 of 2 ratings are missing" in as_alice.get(address).content.decode()

    calls[0].files.update(results_removed_at=timezone.now())
    calls[0].analyses.all().delete()
    found, answer = page(as_alice.get(address)), as_alice.get(address).content.decode()

    assert "1 of 1 rating" in answer
    assert "call-1.wav results removed, as set in the retention –" in found.text
    assert [each["href"] for each in found.all("a") if str(each.get("href")).endswith("/review/")] == [
        f"/calls/{calls[1].pk}/review/"
    ]
    remove_results(project)
    assert "is missing" not in as_alice.get(address).content.decode()
    assert "Calibration 1 open 2 results removed" in page(
        as_alice.get(f"/projects/{project.pk}/reviews/")
    ).text.replace(f"Calibration {opened.pk} ", "Calibration 1 ")


@pytest.fixture
def settled(as_alice, alice, project, calls):
    """The address of a calibration whose answers became reviews."""
    plan = CalibrationPlan([call.pk for call in calls], [alice.email])
    opened = open_calibration(project.pk, plan, alice)
    address = f"/projects/{project.pk}/calibrations/{opened.pk}/"
    for call in calls:
        rate(as_alice, call, "met")
    for step in ("close", "settle"):
        assert as_alice.post(address, {"do": step}).status_code == 302
    return address


def test_a_settled_calibration_does_not_deny_what_was_rated(as_alice, alice, project, calls, settled):
    before = page(as_alice.get(settled)).text
    assert "The settled answers became the reviews of these calls" in before
    assert "results removed" not in before
    remove_results(project)

    found = page(as_alice.get(settled))

    said = "removed, as set in the retention of the project, and the ratings with them."
    assert f"Settled by {alice.email} on" in found.text
    assert f"The results of these calls were {said}" in found.text
    assert found.text.count("results removed, as set in the retention") == 2
    untrue = (
        "Nobody rated",
        "Not rated.",
        "Nothing was settled",
        "became the reviews",
        "0 of 0",
        "No question",
    )
    assert not [each for each in untrue if each in found.text]
    assert not found.all("span", **{"class": "gap"})


def test_a_settled_calibration_says_how_many_ratings_went(as_alice, project, calls, settled):
    remove_results(project, spares=[calls[1]])

    found = page(as_alice.get(settled)).text

    assert "The results of 1 of 2 calls were removed, as set in the retention of the project, and" in found
    assert "The settled answers became the reviews of these calls" in found
    assert "1 of 1" in found
    assert found.count("The results of the call were removed, as set in the retention, and its ratings") == 4
    untrue = ("obody rated", "Not rated.", "Nothing was settled", "left out; its review stays")
    assert not [each for each in untrue if each in found]


def test_a_closed_calibration_says_that_nobody_rated_the_other_calls(as_alice, alice, project, calls):
    plan = CalibrationPlan([call.pk for call in calls], [alice.email])
    opened = open_calibration(project.pk, plan, alice)
    address = f"/projects/{project.pk}/calibrations/{opened.pk}/"
    rate(as_alice, calls[0], "met")
    remove_results(project, spares=[calls[1]])
    assert "The results of 1 of 2 calls were removed" in page(as_alice.get(address)).text
    as_alice.post(address, {"do": "close"})

    found = page(as_alice.get(address)).text

    assert "Nobody rated the other call, so of it there is only what the machine answered." in found
    assert "Nobody rated a call" not in found


def test_replays_and_probes_keep_nothing_of_the_calls(as_alice, project, calls):
    address = add_replay(project, calls)
    moved = [{"call_id": call.pk, "group": "order"} for call in calls]
    probe = make_probe(project, 0, 30, found={"moved": moved, "calls": 30, "groups": [{"group": "order"}]})
    ProbedCall.objects.create(probe=probe, call=calls[0], variant="1", judgment={"answers": {}})
    assert calls[0].file_name in page(as_alice.get(f"{address}calls/")).text

    remove_results(project)

    assert not ReplayedCall.objects.exists() and not ProbedCall.objects.exists()
    probe.refresh_from_db()
    assert probe.outcome == {"moved": [], "calls": 30, "groups": [{"group": "order"}]}
    for shown in (address, f"{address}calls/"):
        assert calls[0].file_name not in page(as_alice.get(shown)).text


def test_the_next_sweep_forgets_what_an_earlier_release_left(project, calls):
    remove_results(project, spares=[calls[1]])
    add_replay(project, calls)
    probe = make_probe(project, 0, 30, found={"moved": [{"call_id": call.pk} for call in calls]})
    for call in calls:
        ProbedCall.objects.create(probe=probe, call=call, variant="1", judgment={"answers": {}})

    sweep_project(project, now=timezone.now())

    kept = calls[1].pk
    assert list(ReplayedCall.objects.values_list("call_id", flat=True)) == [kept]
    assert list(ProbedCall.objects.values_list("call_id", flat=True)) == [kept]
    probe.refresh_from_db()
    assert probe.outcome["moved"] == [{"call_id": kept}]


def test_other_replays_and_probes_are_not_read(project, calls):
    add_replay(project, calls[:1])
    other = make_probe(project, 0, 30, found={"moved": []})
    ProbedCall.objects.create(probe=other, call=calls[1], variant="1", judgment={"answers": {}})

    with CaptureQueriesContext(connection) as asked:
        forget_judgments(project, [calls[0].pk])

    read = [each["sql"] for each in asked if '"outcome"' in each["sql"] and "SELECT" in each["sql"]]
    assert len([each for each in read if "pipeline_replay" in each and "config" in each]) == 1
    assert not [each for each in read if '"pipeline_probe"."config"' in each]


@pytest.mark.parametrize("address", ["/report/", "/calls/"])
def test_a_report_without_others_says_why_it_is_empty(as_alice, project, calls, address):
    remove_results(project)

    found = page(as_alice.get(f"{address}?project_id={project.pk}")).text

    assert "The results of 2 calls were removed, as set in the retention of their project." in found
    assert "No analyzed calls yet" not in found


def test_the_questions_say_why_there_are_no_answers(as_alice, project, calls):
    remove_results(project)

    found = page(as_alice.get(f"/questions/?project_id={project.pk}")).text

    assert "No call has answers to questions The results of 2 calls were removed, as set" in found
    assert "answered a question yet" not in found


def test_the_page_of_an_agent_says_why_it_is_empty(as_alice, project, calls):
    agents = {call.agent_id: call for call in calls if call.agent_id}
    [agent, *_others] = agents
    mine = sum(call.agent_id == agent for call in calls)
    assert mine
    remove_results(project)

    found = page(as_alice.get(f"/agents/{agent}/")).text

    assert f"The results of {mine} call" in found
    assert "No analyzed calls yet" not in found


@pytest.fixture
def older(project):
    """A call of each of the first four days of March 2026, the last by Ben; two lost their results."""
    made = bring(project, line(1), line(2), line(3), line(4, agent_name="Ben Okafor"))
    for call in made:
        give_transcript(call)
    remove_results(project, spares=made[2:])
    return made


MISSING = [
    ("", "The results of 2 calls were removed, as set in the retention."),
    ("start_date=2026-03-01", "The results of 2 calls of this period were removed, as set in the retention."),
    ("start_date=2026-03-02", "The results of 1 call of this period were removed, as set in the retention."),
    ("end_date=2026-03-02", "The results of 2 calls of this period were removed, as set in the retention."),
    ("end_date=2026-03-01", "The results of 1 call of this period were removed, as set in the retention."),
]


@pytest.mark.parametrize(("days", "said"), MISSING)
def test_a_report_says_how_many_calls_are_missing(as_alice, carol, project, older, days, said):
    link_user(project, carol.email, older[0].agent)
    addresses = (f"/report/?project_id={project.pk}&{days}", f"/agents/{older[0].agent_id}/?{days}")

    for client, address in (
        (as_alice, addresses[0]),
        (as_alice, addresses[1]),
        (visitor_of(carol), addresses[1]),
    ):
        found = page(client.get(address)).text
        assert said in found
        assert found.count("as set in the retention") == 1


PARTS = ["", "criteria/", "agents/", "reasons/", "trend/"]


@pytest.mark.parametrize("part", PARTS)
def test_each_part_of_a_report_says_it_also_of_the_period_before(as_alice, project, older, part):
    def read(days):
        return page(as_alice.get(f"/report/{part}?project_id={project.pk}&{days}")).text

    assert read("").count("The results of 2 calls were removed, as set in the retention.") == 1
    before = read("start_date=2026-03-03&end_date=2026-03-04")
    said = "The results of 2 calls of the period before were removed, as set in the retention; changes leave"
    assert before.count(f"{said} them out.") == 1
    assert before.count("the retention") == 1


def test_the_period_before_is_named_after_this_one(as_alice, project):
    made = bring(project, *(line(day) for day in range(1, 5)))
    for call in made:
        give_transcript(call)
    remove_results(project, spares=[made[3]])
    days = "start_date=2026-03-03&end_date=2026-03-04"
    removed = "The results of 1 call of this period were removed, as set in the retention."
    also = "So were those of 2 calls of the period before; changes leave them out."

    for address in (f"/report/?project_id={project.pk}&{days}", f"/agents/{made[3].agent_id}/?{days}"):
        assert f"{removed} {also}" in page(as_alice.get(address)).text
    empty = page(as_alice.get(f"/report/?project_id={project.pk}&start_date=2026-03-03&end_date=2026-03-03"))
    assert removed in empty.text
    assert "So were those" not in empty.text  # nothing is compared


def test_the_pdf_says_so_also_when_it_is_mailed(project, older):
    read = partial(build_report_pdf, [project], language="en", generated_at=timezone.now())

    third, fourth = (call.call_datetime.date() for call in older[2:])
    for is_mailed in (False, True):
        whole = text_of_pdf(read(ALL_TIME, is_mailed=is_mailed).content)
        before = text_of_pdf(read(Window(third, fourth), is_mailed=is_mailed).content)
        assert "Results removed: The results of 2 calls were removed, as set in the retention." in whole
        assert "The results of 2 calls of the period before were removed, as set in the retention;" in before
    later = text_of_pdf(read(Window(fourth, fourth)).content)
    assert "as set in the retention" not in later


def text_of_pdf(content):
    document = pypdfium2.PdfDocument(content)
    return " ".join(" ".join(each.get_textpage().get_text_bounded() for each in document).split())


def test_only_calls_in_the_period_and_of_who_is_seen_are_missing(as_alice, carol, project, older):
    link_user(project, carol.email, older[3].agent)

    for client, address in (
        (as_alice, f"/report/?project_id={project.pk}&start_date=2026-03-03"),
        (as_alice, f"/report/criteria/?project_id={project.pk}&start_date=2026-03-03"),
        (as_alice, f"/agents/{older[0].agent_id}/?start_date=2026-03-03"),
        (as_alice, f"/agents/{older[3].agent_id}/"),
        (visitor_of(carol), f"/report/?project_id={project.pk}"),
    ):
        assert "as set in the retention" not in page(client.get(address)).text


def test_the_agreement_says_so(as_alice, project, older):
    address = f"/projects/{project.pk}/agreement/"
    said = "The results of 2 calls were removed with their reviews, as set in the retention."

    found = page(as_alice.get(address)).text
    of_days = page(as_alice.get(f"{address}?start_date=2026-03-02")).text
    later = page(as_alice.get(f"{address}?start_date=2026-03-03")).text

    assert f"There are no blind reviews. {said}" in found
    assert "has a blind review" in of_days
    assert "The results of 1 call were removed with its reviews, as set in the retention." in of_days
    assert "as set in the retention" not in later


def test_the_page_of_a_call_leaves_the_room_to_the_transcript(as_alice, alice, project, older):
    _link, token = create_link(alice, project, days=7, call=older[0])

    for client, address in ((as_alice, f"/calls/{older[0].pk}/"), (Client(), f"/shared/{token}/")):
        found = page(client.get(address))
        assert found.all("div", **{"class": "unjudged"})
        assert "Good morning, Ana here." in found.text
        assert "Scorecard" not in found.text
    kept = page(as_alice.get(f"/calls/{older[3].pk}/"))
    assert kept.all("div", **{"class": "halves"})
    assert "Scorecard" in kept.text


def test_a_shared_report_says_so(as_alice, alice, project, older):
    _link, token = create_link(alice, project, days=7)

    found = page(Client().get(f"/shared/{token}/")).text

    assert "Average score" in found
    assert found.count("The results of 2 calls were removed, as set in the retention.") == 1


def test_the_form_of_a_review_says_so(as_alice, project, calls):
    remove_results(project)

    found = page(as_alice.get(f"/calls/{calls[0].pk}/review/"))

    assert "The results of this call were removed on" in found.text
    assert "So there is nothing to review." in found.text
    assert "This call has no scores to review." not in found.text


def test_an_appeal_waits_for_nobody(as_alice, alice, bob, project, calls):
    filed = appeal(calls[0], bob)
    assert count_waiting(alice).appeals == 1

    remove_results(project)

    found = page(as_alice.get("/appeals/"))
    assert not sum(count_waiting(alice))
    assert "No one can decide any more 1" in " ".join(found.text.split())
    assert "the appeal can no longer be decided" in found.text
    assert "You can decide" not in found.text
    assert not found.all("form", action=f"/appeals/{filed.pk}/decide/")


def test_an_appeal_of_before_is_said_to_be_undecidable_at_its_call(as_alice, project, calls, carol):
    filed = appeal(calls[0], carol, answer="not_met")
    remove_results(project)

    found = page(as_alice.get(f"/calls/{calls[0].pk}/")).text

    assert "Greets can no longer be decided" in found
    assert "The answer at that time: not met." in found
    assert "The results of the call were removed, so the appeal can no longer be decided." in found
    assert "waits for a decision" not in found
    assert "answer that counts" not in found
    refused = as_alice.post(f"/appeals/{filed.pk}/decide/", {"decision": "refused", "reason": "No."})
    filed.refresh_from_db()
    assert (refused.status_code, filed.state) == (302, "open")


def test_the_list_of_reasons_says_so(as_alice, project, calls):
    before = page(as_alice.get(f"/projects/{project.pk}/reasons/")).text
    remove_results(project)

    text = page(as_alice.get(f"/projects/{project.pk}/reasons/")).text

    assert "removed, as set in the retention" not in before
    assert "The results of 2 calls were removed, as set in the retention." in text
    assert "No call has a contact reason" in text and "contact reason yet" not in text


def test_a_shared_report_does_not_deny_the_calls(alice, project, calls):
    remove_results(project)
    _link, token = create_link(alice, project, days=7)

    text = page(Client().get(f"/shared/{token}/")).text

    assert "The results of 2 calls were removed" in text and "There are no calls" not in text
