"""Appeals: who may file and decide, what is refused, and that points follow in the same request."""

import copy
import datetime as dt

import pytest
from django.core import mail as outbox
from django.utils import timezone

from callscope.accounts import mail
from callscope.accounts.models import AuditEvent, User
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Agent, Call
from callscope.calls.own_calls import link_user
from callscope.pipeline.erasure import removal
from callscope.projects.models import Project
from callscope.projects.services import configure_project, share_project
from callscope.reports.store import facts
from callscope.reports.store.verify import find_discrepancies
from callscope.reviews.calibration.sessions import CalibrationPlan, open_calibration
from callscope.reviews.models import Acknowledgement, Appeal, Review
from callscope.reviews.sampling.draw import collect_sample
from tests.api.conftest import client_of
from tests.api.review_samples import judge_call, list_answers, review
from tests.web.conftest import remove_results

pytestmark = pytest.mark.django_db


class World:
    """Alice owns, Bob edits, Carol is the agent of the only call, which Bob judged too low."""

    def __init__(self, project, alice, bob, carol):
        self.project, self.users = project, {"alice": alice, "bob": bob, "carol": carol}
        self.alice, self.bob, self.carol = (client_of(user) for user in (alice, bob, carol))
        share_project(project, bob, role="editor")
        self.call = judge_call(self.alice, project)
        call = Call.objects.get(pk=self.call)
        call.agent = Agent.objects.create(owner=alice, name="Carol Ruiz", name_key="carol ruiz")
        call.agent_source = "api"
        call.save()
        facts.refresh([call.pk])
        link_user(project, carol.email, call.agent)

    def judge(self, **answers):
        answer = review(self.bob, self.call, criteria=list_answers(**answers))
        assert answer.status_code == 201, answer.content
        return answer.json()["id"]

    def appeal(self, client=None, criterion_id="greeting", reason="I said good morning."):
        body = {"criterion_id": criterion_id, "reason": reason}
        return (client or self.carol).post(f"/calls/api/{self.call}/appeals/", body, format="json")

    def decide(self, appeal_id, client=None, decision="accepted", reason="It was said.", **more):
        body = {"decision": decision, "reason": reason, **more}
        return (client or self.alice).post(f"/calls/api/appeals/{appeal_id}/decide/", body, format="json")

    def report(self, client=None):
        return (client or self.alice).get(f"/calls/api/report/?project_id={self.project.pk}").json()


@pytest.fixture(scope="module")
def made(rows_of_module):
    with rows_of_module():
        alice, bob, carol = (
            User.objects.create_user(f"{name}@example.com", f"{name}-password")
            for name in ("alice", "bob", "carol")
        )
        return World(Project.objects.create(name="Service line", owner=alice), alice, bob, carol)


@pytest.fixture
def world(made, db):
    return copy.deepcopy(made)


@pytest.fixture
def project(world):
    return world.project


@pytest.fixture
def alice(world):
    return world.users["alice"]


@pytest.fixture
def bob(world):
    return world.users["bob"]


@pytest.fixture
def carol(world):
    return world.users["carol"]


class TestAnAcceptedAppeal:
    def test_moves_the_report_by_exactly_its_points(self, world):
        world.judge(greeting="not_met")
        before = world.report()["headline"]["weighted_compliance"]
        filed = world.appeal()
        assert filed.status_code == 201, filed.content

        decided = world.decide(filed.json()["id"])

        assert decided.status_code == 200, decided.content
        assert (before, world.report()["headline"]["weighted_compliance"]) == (75, 100)
        assert world.report()["reviews"] | {"agreement_pct": None} == {
            "reviewed_calls": 1,
            "corrected_calls": 1,
            "agreement_pct": None,
            "appeals": 1,
            "appeals_accepted": 1,
            "sampled_calls": 0,
            "sampled_score": None,
            "sampled_machine_score": None,
            "true_score": None,
            "true_score_interval": None,
        }
        assert find_discrepancies() == []

    def test_makes_a_revision_that_keeps_the_other_answers(self, world):
        first = world.judge(greeting="not_met", offer="not_applicable")
        appeal = world.appeal().json()

        decided = world.decide(appeal["id"]).json()

        assert (decided["review_id"], decided["state"], decided["new_answer"]) == (first, "accepted", "met")
        made = Review.objects.get(pk=decided["new_review_id"])
        assert (made.revision, made.reviewer, made.is_current) == (2, world.users["alice"], True)
        assert dict(made.answers.values_list("criterion_id", "answer")) == {
            "greeting": "met",
            "identity": "met",
            "offer": "not_applicable",
        }
        assert Review.objects.get(pk=first).state == "submitted"

    def test_of_the_machine_leaves_its_other_answers_to_it(self, world):
        """Nobody reviewed the call: one answer of a person, the rest stays the machine's."""
        before = world.alice.get(f"/calls/api/calls/{world.call}/").json()["copc"]["criterion_scores"]
        appeal = world.appeal(criterion_id="offer", reason="I did.").json()
        assert (appeal["review_id"], appeal["answer"]) == (None, "not_met")

        assert world.decide(appeal["id"]).status_code == 200

        after = world.alice.get(f"/calls/api/calls/{world.call}/").json()["copc"]["criterion_scores"]
        assert {row["criterion_id"]: row["source"] for row in after} == {
            "greeting": "machine",
            "identity": "machine",
            "offer": "person",
        }
        assert [row for row in after if row["source"] == "machine"] == [
            row for row in before if row["criterion_id"] != "offer"
        ]

    def test_takes_another_answer_that_the_criterion_allows(self, world):
        world.judge(identity="not_met")
        appeal = world.appeal(criterion_id="identity").json()["id"]

        assert world.decide(appeal, answer="not_applicable").status_code == 400
        assert Appeal.objects.get().state == "open"
        assert world.decide(appeal, answer="partly").json()["new_answer"] == "partly"

    def test_is_refused_when_the_call_carries_the_criterion_no_more(self, world):
        appeal = world.appeal().json()["id"]
        analysis = CallAnalysis.objects.get(call=world.call)
        rows = [row for row in analysis.copc["criterion_scores"] if row["criterion_id"] != "greeting"]
        analysis.copc = analysis.copc | {"criterion_scores": rows}
        analysis.save()

        assert world.decide(appeal).status_code == 409
        assert world.decide(appeal, decision="refused").status_code == 200


class TestARefusedAppeal:
    def test_changes_no_figure_and_shows_why_to_both(self, world):
        world.judge(greeting="not_met")
        before = world.report()
        appeal = world.appeal().json()["id"]

        decided = world.decide(appeal, decision="refused", reason="It is not in the transcript.")

        assert decided.status_code == 200
        assert decided.json()["decided_by"] == world.users["alice"].email
        after = world.report()
        assert after["reviews"].pop("appeals") == 1
        before["reviews"].pop("appeals")
        assert after == before
        (seen,) = world.carol.get("/calls/api/appeals/?state=refused").json()["results"]
        assert (seen["decision_reason"], seen["decided_by"]) == ("It is not in the transcript.", None)

    def test_takes_no_answer(self, world):
        appeal = world.appeal().json()["id"]

        assert world.decide(appeal, decision="refused", answer="met").status_code == 400

    def test_is_no_longer_possible_without_the_results_of_the_call(self, world):
        appeal = world.appeal().json()["id"]
        remove_results(world.project)

        for decision in ("accepted", "refused"):
            answer = world.decide(appeal, decision=decision)
            assert answer.status_code == 409
            assert answer.json()["detail"] == (
                "The results of the call were removed, so the appeal can no longer be decided."
            )
        assert Appeal.objects.get(pk=appeal).state == "open"

    def test_is_not_filed_again_for_the_same_result(self, world):
        world.judge(greeting="not_met")
        world.decide(world.appeal().json()["id"], decision="refused")

        assert world.appeal().status_code == 409
        world.judge(greeting="not_met")
        assert world.appeal().status_code == 201


class TestFiling:
    def test_is_for_the_agent_of_the_call(self, world, dave_views):
        assert world.appeal(world.alice).status_code == 403
        assert world.appeal(world.bob).status_code == 403
        assert world.appeal(dave_views).status_code == 403

    def test_names_a_criterion_and_a_reason(self, world):
        unknown = world.appeal(criterion_id="nothing")
        assert (unknown.status_code, list(unknown.json())) == (400, ["criterion_id"])
        assert world.appeal(reason="  ").status_code == 400
        assert world.appeal(reason="x" * 5001).status_code == 400
        assert world.appeal(reason="a\x00b").status_code == 400
        surrogate = b'{"criterion_id": "greeting", "reason": "\\ud800"}'
        url = f"/calls/api/{world.call}/appeals/"
        assert world.carol.post(url, surrogate, content_type="application/json").status_code == 400
        assert world.appeal(criterion_id=7).status_code == 400

    def test_is_once_at_a_time(self, world):
        assert world.appeal().status_code == 201
        assert world.appeal().status_code == 409
        assert world.appeal(criterion_id="offer").status_code == 201

    def test_ends_with_the_days_of_the_project(self, world):
        made = Review.objects.get(pk=world.judge(greeting="not_met"))
        late = timezone.now() - dt.timedelta(days=14, minutes=1)
        Review.objects.filter(pk=made.pk).update(submitted_at=late)

        refused = world.appeal()

        assert (refused.status_code, "14 days" in refused.json()["detail"]) == (409, True)
        project = Project.objects.get(pk=world.project.pk)
        configure_project(project, {**project.config, "reviews": {"appeal_days": 15}}, project.owner)
        assert world.appeal().status_code == 201

    def test_is_absent_for_calls_of_others(self, world):
        Call.objects.filter(pk=world.call).update(agent=None, agent_source="")

        assert world.appeal().status_code == 404


class TestDeciding:
    def test_is_not_for_the_reviewer_the_agent_or_viewers(self, world, dave_views):
        world.judge(greeting="not_met")
        appeal = world.appeal().json()["id"]

        assert world.decide(appeal, world.bob).status_code == 403
        assert world.decide(appeal, world.carol).status_code == 403
        assert world.decide(appeal, dave_views).status_code == 403
        share_project(world.project, world.users["carol"], role="editor")
        assert world.decide(appeal, world.carol).status_code == 403
        assert Appeal.objects.get().state == "open"

    def test_is_for_who_accepted_another_appeal_of_the_same_review(self, world):
        world.judge(greeting="not_met", offer="not_met")
        first, second = world.appeal().json()["id"], world.appeal(criterion_id="offer").json()["id"]

        assert world.decide(first).status_code == 200
        assert world.decide(second).status_code == 200
        assert world.report()["headline"]["weighted_compliance"] == 100

    def test_is_once(self, world):
        appeal = world.appeal().json()["id"]
        world.decide(appeal, decision="refused")

        assert world.decide(appeal).status_code == 409
        assert world.decide(99999999).status_code == 404

    def test_names_a_known_decision_and_a_reason(self, world):
        appeal = world.appeal().json()["id"]

        assert world.decide(appeal, decision="maybe").status_code == 400
        assert world.decide(appeal, reason=" ").status_code == 400
        assert world.decide(appeal, answer="often").status_code == 400


class TestWithdrawing:
    def withdraw(self, client, appeal_id):
        return client.post(f"/calls/api/appeals/{appeal_id}/withdraw/")

    def test_ends_an_appeal_that_waits(self, world):
        world.judge(greeting="not_met")
        before = world.report()
        appeal = world.appeal().json()["id"]

        withdrawn = self.withdraw(world.carol, appeal)

        assert withdrawn.status_code == 200, withdrawn.content
        answer = withdrawn.json()
        assert (answer["state"], answer["decided_by"], bool(answer["decided_at"])) == (
            "withdrawn",
            None,
            True,
        )
        assert world.report() == before  # it is not counted
        assert world.carol.get("/calls/api/appeals/?state=open").json()["count"] == 0
        assert world.alice.get("/calls/api/appeals/?state=withdrawn").json()["count"] == 1
        assert AuditEvent.objects.filter(action="appeal.withdrawn", actor=world.users["carol"])

    def test_lets_the_criterion_be_appealed_again(self, world):
        world.judge(greeting="not_met")
        self.withdraw(world.carol, world.appeal().json()["id"])

        again = world.appeal()

        assert again.status_code == 201
        assert world.decide(again.json()["id"]).status_code == 200
        assert world.appeal().status_code == 201  # of the answer that the decision made

    def test_is_not_for_others(self, world, dave_views):
        appeal = world.appeal().json()["id"]
        second = User.objects.create_user("carol.second@example.com", "second-password")
        link_user(world.project, second.email, Call.objects.get(pk=world.call).agent)

        for client in (world.alice, world.bob, dave_views, client_of(second)):
            assert self.withdraw(client, appeal).status_code == 403
        assert (
            self.withdraw(client_of(User.objects.create_user("eve@example.com", "e")), appeal).status_code
            == 404
        )
        assert self.withdraw(world.carol, 99999999).status_code == 404
        assert self.withdraw(world.carol, 10**19).status_code == 404
        assert Appeal.objects.get().state == "open"

    def test_is_once_and_before_a_decision(self, world):
        decided = world.appeal().json()["id"]
        world.decide(decided, decision="refused")
        withdrawn = world.appeal(criterion_id="offer").json()["id"]
        self.withdraw(world.carol, withdrawn)

        assert self.withdraw(world.carol, decided).status_code == 409
        assert self.withdraw(world.carol, withdrawn).status_code == 409
        assert world.decide(withdrawn).status_code == 409


class TestTheList:
    def test_shows_each_side_its_own(self, world, dave_views):
        world.appeal()

        assert world.alice.get(f"/calls/api/appeals/?project_id={world.project.pk}").json()["count"] == 1
        assert world.bob.get("/calls/api/appeals/?state=open").json()["count"] == 1
        assert world.carol.get("/calls/api/appeals/?state=accepted").json()["count"] == 0
        assert world.carol.get(f"/calls/api/{world.call}/appeals/").json()["count"] == 1
        assert dave_views.get("/calls/api/appeals/").json()["count"] == 0
        assert dave_views.get(f"/calls/api/{world.call}/appeals/").status_code == 403
        assert world.alice.get("/calls/api/appeals/?state=lost").status_code == 400


class TestMail:
    def test_goes_to_who_may_decide_and_holds_a_link_alone(
        self, world, settings, monkeypatch, django_capture_on_commit_callbacks
    ):
        sent = []
        monkeypatch.setattr(mail, "is_mail_set_up", lambda: True)
        monkeypatch.setattr(
            mail,
            "send_later",
            lambda subject, text, *, to, button: sent.append((to, subject + text + button)),
        )
        world.judge(greeting="not_met")

        with django_capture_on_commit_callbacks(execute=True):
            appeal = world.appeal(reason="The invoice of Mr. Smith").json()["id"]
        with django_capture_on_commit_callbacks(execute=True):
            world.decide(appeal, reason="Mr. Smith was greeted")

        assert [to for to, _ in sent] == [world.users["alice"].email, world.users["carol"].email]
        assert not any("Smith" in text or "call.srt" in text for _, text in sent)
        assert outbox.outbox == []

    def test_says_of_a_call_to_review_blind_that_the_appeal_is_hidden(
        self, world, monkeypatch, django_capture_on_commit_callbacks
    ):
        sent = self.file_with_mail(world, monkeypatch, django_capture_on_commit_callbacks, collect_sample)

        [(to, text, button)] = sent
        assert to == world.users["alice"].email and button == "Open the appeals"
        assert "hidden until you submit the review" in text and "decide" not in text

    def test_is_not_sent_to_who_rates_the_call(self, world, monkeypatch, django_capture_on_commit_callbacks):
        def calibrate(project, calls, by):
            open_calibration(project, CalibrationPlan(calls, [by.email, world.users["bob"].email]), by)

        assert self.file_with_mail(world, monkeypatch, django_capture_on_commit_callbacks, calibrate) == []

    def file_with_mail(self, world, monkeypatch, captured, prepare):
        """Return what is sent when an appeal is filed about the call that Alice was given to judge."""
        sent = []
        monkeypatch.setattr(mail, "is_mail_set_up", lambda: True)
        monkeypatch.setattr(mail, "build_link", lambda page, *parts: "https://calls.example.com/")
        monkeypatch.setattr(
            mail, "send_later", lambda subject, text, *, to, button: sent.append((to, text, button))
        )
        world.judge(greeting="not_met")
        prepare(world.project, [world.call], world.users["alice"])

        with captured(execute=True):
            assert world.appeal().status_code == 201
        return sent

    def test_is_in_the_language_of_its_reader(self, world, monkeypatch, django_capture_on_commit_callbacks):
        monkeypatch.setattr(mail, "is_mail_set_up", lambda: True)
        monkeypatch.setattr(mail, "build_link", lambda page, *parts: "https://calls.example.com/")
        User.objects.filter(pk=world.users["alice"].pk).update(language="es")
        world.judge(greeting="not_met")

        with django_capture_on_commit_callbacks(execute=True):
            world.appeal()
        mail.wait_until_sent()

        [sent] = outbox.outbox
        [(html, _)] = sent.alternatives
        assert "Lea la impugnación" in sent.body
        assert '<html lang="es">' in html
        assert ">Leer la impugnación</a>" in html


class TestAcknowledging:
    def test_is_noted_once_for_a_review(self, world):
        url = f"/calls/api/{world.call}/acknowledge/"
        assert world.carol.post(url).status_code == 409
        made = world.judge()

        first, second = world.carol.post(url).json(), world.carol.post(url).json()

        assert first == second
        assert (first["review_id"], first["revision"]) == (made, 1)
        assert Acknowledgement.objects.count() == 1
        assert world.alice.post(url).status_code == 403


class TestWhatIsErased:
    def test_takes_appeals_with_the_call(self, world):
        world.appeal()
        removal.erase_call(Call.objects.get(pk=world.call))

        assert not Appeal.objects.exists()

    def test_is_in_the_audit_trail_before(self, world):
        world.judge(greeting="not_met")
        world.decide(world.appeal().json()["id"])
        world.carol.post(f"/calls/api/{world.call}/acknowledge/")

        actions = set(AuditEvent.objects.values_list("action", flat=True))
        assert {"appeal.filed", "appeal.accepted", "review.acknowledged"} <= actions


@pytest.fixture
def dave_views(project, django_user_model):
    dave = django_user_model.objects.create_user("dave@example.com", "dave-password")
    share_project(project, dave)
    return client_of(dave)
