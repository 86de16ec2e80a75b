"""Regroup the topics of an open-ended project into contact reasons.

propose() is slow and only reads; apply() writes what changed, inside the
caller's transaction. Reasons keep their identity: see matching.py.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import numpy as np
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.contact_reasons.arrival import classify_arrival
from callscope.contact_reasons.clustering import LEAST_CUT, LEAST_CUT_OF_WORDS, centroids, group
from callscope.contact_reasons.matching import match_reasons
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.engines.embeddings.choose import choose_embedder
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.protocol import Embedder, Vectors
from callscope.projects.models import Project

__all__ = ["Plan", "apply", "classify_arrival", "propose", "rename"]

BATCH = 2000  # rows a statement; SQLite takes 32,766 variables
MAX_NAME = 255
# A reason's identity lasts once it has stood this long. Before that, groups made while the first calls still
# came in would shape those made of all of them, and when a worker was killed would show in the report.
SETTLES_AFTER = dt.timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class PlannedReason:
    """One reason as it shall be. Without an id it is new."""

    reason_id: int | None
    names: list[str]  # the best first: the first free one is taken, for a new reason
    centroid: bytes
    calls: list[int]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a regrouping will do to one project."""

    project_id: int
    embedder: str
    reasons: list[PlannedReason] = field(default_factory=list)


def propose(project: Project) -> Plan:
    """Return the reasons of a project as its topics group today; reads only, and may take seconds.

    Calls without a topic keep the reason that they have.
    """
    embedder = choose_embedder(settings.ENVIRONMENT, private=project.configuration.private_transcription)
    calls_by_topic = _calls_by_topic(project)
    topics = sorted(calls_by_topic)
    if not topics:
        return Plan(project.pk, embedder.id)
    counts = np.array([len(calls_by_topic[t]) for t in topics], dtype=np.int64)
    stored = embedder.encode(topics)
    grouping = group(
        _comparable(embedder, topics, stored),
        counts,
        least_cut=LEAST_CUT if embedder.knows_meaning else LEAST_CUT_OF_WORDS,
    )
    middles = centroids(stored, grouping.labels, counts)
    members: list[list[int]] = [[] for _ in grouping.medoids]
    for row, label in enumerate(grouping.labels):
        members[label].append(row)
    calls = [[c for row in rows for c in calls_by_topic[topics[row]]] for rows in members]
    lasting = ContactReason.objects.filter(Q(project=project) & _lasts(timezone.now()))
    of_call = CallReason.objects.filter(project=project, reason__in=lasting)
    former = dict(of_call.values_list("call_id", "reason_id").order_by())
    renamed = frozenset(
        ContactReason.objects.filter(project=project, renamed=True).values_list("id", flat=True)
    )
    continued = match_reasons(calls, former, renamed)
    planned = [
        PlannedReason(
            reason_id=continued.get(label),
            names=_names(topics, members[label], grouping.medoids[label], counts),
            centroid=middles[label].tobytes(),
            calls=sorted(calls[label]),
        )
        for label in range(len(members))
    ]
    return Plan(project.pk, embedder.id, planned)


def apply(plan: Plan) -> list[int]:
    """Write the plan and return the ids of the calls whose reason changed, in the caller's transaction.

    A project that became predefined since, calls that were deleted since and
    reasons that a person renamed since are respected.
    """
    project = Project.objects.select_for_update().get(pk=plan.project_id)
    if project.configuration.contact_reasons.mode == "predefined":
        return []
    now = timezone.now()
    lasting = {r.pk: r for r in ContactReason.objects.filter(Q(project=project) & _lasts(now))}
    others = ContactReason.objects.filter(project=project).exclude(pk__in=lasting)
    provisional = {r.name.casefold(): r for r in others}
    taken = {r.name.casefold() for r in lasting.values()}
    live = set(Call.objects.filter(project=project).values_list("id", flat=True))
    wanted: dict[int, int] = {}
    for planned in plan.reasons:
        calls = [c for c in planned.calls if c in live]
        if not calls:
            continue
        reason = lasting.get(planned.reason_id) if planned.reason_id else None
        if reason is None:
            name = _free_name(planned.names, taken)
            taken.add(name.casefold())
            made = ContactReason(project=project, name=name, provisional_until=now + SETTLES_AFTER)
            reason = provisional.pop(name.casefold(), made)
        reason.centroid, reason.embedder, reason.retired_at = planned.centroid, plan.embedder, None
        reason.save()
        wanted.update(dict.fromkeys(calls, reason.pk))
    changed = _write_call_reasons(project.pk, wanted)
    _clear_away(project.pk)
    return changed


def rename(reason: ContactReason, name: str) -> list[int]:
    """Give a reason a name that lasts, and return the ids of its calls.

    Raises ValueError for a blank name or one that another reason has.
    """
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME:
        raise ValueError(f'A contact reason is named by 1 to {MAX_NAME} characters, not "{name[:80]}".')
    if ContactReason.objects.filter(project_id=reason.project_id, name=name).exclude(pk=reason.pk).exists():
        raise ValueError(f'Another contact reason of this project is named "{name}".')
    reason.name, reason.renamed, reason.provisional_until = name, True, None
    reason.save(update_fields=["name", "renamed", "provisional_until"])
    return sorted(CallReason.objects.filter(reason=reason).values_list("call_id", flat=True))


def _calls_by_topic(project: Project) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    rows = CallAnalysis.objects.filter(project=project, is_live=True).order_by("call_id")
    stored: Any
    for call_id, stored in rows.values_list("call_id", "insights").iterator(chunk_size=BATCH):
        topic = " ".join(str((stored or {}).get("topic") or "").split())
        if topic:
            found.setdefault(topic, []).append(call_id)
    return found


def _comparable(embedder: Embedder, topics: list[str], stored: Vectors) -> Vectors:
    """Return vectors for comparing these topics with each other; words alone are sharper read together."""
    return embedder.encode_corpus(topics) if isinstance(embedder, LexicalEmbedder) else stored


def _names(
    topics: list[str], rows: list[int], medoid: int, counts: "np.typing.NDArray[np.int64]"
) -> list[str]:
    others = sorted((r for r in rows if r != medoid), key=lambda r: (-int(counts[r]), r))
    return [_sentence_case(topics[r])[:MAX_NAME] for r in [medoid, *others[:20]]]


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lasts(now: dt.datetime) -> Q:
    return Q(renamed=True) | Q(provisional_until=None) | Q(provisional_until__lte=now)


def _free_name(names: list[str], taken: set[str]) -> str:
    """Return the first name that nobody has in any case; `taken` holds case-folded ones."""
    numbered = (f"{names[0][: MAX_NAME - 8]} ({number})" for number in count(2))
    return next(name for name in chain(names, numbered) if name.casefold() not in taken)


def _write_call_reasons(project_id: int, wanted: dict[int, int]) -> list[int]:
    current = dict(CallReason.objects.filter(project_id=project_id).values_list("call_id", "reason_id"))
    changed = sorted(call for call, reason in wanted.items() if current.get(call) != reason)
    for part in _batches(changed):
        CallReason.objects.bulk_create(
            [CallReason(call_id=c, project_id=project_id, reason_id=wanted[c]) for c in part],
            update_conflicts=True,
            unique_fields=["call"],
            update_fields=["reason"],
        )
    return changed


def _clear_away(project_id: int) -> None:
    """Delete the reasons that no call has; keep, as retired, those that a person named."""
    empty = ContactReason.objects.filter(project_id=project_id, calls__isnull=True)
    empty.filter(renamed=False).delete()
    empty.filter(renamed=True, retired_at=None).update(retired_at=timezone.now())


def _batches(ids: list[int]) -> Iterator[Iterable[int]]:
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]
