"""A process dies in every step of a regrouping, an edit of reasons, making codes of them, and an undoing.

What is there after a death is what was there before it or what an undisturbed run makes, never half of
each; another run completes it.
"""

import dataclasses
import json
import os
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from django.db import transaction
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.analysis.models import CallAnalysis
from callscope.contact_reasons import grouping
from callscope.contact_reasons.clusters import clustering
from callscope.contact_reasons.codes.wish import ChosenReason, Wish
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange, ReviewedReason
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.pipeline.decisions import reason_edits
from callscope.pipeline.files import regrouping
from callscope.pipeline.models import Job, UsageEntry
from callscope.projects.models import ConfigVersion, Project
from callscope.reports.models import CallFact, JournalEntry
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.store import facts
from callscope.reports.store.verify import find_discrepancies
from callscope.reports.window import ALL_TIME
from callscope.testing import run_due_jobs
from tests.contact_reasons.test_grouping import add_call
from tests.contact_reasons.test_hierarchy import TOPICS
from tests.crash.forked_run import REGROUPING, ForkedRun

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
EARLIER = 16  # topics of the first regrouping: so few reasons have no headings, all of them do
NAMING = ("engine_request", "engine_answer", *REGROUPING[:1])  # nothing is written yet
WRITING = (*REGROUPING[1:4], "reason_map", "reason_swap")
OF_REASONS = (ContactReason, CallReason, ReviewedReason, ReasonChange)
TABLES = (*OF_REASONS, Project, ConfigVersion, CallFact, JournalEntry, UsageEntry)


def word_names(request, _number):
    groups = json.loads(request["messages"][-1]["content"])["groups"]
    names = [{"group": group["group"], "name": f"Cases of {group['topics'][0].lower()}"} for group in groups]
    return ScriptedReply(json.dumps({"names": names}))


@pytest.fixture
def run(transactional_db, project, alice, settings, monkeypatch):
    """A project with a few named reasons, and calls of many more topics that wait for a regrouping."""
    monkeypatch.setattr(grouping, "SETTLES_AFTER", -grouping.SETTLES_AFTER)
    monkeypatch.setattr(clustering, "choose_number", lambda tree, ties, spread: len(tree))
    with ScriptedChatServer(word_names) as server:
        address = EngineAddress(server.url, "", "scripted")
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, llm=address, embedder="words")
        run = ForkedRun(project, "", SimpleNamespace(calls={}))
        run.alice = alice
        bring_in(project, TOPICS[:EARLIER])
        request(run)
        run._fork(run_due_jobs)
        bring_in(project, TOPICS[EARLIER:])
        yield run


def bring_in(project, topics) -> None:
    calls = [add_call(project, topic) for topic in topics]
    CallAnalysis.objects.filter(call__in=calls).update(completed_at=timezone.now())
    with transaction.atomic():
        facts.refresh([call.pk for call in calls])


def request(run) -> None:
    Job.objects.filter(kind=Job.Kind.REGROUP).delete()
    regrouping.request_regrouping([run.project])


def read_tables(tables=TABLES) -> dict[str, list[dict]]:
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in tables}


def read_state(project) -> dict[str, object]:
    """Return what people see of the reasons, without the numbers and moments of rows."""
    calls: dict[int, list] = {}
    placed = CallReason.objects.order_by("call__file_name")
    for reason, name, is_fixed in placed.values_list("reason_id", "call__file_name", "is_fixed"):
        calls.setdefault(reason, []).append((name, is_fixed))
    reasons = {
        each.name: (
            each.parent.name if each.parent else None,
            (each.is_heading, each.is_placed, each.renamed, each.named_by_model, each.is_pinned),
            calls.get(each.pk, []),
        )
        for each in ContactReason.objects.filter(project=project).select_related("parent")
    }
    changes = [
        (each.kind, each.undone_at is not None, len(each.summary["reasons"]), len(each.summary["moves"]))
        for each in ReasonChange.objects.order_by("pk")
    ]
    settings = Project.objects.get(pk=project.pk).configuration.as_document()["contact_reasons"]
    return {"reasons": reasons, "changes": changes, "settings": settings, "report": read_report(project)}


def read_report(project) -> object:
    def drop_ids(value):
        if isinstance(value, dict):
            return {key: drop_ids(each) for key, each in value.items() if key != "reason_id"}
        return [drop_ids(each) for each in value] if isinstance(value, list) else value

    return drop_ids(json.loads(json.dumps(report_json(build_report([project], ALL_TIME)))))


def foresee(run, action: Callable[[], None]) -> dict[str, object]:
    """Return what the action makes of the project where nothing disturbs it, and leave nothing of it."""
    with transaction.atomic():
        action()
        state = read_state(run.project)
        transaction.set_rollback(True)
    return state


class TestARegrouping:
    @pytest.mark.parametrize("points", [NAMING, WRITING], ids=["while it names", "while it writes"])
    def test_that_dies_leaves_everything_as_it_was_and_the_next_completes_it(self, run, points):
        request(run)
        before, expected = read_tables(), foresee(run, run_due_jobs)
        assert expected["reasons"].keys() > {row["name"] for row in before["ContactReason"]}
        assert sum(is_heading for _, (is_heading, *_), _ in expected["reasons"].values()) > 1
        assert any(name.startswith("Cases of") for name in expected["reasons"])

        for point in points:
            request(run)
            run._fork(run_due_jobs, die_at=point)
            assert read_tables() == before, point
        run.work()

        assert read_state(run.project) == expected
        assert find_discrepancies() == []


def first_reasons(run, number: int) -> list[int]:
    held = ContactReason.objects.filter(project=run.project, calls__isnull=False)
    return list(held.order_by("pk").values_list("pk", flat=True).distinct()[:number])


def rename(run):
    (reason,) = first_reasons(run, 1)
    reason_edits.edit_reason(reason, {"name": "My own words"}, run.alice)


def put_under(run):
    heading = ContactReason.objects.filter(is_heading=True).latest("pk")
    (reason,) = first_reasons(run, 1)
    reason_edits.edit_reason(reason, {"parent": heading.pk}, run.alice)


def merge(run):
    into, *merged = first_reasons(run, 3)
    reason_edits.merge_reasons(into, merged, run.alice)


def split(run):
    calls = CallReason.objects.filter(reason=first_reasons(run, 1)[0]).order_by("pk")
    reason_edits.split_reason(calls[0].reason_id, [calls[0].pk], "Split off", run.alice)


def move(run):
    into, other = first_reasons(run, 2)
    calls = CallReason.objects.filter(reason=other).values_list("pk", flat=True)
    reason_edits.move_calls(into, calls, run.alice)


def undo(run):
    standing = ReasonChange.objects.filter(undone_at=None).latest("pk")
    reason_edits.undo_change(standing.pk, run.alice)


WRITTEN = ("edit_rows", "edit_commit")
MOVED = ("edit_calls", *WRITTEN)
UNDONE = ("undo_rows", *WRITTEN)


class TestAnEdit:
    def test_that_dies_is_made_whole_or_not_at_all(self, run):
        request(run)
        run._fork(run_due_jobs)
        steps = [(rename, WRITTEN), (put_under, WRITTEN), (merge, MOVED), (split, MOVED), (move, MOVED)]
        # The newest are undone first: each edit, and at last the regrouping itself.
        steps += [(undo, UNDONE)] * (len(steps) + 1)

        for action, points in steps:
            die_in(run, action, points)

        assert find_discrepancies() == []
        assert ReasonChange.objects.latest("pk").undone_at is not None
        assert ReasonChange.objects.filter(kind="regrouped", undone_at__isnull=False).count() == 1

    def test_that_dies_before_it_computed_centers_has_them_after_the_next_regrouping(self, run):
        merge(run)
        run._fork(lambda: split(run), die_at="edit_centers")
        new = ContactReason.objects.get(name="Split off")
        assert (new.centroid, new.calls.count()) == (None, 1)

        request(run)
        run.work()

        new.refresh_from_db()
        assert new.centroid
        assert new.calls.count() >= 1


def save_codes(run):
    make_codes(run, "open_ended")


def use_codes(run):
    make_codes(run, "predefined")


def make_codes(run, mode):
    project = Project.objects.get(pk=run.project.pk)
    coded = {each.code for each in project.configuration.contact_reasons.codes}
    held = ContactReason.objects.filter(project=project, calls__isnull=False, is_heading=False)
    chosen = held.exclude(name__in=coded).order_by("pk").values_list("pk", flat=True).distinct()[:3]
    reason_edits.adopt_codes(project, Wish([ChosenReason(each) for each in chosen], mode), run.alice)


class TestReasonsThatBecomeCodes:
    def test_are_codes_for_settings_calls_and_reports_or_for_none_of_them(self, run):
        request(run)
        run._fork(run_due_jobs)
        reasons = {row["id"]: row["name"] for row in read_tables()["ContactReason"]}
        before = read_state(run.project)
        steps = [(save_codes, WRITTEN), (use_codes, MOVED), (undo, UNDONE), (undo, UNDONE)]

        for action, points in steps:
            die_in(run, action, points)
            if action is use_codes:
                assert_codes_are_used(run.project)

        after = read_state(run.project)
        assert {row["id"]: row["name"] for row in read_tables()["ContactReason"]} == reasons
        assert all(is_undone for kind, is_undone, *_ in after["changes"] if kind == "coded")
        assert [after[part] for part in STAYING] == [before[part] for part in STAYING]
        assert find_discrepancies() == []


STAYING = ("reasons", "settings", "report")


def assert_codes_are_used(project) -> None:
    state = read_state(project)
    codes = {each["code"] for each in state["settings"]["codes"]}
    held = {name for name, (*_, calls) in state["reasons"].items() if calls}
    assert state["settings"]["mode"] == "predefined"
    assert len(codes) == 6
    assert held <= {*codes, "Other"}
    assert "Other" in held
    assert find_discrepancies() == []


def die_in(run, action: Callable[[ForkedRun], None], points: tuple[str, ...]) -> None:
    """Let the action die in each of its steps, the last time when it is committed."""
    tables = (*TABLES, AuditEvent, Job)
    before, expected = read_tables(tables), foresee(run, lambda: action(run))
    for point in points:
        run._fork(lambda: action(run), die_at=point)
        assert read_tables(tables) == before, (action.__name__, point)
    has_centers = action not in (rename, put_under, save_codes, use_codes)
    run._fork(lambda: action(run), die_at="edit_centers" if has_centers else "")
    assert read_state(run.project) == expected, action.__name__
