"""Calls to hear: words of the calls that scored lowest, and what they show.

Of the calls with the lowest scores, those with critical errors and those with mistakes; first the critical
errors that the summary names, then what else the story of the report is about, then other critical errors
and mistakes, and where these are too few other criteria that were not met. Each is of another agent and about
something else where there are enough of them, and each call comes once. Words with digits come last: they are
addresses, dates and numbers of a caller more often than others, and documents are passed on. Calls with an
unreliable transcript are left out: what was said there is not known.
"""

import datetime as dt
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from callscope.analysis.models import CallAnalysis
from callscope.projects.models import Project
from callscope.reports.call_list.call_rows import CallItem
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.listing import find_page
from callscope.reports.overview.highlights import list_moved_criteria
from callscope.reports.overview.places.criteria import list_costliest, list_named_critical
from callscope.reports.overview.places.ties import MOST_TIED
from callscope.reports.overview.schemas import Report
from callscope.reports.overview.scorecard import judge_row
from callscope.reports.window import Window

MOMENTS = 3
CALLS_READ = 25  # of each kind
DIGIT = re.compile(r"\d")
WITH_DIGITS = 10  # is added to a rank, so that it is above all others
NAMED = -1  # by the summary: before all others
UNEXPLAINED = 20  # a criterion that the report is not about: the words alone do not say why it was not met
TIME_PREFIX = re.compile(r"\[(?:(\d{1,3}):)?(\d{1,3}):(\d{2})\]\s*", re.ASCII)
LOWEST = CallFilters(ordering="score_percentage")
LISTS = (LOWEST, replace(LOWEST, critical=True), replace(LOWEST, with_mistakes=True))
Kind = Literal["critical_error", "criterion", "partly", "mistake"]


@dataclass(frozen=True, slots=True)
class Moment:
    """Words of a call that are worth hearing."""

    call_id: int
    project_id: int
    file_name: str
    call_datetime: dt.datetime
    agent: str
    kind: Kind
    name: str  # of the criterion or mistake
    text: str  # without its time
    start_s: float | None  # from the start of the recording; None where it is not known
    rank: int  # the lower, the sooner it is heard


def find_moments(
    report: Report,
    projects: Sequence[Project],
    window: Window,
    *,
    agent_id: int | None = None,
    without: Collection[int] = (),
    is_leaving: bool = False,
) -> list[Moment]:
    """Return at most three moments of the calls of a report.

    With `agent_id`, of the calls that this agent has in one project; `without` are calls that the reader
    may not see judged. `is_leaving`: the words go to a mail server, so private calls are left out.
    """
    items: dict[int, CallItem] = {}
    for filters in LISTS:
        chosen = filters if agent_id is None else filters.of_agent(agent_id)
        page = find_page([project.pk for project in projects], window, chosen, page_size=CALLS_READ)
        items |= {item.id: item for item in page.items if item.id not in without and not item.is_half_heard}
    analyses = CallAnalysis.objects.filter(call__in=list(items), is_live=True)
    if is_leaving:
        analyses = analyses.exclude(call__files__is_private=True)
        private = [project.pk for project in projects if project.configuration.private_transcription]
        analyses = analyses.exclude(project__in=private)
    story, named = _list_story(report), {row.criterion_id for row in list_named_critical(report)}
    columns = ("call_id", "project_id", "copc", "no_protocol")
    by_call = {each.call_id: each for each in analyses.only(*columns)}
    found = [
        moment
        for call_id, item in items.items()
        if call_id in by_call
        for moment in _list_moments(item, by_call[call_id], story, named)
    ]
    ranked = sorted(found, key=lambda each: each.rank)
    first = list(islice(_choose([each for each in ranked if each.rank < UNEXPLAINED]), MOMENTS))
    heard = {each.call_id for each in first}
    others = [each for each in ranked if each.rank >= UNEXPLAINED and each.call_id not in heard]
    return [*first, *islice(_choose(others), MOMENTS - len(first))]


def _list_story(report: Report) -> set[str]:
    """Return the criteria that a report is about: those that fell, that cost most points or most calls."""
    fell = {row.criterion_id for row in list_moved_criteria(report) if (judge_row(row).delta_pct or 0) < 0}
    costliest = {row.criterion_id for row in list_costliest(report)[:MOST_TIED]}
    return fell | costliest | {row.criterion_id for row in list_named_critical(report)}


def _list_moments(
    item: CallItem, analysis: CallAnalysis, story: Collection[str], named: Collection[str]
) -> Iterator[Moment]:
    project = analysis.project_id
    for entry in (analysis.copc or {}).get("criterion_scores") or []:
        is_missed = float(entry.get("score") or 0) < float(entry.get("max_points") or 0)
        if not entry.get("quote") or not is_missed or entry.get("applicability") == "not_applicable":
            continue
        key, is_critical = str(entry.get("criterion_id")), bool(entry.get("is_critical_error"))
        kind: Kind = "critical_error" if is_critical else "partly" if entry.get("score") else "criterion"
        rank = int(not is_critical) if key in story else 2 if is_critical else UNEXPLAINED
        if is_critical and key in named:
            rank = NAMED
        yield _build_moment(item, project, entry, kind, str(entry.get("name") or key), rank)
    for mistake in (analysis.no_protocol or {}).get("mistakes") or []:
        if mistake.get("quote"):
            name = str(mistake.get("description") or mistake.get("id") or "")
            yield _build_moment(item, project, mistake, "mistake", name, 2)


def _build_moment(
    item: CallItem, project_id: int, entry: Mapping[str, Any], kind: Kind, name: str, rank: int
) -> Moment:
    said, start = str(entry["quote"]), entry.get("quote_start")
    start_s = float(start) if isinstance(start, int | float) and not isinstance(start, bool) else None
    if match := TIME_PREFIX.match(said):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        said = said[match.end() :]
        start_s = hours * 3600.0 + minutes * 60 + seconds if start_s is None else start_s
    if DIGIT.search(said):
        rank += WITH_DIGITS
    call = item.id, project_id, item.file_name, item.call_datetime, item.agent
    return Moment(*call, kind, name, said, start_s, rank)


def _choose(ranked: Sequence[Moment]) -> Iterator[Moment]:
    """Yield moments of other agents and names first, then of other agents, then all of other calls."""
    calls: set[int] = set()
    names: set[str] = set()
    agents: set[str] = set()
    for needs_agent, needs_name in ((True, True), (True, False), (False, True), (False, False)):
        for moment in ranked:
            is_known = (needs_agent and moment.agent in agents) or (needs_name and moment.name in names)
            if moment.call_id not in calls and not is_known:
                calls.add(moment.call_id)
                names.add(moment.name)
                agents.update({moment.agent} - {""})
                yield moment
