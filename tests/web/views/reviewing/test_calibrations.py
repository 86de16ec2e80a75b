"""A calibration on its pages: open it, rate without seeing anything, close it, settle the answers."""

import re

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.interfaces.web.presenters.reviewing.calibration_words import (
    ShownRater,
    find_furthest,
    write_difference,
)
from callscope.interfaces.web.presenters.reviewing.concealment import describe_calibration
from callscope.interfaces.web.views.reviewing import calibration_form
from callscope.pipeline.decisions import calibration_edits
from callscope.projects.services import configure_project, share_project
from callscope.reports.models import CallFact
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.models import Calibration, Review
from callscope.reviews.reading_records import ResultsRead
from callscope.reviews.sampling.draw import collect_sample
from tests.web.conftest import bring, give_transcript, line, page, visitor_of


@pytest.fixture
def as_bob(project, bob):
    share_project(project, bob, role="editor")
    return visitor_of(bob)


@pytest.fixture
def calls(project):
    return bring(project, line(1), line(2))


@pytest.fixture
def calibration(as_alice, as_bob, project, calls, alice, bob):
    ids = [call.pk for call in calls]
    sent = {"call": ids, "rater": [alice.email, bob.email], "expert": alice.email}
    answer = as_alice.post(f"/projects/{project.pk}/calibrations/", sent)
    assert answer.status_code == 302, answer.content
    Calibration.objects.update(due="2026-04-01")
    return Calibration.objects.get()


def rate(client, call, answer):
    shown = page(client.get(f"/calls/{call.pk}/review/"))
    ids = {attributes["name"] for tag, attributes in shown.elements if attributes.get("type") == "radio"}
    return client.post(f"/calls/{call.pk}/review/", {"do": "submit"} | dict.fromkeys(ids, answer))


def own_answers(answer):
    """Return the words of each row of the table of own answers, its head first."""
    html = answer.content.decode().partition("Your answers</h2>")[2].partition("</table>")[0]
    rows = [re.findall(r"<(t[hd])\b.*?>(.*?)</\1>", row, re.DOTALL) for row in html.split("<tr>")[1:]]
    return [[" ".join(re.sub(r"<[^>]*>", " ", cell).split()) for _tag, cell in row] for row in rows]


class TestChosenCalls:
    def test_are_listed_to_be_kept_before_their_raters_are_chosen(self, as_alice, project, calls):
        address = f"/projects/{project.pk}/calibrations/"
        first = page(as_alice.get(address))
        chosen = page(as_alice.get(address, {"count": "5", "how": "spread"}))
        filtered = page(as_alice.get(address, {"count": "1", "how": "chance", "min_score": "99"}))

        assert not first.all("input", name="rater")
        kept = {each["value"] for each in chosen.all("input", name="call") if "checked" in each}
        assert kept == {str(call.pk) for call in calls}
        assert "Chosen: 2 of 2 calls." in chosen.text
        assert chosen.all("input", name="rater")
        assert filtered.all("option", value="chance", selected=None)

    def test_show_no_score_to_who_may_rate_them(self, as_alice, project):
        [call] = bring(project, line(1, greeting=10, identity=0))

        shown = page(as_alice.get(f"/projects/{project.pk}/calibrations/", {"call": call.pk}))

        assert call.file_name in shown.text
        assert "33.3" not in shown.text

    def test_say_whose_transcript_is_unreliable(self, as_alice, project, calls):
        CallFact.objects.filter(call=calls[1]).update(half_heard=True)
        sent = {"call": [call.pk for call in calls]}

        shown = page(as_alice.get(f"/projects/{project.pk}/calibrations/", sent))

        assert len(shown.all("span", title="Unreliable transcript")) == 1
        assert f"{calls[1].file_name} unreliable" in shown.text

    def test_say_what_one_rater_alone_is_compared_with(self, as_alice, project, calls, bob):
        address, sent = f"/projects/{project.pk}/calibrations/", {"call": calls[0].pk}
        alone = page(as_alice.get(address, sent))
        share_project(project, bob, role="editor")
        two = page(as_alice.get(address, sent))

        assert "so only you and the machine would be compared." in alone.text
        assert alone.all("a", href=f"/projects/{project.pk}/people/")
        assert "How far people agree takes two or more; with one, only the machine is compared." in two.text

    def test_can_be_named_by_their_files(self, as_alice, project, calls):
        names = "\n".join(call.file_name for call in calls)

        sent = {"do": "take", "calls": names}
        shown = page(as_alice.post(f"/projects/{project.pk}/calibrations/", sent))

        assert len(shown.all("input", name="call", checked=None)) == 2

    def test_are_none_where_too_many_are_named(self, as_alice, project, calls, monkeypatch):
        monkeypatch.setattr(calibration_form, "MAX_CALLS", 1)
        sent = {"do": "take", "calls": "\n".join(call.file_name for call in calls)}

        shown = page(as_alice.post(f"/projects/{project.pk}/calibrations/", sent), 400)

        assert "A calibration has 1 to 1 calls, not 2." in shown.text
        assert not shown.all("input", name="call")

    @pytest.mark.parametrize(
        ("names", "sentence"),
        [
            ("", "List at least one call by its file name."),
            ("nothing.wav", "No call of this project has the file name “nothing.wav”."),
            ("a\x00b.wav", "No call of this project has the file name"),
        ],
    )
    def test_are_none_where_a_name_is_wrong(self, as_alice, project, calls, names, sentence):
        sent = {"do": "take", "calls": names}

        shown = page(as_alice.post(f"/projects/{project.pk}/calibrations/", sent), 400)

        assert sentence in shown.text
        assert not shown.all("input", name="call")

    @pytest.mark.parametrize(
        ("wrong", "sentence"),
        [
            ({"count": "0"}, "“0” is not allowed. Type a whole number from 1 to 100."),
            ({"count": "5", "min_score": "many"}, "many"),
        ],
    )
    def test_are_none_where_the_choice_is_wrong(self, as_alice, project, calls, wrong, sentence):
        shown = page(as_alice.get(f"/projects/{project.pk}/calibrations/", wrong))

        assert sentence in shown.text
        assert not shown.all("input", name="call")

    def test_are_for_who_may_open_a_calibration(self, as_carol, carol, project, calls):
        share_project(project, carol, role="viewer")

        assert as_carol.get(f"/projects/{project.pk}/calibrations/", {"count": "5"}).status_code == 403


class TestCalibrationPage:
    def test_leads_a_rater_to_the_form_without_answers_of_the_machine(
        self, calibration, as_bob, project, calls
    ):
        shown = page(as_bob.get(f"/projects/{project.pk}/calibrations/{calibration.pk}/"))
        form = page(as_bob.get(f"/calls/{calls[0].pk}/review/"))
        of_call = page(as_bob.get(f"/calls/{calls[0].pk}/"))

        assert any(each.get("href") == f"/calls/{calls[0].pk}/review/" for _, each in shown.elements)
        assert f"This is a rating in calibration {calibration.pk}" in form.text
        assert "The machine:" not in form.text
        assert "Its answers are shown when the calibration is closed." in of_call.text
        assert not any(each.get("class") == "call-score" for _, each in of_call.elements)

    def test_says_of_each_call_how_many_rated_it_and_what_is_overdue(
        self, calibration, as_alice, project, calls
    ):
        rate(as_alice, calls[0], "met")

        text = page(as_alice.get(f"/projects/{project.pk}/calibrations/{calibration.pk}/")).text

        assert "Due Apr 1, 2026 overdue" in text
        assert f"{calls[0].file_name} 1 of 2 Rate again" in text
        assert f"{calls[1].file_name} 0 of 2 Rate" in text

    def test_calls_a_rating_by_its_name_and_offers_it_again(self, calibration, alice, as_alice, calls):
        def address_of(call):
            return f"/calls/{call.pk}/review/"

        form, of_call, name = address_of(calls[0]), f"/calls/{calls[0].pk}/", calls[0].file_name
        spanish = visitor_of(alice, headers={"accept-language": "es"})

        def labels():
            listed = page(as_alice.get("/calls/", follow=True))
            return {each["aria-label"] for call in calls for each in listed.all("a", href=address_of(call))}

        html = as_alice.get(form).content.decode()
        assert f"<title>Rating: {name}" in html
        assert f'<h1>Rating: <span class="whole">{name}' in html
        assert f"<title>Evaluación: {name}" in spanish.get(form).content.decode()
        assert labels() == {f"Rate: {call.file_name}" for call in calls}
        assert "Rate again" not in page(as_alice.get(of_call)).text

        rate(as_alice, calls[0], "met")

        assert labels() == {f"Rate again: {name}", f"Rate: {calls[1].file_name}"}
        assert "when the calibration is closed. Rate again" in page(as_alice.get(of_call)).text

    def test_says_before_it_is_closed_how_many_ratings_are_missing(
        self, calibration, alice, as_alice, as_bob, project, calls
    ):
        def asks(client):
            shown = page(client.get(f"/projects/{project.pk}/calibrations/{calibration.pk}/"))
            return shown.all("button", value="close")[0]["data-confirm"].partition(".")[0]

        ratings = 2 * len(calls)
        assert asks(as_alice) == f"{ratings} of {ratings} ratings are missing"
        rate(as_alice, calls[0], "met")
        assert asks(as_bob) == f"{ratings - 1} of {ratings} ratings are missing"
        spanish = visitor_of(alice, headers={"accept-language": "es"})
        assert asks(spanish) == f"Faltan {ratings - 1} de {ratings} evaluaciones"
        for client in (as_alice, as_bob):
            for call in calls:
                rate(client, call, "met")
        assert asks(as_alice).startswith("Close the calibration?")

    def test_hides_a_call_from_who_has_to_rate_it_in_another_one(
        self, calibration, alice, bob, as_alice, as_bob, project, calls
    ):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        for call in calls:
            rate(as_alice, call, "not_met")
        assert as_alice.post(address, {"do": "close"}).status_code == 302
        seen = as_bob.get(f"/calls/api/calibrations/{calibration.pk}/").json()["calls"]
        sent = {"call": [calls[0].pk], "rater": [alice.email, bob.email]}
        assert as_alice.post(f"/projects/{project.pk}/calibrations/", sent).status_code == 302

        now_seen = as_bob.get(f"/calls/api/calibrations/{calibration.pk}/").json()["calls"]

        assert [len(each["scores"]) for each in seen] == [2, 2]  # the machine's and Alice's
        assert [len(each["scores"]) for each in now_seen] == [0, 2]
        assert "not met" in page(as_bob.get(address)).text  # of the other call

    def test_hides_the_answers_of_others_until_it_is_closed(
        self, calibration, as_alice, as_bob, project, calls
    ):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        assert rate(as_alice, calls[0], "not_met").url == address
        rate(as_bob, calls[0], "met")
        opened = page(as_bob.get(address))
        assert not any("data-short" in each for _, each in opened.elements)  # no column of a rater
        before = opened.text
        assert "Your answers" in before
        assert "not met" not in before
        assert "alice@example.com" not in page(as_bob.get(f"/calls/{calls[0].pk}/")).text

        assert as_alice.post(address, {"do": "close"}).status_code == 302

        after = page(as_bob.get(address)).text
        assert "Criteria to discuss first" in after
        assert "1 is full agreement, 0 is chance" in after
        assert "not met" in after

    def test_shows_own_answers_in_one_row_a_criterion_and_one_column_a_call(
        self, calibration, as_alice, as_bob, project, calls, alice
    ):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        answers = {"answer:greeting": "met", "answer:identity": "not_met"}
        as_alice.post(f"/calls/{calls[1].pk}/review/", {"do": "submit"} | answers)
        rate(as_bob, calls[0], "not_met")

        one = own_answers(as_alice.get(address))
        rate(as_alice, calls[0], "met")
        two = own_answers(as_alice.get(address))

        first, second = (f"{number} {call.file_name}" for number, call in enumerate(calls, 1))
        assert one == [
            ["Criterion", second],
            ["Greets", "met"],
            ["Verifies the caller", "not met"],
        ]
        assert two == [
            ["Criterion", first, second],
            ["Greets", "met", "met"],
            ["Verifies the caller", "met", "not met"],
        ]

    def test_says_of_own_answers_what_was_not_asked_in_a_call(self, calibration, as_alice, project, calls):
        for call in calls:
            rate(as_alice, call, "met")
        rating = Review.all_objects.get(call=calls[0])
        rating.answers.filter(criterion_id="identity").delete()

        shown = own_answers(as_alice.get(f"/projects/{project.pk}/calibrations/{calibration.pk}/"))

        assert shown[-1] == ["Verifies the caller", "– Not rated.", "met"]

    def test_compares_nobody_with_most_of_the_others_where_no_two_people_answered(
        self, as_alice, as_bob, project, calls, alice, bob
    ):
        plan = CalibrationPlan([call.pk for call in calls], [alice.email, bob.email])
        alone = calibration_edits.open_calibration(project.pk, plan, alice)
        rate(as_alice, calls[0], "not_met")
        as_alice.post(f"/projects/{project.pk}/calibrations/{alone.pk}/", {"do": "close"})
        apart = calibration_edits.open_calibration(project.pk, plan, alice)
        rate(as_alice, calls[0], "met")
        rate(as_bob, calls[1], "met")
        as_alice.post(f"/projects/{project.pk}/calibrations/{apart.pk}/", {"do": "close"})

        by_one, by_two = (
            page(as_alice.get(f"/projects/{project.pk}/calibrations/{each.pk}/")).text
            for each in (alone, apart)
        )

        assert f"Only {alice.email} rated, so people are not compared with each other." in by_one
        assert "No question has answers by two people, so people are not compared" in by_two
        for text in (by_one, by_two):
            assert "most of the others" not in text
            assert "Points apart, on average" not in text

    def test_folds_the_criteria_without_a_difference(self, calibration, as_alice, as_bob, project, calls):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        for call in calls:
            rate(as_alice, call, "met")
            rate(as_bob, call, "met")
        last = f"/calls/{calls[0].pk}/review/"
        as_bob.post(last, {"do": "submit", "answer:greeting": "not_met", "answer:identity": "met"})
        assert "without a difference" not in page(as_alice.get(address)).text  # nobody sees those of others

        as_alice.post(address, {"do": "close"})

        shown = page(as_alice.get(address))
        folded = shown.text.index("1 criterion without a difference")
        assert shown.text.index("Greets") < folded < shown.text.index("Verifies the caller")
        assert not any("open" in each for tag, each in shown.elements if each.get("class") == "more agreed")

    def test_names_each_call_once_and_its_number_below_the_criteria(
        self, calibration, as_alice, project, calls
    ):
        rate(as_alice, calls[0], "not_met")
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        as_alice.post(address, {"do": "close"})

        shown = page(as_alice.get(address))

        assert f"1 {calls[0].file_name}" in shown.text
        assert f"Call 1 : {calls[0].file_name}" in shown.text or f"Call 1: {calls[0].file_name}" in shown.text
        assert len(shown.all("a", title=calls[0].file_name)) == 2  # criteria; what it is called is read out

    def test_tells_a_call_without_a_score_from_one_that_is_not_rated(
        self, calibration, as_alice, project, calls
    ):
        analysis = CallAnalysis.objects.get(call=calls[0], is_live=True)
        scores = analysis.copc["criterion_scores"]
        analysis.copc = {**analysis.copc, "criterion_scores": [], "not_evaluated": scores}
        analysis.save()
        rate(as_alice, calls[1], "met")
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        as_alice.post(address, {"do": "close"})

        shown = page(as_alice.get(address))

        assert (
            "call-1.wav nobody rated the call no score – Not rated. – Fewer than two answers." in shown.text
        )
        assert shown.all("span", title="No criterion could be evaluated, so there is no score.")

    def test_names_raters_whole_in_the_heads_and_without_their_domain_in_narrow_ones(
        self, calibration, as_alice, as_bob, project, calls, bob
    ):
        rate(as_bob, calls[0], "met")
        as_alice.post(f"/projects/{project.pk}/calibrations/{calibration.pk}/", {"do": "close"})

        html = as_alice.get(f"/projects/{project.pk}/calibrations/{calibration.pk}/").content.decode()

        whole = bob.email.replace("@", "<wbr>@")
        assert html.count(f'<span data-short="bob@…" title="bob@example.com">{whole}</span></th>') >= 2

    def test_asks_for_an_answer_to_each_before_they_are_settled(self, calibration, as_alice, project, calls):
        rate(as_alice, calls[0], "met")
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        as_alice.post(address, {"do": "close"})

        choices = [
            each for tag, each in page(as_alice.get(address)).elements
            if tag == "select" and each["name"].startswith("answer:")
        ]  # fmt: skip

        assert choices
        assert all("required" in each for each in choices)

    def test_says_next_to_each_answer_that_is_missing(self, as_alice, as_bob, project, calls, alice, bob):
        plan = CalibrationPlan([calls[0].pk], [alice.email, bob.email])
        calibration = calibration_edits.open_calibration(project.pk, plan, alice)
        rate(as_alice, calls[0], "met")
        rate(as_bob, calls[0], "not_met")
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        as_alice.post(address, {"do": "close"})
        name = f"answer:{calls[0].pk}:greeting"

        shown = page(as_alice.post(address, {"do": "settle", name: "met"}), 400)

        assert "another answer than that of most people" in shown.text
        assert "Criteria on which people differ come first, then by how many points" in shown.text
        wrong = shown.all("select", **{"aria-invalid": "true"})
        assert [each["name"] for each in wrong] == [f"answer:{calls[0].pk}:identity"]
        assert shown.all("p", id=wrong[0]["aria-describedby"])
        assert shown.text.count("Choose an answer.") == 1

    def test_speaks_of_no_majority_where_one_person_alone_rated(
        self, as_alice, as_bob, project, calls, alice, bob
    ):
        plan = CalibrationPlan([calls[0].pk], [alice.email, bob.email])
        calibration = calibration_edits.open_calibration(project.pk, plan, alice)
        rate(as_alice, calls[0], "not_met")
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        as_alice.post(address, {"do": "close"})

        text = page(as_alice.get(address)).text

        assert f"another answer than that of {alice.email}, who alone rated." in text
        assert "most people" not in text

    def test_settles_the_experts_answers_and_those_that_were_chosen(
        self, calibration, as_alice, project, calls
    ):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        rate(as_alice, calls[0], "not_met")
        as_alice.post(address, {"do": "close"})
        criterion = Review.all_objects.get().answers.order_by("position").first().criterion_id

        assert as_alice.post(address, {"do": "settle", "answer:1:x": "met"}).status_code == 400
        chosen = {"do": "settle", f"answer:{calls[0].pk}:{criterion}": "met"}
        assert as_alice.post(address, chosen).status_code == 302

        settled = Review.objects.get(is_current=True)
        answers = set(settled.answers.values_list("criterion_id", "answer"))
        assert (criterion, "met") in answers
        assert {answer for name, answer in answers if name != criterion} <= {"not_met"}

    def test_is_for_writers_alone(self, calibration, as_carol, project, carol):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        assert as_carol.get(address).status_code == 404

        share_project(project, carol, role="viewer")

        assert as_carol.get(address).status_code == 403
        assert "Calibration" not in page(as_carol.get(f"/projects/{project.pk}/reviews/")).text


class TestWhatCameOut:
    """The sentences on top of a closed calibration."""

    def close(self, client, project, calibration):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        client.post(address, {"do": "close"})
        return address

    def test_names_what_to_talk_about_and_who_is_furthest_from_the_expert(
        self, calibration, alice, bob, as_alice, as_bob, project, calls
    ):
        for call in calls:
            rate(as_alice, call, "met")
            rate(as_bob, call, "met")
        other = {"do": "submit", "answer:greeting": "met", "answer:identity": "not_met"}
        as_bob.post(f"/calls/{calls[0].pk}/review/", other)
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        assert "Talk about" not in page(as_alice.get(address)).text
        self.close(as_alice, project, calibration)

        text = page(as_alice.get(address)).text

        assert "The answers to 1 of 4 questions differ." in text
        assert "Talk about “Verifies the caller” first: up to 20 points apart." in text
        assert f"Furthest from the expert: {bob.email}, differing in 1 of 4 answers." in text
        spanish = page(visitor_of(alice, headers={"accept-language": "es"}).get(address)).text
        assert "Empiece por «Verifies the caller»: hasta 20 puntos de diferencia." in spanish
        assert f"Quien más se aparta del experto: {bob.email}" in spanish

    def test_names_the_machine_and_the_only_rater(self, calibration, alice, as_alice, as_bob, project, calls):
        rate(as_alice, calls[0], "not_met")

        text = page(as_alice.get(self.close(as_alice, project, calibration))).text

        assert f"The machine and {alice.email} differ in 2 of 2 answers." in text
        assert "Furthest" not in text

    def test_calls_the_machine_so_within_a_sentence(self, as_alice, as_bob, project, calls, alice, bob):
        plan = CalibrationPlan([calls[0].pk], [alice.email, bob.email])
        calibration = calibration_edits.open_calibration(project.pk, plan, alice)
        for client in (as_alice, as_bob):
            rate(client, calls[0], "not_met")

        text = page(as_alice.get(self.close(as_alice, project, calibration))).text

        assert "Furthest from the others: the machine, differing in 2 of 2 answers." in text

    @pytest.mark.parametrize("is_unreliable", [True, False])
    def test_leaves_a_score_of_the_machine_over_few_criteria_out_of_the_spread(
        self, calibration, as_alice, as_bob, project, calls, is_unreliable
    ):
        analysis = CallAnalysis.objects.get(call=calls[0])
        scores = analysis.copc["criterion_scores"]
        analysis.copc = {**analysis.copc, "criterion_scores": scores[:1], "not_evaluated": scores[1:]}
        analysis.save()
        give_transcript(calls[0], quality={"ok": False, "reasons": [], "half_heard": is_unreliable})
        answers = {"answer:greeting": "not_met", "answer:identity": "met"}  # 20 of 30 points
        for client in (as_alice, as_bob):
            client.post(f"/calls/{calls[0].pk}/review/", {"do": "submit", **answers})

        text = page(as_alice.get(self.close(as_alice, project, calibration))).text

        marked = "unreliable transcript; the machine judged 1 of 2 criteria" in text
        assert marked == is_unreliable
        assert ("In gray: the machine judged too few criteria" in text) == is_unreliable
        assert ("The spread leaves such scores out." in text) == is_unreliable
        assert f"100.0 66.7 66.7 {'0.0' if is_unreliable else '33.3'}" in text

    def test_lists_criteria_as_the_rubric_does(self, calibration, as_alice, project, calls, alice):
        rate(as_alice, calls[0], "met")
        sections = project.config["rubric"]["sections"]
        turned = [{**each, "criteria": each["criteria"][::-1]} for each in sections[::-1]]
        configure_project(project, {"rubric": {**project.config["rubric"], "sections": turned}}, alice)

        text = page(as_alice.get(f"/projects/{project.pk}/calibrations/{calibration.pk}/")).text

        assert text.index("Verifies the caller") < text.index("Greets")

    def test_puts_first_where_people_differ(self, calibration, as_alice, as_bob, project, calls):
        for client, answer in ((as_alice, "met"), (as_bob, "not_met")):
            sent = {"do": "submit", "answer:greeting": answer, "answer:identity": "not_met"}
            client.post(f"/calls/{calls[0].pk}/review/", sent)

        text = page(as_alice.get(self.close(as_alice, project, calibration))).text

        # Only the machine gave the other criterion its 20 points.
        assert "Talk about “Greets” first: up to 10 points apart." in text
        assert text.index("Greets 1 of 1 call differs") < text.index(
            "Verifies the caller 1 of 1 call differs"
        )

    def test_says_of_a_criterion_in_how_many_calls_answers_differ_and_by_how_many_points(
        self, calibration, bob, as_alice, as_bob, project, calls
    ):
        for client in (as_alice, as_bob):
            rate(client, calls[0], "met")
        rate(as_alice, calls[1], "met")
        other = {"do": "submit", "answer:greeting": "not_met", "answer:identity": "not_applicable"}
        as_bob.post(f"/calls/{calls[1].pk}/review/", other)

        answer = as_alice.get(self.close(as_alice, project, calibration))
        text = page(answer).text

        # The machine gave both criteria full points, as not applicable does.
        greets = text.index("Greets 1 of 2 calls differ · at most 10 of 10 points apart")
        assert greets < text.index("Verifies the caller 1 of 2 calls differ · no points apart")
        assert "Alpha" not in text[greets:]
        assert re.search(rf"{bob.email} 2 of 2 2 of 4 50\.0 % [\d.]+", text)

    def test_marks_the_answers_that_are_not_the_experts(
        self, calibration, as_alice, as_bob, project, calls, bob
    ):
        rate(as_alice, calls[0], "met")
        rate(as_bob, calls[0], "not_met")

        html = as_alice.get(self.close(as_alice, project, calibration)).content.decode()

        marked = re.findall(r'<td class="stands-out" data-label="([^"]+)"[^>]*>.*?</svg>([^<]+)</span>', html)
        assert marked == [(bob.email, "not met")] * 2
        assert "Marked:</span> another answer than the expert's." in html
        assert html.count("unlike most of the others") == 1  # in the expert's own row

    def test_marks_nobody_where_two_are_split_whatever_the_machine_answered(
        self, as_alice, as_bob, project, calls, alice, bob
    ):
        plan = CalibrationPlan([calls[0].pk], [alice.email, bob.email])
        calibration = calibration_edits.open_calibration(project.pk, plan, alice)
        rate(as_alice, calls[0], "met")  # as the machine
        rate(as_bob, calls[0], "not_met")

        html = as_alice.get(self.close(as_alice, project, calibration)).content.decode()

        assert '<td class="stands-out"' not in html
        assert html.count('<span class="under">no majority</span>') == 2
        assert "2 answers have no majority: choose what holds for each before you settle." in html

    def test_says_that_all_agree(self, calibration, as_alice, as_bob, project, calls):
        for call in calls:
            rate(as_alice, call, "met")
            rate(as_bob, call, "met")
        address = self.close(as_alice, project, calibration)

        text = page(as_alice.get(address)).text

        assert "All agree on the answers to 4 questions: there is nothing to talk about." in text
        assert "Furthest from" not in text and "missing" not in text and "One person" not in text

    def test_says_of_missing_ratings_that_one_person_and_the_machine_agree(
        self, calibration, alice, as_alice, as_bob, project, calls
    ):
        rate(as_alice, calls[0], "met")
        address = self.close(as_alice, project, calibration)

        shown = page(as_alice.get(address))

        assert "3 of 4 ratings are missing. One person and the machine agree on 2 questions." in shown.text
        assert "All agree" not in shown.text
        assert "2 criteria without a difference" in shown.text
        spanish = page(visitor_of(alice, headers={"accept-language": "es"}).get(address)).text
        assert "Una persona y la máquina coinciden en 2 preguntas." in spanish

    def test_tells_what_two_people_answered_from_what_one_did(
        self, calibration, as_alice, as_bob, project, calls
    ):
        rate(as_alice, calls[0], "met")
        rate(as_bob, calls[0], "met")
        rate(as_alice, calls[1], "met")

        text = page(as_alice.get(self.close(as_alice, project, calibration))).text

        assert (
            "1 of 4 ratings is missing. All agree on the answers to 2 questions: there is nothing to talk "
            "about. One person and the machine agree on 2 questions."
        ) in text

    def test_says_of_a_criterion_without_two_answers_that_it_is_not_compared(self):
        assert write_difference({"n": 0, "max_points": 10.0}, []) == "not compared"
        assert write_difference({"n": 1, "max_points": 10.0}, []) == "0 of 1 call differs · no points apart"

    def test_shows_what_the_machine_answered_where_nobody_rated(self, calibration, as_alice, project, calls):
        address = self.close(as_alice, project, calibration)

        shown = page(as_alice.get(address))

        assert "Nobody rated a call, so there is only what the machine answered." in shown.text
        answers = shown.text.partition("Answers Answers by criterion")[2]
        assert answers.count("met") == 2 * len(calls)
        assert "Machine 2 of 2" in shown.text
        assert not shown.all("button", value="settle")
        assert "stands-out" not in as_alice.get(address).content.decode()

    def test_keeps_a_call_that_nobody_rated_for_a_blind_review(
        self, calibration, as_alice, project, calls, alice
    ):
        collect_sample(project, [calls[1].pk], alice)
        rate(as_alice, calls[0], "met")
        address = self.close(as_alice, project, calibration)

        shown = page(as_alice.get(address))

        waits = r"call-2\.wav nobody rated the call; it waits for your blind review (.*?) Not rated\."
        row = re.search(waits, shown.text)
        assert row is not None and not re.search(r"\d", row[1])
        assert "Machine 1 of 2" in shown.text
        assert not ResultsRead.objects.filter(call=calls[1], user=alice).exists()
        assert ResultsRead.objects.filter(call=calls[0], user=alice).exists()

    def test_keeps_a_call_for_a_blind_review_where_nobody_rated_any(
        self, calibration, as_alice, project, calls, alice
    ):
        collect_sample(project, [calls[1].pk], alice)
        address = self.close(as_alice, project, calibration)

        shown = page(as_alice.get(address))

        assert "Machine 1 of 2" in shown.text
        assert re.findall(r"Call (\d) ?: ", shown.text) == ["1", "1"]
        assert list(ResultsRead.objects.filter(user=alice).values_list("call", flat=True)) == [calls[0].pk]

    def test_conceals_answers_from_whatever_reads_the_calibration_for_a_page(
        self, calibration, as_alice, as_bob, project, calls, alice, bob
    ):
        collect_sample(project, [calls[1].pk], alice)
        rate(as_alice, calls[0], "met")
        calibration_edits.close_calibration(calibration.pk, alice)
        calibration.refresh_from_db()

        seen, of_another = (describe_calibration(calibration, user) for user in (alice, bob))

        assert seen.concealed == {calls[1].pk}
        assert seen.shown == {calls[0].pk}
        assert seen.row["calls"][1]["scores"] == []
        assert {each["call_id"] for row in seen.row["criteria"] for each in row["calls"]} == {calls[0].pk}
        assert of_another.concealed == frozenset()
        assert of_another.row["calls"][1]["scores"]

    def test_has_no_columns_of_who_rated_nothing(self, calibration, as_alice, project, calls, alice, bob):
        rate(as_alice, calls[0], "met")
        address = self.close(as_alice, project, calibration)

        html = as_alice.get(address).content.decode()

        heads = re.findall(r'data-short="([^"]*)"', html.partition("Criteria to discuss first")[2])
        assert f"{bob.email}" in html  # among the raters, with no rating
        assert not [each for each in heads if each.startswith("bob")]
        assert "Points apart" in html

    def test_has_no_column_of_what_cannot_be_compared(self, calibration, as_alice, project, calls):
        shown = page(as_alice.get(self.close(as_alice, project, calibration)))

        assert "Points apart" not in shown.text
        assert "Spread" not in shown.text

    def test_counts_the_questions_that_have_one_answer_only(
        self, calibration, as_alice, as_bob, project, calls
    ):
        analysis = CallAnalysis.objects.get(call=calls[0], is_live=True)
        scores = analysis.copc["criterion_scores"]
        analysis.copc = {**analysis.copc, "criterion_scores": scores[:1], "not_evaluated": scores[1:]}
        analysis.save()
        rate(as_alice, calls[0], scores[0].get("result", "met"))

        text = page(as_alice.get(self.close(as_alice, project, calibration))).text

        assert "A question is one criterion of one call: 2 in all." in text
        assert "1 has only one answer and is not compared." in text
        assert re.search(r"1 of them has only one answer", text)

    def test_leaves_calls_that_nobody_rated_as_they_are(self, calibration, as_alice, project, calls):
        rate(as_alice, calls[0], "not_met")
        address = self.close(as_alice, project, calibration)

        shown = page(as_alice.get(address))
        assert shown.text.count("nobody rated the call") == 1  # for all its criteria
        assert "1 call that nobody rated is left out; its review stays as it is." in shown.text
        numbers = re.findall(r"Call (\d) ?: ", shown.text.partition("Criteria to discuss first")[2])
        assert numbers == ["1", "1"]
        assert as_alice.post(address, {"do": "settle"}).status_code == 302

        assert list(Review.objects.filter(is_current=True).values_list("call", flat=True)) == [calls[0].pk]

    def test_hides_the_machine_from_who_rates_an_unrated_call_elsewhere(
        self, calibration, as_alice, project, calls, alice
    ):
        address = self.close(as_alice, project, calibration)
        calibration_edits.open_calibration(
            project.pk, CalibrationPlan([call.pk for call in calls], [alice.email]), alice
        )

        assert "Machine 0 of 2" in page(as_alice.get(address)).text

    def test_names_nobody_where_two_are_as_far(self):
        def rater(name, pct, *, expert=False):
            row = {"different_pct": pct, "compared_answers": 10, "is_expert": expert}
            return ShownRater(row, name, name, "")

        assert find_furthest([rater("a", 20.0), rater("b", 20.0)]) is None
        assert find_furthest([rater("a", 20.0), rater("b", 0.0), rater("c", None)]).name == "a"
        assert find_furthest([rater("a", 20.0), rater("b", 50.0, expert=True)]).name == "a"

    def test_folds_the_coefficients(self, calibration, as_alice, project, calls):
        rate(as_alice, calls[0], "met")
        shown = as_alice.get(self.close(as_alice, project, calibration)).content.decode()

        folded = shown.partition("<summary>Agreement beyond chance (alpha)</summary>")[2]
        folded = folded.partition("</details>")[0]
        assert "Krippendorff" in folded


class TestOpeningACalibration:
    @pytest.mark.parametrize(
        ("wrong", "sentence"),
        [
            ({"call": []}, "Keep at least one call."),
            ({"call": [999_999_999]}, "999999999"),
            ({"rater": []}, "Choose at least one rater."),
            ({"due": "soon"}, "is not a date"),
            ({"due": "2026-04-01"}, "Apr 1, 2026 is over. Choose today or a later day."),
            ({"expert": "x"}, "cannot review calls of this project"),
        ],
    )
    def test_says_what_is_wrong_and_keeps_what_was_chosen(
        self, as_alice, project, calls, alice, wrong, sentence
    ):
        pk = calls[0].pk
        sent = {"offered": [pk], "call": [pk], "rater": [alice.email], **wrong}

        shown = page(as_alice.post(f"/projects/{project.pk}/calibrations/", sent), 400)

        assert sentence in shown.text
        assert shown.all("input", name="call", value=str(pk))
        assert not Calibration.objects.exists()

    def test_leaves_out_calls_that_are_not_kept(self, as_alice, project, calls, alice):
        ids = [call.pk for call in calls]
        sent = {"offered": ids, "call": ids[1:], "rater": [alice.email]}

        assert as_alice.post(f"/projects/{project.pk}/calibrations/", sent).status_code == 302

        assert list(Calibration.objects.get().calls.values_list("call", flat=True)) == ids[1:]

    def test_begins_at_the_reviews_of_the_project(self, as_alice, project, calls):
        address = f"/projects/{project.pk}/calibrations/"

        assert page(as_alice.get(f"/projects/{project.pk}/reviews/")).all("a", href=address)


class TestTheNextCallToRate:
    def test_is_opened_until_all_are_rated(self, calibration, as_alice, project, calls):
        first, second = (f"/calls/{call.pk}/review/" for call in calls)
        answers = {"answer:greeting": "met", "answer:identity": "met"}

        assert "Submit and next: 1 left" in page(as_alice.get(first)).text
        assert as_alice.post(first, {"do": "next"} | answers).url == second
        assert "Submit and next" not in page(as_alice.get(second)).text
        answer = as_alice.post(second, {"do": "next"} | answers)

        assert answer.url == f"/projects/{project.pk}/calibrations/{calibration.pk}/"

    def test_comes_round_to_those_before(self, calibration, as_alice, calls):
        answers = {"answer:greeting": "met", "answer:identity": "met"}

        answer = as_alice.post(f"/calls/{calls[1].pk}/review/", {"do": "next"} | answers)

        assert answer.url == f"/calls/{calls[0].pk}/review/"

    def test_leads_back_to_the_calibration_after_the_last_rating(
        self, as_alice, as_bob, project, calls, alice, bob
    ):
        bring(project, line(3))  # a drawn call, which waits elsewhere
        sent = {"per_agent": "5", "uncertain_pct": "0", "reviewer": [alice.email]}
        as_alice.post(f"/projects/{project.pk}/samples/", sent)
        ids = [call.pk for call in calls]
        as_alice.post(
            f"/projects/{project.pk}/calibrations/", {"call": ids, "rater": [alice.email, bob.email]}
        )
        first, second = (f"/calls/{call.pk}/review/" for call in calls)
        answers = {"answer:greeting": "met", "answer:identity": "met"}

        assert "Submit and next: 1 left" in page(as_alice.get(first)).text
        assert as_alice.post(first, {"do": "next"} | answers).url == second
        assert "/calibrations/" in as_alice.post(second, {"do": "submit"} | answers).url

    def test_is_none_of_an_open_calibration_for_who_reviews_drawn_calls(
        self, as_alice, as_bob, project, calls, alice, bob
    ):
        drawn = bring(project, line(3), line(4))
        sent = {"per_agent": "5", "uncertain_pct": "0", "reviewer": [alice.email]}
        as_alice.post(f"/projects/{project.pk}/samples/", sent)
        ids = [call.pk for call in calls]
        as_alice.post(
            f"/projects/{project.pk}/calibrations/", {"call": ids, "rater": [alice.email, bob.email]}
        )
        first, second = (f"/calls/{call.pk}/review/" for call in drawn)
        answers = {"answer:greeting": "met", "answer:identity": "met", "blind": "true"}

        assert "Submit and next: 1 left" in page(as_alice.get(first)).text
        assert as_alice.post(first, {"do": "next"} | answers).url == second
        assert "Submit and next" not in page(as_alice.get(second)).text


class TestSettled:
    """A settled calibration keeps what was agreed on in sight."""

    def test_shows_each_settled_answer_and_who_differs_from_it(
        self, calibration, as_alice, as_bob, project, calls, alice, bob
    ):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        rate(as_alice, calls[0], "met")
        rate(as_bob, calls[0], "not_met")
        as_alice.post(address, {"do": "close"})
        as_bob.post(address, {"do": "settle", f"answer:{calls[0].pk}:greeting": "not_met"})

        answer = as_alice.get(address)
        html, text = answer.content.decode(), page(answer).text

        assert f"Settled by {bob.email} on " in text
        settled = re.findall(r'data-label="Settled answer">.*?</svg>([^<]+)</span>', html)
        assert sorted(settled) == ["met", "not met"]
        marked = re.findall(r'<td class="stands-out" data-label="([^"]+)"[^>]*>', html)
        # Of the greeting the expert and the machine, of the other criterion the other person.
        assert sorted(marked) == sorted(["Machine", alice.email, bob.email])
        assert "Marked: another answer than the settled one." in text
        assert page(answer).all("a", href=f"/calls/{calls[0].pk}/#review-title")

    def test_leads_to_no_review_of_a_call_that_nobody_rated(self, calibration, as_alice, project, calls):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        rate(as_alice, calls[0], "met")
        as_alice.post(address, {"do": "close"})
        as_alice.post(address, {"do": "settle"})

        shown = page(as_alice.get(address))

        assert not shown.all("a", href=f"/calls/{calls[1].pk}/#review-title")
        assert "Nothing was settled for this call." in shown.text

    def test_is_kept_from_who_rates_the_call_in_another_calibration(
        self, calibration, as_alice, as_bob, project, calls, alice, bob
    ):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        rate(as_alice, calls[0], "met")
        as_alice.post(address, {"do": "close"})
        as_alice.post(address, {"do": "settle"})
        calibration_edits.open_calibration(project.pk, CalibrationPlan([calls[0].pk], [bob.email]), alice)

        assert not page(as_bob.get(address)).all("a", href=f"/calls/{calls[0].pk}/#review-title")
        assert page(as_alice.get(address)).all("a", href=f"/calls/{calls[0].pk}/#review-title")

    def test_says_why_the_machine_has_no_answer(self, calibration, as_alice, project, calls):
        address = f"/projects/{project.pk}/calibrations/{calibration.pk}/"
        rate(as_alice, calls[0], "met")
        rating = Review.all_objects.get()
        rating.criteria = [{**each, "machine_answer": None} for each in rating.criteria]
        rating.save()
        as_alice.post(address, {"do": "close"})

        assert "The machine did not evaluate this." in page(as_alice.get(address)).text
