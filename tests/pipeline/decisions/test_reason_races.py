"""Regroupings, new calls, edits, codes, undoing, erased calls and deleted files at once end consistent."""

import io
import json
import random
import threading

import pytest
from django.db import connection, transaction

from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons.codes.wish import ChosenReason, Wish
from callscope.contact_reasons.editing import InvalidReason
from callscope.contact_reasons.history import ReasonConflict
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange, Regrouping
from callscope.pipeline.decisions import reason_edits
from callscope.pipeline.erasure.removal import delete_file, erase_call
from callscope.pipeline.files import regrouping
from callscope.pipeline.models import Job
from callscope.pipeline.transfer.importer import import_calls
from callscope.pipeline.workers.stages import run_stage
from callscope.pipeline.workers.worker import claim_and_start
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reports.models import CallFact
from callscope.reports.store import facts
from callscope.reports.store.verify import find_discrepancies
from tests.effort import EFFORT

pytestmark = pytest.mark.django_db(transaction=True)

THREADS, TURNS = 3, 12 * EFFORT
THINGS = ["invoice", "parcel", "password", "router", "contract"]
MATTERS = ["is wrong", "never came", "is broken", "has to change", "costs too much"]
EXPECTED = (
    InvalidReason,
    ReasonConflict,
    ContactReason.DoesNotExist,
    ReasonChange.DoesNotExist,
    Call.DoesNotExist,
)


class World:
    """One project, and everything that may happen to its reasons."""

    def __init__(self, alice):
        self.person = alice
        self.project = Project.objects.create(name="Race", owner=alice)
        self.bring_in(range(30), random.Random(1))
        work_off()
        self.erased: set[int] = set()
        self.failures: list[BaseException] = []

    def bring_in(self, numbers, chance):
        lines = [
            {"file_name": f"c{n}.wav", "topic": f"my {chance.choice(THINGS)} {chance.choice(MATTERS)}"}
            for n in numbers
        ]
        content = "\n".join(map(json.dumps, lines)).encode()
        assert import_calls(self.project, io.BytesIO(content), by=self.person).errors == []

    def come_in(self, chance):
        self.bring_in([30 + chance.randrange(20) for _ in range(2)], chance)

    def regroup(self, _chance):
        regrouping.request_regrouping([Project.objects.get(pk=self.project.pk)], by=self.person)
        work_off()

    def rename(self, chance):
        reason_edits.edit_reason(self.pick(chance), {"name": f"Name {chance.randrange(6)}"}, self.person)

    def put_under(self, chance):
        reason_edits.edit_reason(self.pick(chance), {"parent": self.pick(chance)}, self.person)

    def mark(self, chance):
        values = {chance.choice(("is_set_aside", "is_pinned")): chance.random() < 0.5}
        reason_edits.edit_reason(self.pick(chance), values, self.person)

    def merge(self, chance):
        reason_edits.merge_reasons(self.pick(chance), [self.pick(chance)], self.person)

    def split(self, chance):
        reason = self.pick(chance)
        calls = list(CallReason.objects.filter(reason=reason).values_list("call_id", flat=True)[:1])
        reason_edits.split_reason(reason, calls, f"Name {chance.randrange(6, 12)}", self.person)

    def move(self, chance):
        calls = list(Call.objects.order_by("pk").values_list("pk", flat=True))
        reason_edits.move_calls(self.pick(chance), chance.sample(calls, 2), self.person)

    def make_codes(self, chance):
        chosen = [ChosenReason(self.pick(chance), phrases=["my invoice is wrong"]) for _ in range(2)]
        mode = chance.choice(("predefined", "predefined", "open_ended"))
        wish = Wish(chosen, mode, replaces=chance.random() < 0.7)
        reason_edits.adopt_codes(Project.objects.get(pk=self.project.pk), wish, self.person)

    def go_back_to_groups(self, _chance):
        with transaction.atomic():
            project = Project.objects.get(pk=self.project.pk)
            document = project.configuration.as_document()
            document["contact_reasons"]["mode"] = "open_ended"
            configure_project(project, document, self.person)

    def undo(self, _chance):
        newest = ReasonChange.objects.filter(undone_at=None).order_by("-pk").values_list("pk", flat=True)
        for change in newest[:1]:
            reason_edits.undo_change(change, self.person)

    def erase(self, chance):
        call = chance.choice(list(Call.objects.order_by("pk")))
        self.erased.add(call.pk)
        erase_call(call, self.person)

    def delete(self, chance):
        """Delete a file: its call goes along, or says again what an earlier file of it said."""
        delete_file(chance.choice(list(UploadedFile.objects.order_by("pk"))), self.person)

    def pick(self, chance):
        ids = list(ContactReason.objects.filter(retired_at=None).order_by("pk").values_list("pk", flat=True))
        if not ids:
            raise ContactReason.DoesNotExist
        return chance.choice(ids)

    def list_acts(self):
        acts = [self.come_in, self.regroup, self.regroup, self.rename, self.put_under, self.mark]
        return [*acts, self.merge, self.split, self.move, self.undo, self.erase, self.delete]

    def run(self, seed, acts):
        """Do things at random in several threads at once."""

        def loop(number):
            chance = random.Random(seed + number)
            try:
                for _turn in range(TURNS):
                    try:
                        chance.choice(acts)(chance)
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


def test_races_end_consistent(alice):
    seed = random.randrange(2**32)
    world = World(alice)

    world.run(seed, world.list_acts())

    check_world(world, seed)


def test_races_with_codes_end_consistent(alice):
    """Reasons become codes and groups again meanwhile."""
    seed = random.randrange(2**32)
    world = World(alice)
    acts = [*world.list_acts(), world.make_codes, world.make_codes, world.make_codes]

    world.run(seed, [*acts, world.undo, world.undo, world.undo, world.go_back_to_groups])

    assert find_discrepancies() == [], seed
    world.go_back_to_groups(None)
    check_world(world, seed)


def test_of_two_who_undo_one_wins(alice):
    world = World(alice)
    world.regroup(None)
    before = sorted(CallReason.objects.values_list("call_id", "reason_id", "is_fixed"))
    reason = CallReason.objects.values_list("reason_id", flat=True).first()
    outcome = reason_edits.adopt_codes(
        Project.objects.get(pk=world.project.pk),
        Wish([ChosenReason(reason, phrases=())], "predefined"),
        alice,
    )
    answers: list[str] = []

    def undo():
        try:
            reason_edits.undo_change(outcome.change, alice)
            answers.append("undone")
        except ReasonConflict:
            answers.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=undo) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answers) == ["refused", "refused", "refused", "undone"]
    assert sorted(CallReason.objects.values_list("call_id", "reason_id", "is_fixed")) == before
    assert Project.objects.get(pk=world.project.pk).config_version == 3
    assert find_discrepancies() == []


def check_world(world, seed):
    """Regroup once more, and look at everything that has to hold then."""
    assert world.failures == [], seed
    assert find_discrepancies() == [], seed
    world.regroup(random.Random(seed))
    assert find_discrepancies() == [], seed
    assert not Regrouping.objects.exists(), seed
    assert not Job.objects.filter(kind=Job.Kind.REGROUP, state=Job.State.FAILED).exists(), seed
    # Every call has one reason of its project; erased ones have none.
    calls = set(Call.objects.values_list("pk", flat=True))
    assert calls.isdisjoint(world.erased), seed
    assert set(CallReason.objects.values_list("call_id", flat=True)) == calls, seed
    assert set(CallReason.objects.values_list("reason__project_id", flat=True)) == {world.project.pk}, seed
    # No name twice, no parent with a parent, no heading over nothing or with calls, none gone with calls.
    reasons = list(ContactReason.objects.select_related("parent"))
    assert len({reason.name.casefold() for reason in reasons}) == len(reasons), seed
    assert all(reason.parent is None or reason.parent.parent_id is None for reason in reasons), seed
    assert not CallReason.objects.filter(reason__is_heading=True).exists(), seed
    assert not CallReason.objects.filter(reason__retired_at__isnull=False).exists(), seed
    # The report counts what stands there.
    counted = list(CallFact.objects.order_by("pk").values_list("pk", "topic_id"))
    with transaction.atomic():
        facts.refresh(sorted(calls))
    assert list(CallFact.objects.order_by("pk").values_list("pk", "topic_id")) == counted, seed
