"""Regroup the topics of an open-ended project into contact reasons.

propose_reasons() is slow and only reads; apply_plan() writes what changed in the caller's transaction.
Reasons keep their identity: see continuity.py.
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Q
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.calls.private_words import engines_for_projects
from callscope.contact_reasons.clusters import centers
from callscope.contact_reasons.clusters.beginnings import find_first, measure_ages
from callscope.contact_reasons.clusters.causes import Nearness
from callscope.contact_reasons.clusters.clustering import (
    Labels,
    cluster_vectors,
    compute_centroids,
    find_medoids,
)
from callscope.contact_reasons.clusters.continuity import NONE, Beginning, continue_reasons
from callscope.contact_reasons.clusters.move_measures import measure_moves
from callscope.contact_reasons.clusters.spaces import place_topics
from callscope.contact_reasons.hierarchy import (
    DISSOLVED,
    Member,
    NamedTopics,
    PlannedHeading,
    apply_headings,
    holds_nothing,
    plan_headings,
)
from callscope.contact_reasons.history import Recording, find_latest
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from callscope.contact_reasons.naming import number_name, stands_alone, to_name
from callscope.db.chunks import chunked
from callscope.engines.embeddings.protocol import Embedder
from callscope.processes import crash_points
from callscope.projects.models import Project

BATCH = 2000  # rows a statement; SQLite takes 32,766 variables
WORDED_FROM = 8  # topics of a group that a language model sees
MAX_NAMES = 20  # topics that may lend a reason their name after the first one
# A reason's identity lasts from then on (ADR 7): earlier, the first calls or a killed worker would shape it.
SETTLES_AFTER = dt.timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class PlannedReason:
    """One reason as it will be. Without an id it is new."""

    reason_id: int | None
    names: list[tuple[str, list[int]]]  # with the calls that say so; the first free one names a new reason
    centroid: bytes
    calls: list[int]
    causes: Mapping[int, Nearness] = field(default_factory=dict)  # of calls that come in, by former reason
    worded: str = ""  # a name by a language model, made from the first of `names`; "" if there is none


@dataclass(frozen=True, slots=True)
class RegroupingPlan:
    """What a regrouping will do to one project."""

    project_id: int
    embedder: str
    basis: int  # the latest change of the reasons when it was made
    reasons: list[PlannedReason] = field(default_factory=list)
    headings: list[PlannedHeading] = field(default_factory=list)


def propose_reasons(project: Project) -> RegroupingPlan:
    """Return the reasons of a project as its topics group today; reads only, and may take seconds.

    Calls without a topic keep the reason that they have. A topic whose calls a person placed goes
    where most of them are.
    """
    basis = find_latest(project.pk)
    embedder = engines_for_projects(project).embedder
    calls_by_topic: dict[str, list[int]] = {}
    for topic, call_id in read_topics(project=project):
        calls_by_topic.setdefault(topic, []).append(call_id)
    placed_by_person = CallReason.objects.filter(project=project, is_fixed=True).order_by()
    placed = dict(placed_by_person.values_list("call_id", "reason_id"))
    held = _hold_topics(project, embedder, calls_by_topic, placed)
    topics = sorted(topic for topic in calls_by_topic if topic not in held)
    planned = _plan_groups(project, embedder, topics, calls_by_topic, placed) if topics else []
    if held:
        planned = _add_held_topics(embedder, planned, held, calls_by_topic)
    return RegroupingPlan(project.pk, embedder.id, basis, planned, _plan_headings(project, embedder, planned))


def is_outdated(plan: RegroupingPlan) -> bool:
    """Return whether somebody changed the reasons since the plan was made: it would undo that."""
    return find_latest(plan.project_id) != plan.basis


def _plan_groups(
    project: Project,
    embedder: Embedder,
    topics: list[str],
    calls_by_topic: dict[str, list[int]],
    placed: Mapping[int, int],
) -> list[PlannedReason]:
    """Return the groups that the topics form, from the lasting reasons that are there."""
    counts = np.array([len(calls_by_topic[t]) for t in topics], dtype=np.int64)
    space = place_topics(embedder, topics)
    chosen_by_person = ContactReason.objects.filter(Q(renamed=True) | Q(is_pinned=True), project=project)
    former = _load_former_reasons(project, topics, calls_by_topic, placed)
    since = _find_last_regrouping(project)
    new_calls = _load_new_calls(project, since)
    ages = _measure_ages(project, topics, calls_by_topic)
    groups = cluster_vectors(space.compared, counts, space.spread, ages)
    just_came = np.array([new_calls.issuperset(calls_by_topic[t]) for t in topics])
    if since is None:  # what has a reason has it from an import or from a person
        just_came &= former == NONE
    reasons = continue_reasons(
        space.compared,
        groups.labels,
        former,
        counts,
        kept=list(chosen_by_person.values_list("id", flat=True)),
        new_calls=len(new_calls),
        beginning=Beginning(groups.is_late, just_came, ages),
    )
    causes = measure_moves(space.compared, former, reasons, counts)
    found, labels = np.unique(reasons, return_inverse=True)
    medoids = find_medoids(space.compared, labels, counts)
    centroids = compute_centroids(space.vectors, labels, counts)
    planned = []
    for label, reason in enumerate(found.tolist()):
        rows = np.flatnonzero(labels == label).tolist()
        medoid = medoids[label]
        others = sorted(set(rows) - {medoid}, key=lambda row: (-int(counts[row]), row))
        # The most typical topic is the first that may name the group, then come the most frequent ones.
        typical = [topics[row] for row in [medoid, *others[:MAX_NAMES]]]
        planned.append(
            PlannedReason(
                reason_id=reason if reason > NONE else None,
                names=_list_names(typical, calls_by_topic),
                centroid=centroids[label].tobytes(),
                calls=sorted(call for row in rows for call in calls_by_topic[topics[row]]),
                causes=causes.get(reason, {}),
            )
        )
    return planned


def _hold_topics(
    project: Project, embedder: Embedder, calls_by_topic: Mapping[str, list[int]], placed: Mapping[int, int]
) -> dict[str, int]:
    """Return topic → reason id for the topics of placed calls, and for those near to them without another."""
    if not placed:
        return {}
    held: dict[str, int] = {}
    for topic, calls in calls_by_topic.items():
        counts = Counter(placed[call] for call in calls if call in placed)
        if counts:
            held[topic] = min(counts, key=lambda reason: (-counts[reason], reason))
    stored = {
        reason: centers.compute_centers(
            embedder, {topic: len(calls_by_topic[topic]) for topic, of in held.items() if of == reason}
        )
        for reason in sorted(set(held.values()))
    }
    others = [topic for topic in calls_by_topic if topic not in held]
    if others:
        nearest = centers.find_nearest(embedder.encode(others), stored, centers.min_likeness(embedder))
        former = dict(
            CallReason.objects.filter(project=project).values_list("call_id", "reason_id").order_by()
        )
        held |= {
            topic: reason
            for topic, reason in zip(others, nearest, strict=True)
            if reason and {former.get(call, reason) for call in calls_by_topic[topic]} == {reason}
        }
    return held


def _plan_headings(
    project: Project, embedder: Embedder, planned: Sequence[PlannedReason]
) -> list[PlannedHeading]:
    """Return the headings that the planned reasons come under."""
    if len(planned) <= DISSOLVED:
        return []
    width = embedder.encode([planned[0].names[0][0]]).shape[1]
    members = [
        Member(row, each.reason_id, centers.average(each.centroid, width), each.names)
        for row, each in enumerate(planned)
    ]
    return plan_headings(project, members, timezone.now())


def _add_held_topics(
    embedder: Embedder,
    planned: list[PlannedReason],
    held: Mapping[str, int],
    calls_by_topic: Mapping[str, list[int]],
) -> list[PlannedReason]:
    """Return the groups with the topics that people placed added to the reasons they belong to."""
    continued = {each.reason_id: each for each in planned}
    others = [each for each in planned if each.reason_id not in held.values()]
    joined = []
    for reason_id in sorted(set(held.values())):
        topics = sorted(topic for topic, reason in held.items() if reason == reason_id)
        calls = [call for topic in topics for call in calls_by_topic[topic]]
        names = _list_names(topics[: MAX_NAMES + 1], calls_by_topic)
        own = centers.compute_centers(embedder, {topic: len(calls_by_topic[topic]) for topic in topics})
        group = continued.get(reason_id)
        if group is not None:
            own = group.centroid + own
            calls, names = calls + group.calls, group.names
        causes = group.causes if group is not None else {}
        joined.append(PlannedReason(reason_id, names, own, sorted(calls), causes))
    return [*others, *joined]


def learn_centers(project: Project, reason_ids: Collection[int]) -> None:
    """Compute the centers of reasons whose calls a person changed, from the topics of their calls.

    Reasons without calls have none. Raises the errors of the embedding engine.
    """
    embedder = engines_for_projects(project).embedder
    for reason in ContactReason.objects.filter(project=project, pk__in=reason_ids):
        counts: Counter[str] = Counter()
        for chunk in chunked(reason.calls.order_by("call").values_list("call_id", flat=True), BATCH):
            counts.update(topic for topic, _ in read_topics(call__in=chunk))
        stored = centers.compute_centers(embedder, counts) if counts else None
        ContactReason.objects.filter(pk=reason.pk).update(centroid=stored, embedder=embedder.id)


def apply_plan(plan: RegroupingPlan) -> list[int]:
    """Write the plan and return the ids of the calls whose reason changed, in the caller's transaction.

    A project that became predefined since, calls that were deleted since and
    reasons that a person renamed since are respected.
    """
    project = Project.objects.select_for_update().get(pk=plan.project_id)
    if project.configuration.contact_reasons.mode == "predefined":
        return []
    now = timezone.now()
    recording = Recording(project, [])
    lasting = {r.pk: r for r in ContactReason.objects.filter(Q(project=project) & _lasts(now))}
    others = ContactReason.objects.filter(project=project).exclude(pk__in=lasting)
    provisional = {r.name.casefold(): r for r in others if not r.is_heading}
    taken = {r.name.casefold() for r in [*lasting.values(), *others] if r.pk in lasting or r.is_heading}
    live = set(Call.objects.filter(project=project).values_list("id", flat=True))
    reason_of_call: dict[int, int] = {}
    reason_ids: dict[int, int] = {}  # of each place in the plan
    topics: dict[int, NamedTopics] = {}  # likewise, without those that only erased calls said
    for row, planned in enumerate(plan.reasons):
        calls = [c for c in planned.calls if c in live]
        if not calls:
            continue
        reason = lasting.get(planned.reason_id) if planned.reason_id else None
        # Words of a call that was erased meanwhile name nothing.
        said = [(name, said_by) for name, said_by in planned.names if not live.isdisjoint(said_by)]
        if reason is None:
            names = [name for name, _ in said]
            if not names:
                continue
            worded = [planned.worded] if may_use_wording(planned, live) else []
            name = next(n for n in chain(worded, names, number_name(names[0])) if n.casefold() not in taken)
            taken.add(name.casefold())
            new = ContactReason(project=project, name=name, provisional_until=now + SETTLES_AFTER)
            reason = provisional.pop(name.casefold(), new)
            reason.named_by_model = name in worded
        reason.centroid, reason.embedder, reason.retired_at = planned.centroid, plan.embedder, None
        reason.save()
        reason_ids[row], topics[row] = reason.pk, said
        reason_of_call.update(dict.fromkeys(calls, reason.pk))
    changed = _find_moved_calls(project.pk, reason_of_call)
    recording.watch(changed)
    crash_points.reach_point("reason_rows")
    _write_call_reasons(project.pk, {call: reason_of_call[call] for call in changed})
    crash_points.reach_point("reason_calls")
    # A name that a person chose outlives its calls; it may find its group again.
    empty = ContactReason.objects.filter(holds_nothing(), project=project, is_pinned=False)
    empty.filter(renamed=False, is_heading=False).delete()
    headings = [drop_erased_wording(plan, heading, live) for heading in plan.headings]
    apply_headings(project, headings, reason_ids, topics, now=now, settles_at=now + SETTLES_AFTER)
    empty.filter(renamed=True, retired_at=None).update(retired_at=timezone.now())
    crash_points.reach_point("reason_headings")
    causes = {pk: plan.reasons[row].causes for row, pk in reason_ids.items()}
    shown = recording.store(ReasonChange.Kind.REGROUPED, None, causes)
    crash_points.reach_point("reason_map")
    return shown


def may_use_wording(planned: PlannedReason, live: Collection[int]) -> bool:
    """Return whether a model worded a name, and no topic that it saw belongs to erased calls alone."""
    return bool(planned.worded) and all(
        any(call in live for call in said_by) for _, said_by in planned.names[:WORDED_FROM]
    )


def drop_erased_wording(
    plan: RegroupingPlan, heading: PlannedHeading, live: Collection[int]
) -> PlannedHeading:
    """Return the heading without a model's name for it, where the model saw a topic of erased calls alone."""
    seen = [said_by for row in heading.members for _, said_by in plan.reasons[row].names[:1]]
    if all(any(call in live for call in said_by) for said_by in seen):
        return heading
    return replace(heading, worded="")


def read_topics(**which: Any) -> Iterator[tuple[str, int]]:
    """Yield the topic of each call in the reports that has one, and the call's id."""
    rows = CallAnalysis.objects.filter(is_live=True, **which).order_by("call_id")
    stored: Any
    for call_id, stored in rows.values_list("call_id", "insights").iterator(chunk_size=BATCH):
        topic = " ".join(str((stored or {}).get("topic") or "").split())
        if topic:
            yield topic, call_id


def _load_former_reasons(
    project: Project,
    topics: list[str],
    calls_by_topic: Mapping[str, list[int]],
    placed: Mapping[int, int],
) -> Labels:
    """Return for each topic the lasting reason that most of its calls have, NONE where none has one."""
    reasons = ContactReason.objects.filter(project=project)
    of_call = CallReason.objects.filter(project=project, reason__in=reasons.filter(_lasts(timezone.now())))
    rows = of_call.values_list("call_id", "reason_id").order_by()
    former = {call: reason for call, reason in rows if call not in placed}
    result = np.full(len(topics), NONE, dtype=np.int64)
    for row, topic in enumerate(topics):
        counts = Counter(former[call] for call in calls_by_topic[topic] if call in former)
        if counts:
            result[row] = min(counts, key=lambda reason: (-counts[reason], reason))
    return result


def _find_last_regrouping(project: Project) -> dt.datetime | None:
    made = ReasonChange.objects.filter(project=project, kind=ReasonChange.Kind.REGROUPED).order_by("-id")
    return made.values_list("made_at", flat=True).first()


def _load_new_calls(project: Project, since: dt.datetime | None) -> set[int]:
    """Return the calls in the reports that were analyzed since then; None: all of them."""
    live = CallAnalysis.objects.filter(project=project, is_live=True).order_by()
    new = live if since is None else live.filter(completed_at__gt=since)
    return {call for call in new.values_list("call_id", flat=True) if call is not None}


def _measure_ages(
    project: Project, topics: Sequence[str], calls_by_topic: Mapping[str, list[int]]
) -> npt.NDArray[np.float64]:
    """Return for each topic the share of the project's calls that came since the day it was first said.

    By days, because calls without a date of their own have that of their upload, in the order of their files.
    """
    rows = Call.objects.filter(project=project).order_by("id").values_list("id", "call_datetime")
    moments = ((pk, moment.toordinal()) for pk, moment in rows.iterator(chunk_size=BATCH))
    read = np.fromiter(moments, dtype=np.dtype("i8,i8"))
    days = read["f1"]
    return measure_ages(days, find_first(read["f0"], days, [calls_by_topic[topic] for topic in topics]))


def _list_names(
    topics: Sequence[str], calls_by_topic: Mapping[str, list[int]]
) -> list[tuple[str, list[int]]]:
    """Return the names that topics give, with the calls that say so; what reads as a name comes first."""
    named = [(to_name(topic), calls_by_topic[topic]) for topic in topics]
    return sorted(named, key=lambda each: not stands_alone(each[0]))


def _lasts(now: dt.datetime) -> Q:
    return Q(renamed=True) | Q(provisional_until=None) | Q(provisional_until__lte=now)


def _find_moved_calls(project_id: int, reason_of_call: Mapping[int, int]) -> list[int]:
    """Return the ids of the calls that get another reason; those that a person placed stay."""
    rows = CallReason.objects.filter(project_id=project_id).order_by()
    current = dict(rows.values_list("call_id", "reason_id"))
    placed = set(rows.filter(is_fixed=True).values_list("call_id", flat=True))
    return sorted(
        call for call, reason in reason_of_call.items() if current.get(call) != reason and call not in placed
    )


def _write_call_reasons(project_id: int, reason_of_call: Mapping[int, int]) -> None:
    for chunk in chunked(reason_of_call.items(), BATCH):
        CallReason.objects.bulk_create(
            [CallReason(call_id=call, project_id=project_id, reason_id=reason) for call, reason in chunk],
            update_conflicts=True,
            unique_fields=["call"],
            update_fields=["reason"],
        )
