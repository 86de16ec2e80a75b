"""A person changes the contact reasons of a project: one transaction for reasons, reports and audit trail.

Each function raises InvalidReason or ReasonConflict before anything is written. Centers are computed
afterwards, since that may ask an engine; until then new calls find the changed reasons by the old ones.
"""

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.contact_reasons import editing, history
from callscope.contact_reasons.assignment import list_codes
from callscope.contact_reasons.codes.wish import KnownTopics, Outcome, Wish
from callscope.contact_reasons.models import ContactReason, ReasonChange
from callscope.db.transactions import run_in_transaction
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.pipeline.files import regrouping
from callscope.processes import crash_points
from callscope.projects.locking import get_locked_project
from callscope.projects.models import Project

logger = logging.getLogger(__name__)


def edit_reason(reason_id: int, values: Mapping[str, Any], by: User) -> ContactReason:
    """Change what is given of name, description, parent, is_set_aside and is_pinned; return the reason."""

    def edit(reason: ContactReason) -> list[int]:
        return editing.edit_reason(reason, values, by)

    _change_reason(reason_id, edit, "reason.edited", by, fields=sorted(values))
    return ContactReason.objects.get(pk=reason_id)


def merge_reasons(into_id: int, merged_ids: Collection[int], by: User) -> ContactReason:
    """Move the calls of some reasons into another and delete them; return the one that stays."""

    def merge(into: ContactReason) -> list[int]:
        found = ContactReason.objects.in_bulk(list(merged_ids))
        for each in merged_ids:
            if each not in found:
                raise editing.InvalidReason("from", "unknown_reason", value=each)
        return editing.merge_reasons(into, list(found.values()), by)

    project = _change_reason(into_id, merge, "reason.merged", by, reasons=sorted(merged_ids))
    _learn_centers(project, [into_id])
    return ContactReason.objects.get(pk=into_id)


def split_reason(reason_id: int, call_ids: Collection[int], name: str, by: User) -> ContactReason:
    """Move some calls of a reason into a new one; return the new one."""
    created: list[ContactReason] = []

    def split(reason: ContactReason) -> list[int]:
        new, changed = editing.split_reason(reason, call_ids, name, by)
        created.append(new)
        return changed

    project = _change_reason(reason_id, split, "reason.split", by, calls=len(set(call_ids)))
    new = created[-1]  # a transaction that met a deadlock ran twice
    _learn_centers(project, [reason_id, new.pk])
    return new


def move_calls(into_id: int, call_ids: Collection[int], by: User) -> ContactReason:
    """Move calls into a reason; return it."""
    project_id = ContactReason.objects.values_list("project_id", flat=True).get(pk=into_id)
    return _move_calls(project_id, lambda _project: ContactReason.objects.get(pk=into_id), call_ids, by)


def move_calls_to_code(project: Project, code: str, call_ids: Collection[int], by: User) -> ContactReason:
    """Move calls into the reason of a code, also one that no call had yet; return it.

    Raises InvalidReason for what is no code of the project, also one that was taken out meanwhile.
    """

    def find(locked: Project) -> ContactReason:
        if code not in (list_codes(locked.configuration) or ()):
            raise editing.InvalidReason("into", "unknown_reason", value=f"code:{code}"[:80])
        waiting = {"retired_at": timezone.now()}  # until it has calls
        return ContactReason.objects.get_or_create(project=locked, name=code, defaults=waiting)[0]

    return _move_calls(project.pk, find, call_ids, by)


def _move_calls(
    project_id: int, find: Callable[[Project], ContactReason], call_ids: Collection[int], by: User
) -> ContactReason:
    """Move calls into the reason that is found once the project is locked; return it."""
    before = set(ContactReason.objects.filter(calls__in=call_ids).values_list("pk", flat=True))
    moved: list[int] = []

    def move(into: ContactReason) -> list[int]:
        moved.append(into.pk)
        return editing.move_calls(into, call_ids, by)

    project = _change_found(project_id, find, move, "reason.calls_moved", by, calls=len(set(call_ids)))
    into_id = moved[-1]  # a transaction that met a deadlock ran twice
    _learn_centers(project, [into_id, *before])
    return ContactReason.objects.get(pk=into_id)


def adopt_codes(project: Project, wish: Wish, by: User) -> Outcome:
    """Make codes of reasons; with the mode predefined every call gets one of them. See codes.adopting."""
    from callscope.contact_reasons.codes import adopting, proposal

    adopting.build_codes(project, wish)  # what is wrong is said before phrases are compared, which takes long
    wish = proposal.complete_wish(project, wish)
    known: KnownTopics = {}
    reasons = None
    if wish.mode == "predefined":  # most topics are compared before anybody has to wait for the lock
        reasons = adopting.build_codes(project, wish)
        adopting.classify_topics(project, reasons, adopting.count_rest(project, reasons), known)

    def work() -> Outcome:
        locked = get_locked_project(project.pk)
        is_same = reasons == adopting.build_codes(locked, wish)  # somebody may have changed the settings
        outcome = adopting.adopt_codes(locked, wish, by, known if is_same else {})
        _refresh_reports(outcome.changed)
        detail = {"kept": outcome.kept, "coded": outcome.coded, "other": outcome.other}
        chosen = [each.reason for each in wish.chosen]
        audit.record(
            by,
            "reason.coded",
            f"project {project.pk}",
            mode=wish.mode,
            reasons=chosen,
            calls=detail,
            change=outcome.change,
        )
        crash_points.reach_point("edit_commit")
        return outcome

    return run_in_transaction(work)


def undo_change(change_id: int, by: User) -> ReasonChange:
    """Undo one change of the history; return it."""

    def undo() -> ReasonChange:
        found = ReasonChange.objects.select_related("project").get(pk=change_id)
        project = get_locked_project(found.project_id)
        change = ReasonChange.objects.get(pk=change_id)
        change.project = project
        _refresh_reports(history.undo_change(change, by))
        audit.record(by, "reason.undone", f"project {project.pk}", change=change_id)
        if "settings" in change.summary:  # calls that came under the codes may wait for a regrouping now
            regrouping.request_if_idle(project)
        crash_points.reach_point("edit_commit")
        return change

    change = run_in_transaction(undo)
    _learn_centers(change.project, history.list_touched(change))
    return change


def _change_reason(
    reason_id: int, change: Callable[[ContactReason], list[int]], action: str, by: User, **detail: object
) -> Project:
    """Run a change of a reason under its project's lock; return the project."""
    project_id = ContactReason.objects.values_list("project_id", flat=True).get(pk=reason_id)

    def find(_project: Project) -> ContactReason:
        return ContactReason.objects.get(pk=reason_id)

    return _change_found(project_id, find, change, action, by, **detail)


def _change_found(
    project_id: int,
    find: Callable[[Project], ContactReason],
    change: Callable[[ContactReason], list[int]],
    action: str,
    by: User,
    **detail: object,
) -> Project:
    """Run a change of the reason that is found once its project is locked; return the project."""

    def work() -> Project:
        try:
            project = get_locked_project(project_id)
        except Project.DoesNotExist:  # deleted meanwhile, with its reasons
            raise ContactReason.DoesNotExist from None
        reason = find(project)
        reason_id = reason.pk  # before a change that deletes it
        reason.project = project
        before = _find_newest(project)
        _refresh_reports(change(reason))
        newest = _find_newest(project)
        # The number alone: names are words of callers, and the history loses them when a call is erased.
        made = newest if newest != before else None
        audit.record(by, action, f"project {project.pk}", contact_reason=reason_id, change=made, **detail)
        crash_points.reach_point("edit_commit")
        return project

    return run_in_transaction(work)


def _find_newest(project: Project) -> int | None:
    """Return the number of the latest change in the history of a project, which the caller has locked."""
    changes = ReasonChange.objects.filter(project=project).order_by("-id")
    return changes.values_list("id", flat=True).first()


def _refresh_reports(calls: list[int]) -> None:
    from callscope.reports.store import facts

    crash_points.reach_point("edit_rows")
    facts.refresh(calls)


def _learn_centers(project: Project, reason_ids: Collection[int]) -> None:
    """Compute the centers again; where the engine is away, the next regrouping does it."""
    from callscope.contact_reasons import grouping

    crash_points.reach_point("edit_centers")
    try:
        grouping.learn_centers(project, reason_ids)
    except (EngineUnavailable, EngineRejected, BadOutput) as error:
        logger.warning(
            "The centers of the reasons of project %s wait for the next regrouping: %s", project.pk, error
        )
