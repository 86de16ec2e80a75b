"""Reviews, analyses, rubrics, files, erasures and appeals at once end consistent, and no review is lost."""

import io
import json
import random
import threading

import pytest
from django.db import connection, transaction

from callscope.accounts.models import User
from callscope.analysis.models import MACHINE_COLUMNS, CallAnalysis
from callscope.calls.models import Agent, Call, UploadedFile
from callscope.calls.own_calls import link_user
from callscope.contact_reasons.following import settle_calls
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.pipeline.decisions.appeal_edits import decide_appeal, file_appeal
from callscope.pipeline.decisions.reason_edits import move_calls
from callscope.pipeline.decisions.review_edits import create_review, follow_settings, withdraw_review
from callscope.pipeline.erasure.removal import erase_call
from callscope.pipeline.files.intake import update_metadata
from callscope.pipeline.models import Rescore
from callscope.pipeline.rubric_changes.replays.rescoring import request_rescore
from callscope.pipeline.transfer.importer import import_calls
from callscope.pipeline.workers.stages import run_stage
from callscope.pipeline.workers.worker import claim_and_start
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reports.models import CallFact
from callscope.reports.store import facts
from callscope.reports.store.verify import find_discrepancies
from callscope.reviews.answers import GivenAnswer, InvalidReview
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.appeals.deciding import OwnJudgement
from callscope.reviews.findings import GivenFinding
from callscope.reviews.models import Review
from callscope.reviews.revisions import GivenReview, ReviewConflict
from tests.effort import EFFORT
from tests.pipeline.conftest import accept

pytestmark = pytest.mark.django_db(transaction=True)

CALLS, THREADS, TURNS = 4, 3, 12 * EFFORT
EXPECTED = (
    InvalidReview,
    ReviewConflict,
    OwnJudgement,
    Call.DoesNotExist,
    Review.DoesNotExist,
    Appeal.DoesNotExist,
)


def line(number, points):
    """Return a call; other points are other results, as another analysis or a replaced file has them."""
    scores = [
        {
            "criterion_id": name,
            "name": name,
            "section": "S",
            "score": points if name == "a" else 10,
            "max_points": 10,
        }
        for name in "ab"
    ]
    return {"file_name": f"c{number}.wav", "agent_name": "Ana", "contact_reason": "Bills",
            "call_datetime": "2026-03-02T10:00:00+00:00", "copc": {"criterion_scores": scores},
            "sentiment": "neutral",
            "no_protocol": {"mistakes": [{"id": "rude", "description": "Is rude"}]}}  # fmt: skip


def document(points, counts):
    rule = {"speaker": "agent", "any_of": ["good morning"]}
    criteria = [{"id": name, "name": name, "max_points": points, "rule": rule} for name in "ab"]
    return {"rubric": {"sections": [{"name": "S", "criteria": criteria}]}, "reviews": {"counts": counts}}


class World:
    """One project, and everything that may happen to its calls."""

    def __init__(self, alice, bob):
        self.people = [alice, bob]
        self.project = Project.objects.create(name="Race", owner=alice)
        configure_project(self.project, document(10, "final"), alice)
        self.bring_in(range(CALLS), 10)
        other = {**line(CALLS, 10), "agent_name": "Bruno"}
        import_calls(self.project, io.BytesIO(json.dumps(other).encode()), by=alice)
        accept(self.project)  # a call with words, which the pipeline can judge again
        work_off()
        self.agent = User.objects.create_user("agent@example.com", "secret words")
        with transaction.atomic():
            link_user(self.project, self.agent.email, Agent.objects.get(name="Ana"))
        self.bruno = Agent.objects.get(name="Bruno")
        for name in ("Bills", "Moves"):
            ContactReason.objects.get_or_create(project=self.project, name=name, defaults={"is_pinned": True})
        ContactReason.objects.update(is_pinned=True)
        self.calls = list(Call.objects.order_by("pk").values_list("pk", flat=True))
        self.submitted: list[tuple[int, int, str]] = []
        self.erased: set[int] = set()
        self.failures: list[BaseException] = []

    def bring_in(self, numbers, points):
        content = "\n".join(json.dumps(line(n, points)) for n in numbers).encode()
        assert import_calls(self.project, io.BytesIO(content), by=self.people[0]).errors == []

    def submit(self, chance):
        answers = {name: chance.choice(("met", "not_met")) for name in "ab"}
        findings = [GivenFinding("sentiment", "", chance.choice(("negative", "unknown")))]
        findings += [GivenFinding("mistake", "rude", chance.choice(("made", "not_made")))]
        given = GivenReview(
            [GivenAnswer(*each) for each in answers.items()],
            submits=True,
            findings=chance.choice((findings, [])),
            sent_placements=chance.choice(
                ({}, {"agent": self.bruno.pk, "contact_reason": "Moves"}, {"agent": "none"})
            ),
        )
        review = create_review(chance.choice(self.calls), given, chance.choice(self.people))
        self.submitted.append((review.pk, review.call_id, answers["a"]))

    def withdraw(self, chance):
        if self.submitted:
            withdraw_review(chance.choice(self.submitted)[0], self.people[0])

    def analyze_again(self, chance):
        number = chance.randrange(1, CALLS)  # the first call is erased, and does not come back
        self.bring_in([number], chance.choice((0, 5, 10)))

    def judge_again(self, chance):
        request_rescore(Project.objects.get(pk=self.project.pk), by=chance.choice(self.people))
        work_off()

    def change_rubric(self, chance):
        project = Project.objects.get(pk=self.project.pk)
        with follow_settings(project):
            configure_project(
                project, document(chance.choice((10, 20)), chance.choice(("final", "machine"))), project.owner
            )

    def change_agent(self, chance):
        file = UploadedFile.objects.filter(call=chance.choice(self.calls)).order_by("-pk").first()
        if file is not None:
            update_metadata(file, {"agent_name": chance.choice(("Ana", "Bruno"))}, self.people[0])

    def move(self, chance):
        reason = ContactReason.objects.get(name=chance.choice(("Bills", "Moves")))
        move_calls(reason.pk, [chance.choice(self.calls[1:])], self.people[0])

    def appeal(self, chance):
        file_appeal(chance.choice(self.calls), chance.choice("ab"), "Because.", self.agent)

    def decide(self, chance):
        appeal = Appeal.objects.filter(state="open").order_by("?").first()
        if appeal is not None:
            decision = chance.choice(("accepted", "refused"))
            decide_appeal(appeal.pk, decision, "So.", None, chance.choice(self.people))

    def erase(self, _chance):
        call = Call.objects.filter(pk=self.calls[0]).first()
        if call is not None:
            self.erased.add(call.pk)
            erase_call(call, self.people[0])

    def run(self, seed):
        """Do things at random in several threads at once."""

        def loop(number):
            chance = random.Random(seed + number)
            acts = [self.submit] * 4 + [self.withdraw, self.analyze_again, self.change_rubric, self.appeal]
            acts += [self.appeal, self.decide, self.decide, self.judge_again, self.judge_again]
            acts += [self.change_agent, self.move]
            certain = {(0, TURNS // 2): self.erase, (1, 0): self.judge_again}
            try:
                for turn in range(TURNS):
                    try:
                        certain.get((number, turn), chance.choice(acts))(chance)
                    except EXPECTED:
                        continue
            except BaseException as error:
                self.failures.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=loop, args=(n,)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def work_off():
    while job := claim_and_start():
        run_stage(job)


def read_results():
    reasons = dict(CallReason.objects.values_list("call", "reason"))
    return {
        each.call_id: [
            *(getattr(each, name) for pair in MACHINE_COLUMNS.items() for name in pair),
            each.call.agent_id,
            reasons.get(each.call_id),
        ]
        for each in CallAnalysis.objects.filter(is_live=True).select_related("call")
    }


def test_races_end_consistent_and_lose_no_review(alice, bob):
    from callscope.projects.services import share_project

    seed = random.randrange(2**32)
    world = World(alice, bob)
    share_project(world.project, bob, role="editor")

    world.run(seed)

    assert world.failures == [], seed
    stored = {review.pk: review for review in Review.objects.prefetch_related("answers")}
    for review_id, call_id, answer in world.submitted:
        if call_id in world.erased:
            assert review_id not in stored, seed
        else:
            assert stored[review_id].state in ("submitted", "withdrawn"), seed
            assert stored[review_id].answers.get(criterion_id="a").answer == answer, seed
    for call_id in world.calls[1:]:
        revisions = sorted(review.revision for review in stored.values() if review.call_id == call_id)
        assert revisions == list(range(1, len(revisions) + 1)), seed
        assert Review.objects.filter(call=call_id, is_current=True).count() <= 1, seed
    judged = CallAnalysis.objects.get(call=world.calls[-1], is_live=True)
    assert [row["justification"] for row in judged.read_machine_copc()["criterion_scores"]], seed
    assert Rescore.objects.exists(), seed
    # What counts is what settling everything once more would give, and the report counts exactly that.
    assert find_discrepancies() == [], seed
    before, counted = (
        read_results(),
        list(CallFact.objects.order_by("pk").values("pk", "points", "max_points")),
    )
    with transaction.atomic():
        settle_calls(world.calls)
        facts.refresh(world.calls)
    assert read_results() == before, seed
    assert list(CallFact.objects.order_by("pk").values("pk", "points", "max_points")) == counted, seed
    assert set(before) == set(world.calls[1:]), seed
