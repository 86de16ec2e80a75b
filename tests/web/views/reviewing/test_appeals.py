"""The list of appeals: what a decision rests on, and the answers that may be given."""

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.interfaces.web.views.agents import appeals as appeal_pages
from callscope.reviews.appeal_records import Appeal
from tests.web.conftest import bring, line, page, visitor_of


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
