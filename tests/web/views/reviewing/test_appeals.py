"""The list of appeals: what a decision rests on, and the answers that may be given."""

import re

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.calls.own_calls import link_user
from callscope.interfaces.web.views.agents import appeals as appeal_pages
from callscope.projects.services import share_project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.sampling.draw import collect_sample
from tests.web.conftest import bring, line, page, visitor_of
from tests.web.views.reviewing.test_samples import judge


@pytest.mark.django_db
class TestAppeals:
    @pytest.fixture
    def call(self, project):
        return bring(project, line(greeting=0))[0]

    def file(self, call, by, *, criterion="greeting", answer="not_met"):
        now = timezone.now()
        return Appeal.objects.create(
            call=call, project=call.project, criterion_id=criterion, criterion_name="Greets", judged_at=now,
            answer=answer, appellant=by, reason="I did say hello.", created_at=now,
        )  # fmt: skip

    def choices(self, shown):
        return [each["value"] for each in shown.all("option")]

    def test_show_what_the_machine_found_and_looked_for(self, as_alice, call, bob):
        self.file(call, bob)

        shown = page(as_alice.get("/appeals/"))

        assert "Looked for: The agent greets. The machine not met Said at the start." in shown.text
        assert "The reviewer" not in shown.text
        assert shown.text.count("waits for a decision") == 0  # the filter above says so
        assert "Waiting Accepted Refused" in shown.text

    def test_say_whose_call_they_are_about_and_what_is_at_stake(self, as_alice, call, bob):
        self.file(call, bob)

        text = page(as_alice.get("/appeals/")).text

        assert "call-1.wav Ana Ruiz · Service line · Mar 1, 2026 10:00 Greets Points at stake: 10" in text

    @pytest.mark.parametrize("decision", ["accepted", "refused"])
    def test_name_the_call_once_they_are_decided(self, as_alice, call, bob, decision):
        appeal = self.file(call, bob)
        sent = {"decision": decision, "reason": "Heard it.", "answer": "met"}

        answer = as_alice.post(f"/appeals/{appeal.pk}/decide/", sent, follow=True)

        assert f"The appeal about call-1.wav was {decision}." in page(answer).text

    @pytest.mark.parametrize(
        ("decision", "said"),
        [
            ("accepted", "accepted it on {}, with the answer: met. Heard it."),
            ("refused", "refused it on {}. Heard it."),
        ],
    )
    def test_say_who_decided_and_nothing_of_what_was_at_stake(
        self, as_alice, alice, call, bob, decision, said
    ):
        appeal = self.file(call, bob)
        as_alice.post(
            f"/appeals/{appeal.pk}/decide/", {"decision": decision, "reason": "Heard it.", "answer": "met"}
        )
        Appeal.objects.update(decided_at="2026-04-02T10:00:00Z")

        text = page(as_alice.get(f"/appeals/?state={decision}")).text

        assert f"{alice.email} {said.format('Apr 2, 2026 10:00')}" in text
        assert "Points at stake" not in text

    def test_ask_for_a_reason_in_words_of_the_page(self, as_alice, call, bob):
        self.file(call, bob)

        shown = page(as_alice.get("/appeals/"))

        assert [each["data-missing"] for each in shown.all("form") if "data-missing" in each] == [
            "Give a reason."
        ]
        assert any("missing" in each.get("src", "") for each in shown.all("script"))

    def test_are_called_in_spanish_as_the_page_is(self, alice, call, bob):
        self.file(call, bob)

        text = page(visitor_of(alice, headers={"accept-language": "es"}).get("/appeals/")).text

        assert f"{bob.email} presentó la impugnación el" in text
        assert "reclamó" not in text
        assert "Pendientes Aceptadas Rechazadas" in text  # each tab names a list

    def test_lead_to_the_second_of_the_quote(self, as_alice, project, bob):
        call = bring(project, line(2))[0]
        self.file(call, bob, answer="met")

        shown = page(as_alice.get("/appeals/"))

        assert "“good morning” 0:03" in shown.text or "good morning 0:03" in shown.text
        assert shown.all("a", href=f"/calls/{call.pk}/#t=3")

    def test_show_the_reasons_of_machine_and_reviewer_apart(self, as_alice, call, bob):
        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        analysis.machine_copc = analysis.copc
        first, *rest = analysis.copc["criterion_scores"]
        mine = {**first, "justification": "Far too late.", "source": "person"}
        analysis.copc = {**analysis.copc, "criterion_scores": [mine, *rest]}
        analysis.save()
        self.file(call, bob)

        text = page(as_alice.get("/appeals/")).text

        assert "The machine not met Said at the start. The reviewer not met Far too late." in text
        assert "The previous answer" not in text  # the reviewer's, which stands below

    def test_offer_the_answers_that_the_criterion_allows_without_the_one_that_stands(
        self, as_alice, call, bob
    ):
        self.file(call, bob)
        assert self.choices(page(as_alice.get("/appeals/"))) == ["met"]

        Appeal.objects.all().delete()
        self.file(call, bob, criterion="identity", answer="met")
        assert self.choices(page(as_alice.get("/appeals/"))) == ["not_met", "not_applicable"]


@pytest.mark.django_db
class TestAnAnswerThatNoLongerCounts:
    """A call may be scored again, or reviewed, before an appeal about it is decided."""

    @pytest.fixture
    def call(self, project):
        return bring(project, line(greeting=0))[0]

    def file(self, call, bob, **of):
        return TestAppeals().file(call, bob, **of)

    def test_is_said_with_what_a_person_answered_since(self, as_alice, call, bob, carol):
        share_project(call.project, carol, role="editor")
        self.file(call, bob)
        judge(call, carol, "met")

        shown = page(as_alice.get("/appeals/"))

        said = "The answer “not met” no longer counts. A person has reviewed the call since: “met”."
        assert f"Greets nothing at stake {bob.email} appealed on" in shown.text
        assert f"{said} Decide the appeal all the same, so that it is closed." in shown.text
        assert "Points at stake" not in shown.text and "The previous answer" not in shown.text
        assert f"{said} Decide" in page(as_alice.get(f"/calls/{call.pk}/")).text

    def test_is_said_with_what_the_call_was_scored_since(self, as_alice, call, bob):
        self.file(call, bob, answer="partly")

        text = page(as_alice.get("/appeals/")).text

        said = "The answer “partly” no longer counts. The call was scored again since: “not met”."
        assert said in text and f"{said} Decide" not in text
        assert "Points at stake: 10" in text  # more can be gained still

    def test_is_said_where_the_call_has_the_criterion_no_more(self, as_alice, call, bob):
        self.file(call, bob, criterion="small-talk", answer="met")

        text = page(as_alice.get("/appeals/")).text

        assert "The call was scored again since, and is not judged by this criterion any more." in text
        assert "nothing at stake" in text

    def test_is_not_said_of_one_that_stands(self, as_alice, call, bob, carol):
        self.file(call, bob)
        assert "since" not in page(as_alice.get("/appeals/")).text.partition("I did say hello.")[2]
        share_project(call.project, carol, role="editor")

        judge(call, carol, "not_met")

        text = page(as_alice.get("/appeals/")).text
        assert "A person has reviewed the call since, with the same answer." in text
        assert "Points at stake: 10" in text

    def test_is_the_answer_that_counts_while_the_appeal_waits(self, project, call, carol):
        link_user(project, carol.email, call.agent)
        agents_login = visitor_of(carol)
        self.file(call, carol)
        waiting = page(agents_login.get("/appeals/")).text
        Appeal.objects.update(state="refused", decided_at=timezone.now())

        decided = page(agents_login.get("/appeals/?state=refused")).text

        assert "The answer that counts: not met." in waiting
        assert "The previous answer: not met." in decided

    def test_is_no_matter_once_the_appeal_is_decided(self, as_alice, call, bob):
        self.file(call, bob, answer="partly")
        Appeal.objects.update(state="refused", decided_at=timezone.now())

        assert "no longer counts" not in page(as_alice.get("/appeals/?state=refused")).text


@pytest.mark.django_db
class TestWhoDecides:
    """Of the appeals that wait those that the visitor can decide stand first."""

    @pytest.fixture
    def filed(self, project, alice, bob):
        """Return appeals that the visitor filed, decides, decides after a review, and decides."""
        calls = bring(project, *(line(number, greeting=0) for number in range(1, 5)))
        collect_sample(project, [calls[2].pk], alice)
        return [TestAppeals().file(call, by) for call, by in zip(calls, (alice, bob, bob, bob), strict=True)][
            ::-1
        ]

    def order(self, answer):
        return [each["id"] for each in page(answer).all("h3") if each.get("id", "").startswith("appeal-")]

    def test_is_the_order(self, as_alice, filed):
        answer = as_alice.get("/appeals/")

        text = page(answer).text
        assert "You can decide 2 of 4 waiting appeals." in text
        heads = ["You decide 2", "You decide after your review 1", "Someone else decides 1"]
        assert sorted(text.index(each) for each in heads) == [text.index(each) for each in heads]
        assert (
            'You decide&nbsp;<span class="unit">2</span>' in answer.content.decode()
        )  # never a line of its own
        wanted = [filed[each] for each in (0, 2, 1, 3)]
        assert self.order(answer) == [f"appeal-{each.pk}" for each in wanted]

    def test_is_counted_by_appeals_not_by_calls(self, as_alice, filed, bob):
        TestAppeals().file(filed[1].call, bob, criterion="politeness")  # the call to review has two

        text = page(as_alice.get("/appeals/")).text
        sent = {"decision": "refused", "reason": "Heard it."}
        as_alice.post(f"/appeals/{filed[0].pk}/decide/", sent)
        after = page(as_alice.get("/appeals/")).text

        assert "You can decide 2 of 5 waiting appeals." in text
        assert "You decide after your review 2" in text
        assert text.count("Its 2 appeals are hidden until you submit the review") == 1
        assert "Show the appeals; your review will no longer be blind" in text
        assert "You can decide 1 of 4 waiting appeals." in after
        as_alice.post(f"/calls/{filed[1].call_id}/results/")
        assert "You can decide 3 of 4 waiting appeals." in page(as_alice.get("/appeals/")).text

    def test_is_the_order_over_pages(self, as_alice, filed, monkeypatch):
        monkeypatch.setattr(appeal_pages, "PAGE_SIZE", 2)

        answer = as_alice.get(f"/appeals/?appeal={filed[1].pk}")

        assert self.order(answer) == [f"appeal-{filed[each].pk}" for each in (1, 3)]

    def test_is_what_a_decision_goes_on_with(self, as_alice, filed):
        sent = {"decision": "refused", "reason": "Heard it."}

        first = as_alice.post(f"/appeals/{filed[2].pk}/decide/", sent)
        last = as_alice.post(f"/appeals/{filed[0].pk}/decide/", sent)

        assert first["Location"].endswith(f"#appeal-{filed[0].pk}")
        assert last["Location"] == "/appeals/"

    def test_is_no_heading_where_the_visitor_decides_all(self, as_alice, filed):
        Appeal.objects.filter(pk__in=[filed[1].pk, filed[3].pk]).delete()

        shown = page(as_alice.get("/appeals/"))

        assert "You decide" not in shown.text
        assert len([each for each in shown.all("h2") if each.get("id", "").startswith("appeal-")]) == 2


@pytest.mark.django_db
class TestOfOneAgent:
    """The list of appeals about the calls of the agent whom the address names."""

    @pytest.fixture
    def filed(self, project, bob):
        """Return an appeal about a call of each of two agents."""
        calls = bring(project, *(line(number, greeting=0, agent_name=f"Agent {number}") for number in (1, 2)))
        return [TestAppeals().file(call, bob) for call in calls]

    def list_names(self, found):
        return [each["href"] for each in found.all("a") if re.fullmatch(r"/calls/[0-9]+/", each["href"])]

    def test_leaves_out_those_of_others(self, as_alice, filed):
        agent = filed[0].call.agent

        found = page(as_alice.get(f"/appeals/?agent={agent.pk}"))

        assert set(self.list_names(found)) == {f"/calls/{filed[0].call_id}/"}
        assert f"About calls of {agent.name} alone." in found.text
        for state in ("open", "accepted", "refused", "withdrawn"):
            assert found.all("a", href=f"?state={state}&agent={agent.pk}")
        assert found.all("a", href="?state=open")
        assert len(set(self.list_names(page(as_alice.get("/appeals/"))))) == 2

    @pytest.mark.parametrize("asked", ["0", "999999999", "x", "-1", "9" * 40])
    def test_is_empty_for_an_agent_that_is_not_there(self, as_alice, filed, asked):
        found = page(as_alice.get(f"/appeals/?agent={asked}"))

        assert not self.list_names(found)
        assert "There are no appeals about calls of this agent. Appeals of all agents" in found.text

    def test_says_nothing_of_agents_of_other_projects(self, as_carol, filed):
        found = page(as_carol.get(f"/appeals/?agent={filed[0].call.agent_id}"))

        assert "There are no appeals about calls of this agent." in found.text
        assert filed[0].call.agent.name not in found.text


class TestPlaceInTheList:
    """An appeal is found on whichever page it is, and a decision leads back to where it was made."""

    DECISION = {"decision": "refused", "reason": "Heard it."}

    @pytest.fixture
    def listed(self, project, bob, monkeypatch):
        """Five appeals, the newest first, on pages of two."""
        monkeypatch.setattr(appeal_pages, "PAGE_SIZE", 2)
        calls = bring(project, *(line(number, greeting=0) for number in range(1, 6)))
        return [TestAppeals().file(call, bob) for call in calls][::-1]

    def shown(self, answer):
        return [each["id"] for each in page(answer).all("h2") if each.get("id", "").startswith("appeal-")]

    def test_is_the_page_of_the_appeal_that_the_address_names(self, as_alice, listed):
        answer = as_alice.get(f"/appeals/?appeal={listed[3].pk}")

        assert self.shown(answer) == [f"appeal-{each.pk}" for each in listed[2:4]]
        assert {each["tabindex"] for each in page(answer).all("h2") if "tabindex" in each} == {"-1"}

    def test_is_in_the_list_of_its_state(self, as_alice, listed):
        as_alice.post(f"/appeals/{listed[0].pk}/decide/", self.DECISION)

        assert self.shown(as_alice.get(f"/appeals/?appeal={listed[0].pk}")) == [f"appeal-{listed[0].pk}"]

    @pytest.mark.parametrize("appeal_id", ["0", "x", "9" * 30])
    def test_is_the_first_page_for_an_appeal_that_is_not_there(self, as_alice, listed, appeal_id):
        assert len(self.shown(as_alice.get(f"/appeals/?appeal={appeal_id}"))) == 2

    @pytest.mark.parametrize(("decided", "near", "rest"), [(2, 3, [3, 4]), (3, 4, [2, 4]), (4, 3, [2, 3])])
    def test_is_the_next_one_on_the_same_page_after_a_decision(self, as_alice, listed, decided, near, rest):
        answer = as_alice.post(f"/appeals/{listed[decided].pk}/decide/", self.DECISION, follow=True)

        place = f"appeal-{listed[near].pk}"
        assert answer.redirect_chain[-1][0] == f"/appeals/?appeal={listed[near].pk}#{place}"
        assert self.shown(answer) == [f"appeal-{listed[each].pk}" for each in rest]

    def test_is_the_appeal_itself_where_the_decision_was_refused(self, as_alice, listed):
        answer = as_alice.post(
            f"/appeals/{listed[3].pk}/decide/", {"decision": "refused", "reason": " "}, follow=True
        )

        assert f"appeal-{listed[3].pk}" in self.shown(answer)
        assert answer.redirect_chain[-1][0].endswith(f"#appeal-{listed[3].pk}")

    def test_is_the_empty_list_after_the_last(self, as_alice, listed):
        for each in listed:
            answer = as_alice.post(f"/appeals/{each.pk}/decide/", self.DECISION)

        assert answer["Location"] == "/appeals/"

    def test_is_the_call_where_it_was_decided_there(self, as_alice, listed):
        [appeal, *_] = listed
        form = page(as_alice.get(f"/calls/{appeal.call_id}/"))
        assert form.all("input", name="back", value="call")

        answer = as_alice.post(f"/appeals/{appeal.pk}/decide/", {**self.DECISION, "back": "call"})

        assert answer["Location"] == f"/calls/{appeal.call_id}/#appeals-title"
