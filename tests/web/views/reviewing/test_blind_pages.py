"""What waits for a person's blind review is shown without its results to that person, on every page."""

import csv
import io

import pytest
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request

from callscope.calls.models import ShareLink
from callscope.contact_reasons.models import ContactReason
from callscope.interfaces.api.views.reports import pdf
from callscope.interfaces.web.waiting import count_waiting
from callscope.pipeline.decisions import calibration_edits
from callscope.pipeline.models import Probe, Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays.besides_comparison import compare_besides
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.projects.configuration import parse
from callscope.projects.models import Project
from callscope.projects.services import share_project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.models import Review
from callscope.reviews.notes import create_note
from callscope.reviews.reading import list_hidden
from callscope.reviews.sampling.draw import collect_sample
from callscope.reviews.waiting import Work, count_work_by_project
from tests.web.conftest import CONFIGURATION, bring, give_transcript, line, page, visitor_of

pytestmark = pytest.mark.django_db

WAITS = "Waits for your blind review."
LEFT_OUT = "1 call that waits for your blind review is left out"


@pytest.fixture
def waiting(world, alice):
    """The call with the critical error, which Alice has to review."""
    collect_sample(world[1].project, [world[1].pk], alice)
    return world[1]


@pytest.fixture
def as_bob(project, bob):
    share_project(project, bob, role="editor")
    return visitor_of(bob)


def row_of(client, call, query=""):
    """Return the row of a call in the list, and that below it."""
    whole = client.get(f"/calls/?project_id={query}").content.decode()
    return whole.split(f'value="{call.pk}" form="chosen"', 1)[1].split("<tr>", 1)[0]


def queue_rows(client, address="/reviews/"):
    """Return the rows of what waits, as they are written."""
    whole = client.get(address, follow=True).content.decode()
    return whole.split("<tbody>", 1)[1].split("</tbody>")[0].split("<tr>")[1:]


def read_csv(client, address="/calls/export.csv"):
    text = b"".join(client.get(address)).decode().lstrip("\ufeff")
    return {row["file_name"]: row for row in csv.DictReader(io.StringIO(text))}


class TestList:
    def test_says_that_the_call_waits_in_place_of_its_results(self, as_alice, waiting):
        row = row_of(as_alice, waiting)

        assert WAITS in row and f'href="/calls/{waiting.pk}/review/"' in row
        for result in ("critical", "negative", "missed", "33.3", "c-score", "c-goal"):
            assert result not in row

    def test_shows_the_results_to_others_and_of_other_calls(self, as_bob, as_alice, world, waiting):
        assert WAITS not in row_of(as_alice, world[0]) and "100.0" in row_of(as_alice, world[0])
        assert WAITS not in row_of(as_bob, waiting) and "critical" in row_of(as_bob, waiting)

    def test_has_no_quote_of_the_criterion_that_it_is_about(self, as_alice, world, waiting):
        query = "&criterion=greeting"

        assert "c-answer" not in row_of(as_alice, waiting, query)
        assert "good morning" not in row_of(as_alice, waiting, query)
        assert "good morning" in row_of(as_alice, world[0], query)

    @pytest.mark.parametrize(
        "query", ["critical=true", "sentiment=negative", "max_score=99", "criterion=identity&result=not_met"]
    )
    def test_leaves_it_out_of_filters_that_would_give_results_away(self, as_alice, waiting, query):
        found = page(as_alice.get(f"/calls/?{query}"))

        assert waiting.file_name not in found.text and LEFT_OUT in found.text

    def test_speaks_of_the_others_where_none_of_them_matches(self, as_alice, as_bob, waiting):
        address = "/calls/?criterion=identity&result=not_met"

        assert "None of the other 2 calls match" in page(as_alice.get(address)).text
        assert waiting.file_name in page(as_bob.get(address)).text

    @pytest.mark.parametrize("sign", ["", "-"])
    def test_has_it_last_in_an_order_by_results(self, as_alice, waiting, sign):
        found = page(as_alice.get(f"/calls/?project_id=&ordering={sign}score_percentage"))

        listed = [a["title"].split(" · ")[0] for a in found.all("a", **{"class": "name"}) if "title" in a]
        assert listed[-1] == waiting.file_name


class TestExport:
    def test_has_empty_cells_and_says_why(self, as_alice, world, waiting):
        rows = read_csv(as_alice)

        hidden = rows[waiting.file_name]
        for name in (
            "score_percentage",
            "has_critical_error",
            "goal_reached",
            "sentiment",
            "criterion:identity",
        ):
            assert hidden[name] == "" and rows[world[0].file_name][name] != ""
        assert hidden["results_hidden"] == "blind_review"
        assert rows[world[0].file_name]["results_hidden"] == ""

    def test_of_chosen_calls_has_them_too(self, as_alice, waiting):
        answer = as_alice.post("/calls/chosen/", {"call": [waiting.pk], "do": "export"})
        text = b"".join(answer).decode().lstrip("\ufeff")

        [row] = csv.DictReader(io.StringIO(text))
        assert (row["score_percentage"], row["results_hidden"]) == ("", "blind_review")

    def test_takes_nothing_from_the_blindness_of_the_review(self, as_alice, waiting):
        read_csv(as_alice)
        answers = {"answer:greeting": "met", "answer:identity": "met"}

        as_alice.post(f"/calls/{waiting.pk}/review/", {**answers, "do": "submit", "blind": "true"})

        assert Review.objects.get(call=waiting).blind


def overall(calls, flips):
    return {"calls": calls, "flips": flips, "flip_pct": 100 * flips / calls, "low": 1.0, "high": 99.0}


class TestChangesOfTheRubric:
    def test_replay_does_not_list_it_and_says_so(self, as_alice, as_bob, world, waiting):
        sides = [{"score": score, "has_critical_error": False, "criteria": {}} for score in (50.0, 70.0)]
        rows = [(call.pk, {"before": sides[0], "after": sides[1]}) for call in (world[0], waiting)]
        replay = Replay.objects.create(
            project=waiting.project, config=waiting.project.config, config_version=1,
            completed_at=timezone.now(), outcome=compare_answers(rows),
        )  # fmt: skip
        address = f"/projects/{replay.project_id}/replays/{replay.pk}/"

        shown = page(as_alice.get(address)).text
        assert world[0].file_name in shown and waiting.file_name not in shown
        assert "1 call that waits for your blind review is among those that change most." in shown
        assert waiting.file_name in page(as_bob.get(address)).text

    def test_replay_lists_it_nowhere_else_and_says_so(self, as_alice, as_bob, world, waiting, project):
        config = parse({**project.config, "goal": {"description": "Sold", "phrases": []}})
        pair = {"before": {"goal": "reached"}, "after": {"goal": "unknown"}}
        rows = [(call.pk, pair) for call in (world[0], waiting)]
        outcome = {**compare_answers([]), "besides": compare_besides(rows, parse(project.config), config)}
        replay = Replay.objects.create(
            project=project, config=config.as_document(), config_version=1, completed_at=timezone.now(),
            outcome=outcome,
        )  # fmt: skip
        for call_id, _ in rows:
            answers = {"before": None, "after": None, "besides": pair}
            ReplayedCall.objects.create(replay=replay, call_id=call_id, answers=answers)
        address = f"/projects/{project.pk}/replays/{replay.pk}/"

        shown = page(as_alice.get(address)).text
        assert world[0].file_name in shown and waiting.file_name not in shown
        assert "2 of 2 calls change. 1 of them waits for your rating or blind review" in shown
        assert waiting.file_name in page(as_bob.get(address)).text

        every = page(as_alice.get(f"{address}calls/?kind=goal")).text
        assert world[0].file_name in every and waiting.file_name not in every
        assert "1 call that changes waits for your rating or blind review." in every
        assert waiting.file_name in page(as_bob.get(f"{address}calls/?kind=goal")).text

    def show_probe(self, client, project, kind, outcome):
        probe = Probe.objects.create(
            kind=kind, project=project, config=project.config, config_version=1, variants=["a", "b"],
            estimate={"calls": 2}, completed_at=timezone.now(), engine="a model", outcome=outcome,
        )  # fmt: skip
        return page(client.get(f"/projects/{project.pk}/probes/{probe.pk}/")).text

    def test_probe_of_steadiness_does_not_list_it(self, as_alice, world, waiting, project):
        flipped = [
            {"call_id": call.pk, "criterion_id": "identity", "answers": {"met": 1, "not_met": 1}}
            for call in (world[0], waiting)
        ]
        outcome = {
            "criteria": [overall(2, 2) | {"criterion_id": "identity"}], "overall": overall(2, 2),
            "flipped": flipped,
        }  # fmt: skip

        shown = self.show_probe(as_alice, project, "steadiness", outcome)

        assert world[0].file_name in shown and waiting.file_name not in shown
        assert "1 call with changed answers waits for your rating or blind review." in shown

    def test_probe_of_fairness_does_not_list_it(self, as_alice, world, waiting, project):
        moved = [
            {"call_id": call.pk, "group": "order", "criterion_id": "identity", "before": "met",
             "after": "not_met"}
            for call in (world[0], waiting)
        ]  # fmt: skip
        shift = {"calls": 2, "mean": -5.0, "low": -9.0, "high": -1.0}
        group = {
            "group": "order",
            "overall": overall(2, 2),
            "criteria": [],
            "score_shift": shift,
            "unchanged": 0,
        }
        outcome = {"calls": 2, "groups": [group], "moved": moved}

        shown = self.show_probe(as_alice, project, "fairness", outcome)

        assert world[0].file_name in shown and waiting.file_name not in shown
        assert "1 call with changed answers waits for your rating or blind review." in shown

    def test_trial_of_settings_neither_offers_it_nor_shows_its_result(self, as_alice, world, waiting):
        for call in world:
            give_transcript(call)
        editor = f"/projects/{waiting.project_id}/settings/"
        sent = {"document": CONFIGURATION, "call": waiting.file_name}

        offered = [a["value"] for a in page(as_alice.get(f"{editor}rubric/")).all("option")]
        answer = as_alice.post(f"/projects/{waiting.project_id}/try/", sent, "application/json")

        assert world[0].file_name in offered and waiting.file_name not in offered
        assert answer.status_code == 409
        assert "its results are hidden until then" in answer.json()["detail"]


class TestAppeals:
    @pytest.fixture
    def appeal(self, waiting, carol):
        now = timezone.now()
        return Appeal.objects.create(
            call=waiting,
            project=waiting.project,
            criterion_id="identity",
            criterion_name="Verifies the caller",
            judged_at=now,
            answer="not_met",
            appellant=carol,
            reason="I did ask for it.",
            created_at=now,
        )

    def test_of_one_call_are_one_line(self, as_alice, as_bob, waiting, appeal):
        appeal.pk, appeal.criterion_id, appeal.criterion_name = None, "greeting", "Greets"
        appeal.save()

        shown = [page(each.get("/appeals/")).all("section") for each in (as_alice, as_bob)]

        assert [len(each) for each in shown] == [1, 2]

    def test_say_nothing_but_that_there_is_one(self, as_alice, as_bob, waiting, appeal):
        shown = page(as_alice.get("/appeals/"))

        assert waiting.file_name in shown.text and "You have this call to review blind." in shown.text
        for word in ("Verifies the caller", "I did ask for it.", "not met", "Answer if accepted"):
            assert word not in shown.text
            assert word in page(as_bob.get("/appeals/")).text

    def test_are_no_rows_of_their_own_where_the_call_is_to_be_reviewed_anyway(
        self, as_alice, as_bob, alice, bob, waiting, appeal
    ):
        [row], others = queue_rows(as_alice), queue_rows(as_bob)

        assert "Verifies" not in row and "Decide" not in row and "Sample" in row
        assert f'href="/calls/{waiting.pk}/review/"' in row
        assert "Verifies the caller" in others[0] and "Decide" in others[0]
        assert [count_waiting(user)[:3] for user in (alice, bob)] == [(1, 0, 0), (0, 0, 1)]

    def test_are_one_row_without_their_criteria_where_the_blind_review_is_begun(
        self, as_bob, bob, waiting, appeal
    ):
        as_bob.post(f"/calls/{waiting.pk}/review/", {"do": "draft", "blind": "true"})
        appeal.pk, appeal.criterion_id, appeal.criterion_name = None, "greeting", "Greets"
        appeal.save()

        for address in ("/reviews/", f"/projects/{waiting.project_id}/reviews/"):
            shown = page(as_bob.get(address, follow=True)).text
            [row] = queue_rows(as_bob, address)
            assert "Verifies" not in row and "Greets" not in row and "Decide" not in row
            assert f'href="/calls/{waiting.pk}/review/"' in row
            assert "hidden until you submit your review" in row and "to decide" not in shown
        assert count_waiting(bob)[:3] == (1, 0, 0)
        assert count_work_by_project(bob, Project.objects.all()) == {waiting.project_id: Work(reviews=1)}

        as_bob.post(f"/calls/{waiting.pk}/results/")

        assert "1 call to review" not in page(as_bob.get("/account/")).text
        assert len(queue_rows(as_bob)) == count_waiting(bob).appeals == 2

    def test_are_shown_by_a_button_that_ends_the_blindness(self, as_alice, waiting, appeal):
        answer = as_alice.post(f"/calls/{waiting.pk}/results/", {"appeal": appeal.pk}, follow=True)

        assert answer.redirect_chain[-1][0] == f"/appeals/?appeal={appeal.pk}#appeal-{appeal.pk}"
        assert "I did ask for it." in page(answer).text
        assert "This review is not blind" in page(as_alice.get(f"/calls/{waiting.pk}/review/")).text


class TestPageOfTheCall:
    def test_offers_the_review_once_and_no_link_to_share(self, as_alice, as_bob, world, waiting):
        form, share = f"/calls/{waiting.pk}/review/", f"/shares/?call={waiting.pk}"
        mine, others = (page(each.get(f"/calls/{waiting.pk}/")) for each in (as_alice, as_bob))

        assert len(mine.all("a", href=form)) == 1 and not mine.all("a", href=share)
        assert others.all("a", href=form) and others.all("a", href=share)
        free = page(as_alice.get(f"/calls/{world[0].pk}/"))
        assert free.all("a", **{"href": f"/calls/{world[0].pk}/review/", "class": "button quiet"})

    def test_offers_the_rating_alone_while_it_is_rated(self, as_alice, project, waiting, alice):
        calibration_edits.open_calibration(
            project.pk, CalibrationPlan([waiting.pk], [alice.email], "", None), alice
        )

        shown = page(as_alice.get(f"/calls/{waiting.pk}/"))

        assert len(shown.all("a", href=f"/calls/{waiting.pk}/review/")) == 1
        assert not shown.all("a", href=f"/shares/?call={waiting.pk}")


class TestShareLinks:
    def share(self, client, call):
        address = f"/shares/?call={call.pk}"
        asked, sent = client.get(address), client.post(address, {"days": 7})
        return page(asked).text, sent.status_code, ShareLink.objects.exists()

    def test_to_it_are_not_made_before_the_review(self, as_alice, as_bob, waiting):
        text, status, is_made = self.share(as_alice, waiting)

        assert (status, is_made) == (403, False)
        assert "You have this call to review blind." in text and "Create link" not in text
        assert self.share(as_bob, waiting)[1:] == (200, True)

    def test_to_it_are_not_made_by_who_rates_it(self, as_alice, project, waiting, alice):
        calibration_edits.open_calibration(
            project.pk, CalibrationPlan([waiting.pk], [alice.email], "", None), alice
        )

        text, status, is_made = self.share(as_alice, waiting)

        assert (status, is_made) == (403, False)
        assert "You rate this call in a calibration" in text and "Create link" not in text

    def test_to_the_report_are_made_all_the_same(self, as_alice, project, waiting):
        assert as_alice.post(f"/shares/?project_id={project.pk}", {"days": 7}).status_code == 200


class TestOtherPages:
    def test_of_the_agent_quotes_nothing_from_it(self, as_alice, as_bob, project, waiting, alice):
        create_note(waiting, "Ask for the date of birth.", 3.0, alice, is_shared=False)
        address = f"/agents/{waiting.agent_id}/?project_id={project.pk}"

        shown, to_bob = page(as_alice.get(address)).text, page(as_bob.get(address)).text

        assert "1 call that waits for your rating or blind review is left out." in shown
        for word in ("Ask for the date of birth.", waiting.file_name):
            assert word in to_bob and word not in shown

    def test_of_the_agent_has_no_moment_of_it(self, as_alice, as_bob, project, waiting):
        address = f"/agents/{waiting.agent_id}/?project_id={project.pk}"

        shown, to_bob = (page(each.get(address)) for each in (as_alice, as_bob))

        link = f"/calls/{waiting.pk}/"
        assert [a for a in to_bob.all("a") if a["href"].startswith(link)]
        assert {a["href"] for a in shown.all("a") if a["href"].startswith(link)} == {f"{link}review/"}

    def test_of_a_contact_reason_says_no_result_of_its_only_call(self, as_alice, as_bob, project, alice):
        [call] = bring(project, line(11, identity=0, contact_reason="Billing", sentiment="negative"))
        collect_sample(project, [call.pk], alice)
        address = f"/projects/{project.pk}/reasons/{ContactReason.objects.get(name='Billing').pk}/"

        shown, to_bob = (page(each.get(address)).text for each in (as_alice, as_bob))

        figures, agents = shown.split("Share by week")[0], shown.split("Agents by number of calls")[1]
        no_other = "Calls that wait for your rating or blind review are left out, and no other call has this"
        assert figures.count(no_other) == 3  # score, sentiment and goal
        assert f"1 – {no_other} result." in agents
        said = (
            "Scores, sentiment and goal leave out 1 call that waits for your rating or blind review. Reviews"
        )
        assert said in figures
        assert "33.3" not in shown
        assert to_bob.count("33.3") == 2 and "leave out" not in to_bob
        as_alice.post(f"/calls/{call.pk}/results/")
        assert page(as_alice.get(address)).text.count("33.3") == 2

    def test_of_a_contact_reason_averages_the_other_calls(self, as_alice, project, alice):
        calls = bring(
            project, line(11, contact_reason="Billing"), line(12, identity=0, contact_reason="Billing")
        )
        collect_sample(project, [calls[1].pk], alice)
        address = f"/projects/{project.pk}/reasons/{ContactReason.objects.get(name='Billing').pk}/"

        text = page(as_alice.get(address)).text

        assert "Average score 100.0 % 1 call" in text
        assert "2 100.0 % n 1" in text.split("Agents by number of calls")[1]
        assert "leave out 1 call" in text

    def test_of_the_call_shows_no_note_about_it_until_its_results_are_read(self, as_alice, waiting, alice):
        create_note(waiting, "Ask for the date of birth.", 3.0, alice, is_shared=False)
        address = f"/calls/{waiting.pk}/"

        for word in ("Ask for the date of birth.", "Verifies the caller", "33.3"):
            assert word not in page(as_alice.get(address)).text
        as_alice.post(f"{address}results/")

        for word in ("Ask for the date of birth.", "Verifies the caller", "33.3"):
            assert word in page(as_alice.get(address)).text

    def test_of_a_sample_shows_no_score_by_another_person(self, as_alice, as_bob, project, waiting, bob):
        sample = collect_sample(project, [waiting.pk], bob)
        answers = {"answer:greeting": "met", "answer:identity": "not_met"}
        as_bob.post(f"/calls/{waiting.pk}/review/", {**answers, "do": "submit"})
        address = f"/projects/{project.pk}/samples/{sample.pk}/"

        rows = [client.get(address).content.decode().split("<tbody>")[1] for client in (as_alice, as_bob)]

        assert ["33.3" in row for row in rows] == [False, True]

    def test_of_a_closed_calibration_ends_the_blindness(self, as_alice, project, world, waiting, alice, bob):
        share_project(project, bob, role="editor")
        plan = CalibrationPlan([waiting.pk], [bob.email], "", None)
        opened = calibration_edits.open_calibration(project.pk, plan, alice)
        rating = {"do": "submit", "answer:greeting": "met", "answer:identity": "met"}
        visitor_of(bob).post(f"/calls/{waiting.pk}/review/", rating)
        address = f"/projects/{project.pk}/calibrations/{opened.pk}/"
        as_alice.get(address)
        assert list_hidden(alice).to_review == {waiting.pk}  # open ones show no answers

        calibration_edits.close_calibration(opened.pk, alice)
        as_alice.get(address)

        assert list_hidden(alice).to_review == set()

    def test_pdf_of_a_session_quotes_nothing_from_it(self, waiting, alice):
        session, key = Request(HttpRequest()), Request(HttpRequest())
        key.auth, session.auth = "a key", None

        assert pdf.find_kept_back(session, alice) == {waiting.pk}
        assert pdf.find_kept_back(key, alice) == set()
