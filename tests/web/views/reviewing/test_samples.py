"""Draws of calls to review, the work list, and the agreement, on their pages."""

import json
import re
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import UploadedFile
from callscope.interfaces.web.templatetags.icons import draw_icon
from callscope.interfaces.web.views.reviewing.agreement import judge_criteria, place_most_apart_first
from callscope.interfaces.web.views.reviewing.samples import DrawSize, SampleForm, choose_reviewers
from callscope.interfaces.web.waiting import count_waiting
from callscope.pipeline.decisions.review_edits import create_review
from callscope.projects.services import configure_project, create_project, share_project
from callscope.reviews.agreement import blind_agreement
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.effect import settle_calls
from callscope.reviews.findings import GivenFinding
from callscope.reviews.models import ReviewSample, SampledCall
from callscope.reviews.reading import note_reading
from callscope.reviews.revisions import GivenReview
from callscope.reviews.sampling.draw import collect_sample
from callscope.reviews.sampling.listing import list_sampled_calls
from callscope.reviews.sampling.work_list import list_progress, reviewed_calls
from callscope.transcription.models import Transcript
from tests.web.conftest import bring, line, page, visitor_of


@pytest.fixture
def calls(project):
    return bring(project, line(1), line(2))


@pytest.fixture
def draw(as_alice, project, calls, alice):
    def draw(**fields):
        sent = {"per_agent": "5", "uncertain_pct": "0", "reviewer": [alice.email]}
        answer = as_alice.post(f"/projects/{project.pk}/samples/", sent | fields)
        ReviewSample.objects.filter(due=None).update(due="2026-01-05")
        return answer

    return draw


def judge(call, by, answer, findings=(), but=None):
    from callscope.reviews.criteria import KnownCriteria, list_criteria

    analysis = CallAnalysis.objects.get(call=call, is_live=True)
    answers = [
        GivenAnswer(each["criterion_id"], (but or {}).get(each["criterion_id"], answer))
        for each in list_criteria(analysis, KnownCriteria(call.project))
    ]
    create_review(call.pk, GivenReview(answers, blind=True, submits=True, findings=findings), by)


class TestWorkList:
    def test_holds_what_was_drawn_until_it_is_reviewed(self, draw, as_alice, project, calls, alice):
        assert draw().status_code == 302
        address = f"/projects/{project.pk}/reviews/"
        before = page(as_alice.get(address))
        judge(calls[0], alice, "met")

        after = page(as_alice.get(address))

        assert "overdue" in before.text
        waiting = {f"/calls/{call.pk}/review/" for call in calls}
        assert {each.get("href") for _, each in before.elements} >= waiting
        assert {each.get("href") for _, each in after.elements} & waiting == {f"/calls/{calls[1].pk}/review/"}
        assert "1 of 2" in after.text


def test_a_draw_says_which_reviews_will_not_be_blind(draw, as_alice, alice, bob, calls):
    note_reading(calls[0].pk, alice)
    note_reading(calls[1].pk, bob)  # who is not to review it

    sample = draw().url
    found = page(as_alice.get(sample)).text

    assert "The review of 1 of them will not be blind: its reviewer has opened the results." in found
    assert found.count("not blind: the reviewer has opened the results") == 1
    assert "call-1.wav" in found[: found.index("not blind: the")].rpartition("to review")[0]
    judge(calls[0], alice, "met")
    assert "has opened the results" not in page(as_alice.get(sample)).text


class TestListOfSamples:
    def shown(self, client, project):
        text = page(client.get(f"/projects/{project.pk}/reviews/")).text
        return text[text.index("Samples") :]

    def test_says_what_was_drawn_by_whom_and_what_is_overdue(self, draw, as_alice, project, calls, alice):
        draw(per_agent="3")
        first = ReviewSample.objects.get()
        said = f"Sample {first.pk} up to 3 calls of each agent drawn by alice@example.com"

        assert said in self.shown(as_alice, project)
        assert "0 of 2 Jan 5, 2026 overdue" in self.shown(as_alice, project)
        for call in calls:
            judge(call, alice, "met")
        assert "2 of 2 Jan 5, 2026" in self.shown(as_alice, project)
        assert "overdue" not in self.shown(as_alice, project)

    def test_has_those_that_were_withdrawn_as_a_whole_last(self, draw, as_alice, project):
        draw(per_agent="1")
        kept = ReviewSample.objects.get()
        as_alice.post(draw(per_agent="1").url)  # nothing of it was begun
        withdrawn = ReviewSample.objects.exclude(pk=kept.pk).get()

        text = self.shown(as_alice, project)

        assert text.index(f"Sample {kept.pk}") < text.index(f"Sample {withdrawn.pk}")
        assert "withdrawn –" in text[text.index(f"Sample {withdrawn.pk}") :]

    def test_is_linked_from_each_call_that_waits(self, draw, as_alice, project):
        draw()
        address = f"/projects/{project.pk}/samples/{ReviewSample.objects.get().pk}/"

        links = page(as_alice.get(f"/projects/{project.pk}/reviews/")).all("a", href=address)

        assert len(links) == 3  # two calls, and the list of samples

    def test_stands_next_to_calibrations(self, draw, as_alice, project):
        draw()

        shown = page(as_alice.get(f"/projects/{project.pk}/reviews/"))

        assert shown.all("div", **{"class": "side-by-side"})
        assert not shown.all("textarea")


class TestWithdraw:
    def test_takes_back_what_nobody_has_begun(self, draw, as_alice, project, calls, alice):
        address = draw().url
        create_review(calls[0].pk, GivenReview([], blind=True, submits=False), alice)

        before = page(as_alice.get(address))
        after = page(as_alice.post(address, follow=True))

        [asked] = [each["data-confirm"] for each in before.all("button") if "data-confirm" in each]
        assert asked.startswith("Withdraw 1 call that nobody has begun to review?")
        assert "1 call was withdrawn." in after.text
        assert "drew 2 of 2 calls" in after.text
        assert "1 of them was withdrawn." in after.text
        assert [each.call for each in SampledCall.objects.all()] == [calls[0]]
        assert ReviewSample.objects.get().withdrawn == 1
        assert AuditEvent.objects.filter(action="sample.withdrawn").count() == 1

    def test_keeps_reviews_and_says_when_nothing_is_left(self, draw, as_alice, project, calls, alice):
        address = draw().url

        gone = page(as_alice.post(address, follow=True))
        again = page(as_alice.post(address, follow=True))

        for shown in (gone, again):
            assert "All calls of this sample were withdrawn." in shown.text
            assert "drew 2 of 2 calls" in shown.text
        listed = page(as_alice.get(f"/projects/{project.pk}/reviews/")).text
        assert "overdue" not in listed
        for text in (gone.text, listed):
            assert "0 of 0" not in text

    def test_is_for_who_may_write(self, draw, project, carol):
        address = draw().url
        share_project(project, carol, role="viewer")

        assert visitor_of(carol).post(address).status_code == 403
        assert SampledCall.objects.count() == 2


class TestDraw:
    def test_is_looked_up_on_one_page(self, draw, as_alice, project, calls, alice):
        shown = page(as_alice.get(draw(seed="42").url))
        spanish = visitor_of(alice, headers={"accept-language": "es"})
        listed = page(spanish.get(f"/projects/{project.pk}/reviews/")).text

        assert ReviewSample.objects.get().seed == 42
        assert SampledCall.objects.count() == 2
        for text in ("drew 2 of 2 calls", "42", "at random", "alice@example.com", calls[0].file_name):
            assert text in shown.text
        rows = " ".join(shown.text.partition("Call Agent Length Reviewer")[2].split())
        agent = calls[0].agent.name  # below the name on a tablet, else in a column
        assert f"{calls[0].file_name} {agent} · 1:00 {agent} 1:00 alice" in rows
        assert "The same seed draws the same calls again" in shown.text
        assert "hash" not in shown.text
        assert "Revisadas" in listed

    def test_leaves_out_calls_that_were_drawn_before(self, draw, as_alice, project, calls):
        form = page(as_alice.get(f"/projects/{project.pk}/samples/"))
        [box] = [each for _, each in form.elements if each.get("name") == "leave_out_drawn"]
        draw(per_agent="1")

        shown = page(as_alice.get(draw(leave_out_drawn="on").url))

        assert "checked" in box
        assert ReviewSample.objects.latest("pk").left_out == 1
        assert "Drawn before and left out 1" in " ".join(shown.text.split())
        assert SampledCall.objects.count() == 2

    def test_says_before_how_many_calls_it_draws_and_for_each_reviewer(self, draw, as_alice, project, calls):
        bring(project, line(3, agent_name="Ben Okafor"))
        address = f"/projects/{project.pk}/samples/"
        form = page(as_alice.get(address))
        draw(per_agent="1", agent=str(calls[0].agent_id))
        draw(per_agent="1", seed="1")

        after = page(as_alice.get(address))
        wrong = page(draw(uncertain_pct="x", per_agent="1", leave_out_drawn="on"), 400)
        unread = page(draw(per_agent="x"), 400)

        assert "Calls to draw 3 Reviewers 1 Calls for each reviewer 3" in form.text
        reasons = [each for each in form.all("span") if "data-fewer" in each]
        assert [each["data-fewer"] for each in reasons if "hidden" not in each] == ["left"]
        assert sum("hidden" in each for each in reasons) == 1
        [counted] = [each["data-drawable"] for each in form.all("dl") if "data-drawable" in each]
        assert sorted(json.loads(counted)) == [[1, 1], [2, 2]]
        assert "Calls to draw 1 " in after.text  # one of each agent was drawn without filters
        assert "Calls to draw 1 Reviewers 1 Calls for each reviewer 1" in wrong.text
        assert "Calls to draw – Reviewers 1 Calls for each reviewer –" in unread.text

    @pytest.mark.parametrize("form", ["samples", "sampling-plans"])
    def test_chooses_its_reader_as_reviewer_and_can_be_sent_at_once(
        self, as_alice, project, calls, alice, bob, form
    ):
        share_project(project, bob, role="editor")

        for user in (alice, bob):
            shown = page(visitor_of(user).get(f"/projects/{project.pk}/{form}/"))
            boxes = shown.all("input", name="reviewer")
            assert [box["value"] for box in boxes if "checked" in box] == [user.email]
        inputs = [box for box in shown.all("input") if box.get("type") != "checkbox" or "checked" in box]
        filled = {each["name"]: each.get("value", "on") for each in inputs if each.get("name")}
        answer = visitor_of(bob).post(f"/projects/{project.pk}/{form}/", filled)
        assert answer.status_code == 302

    def test_chooses_who_alone_can_review_where_its_reader_cannot(self, alice, bob):
        assert choose_reviewers([alice.email], bob) == [alice.email]
        assert choose_reviewers([alice.email, "else@example.com"], bob) == []

    @pytest.mark.parametrize(("people", "fewest", "most"), [(1, 5, 5), (2, 2, 3), (4, 1, 2), (0, None, None)])
    def test_splits_calls_evenly(self, people, fewest, most):
        size = DrawSize.of(SampleForm(per_agent="4", reviewers=["x"] * people), [(9, 4), (2, 1)])

        assert (size.calls, size.fewest, size.most, size.is_short) == (5, fewest, most, True)

    @pytest.mark.parametrize(("leave_out", "is_short"), [(True, True), (False, False)])
    def test_says_whether_agents_have_fewer_calls_than_are_wanted(self, leave_out, is_short):
        form = SampleForm(per_agent="2", reviewers=["x"], leave_out_drawn=leave_out)

        assert DrawSize.of(form, [(9, 4), (2, 1)]).is_short is is_short

    def test_says_which_calls_its_filters_leave(self, draw, as_alice, project, calls):
        agent = calls[0].agent
        shown = page(as_alice.get(draw(agent=str(agent.pk), min_length="1", goal="").url))

        assert ReviewSample.objects.get().filters == {"agent": str(agent.pk), "min_length": "1"}
        for text in (agent.name, "Length from", "This sample has filters"):
            assert text in shown.text

    @pytest.mark.parametrize(
        ("wrong", "sentence"),
        [
            ({"min_score": "many"}, "many"),
            ({"per_agent": "0"}, "“0” is not allowed. Type a whole number from 1 to 1,000."),
            ({"per_agent": " "}, "Calls of each agent Type a whole number from 1 to 1,000."),
            ({"uncertain_pct": "x"}, "“x” is not allowed. Type a whole number from 0 to 100."),
            ({"seed": "-1"}, "Type a whole number from 0 to"),
            ({"due": "soon"}, "is not a date"),
            ({"due": "2026-01-05"}, "Jan 5, 2026 is over. Choose today or a later day."),
            ({"start_date": "2030-01-01"}, "No call matches these days and filters."),
            ({"min_score": "100", "max_score": "100", "direction": "outbound"}, "No call matches these days"),
            ({"start_date": "2026-11-20", "end_date": "2026-11-01"}, "is before the first (Nov 20, 2026)."),
            ({"reviewer": []}, "Choose at least one reviewer."),
            ({"reviewer": ["x"]}, "cannot review calls of this project"),
        ],
    )
    def test_says_what_is_wrong(self, draw, wrong, sentence):
        assert sentence in page(draw(**wrong), 400).text
        assert not ReviewSample.objects.exists()

    def test_stores_none_where_all_calls_were_drawn_before(self, draw):
        draw()

        said = page(draw(leave_out_drawn="on"), 400).text

        assert "All calls that match were drawn before. To draw them again, choose not to" in said
        assert ReviewSample.objects.count() == 1

    def test_may_be_due_today(self, draw):
        assert draw(due=timezone.localdate().isoformat()).status_code == 302

    def test_is_for_writers_alone(self, draw, as_carol, project, carol):
        address = draw().url
        assert as_carol.get(address).status_code == 404

        share_project(project, carol, role="viewer")

        assert as_carol.get(address).status_code == 403
        assert as_carol.get(f"/projects/{project.pk}/samples/").status_code == 403


class TestAgreementPage:
    def test_shows_figures_and_the_calls_that_differ(self, as_alice, project, calls, alice):
        judge(calls[0], alice, "not_met")

        shown = page(as_alice.get(f"/projects/{project.pk}/agreement/"))

        assert "machine met, person not met" in shown.text
        assert calls[0].file_name in shown.text
        links = [a.get("href") for a in shown.all("a")]
        assert f"/calls/{calls[0].pk}/#criterion-greeting" in links
        assert 'id="criterion-greeting"' in as_alice.get(f"/calls/{calls[0].pk}/").content.decode()
        assert "Too few blind reviews to trust any criterion yet." in shown.text
        assert shown.text.count("too few answers") >= 3  # and in each row

    def test_says_how_many_more_reviews_give_the_first_verdict(self, as_alice, project, alice):
        calls = bring(project, *[line(n) for n in range(1, 21)])
        address = f"/projects/{project.pk}/agreement/"

        def read():
            shown = page(as_alice.get(address))
            assert shown.all("a", href=f"/projects/{project.pk}/samples/")
            return shown.text

        asked = "{} give the first verdict: a criterion needs 20 answers."
        assert asked.format("20 more blind reviews") in read()
        for call in calls[:18]:
            judge(call, alice, "met")
        text = read()
        assert asked.format("2 more blind reviews") in text
        assert text.count("too few answers 2 more needed") == 2
        judge(calls[18], alice, "met")
        assert "1 more blind review gives the first verdict" in read()
        judge(calls[19], alice, "met")
        text = read()
        assert "the first verdict" not in text
        assert "more needed" not in text.partition("Mistakes, prompts")[0]

    def test_offers_a_draw_only_where_it_finds_calls(self, as_alice, alice, project):
        def read(shown):
            addresses = (f"/projects/{shown.pk}/agreement/", f"/projects/{shown.pk}/samples/")
            found, form = (page(as_alice.get(each)) for each in addresses)
            said = re.findall(r"There are no calls to draw[^.]*\.", found.text)
            assert re.findall(r"There are no calls to draw[^.]*\.", form.text) == said
            return said, bool(found.all("a", href=addresses[1]))

        assert read(project) == (["There are no calls to draw yet: the project has none."], False)
        calls = bring(project, line(1, copc=None), line(2, copc=None))
        assert read(project) == (["There are no calls to draw yet: none has a score."], False)
        plain = create_project(alice, "Without a rubric", document={})
        bring(plain, line(3, copc=None))
        why = "There are no calls to draw: the rubric has no criterion to score them by."
        assert read(plain) == ([why], False)

        bring(project, line(1))
        assert read(project) == ([], True)
        CallAnalysis.objects.filter(call__in=calls).update(is_live=False)
        now = timezone.now()
        UploadedFile.objects.filter(call=calls[0]).update(results_removed_at=now)
        assert read(project) == (["There are no calls to draw yet: none has a score."], False)
        UploadedFile.objects.filter(call=calls[1]).update(results_removed_at=now)
        assert read(project) == (["There are no calls to draw: none has results any more."], False)

    def test_begins_with_where_most_answers_differ(self, as_alice, project, calls, alice):
        judge(calls[0], alice, "met")
        judge(calls[1], alice, "met", but={"identity": "not_met"})

        text = page(as_alice.get(f"/projects/{project.pk}/agreement/")).text

        assert "Machine and people agree on 3 of 4 answers." in text
        assert "Beyond chance (κ)" in text.partition("How to read the figures")[0]
        assert "From 2 blind reviews." in text
        assert "Look at “Verifies the caller” first: 1 of 2 answers differ." in text
        table = text.partition("Criteria with too few answers, or only one answer")[2]
        assert table.index("Verifies the caller") < table.index("Greets")
        spanish = page(
            visitor_of(alice, headers={"accept-language": "es"}).get(f"/projects/{project.pk}/agreement/")
        ).text
        assert "coinciden en 3 de 4 respuestas" in spanish

    @pytest.mark.parametrize("answer", ["met", "not_met"])
    def test_names_no_criterion_to_look_at_where_all_answers_are_the_same(
        self, as_alice, project, calls, alice, answer
    ):
        judge(calls[0], alice, answer)

        text = page(as_alice.get(f"/projects/{project.pk}/agreement/")).text

        assert ("Look at “" in text) == (answer == "not_met")

    def test_says_which_days_have_no_blind_review(self, as_alice, project, calls, alice):
        judge(calls[0], alice, "met")
        address = f"/projects/{project.pk}/agreement/"

        shown = page(as_alice.get(address, {"start_date": "2020-11-01", "end_date": "2020-11-30"}))

        assert "No call from Nov 1, 2020 to Nov 30, 2020 has a blind review." in shown.text
        assert "There are no blind reviews yet." not in shown.text
        assert "the first verdict" not in shown.text
        assert shown.all("a", href=address)
        html = as_alice.get(address, {"end_date": "2020-11-30"}).content.decode()
        assert html.partition('<div class="empty">')[2].startswith(draw_icon("info"))  # nothing is done
        assert "up to Nov 30, 2020" in page(as_alice.get(address, {"end_date": "2020-11-30"})).text

    def test_says_how_many_disagreements_are_not_listed(self, as_alice, project, calls, alice, bob):
        share_project(project, bob, "editor")
        for reviewer in (alice, bob):
            judge(calls[0], reviewer, "not_met")
        judge(calls[1], bob, "not_met")
        collect_sample(project, [calls[1].pk], alice)

        text = page(as_alice.get(f"/projects/{project.pk}/agreement/")).text

        assert "3 disagreements" in text
        assert text.count(f"{calls[0].file_name} : machine met, person not met (2 reviews)") == 2  # criteria
        assert "1 disagreement is not listed: you still have to review or rate its call yourself." in text
        assert f"{calls[1].file_name} : machine" not in text

    def test_lists_the_first_disagreements_of_many(self, as_alice, project, alice, monkeypatch):
        monkeypatch.setattr(blind_agreement, "MOST_EXAMPLES", 2)
        for call in bring(project, *[line(n) for n in range(1, 5)]):
            judge(call, alice, "not_met")

        text = page(as_alice.get(f"/projects/{project.pk}/agreement/")).text

        assert "4 disagreements" in text and "And 2 more." in text

    def test_places_most_disagreements_first_and_keeps_the_order_of_the_rest(self):
        rows = [SimpleNamespace(name=name, differing=n) for name, n in (("a", 1), ("b", 7), ("c", 1))]

        assert [row.name for row in place_most_apart_first(rows)] == ["b", "a", "c"]

    @pytest.mark.parametrize(
        ("all_few", "verdict"), [(True, "too few answers to each criterion"), (False, "good enough")]
    )
    def test_calls_answers_to_many_criteria_reliable_only_next_to_one_with_enough(self, all_few, verdict):
        figures = {"n": 54, "raw_pct": 94.0, "kappa": 0.9, "kappa_low": None, "ac1": 0.9, "ac1_low": None}
        pooled = SimpleNamespace(
            **figures, is_weak=False, is_few=False, is_reliable=True, has_one_answer=False
        )
        context = {"a": pooled, "is_pool": True, "all_few": all_few, "undefined": "-"}

        assert verdict in render_to_string("web/reviewing/figures.html", context)

    def test_says_of_many_criteria_together_nothing_about_each(self):
        figures = {"n": 54, "raw_pct": 94.0, "kappa": 0.9, "kappa_low": None, "ac1": 0.9, "ac1_low": None}
        pooled = SimpleNamespace(
            **figures, is_weak=False, is_few=False, is_reliable=True, has_one_answer=False
        )
        context = {"a": pooled, "is_pool": True, "is_pool_pale": True, "undefined": "-"}

        shown = render_to_string("web/reviewing/figures.html", context)

        assert "good enough together" in shown
        assert "mark good" not in shown

    def test_groups_criteria_by_what_is_known_and_folds_the_rest(self):
        verdicts = {"is_weak": False, "is_reliable": False, "is_few": False, "has_one_answer": False}
        rows = [
            SimpleNamespace(agreement=SimpleNamespace(**{**verdicts, name: True}))
            for name in ("is_weak", "is_few", "is_reliable", "has_one_answer")
        ] + [SimpleNamespace(agreement=SimpleNamespace(**verdicts))]

        found = judge_criteria(rows)

        assert [(each.name, each.rows) for each in found["verdicts"]] == [
            ("weak", [rows[0]]),
            ("uncertain", [rows[4]]),
            ("reliable", [rows[2]]),
        ]
        assert found["unsaid"] == [rows[1], rows[3]]
        assert found["is_pool_pale"]

    def test_calls_nothing_reliable_that_was_never_tested(self):
        def shown(**verdict):
            figures = {
                "n": 27,
                "raw_pct": 100.0,
                "kappa": None,
                "kappa_low": None,
                "ac1": 1.0,
                "ac1_low": None,
            }
            row = {"is_weak": False, "is_few": False, "is_reliable": False, "has_one_answer": False} | verdict
            return render_to_string(
                "web/reviewing/figures.html", {"a": SimpleNamespace(**figures, **row), "undefined": "-"}
            )

        assert "nobody knows whether the machine would notice it" in shown(has_one_answer=True)
        assert "only 2 unlike the usual answer" in shown(rare_answers=2)
        assert "unlike the usual" not in shown(rare_answers=12)

    def test_says_in_plain_words_what_kappa_is_and_what_is_good_enough(self, as_alice, alice, project, calls):
        judge(calls[0], alice, "met")

        text = page(as_alice.get(f"/projects/{project.pk}/agreement/")).text

        assert (
            "0 is no better than chance, 1 is always the same answer. From 0.6 on it is good enough" in text
        )
        assert "At least 20 answers, and the whole interval is 0.6 or more" in text
        assert "Beyond chance (κ)" in text
        html = as_alice.get(f"/projects/{project.pk}/agreement/").content.decode()
        assert '<span data-short="κ">Beyond chance (κ)</span></th>' in html, "a head of one line on a tablet"
        summary = html.partition('class="concluded"')[2].partition("<details")[0]
        assert summary.count('<dl class="tally') == 2, "measures and counts apart"
        spanish = visitor_of(alice, headers={"accept-language": "es"})
        text = page(spanish.get(f"/projects/{project.pk}/agreement/")).text
        assert "A partir de 0,6 es suficiente" in text

    def test_says_what_uncertain_criteria_need(self, as_alice, project, alice):
        calls = bring(project, *[line(n, greeting=10 * (n % 2)) for n in range(1, 25)])
        for number, call in enumerate(calls):
            agrees = bool(number % 5)
            judge(call, alice, "met", but={"greeting": "met" if (number % 2 == 0) == agrees else "not_met"})

        shown = page(as_alice.get(f"/projects/{project.pk}/agreement/"))

        assert (
            "Too few blind reviews to trust any criterion yet (1 of 2 not certain, 1 without enough data)."
            in (shown.text)
        )
        assert shown.all("a", href=f"/projects/{project.pk}/samples/")

    def test_shows_mistakes_prompts_and_outcome_with_who_said_what(self, as_alice, project, calls, alice):
        said = [GivenFinding("prompt", "recording", "missed"), GivenFinding("goal", "", "not_reached")]
        judge(calls[0], alice, "met", findings=said)

        shown = page(as_alice.get(f"/projects/{project.pk}/agreement/")).text

        for text in ("Mistakes, prompts and outcome", "Prompt: Says it is recorded", "All prompts", "Goal"):
            assert text in shown
        assert "Where the machine says “said”, people say: said 0, missed 1" in shown
        assert "machine said, person missed" in shown
        assert calls[0].file_name in shown

    def test_refuses_a_day_that_is_none(self, as_alice, project, calls):
        answer = as_alice.get(f"/projects/{project.pk}/agreement/", {"start_date": "soon"})

        assert "is not a date" in page(answer, 400).text

    def test_names_days_in_the_wrong_order_next_to_the_field_and_shows_no_figures(
        self, as_alice, project, calls, alice
    ):
        judge(calls[0], alice, "not_met")
        days = {"start_date": "2026-11-20", "end_date": "2026-11-01"}

        found = page(as_alice.get(f"/projects/{project.pk}/agreement/", days), 400)

        assert "The last day (Nov 1, 2026) is before the first (Nov 20, 2026)." in found.text
        assert [a["name"] for a in found.all("input") if a.get("aria-invalid")] == ["end_date"]
        assert "Same answers" not in found.text and calls[0].file_name not in found.text


class TestTheNextCall:
    """A reviewer goes from one drawn call to the next without the list between them."""

    def test_is_opened_by_the_same_button(self, draw, as_alice, calls):
        draw()
        first = f"/calls/{calls[0].pk}/review/"
        waiting = [call for call in calls if f"/calls/{call.pk}/review/" != first]
        shown = page(as_alice.get(first))
        assert "Submit and next: 1 left" in shown.text

        answers = {"answer:greeting": "met", "answer:identity": "not_met"}
        answer = as_alice.post(first, {"do": "next", "blind": "true"} | answers)

        assert answer.url == f"/calls/{waiting[0].pk}/review/"
        last = page(as_alice.get(answer.url))
        assert "The review was submitted." in last.text
        assert "Submit and show the sample" in last.text
        end = as_alice.post(answer.url, {"do": "next", "blind": "true"} | answers)
        assert end.url == f"/projects/{calls[0].project_id}/samples/{ReviewSample.objects.get().pk}/"

    def test_is_not_opened_where_something_is_wrong(self, draw, as_alice, calls):
        draw()

        answer = as_alice.post(f"/calls/{calls[0].pk}/review/", {"do": "next", "answer:greeting": "met"})

        assert answer.status_code == 400
        assert not SampledCall.objects.filter(call__reviews__isnull=False).exists()

    def test_is_not_offered_for_a_call_that_was_not_drawn(self, as_alice, calls):
        shown = page(as_alice.get(f"/calls/{calls[0].pk}/review/")).text
        assert "Submit and next" not in shown
        assert "show the sample" not in shown

        answer = as_alice.post(
            f"/calls/{calls[0].pk}/review/",
            {"do": "next", "answer:greeting": "met", "answer:identity": "met"},
        )

        assert answer.url == f"/calls/{calls[0].pk}/#review-title"


class TestTheResultOfASample:
    def test_says_what_people_answered_and_how_often_the_machine_did_too(self, draw, as_alice, calls, alice):
        address = draw().url
        assert "Average score by people" not in page(as_alice.get(address)).text
        judge(calls[0], alice, "met")
        judge(calls[1], alice, "not_met")

        shown = page(as_alice.get(address)).text

        # The machine had found both criteria of both calls to be met.
        assert "Average score by people % 50.0 2 calls" in shown
        assert "Same answers as the machine % 50.0 2 of 4" in shown
        assert "Blind reviews 2 of 2" in shown
        assert "100.0 2 of 2" in shown
        assert "0.0 0 of 2" in shown

    def test_says_where_another_score_counts_since(self, draw, as_alice, calls, alice, bob, project):
        address = draw().url
        judge(calls[0], alice, "met")
        judge(calls[1], alice, "not_met")
        assert "counts now" not in page(as_alice.get(address)).text
        share_project(project, bob, role="editor")

        judge(calls[1], bob, "not_met", but={"identity": "met"})  # as an accepted appeal does

        shown = page(as_alice.get(address)).text
        assert "Average score by people % 50.0 2 calls" in shown  # of those for whom they were drawn
        said = (
            "Another score of 1 call counts now, for example after an accepted appeal: with it, the average"
        )
        assert f"{said} is 83.3 %, as in reports." in shown

    def test_says_it_by_the_rule_and_the_criteria_of_today(self, draw, as_alice, calls, alice):
        """As the pages of the calls and reports do, which score a person's answers by them."""
        address = draw().url
        judge(calls[0], alice, "met", but={"greeting": "not_met"})
        judge(calls[1], alice, "met")
        shown = page(as_alice.get(address)).text
        assert "Average score by people % 83.3 2 calls" in shown and "66.7 1 of 2" in shown

        for analysis in CallAnalysis.objects.filter(call__in=calls):
            analysis.machine_copc = None
            analysis.copc |= {"on_critical_error": "zero_score"}
            for row in analysis.copc["criterion_scores"]:
                row["critical"] = row["criterion_id"] == "greeting"
            analysis.save()
        settle_calls(each.pk for each in calls)

        shown = page(as_alice.get(address)).text
        assert "Average score by people % 50.0 2 calls" in shown and "0.0 1 of 2" in shown
        assert "counts now" not in shown
        assert "1 review has another score than when it was submitted: scores follow the criteria" in shown

        first = CallAnalysis.objects.get(call=calls[0])
        first.machine_copc["criterion_scores"][0]["max_points"] = 40
        first.save()
        settle_calls([calls[0].pk])

        shown = page(as_alice.get(address)).text
        assert "Average score by people % 100.0 1 call" in shown
        assert (
            "The review of 1 call is not in the average: its criteria or its transcript have changed" in shown
        )
        assert "100.0 1 of 2 criteria 1 of 2" in shown  # by what still fits

    def test_says_nothing_of_what_counts_where_the_machine_does(
        self, draw, as_alice, calls, alice, bob, project
    ):
        address = draw().url
        judge(calls[0], alice, "not_met")
        share_project(project, bob, role="editor")
        judge(calls[0], bob, "met")
        assert "counts now" in page(as_alice.get(address)).text

        configure_project(project, {**project.config, "reviews": {"counts": "machine"}}, alice)

        assert "counts now" not in page(as_alice.get(address)).text

    def test_leaves_out_a_former_review_of_other_words(self, draw, as_alice, calls, alice, bob, project):
        address = draw().url
        judge(calls[0], alice, "met")
        share_project(project, bob, role="editor")
        judge(calls[0], bob, "met")
        assert "Average score by people % 100.0 1 call" in page(as_alice.get(address)).text

        file = CallAnalysis.objects.get(call=calls[0]).file
        said = {"start": 0.0, "end": 1.0, "speaker": "agent", "text": "Hello."}
        Transcript.objects.create(file=file, project=project, segments=[said], engine="subtitles")

        shown = page(as_alice.get(address)).text
        assert "The review of 1 call is not in the average" in shown
        assert "Criteria or transcript have changed since this review. 2 of 2" in shown

    def test_leaves_reviews_by_others_out(self, draw, as_alice, calls, alice, bob, project):
        address = draw().url
        share_project(project, bob, role="editor")
        judge(calls[0], bob, "met")

        assert "Average score by people" not in page(as_alice.get(address)).text

    def test_hides_an_open_rating(self, draw, as_alice, calls, alice, project):
        address = draw().url
        sent = {"call": calls[0].pk, "rater": [alice.email]}
        assert as_alice.post(f"/projects/{project.pk}/calibrations/", sent).status_code == 302
        as_alice.post(
            f"/calls/{calls[0].pk}/review/",
            {"do": "submit", "answer:greeting": "met", "answer:identity": "met"},
        )

        assert "Same answers" not in page(as_alice.get(address)).text

    def test_offers_the_rating_that_comes_before_a_review(self, draw, as_alice, calls, alice, project):
        address = draw().url
        sent = {"call": calls[0].pk, "rater": [alice.email]}
        calibration = as_alice.post(f"/projects/{project.pk}/calibrations/", sent).url
        name, form = calls[0].file_name, f"/calls/{calls[0].pk}/review/"
        number = calibration.rstrip("/").rpartition("/")[2]

        for where in (address, f"/projects/{project.pk}/reviews/"):
            shown = page(as_alice.get(where))
            named = {a["aria-label"] for a in shown.all("a", href=form)}
            assert named == {f"Rate {name}"} and shown.all(
                "a", **{"aria-label": f"Review {calls[1].file_name}"}
            )
            first = "first rate it in calibration {}" if where == address else "Calibration {} , then"
            assert first.format(number) in shown.text
            assert "· first rate" not in shown.text
            assert shown.all("a", href=calibration)

        as_alice.post(form, {"do": "submit", "answer:greeting": "met", "answer:identity": "met"})

        for where in (address, draw().url, f"/projects/{project.pk}/reviews/"):  # drawn before and since
            shown = page(as_alice.get(where))
            assert not shown.all("a", href=form)
            assert f"review it once calibration {number} is closed" in shown.text

    @pytest.mark.parametrize("is_settled", [False, True])
    def test_takes_no_rating_for_the_review(self, draw, as_alice, calls, alice, project, is_settled):
        address, form = draw().url, f"/calls/{calls[0].pk}/review/"
        sent = {"call": calls[0].pk, "rater": [alice.email]}
        calibration = as_alice.post(f"/projects/{project.pk}/calibrations/", sent).url
        as_alice.post(form, {"do": "submit", "answer:greeting": "met", "answer:identity": "not_met"})
        sample = ReviewSample.objects.get()

        [progress] = list_progress([sample])
        assert progress["reviewed"] == 0
        assert {row["state"] for row in list_sampled_calls(sample)} == {"open"}
        assert not reviewed_calls().exists()
        assert count_waiting(alice).reviews == len(calls)

        as_alice.post(calibration, {"do": "close"})
        if is_settled:
            as_alice.post(calibration, {"do": "settle"})

        for where in (address, f"/projects/{project.pk}/reviews/"):
            named = [a["aria-label"] for a in page(as_alice.get(where)).all("a", href=form)]
            assert named == ([] if is_settled else [f"Review {calls[0].file_name}"])
        [progress] = list_progress([sample])
        assert progress["reviewed"] == int(is_settled)
        assert [row["state"] for row in list_sampled_calls(sample)].count("reviewed") == int(is_settled)
        assert reviewed_calls().count() == int(is_settled)

    def test_leads_to_the_forms_of_its_own_calls(self, draw, as_alice, calls):
        shown = page(as_alice.get(draw().url))

        links = {a.get("href") for a in shown.all("a")}
        assert {f"/calls/{call.pk}/review/" for call in calls} <= links
        assert any("/calibrations/?call=" in (link or "") for link in links)

    def test_says_of_chosen_calls_that_a_person_chose_them(self, as_alice, calls, project):
        as_alice.post("/calls/chosen/", {"do": "sample", "call": [calls[0].pk]})

        shown = page(as_alice.get(f"/projects/{project.pk}/samples/{ReviewSample.objects.get().pk}/"))

        assert "chosen in the list" in shown.text
        assert "least sure" not in shown.text.partition("Why")[2]
