"""In how many calls a mistake or a prompt was decided: what the shares of findings are taken over.

Nobody can tell of every call whether a prompt was said in it: rules leave it open where something near to
it was said, and a transcript may be unreliable. Such calls belong to no share. Marks hold the missed
prompts alone, so the prompts that were said are read from the stored results, of the newest calls only.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

from django.db.models import Count

from callscope.analysis.models import CallAnalysis
from callscope.db.chunks import chunked
from callscope.reports.models import CallFact, CallMark
from callscope.reports.store.marks import MAX_KEY, MISTAKE
from callscope.reports.window import Window, to_microseconds

MAX_CALLS = 2000  # whose stored results are read for a window: a report costs the same whatever it covers
CALLS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class DecidedCalls:
    """Of several mistakes or prompts: the calls in which each was found, of those in which it was decided."""

    found: list[int]
    decided: list[int]


def count_decided_mistakes(
    keys: Sequence[str],
    where: Sequence[Collection[int]],
    made: Mapping[str, int],
    checked: Mapping[int, int],
    window: Window,
    agent_id: int | None,
) -> DecidedCalls:
    """Return it for mistakes: an unreliable transcript shows that one was made, never that it was not.

    `checked` are the calls of each project in which mistakes were looked for, and `where` the projects that
    look for each mistake: calls of the others say nothing about it.
    """
    first, last = window.days
    facts = CallFact.objects.filter(project__in=checked, half_heard=True, day__gte=first, day__lte=last)
    facts = facts.filter(mistakes__isnull=False)
    if agent_id is not None:
        facts = facts.filter(agent_id=agent_id)
    by_project = facts.order_by().values_list("project_id").annotate(calls=Count("pk"))
    unreliable, made_there = dict(by_project), dict[str, int]()
    if unreliable:
        marks = CallMark.objects.filter(kind=MISTAKE, call__in=facts.values("pk")).order_by()
        made_there = dict(marks.values_list("key").annotate(calls=Count("pk")))
    found = [made.get(key, 0) for key in keys]
    known = {project: calls - unreliable.get(project, 0) for project, calls in checked.items()}
    decided = [
        made_there.get(key, 0) + sum(known.get(each, 0) for each in projects)
        for key, projects in zip(keys, where, strict=True)
    ]
    return DecidedCalls(found, decided)


def count_decided_prompts(
    keys: Sequence[str],
    where: Sequence[Collection[int]],
    project_ids: list[int],
    window: Window,
    agent_id: int | None,
) -> DecidedCalls:
    """Return it for prompts, of the newest MAX_CALLS calls of the window in which they were looked for.

    `where` are the projects that look for each prompt.
    """
    missed, decided = Counter[str](), Counter[str]()
    calls_of_all = Counter[int]()  # by project
    newest = dict(_list_newest(project_ids, window, agent_id))
    for chunk in chunked(newest, CALLS_AT_ONCE):
        live = CallAnalysis.objects.filter(call__in=chunk, is_live=True)
        rows: Any = live.values_list("call_id", "project_id", "no_protocol", "machine_no_protocol")
        for call_id, project_id, result, machine in rows:
            missed_here = list_ids((result or {}).get("missing_prompts"))
            missed.update(missed_here)
            if names_only_missed(machine or result or {}) and not newest[call_id]:
                calls_of_all[project_id] += 1
            else:
                decided.update(missed_here | list_ids((result or {}).get("prompts")))
    of_all = [sum(calls_of_all[each] for each in projects) for projects in where]
    return DecidedCalls(
        [missed[key] for key in keys], [n + decided[key] for n, key in zip(of_all, keys, strict=True)]
    )


def names_only_missed(result: Mapping[str, Any]) -> bool:
    """Return whether a result, an imported one, lists no prompts that were said: the others count as said."""
    return result.get("prompts") is None


def list_ids(entries: Collection[Mapping[str, Any]] | None) -> set[str]:
    """Return the ids of stored mistakes or prompts, as marks have them."""
    return {str(each["id"])[:MAX_KEY] for each in entries or () if each.get("id")}


def _list_newest(project_ids: Iterable[int], window: Window, agent_id: int | None) -> list[tuple[int, bool]]:
    """Return the newest calls that were looked into, and whether their transcript is unreliable."""
    first, after = (to_microseconds(moment) for moment in window.moments)
    rows: list[tuple[int, int, bool]] = []
    for project_id in project_ids:  # each from the newest end of its own index
        facts = CallFact.objects.filter(
            project=project_id, at_us__gte=first, at_us__lt=after, mistakes__isnull=False
        )
        if agent_id is not None:
            facts = facts.filter(agent_id=agent_id)
        rows += facts.order_by("-at_us", "-pk").values_list("at_us", "pk", "half_heard")[:MAX_CALLS]
    return [(pk, is_unreliable) for _, pk, is_unreliable in nlargest(MAX_CALLS, rows)]
