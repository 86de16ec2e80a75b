"""The form in which the agent of a call appeals a criterion: what is offered, and what is refused."""

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.calls.own_calls import link_user
from callscope.reviews.appeal_records import Appeal
from tests.web.conftest import bring, line, page
from tests.web.views.reviewing.test_samples import judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(project, carol):
    [call] = bring(project, line(greeting=10, identity=0))
    link_user(project, carol.email, call.agent)
    return call


def send(visitor, call, criterion_id="identity", reason="I asked for the name.", **more):
    sent = {"criterion_id": criterion_id, "reason": reason, **more}
    return visitor.post(f"/calls/{call.pk}/appeals/", sent)


class TestTheChoice:
    def test_begins_with_none_and_has_first_what_cost_points(self, as_carol, call):
        found = page(as_carol.get(f"/calls/{call.pk}/"))

        assert [each["value"] for each in found.all("option")] == ["", "identity", "greeting"]
        assert not any("selected" in each for each in found.all("option"))
        assert [each["label"] for each in found.all("optgroup")] == ["Points lost", "Other criteria"]
        assert "Choose Verifies the caller: not met, 0 of 20 Greets: met, 10 of 10" in found.text

    def test_says_what_counts_with_the_answers_of_a_person(self, as_carol, call, alice):
        judge(call, alice, "met", but={"greeting": "not_met"})

        found = page(as_carol.get(f"/calls/{call.pk}/"))

        assert "Choose Greets: not met, 0 of 10 Verifies the caller: met, 20 of 20" in found.text

    def test_has_what_was_not_evaluated_among_the_others(self, as_carol, call):
        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        [greeting, identity] = analysis.copc["criterion_scores"]
        left_out = {key: identity[key] for key in ("criterion_id", "name", "section")}
        analysis.copc |= {"criterion_scores": [greeting], "not_evaluated": [left_out]}
        analysis.save()

        found = page(as_carol.get(f"/calls/{call.pk}/"))

        assert [each["label"] for each in found.all("optgroup")] == ["Other criteria"]
        assert "Verifies the caller: not evaluated" in found.text

    def test_names_no_points_where_a_criterion_does_not_apply(self, as_carol, call):
        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        identity = analysis.copc["criterion_scores"][1]
        identity |= {"score": 20, "applicability": "not_applicable", "answer": "not_applicable"}
        analysis.save()

        found = page(as_carol.get(f"/calls/{call.pk}/"))

        assert "Verifies the caller: not applicable Why" in found.text

    def test_is_required(self, as_carol, call):
        found = page(send(as_carol, call, criterion_id=""), 400)

        [select] = found.all("select", name="criterion_id")
        assert "required" in select and select["data-missing"] == "Choose a criterion."
        assert select["aria-invalid"] == "true"
        assert [each["id"] for each in found.all("p", id=select["aria-describedby"])]
        assert "Choose a criterion." in found.text
        assert "I asked for the name." in found.text  # what was typed stays
        assert "open" in found.all("details", id="appeal-form")[0]
        assert not Appeal.objects.exists()

    def test_stays_where_the_reason_is_missing(self, as_carol, call):
        found = page(send(as_carol, call, reason="  "), 400)

        assert [each["value"] for each in found.all("option") if "selected" in each] == ["identity"]
        assert found.all("textarea", id="appeal-reason", **{"aria-invalid": "true"})
        assert "Give a reason." in found.text

    def test_is_refused_where_the_call_has_no_such_criterion(self, as_carol, call):
        found = page(send(as_carol, call, criterion_id="nothing"), 400)

        assert found.all("select", **{"aria-invalid": "true"})
        assert not Appeal.objects.exists()

    def test_stays_with_its_reason_where_an_appeal_of_it_waits(self, as_carol, call):
        send(as_carol, call)

        found = page(send(as_carol, call, reason="Once more."), 400)

        assert "Once more." in found.text
        assert found.all("select", **{"aria-invalid": "true"})
        assert Appeal.objects.count() == 1

    def test_is_said_where_no_criterion_is_left_to_choose(self, as_carol, call):
        send(as_carol, call)
        send(as_carol, call, "greeting", confirmed="greeting")

        answer = page(send(as_carol, call), 400)  # from another window

        assert not answer.all("select", name="criterion_id")
        [notice] = answer.all("div", role="alert")
        assert "notice" in notice["class"]
        assert 'Criterion "Verifies the caller" already has an appeal that is waiting' in answer.text
        assert Appeal.objects.count() == 2

    def test_of_one_that_cost_points_is_sent(self, as_carol, call):
        answer = send(as_carol, call)

        assert answer["Location"] == f"/calls/{call.pk}/#appeals-title"
        assert Appeal.objects.get().criterion_id == "identity"


class TestTheLink:
    """Each criterion that cost points leads to the form, where it is chosen; no script is needed."""

    def links(self, found):
        return [each["href"] for each in found.all("a") if "appeal=" in each.get("href", "")]

    def test_stands_at_what_cost_points_alone(self, as_carol, call):
        found = page(as_carol.get(f"/calls/{call.pk}/"))

        assert self.links(found) == [f"/calls/{call.pk}/?appeal=identity#appeal-form"]
        assert "Appeal : Verifies the caller" in found.text
        assert "open" not in found.all("details", id="appeal-form")[0]

    def test_chooses_the_criterion_and_keeps_the_list(self, as_carol, call):
        [link] = self.links(page(as_carol.get(f"/calls/{call.pk}/?max_score=50&sentiment=")))
        assert "max_score=50" in link

        found = page(as_carol.get(link.partition("#")[0]))

        assert [each["value"] for each in found.all("option") if "selected" in each] == ["identity"]
        assert "open" in found.all("details", id="appeal-form")[0]
        assert self.links(found) == [link]  # names one criterion, whichever was chosen before

    @pytest.mark.parametrize("criterion", ["", "nothing", "x" * 500])
    def test_of_no_criterion_of_the_call_chooses_none(self, as_carol, call, criterion):
        found = page(as_carol.get(f"/calls/{call.pk}/?appeal={criterion}"))

        assert not [each for each in found.all("option") if "selected" in each]
        assert "open" not in found.all("details", id="appeal-form")[0]

    def test_is_gone_while_an_appeal_waits(self, as_carol, call):
        send(as_carol, call)

        found = page(as_carol.get(f"/calls/{call.pk}/"))

        assert not self.links(found)
        assert "Appealed, waits for a decision : Verifies the caller" in found.text
        assert found.all("a", href="#appeals-title")

    def test_leads_from_a_refused_appeal_to_the_page_of_the_call(self, as_carol, call):
        found = page(send(as_carol, call, reason=""), 400)

        assert self.links(found) == [f"/calls/{call.pk}/?appeal=identity#appeal-form"]

    def test_is_not_for_others(self, as_alice, call):
        assert not self.links(page(as_alice.get(f"/calls/{call.pk}/")))


class TestFullPoints:
    """An appeal about an answer that has all its points gains nothing: it has to be confirmed."""

    ASKS = "This criterion has all its points already, so an appeal cannot raise the score."

    def confirms(self, found):
        return [each["value"] for each in found.all("button", name="confirmed")]

    def test_are_appealed_once_this_is_confirmed(self, as_carol, call):
        found = page(send(as_carol, call, "greeting"), 400)

        [select] = found.all("select", name="criterion_id")
        assert self.ASKS in found.text and select["aria-invalid"] == "true"
        assert self.confirms(found) == ["greeting"]
        assert "I asked for the name." in found.text and not Appeal.objects.exists()

        assert send(as_carol, call, "greeting", confirmed="greeting").status_code == 302
        assert Appeal.objects.get().answer == "met"

    def test_are_confirmed_for_one_criterion(self, as_carol, call, alice):
        judge(call, alice, "met")
        found = page(send(as_carol, call, "identity", confirmed="greeting"), 400)

        assert self.confirms(found) == ["identity"]
        assert not Appeal.objects.exists()

    def test_still_need_a_reason(self, as_carol, call):
        found = page(send(as_carol, call, "greeting", reason="", confirmed="greeting"), 400)

        assert "Give a reason." in found.text and self.ASKS not in found.text
        assert self.confirms(found) == ["greeting"]

    def test_are_asked_about_where_a_criterion_does_not_apply(self, as_carol, project, call):
        [other] = bring(project, line(2, identity=20, applies=False))

        assert self.ASKS in page(send(as_carol, other), 400).text

    def test_are_not_what_another_criterion_has(self, as_carol, call):
        assert send(as_carol, call).status_code == 302


class TestWithdrawing:
    """An agent takes back an appeal while nobody has decided it."""

    def buttons(self, found):
        return [each["action"] for each in found.all("form") if "/withdraw/" in each.get("action", "")]

    @pytest.fixture
    def appeal(self, as_carol, call):
        send(as_carol, call)
        return Appeal.objects.get()

    def test_is_offered_to_who_filed_it_while_it_waits(self, as_carol, as_alice, call, appeal):
        for address in (f"/calls/{call.pk}/", "/appeals/"):
            assert self.buttons(page(as_carol.get(address))) == [f"/appeals/{appeal.pk}/withdraw/"]
            assert not self.buttons(page(as_alice.get(address)))

    def test_is_said_and_listed(self, as_carol, as_alice, call, appeal):
        sent = {"back": "call"}
        answer = as_carol.post(f"/appeals/{appeal.pk}/withdraw/", sent, follow=True)

        assert answer.redirect_chain[-1][0] == f"/calls/{call.pk}/#appeals-title"
        found = page(answer)
        assert "Your appeal about Verifies the caller was withdrawn." in found.text
        assert "Withdrawn on" in found.text and "Refused on" not in found.text
        assert not self.buttons(found)
        assert "identity" in [each["value"] for each in found.all("option")]  # it can be appealed again
        assert "There are no appeals in this state." in page(as_alice.get("/appeals/")).text
        listed = page(as_alice.get("/appeals/?state=withdrawn")).text
        assert "Waiting Accepted Refused Withdrawn" in listed
        assert "The answer at that time: not met. Withdrawn on" in listed

    def test_leads_back_to_the_list(self, as_carol, appeal):
        assert as_carol.post(f"/appeals/{appeal.pk}/withdraw/")["Location"] == "/appeals/"

    def test_is_refused_once_it_was_decided(self, as_carol, appeal):
        Appeal.objects.update(state="refused", decided_at=appeal.created_at)

        answer = as_carol.post(f"/appeals/{appeal.pk}/withdraw/", follow=True)

        assert "is already refused" in page(answer).text
        assert Appeal.objects.get().state == "refused"

    def test_is_not_for_others(self, as_alice, visitor, appeal):
        assert as_alice.post(f"/appeals/{appeal.pk}/withdraw/").status_code == 403
        assert as_alice.post("/appeals/999999/withdraw/").status_code == 404
        assert Appeal.objects.get().state == "open"
