"""The list of appeals: what a decision rests on, and the answers that may be given."""

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
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
