"""Mistakes and missed prompts: in how many calls of a window each stands, by week, and in the window before.

They are counted by the marks of calls and by the sums of the call list, for the part of the report that
shows them alone: other parts of the report read neither. Shares leave out the calls in which nobody can
tell: see decided_findings.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from callscope.db.snapshot import snapshot
from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.models import Project
from callscope.reports.models import CallMark
from callscope.reports.overview.builder import build_trend
from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.decided_findings import (
    DecidedCalls,
    count_decided_mistakes,
    count_decided_prompts,
)
from callscope.reports.overview.intervals import Interval, estimate, sample_shares
from callscope.reports.overview.loader import count_marked, read_sums
from callscope.reports.overview.schemas import TrackerWeek
from callscope.reports.store import version
from callscope.reports.store.aggregates import NO_MISTAKES, TABLES
from callscope.reports.store.marks import MISSED_PROMPT, MISTAKE
from callscope.reports.store.rollups import LISTING
from callscope.reports.window import Window

DAYS_PER_WEEK = 7

Counts = Sequence[tuple[str, int, int]]  # id, day, calls
Homes = dict[str, set[int]]  # id → the projects whose settings name it


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One mistake or prompt of a project in scope, and the calls in which it was made or missed."""

    id: str
    name: str
    calls: int
    share_pct: float | None  # of decided_calls; None where it was decided in no call
    share_pct_interval: Interval
    decided_calls: int  # of the calls in which it was looked for; of prompts among the newest ones alone
    previous_calls: int | None  # None without a window before
    previous_share_pct: float | None
    previous_decided_calls: int | None  # None without a window before
    delta_pct: float | None  # of the share, in percentage points
    within_noise: bool | None
    weeks: list[TrackerWeek]  # those of the trend

    @property
    def is_kept_back(self) -> bool:
        """Whether its figures would tell of a call that waits for the reader's review: see kept_back."""
        return self.share_pct is None and self.decided_calls > 0


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in the calls of a window, and in how many of them it was looked for."""

    checked_calls: int
    previous_checked_calls: int | None
    mistakes: list[FindingRow]
    missed_prompts: list[FindingRow]


def find_in_window(projects: Sequence[Project], window: Window, agent_id: int | None = None) -> Findings:
    """Return what was found in the calls of a window, by the weeks of their report; empty where nothing was.

    With `agent_id`, in the calls that this agent has in one project.
    """
    version.ensure_current()
    with snapshot():
        sums = read_sums([project.pk for project in projects], window, ("days", "day_scores"), agent_id)
        weeks = [bucket.week for bucket in build_trend(sums, window)]
        found = count_findings(projects, window, weeks, agent_id)
        return found or Findings(0, None if window.previous() is None else 0, [], [])


def findings_json(findings: Findings) -> dict[str, object]:
    """Return the findings as the interface shows them, ready for json.dumps."""
    return {
        "checked_calls": findings.checked_calls,
        "previous_checked_calls": findings.previous_checked_calls,
        **{
            kind: [
                {name: getattr(row, name) for name in FindingRow.__slots__ if name != "weeks"}
                | {"weeks": [{"week": each.week.isoformat(), "calls": each.calls} for each in row.weeks]}
                for row in getattr(findings, kind)
            ]
            for kind in ("mistakes", "missed_prompts")
        },
    }


def count_findings(
    projects: Sequence[Project], window: Window, weeks: Sequence[dt.date], agent_id: int | None = None
) -> Findings | None:
    """Return what was found, most calls first; None where no project looks for any and none was found."""
    ids, previous = [project.pk for project in projects], window.previous()
    names: dict[int, dict[str, str]] = {MISTAKE: {}, MISSED_PROMPT: {}}
    homes: dict[int, Homes] = {MISTAKE: {}, MISSED_PROMPT: {}}
    for project in projects:
        try:
            looked_for = project.configuration.no_protocol
        except InvalidConfiguration:
            continue
        for kind, entries in ((MISTAKE, looked_for.mistakes), (MISSED_PROMPT, looked_for.prompts)):
            for each in entries:
                names[kind].setdefault(each.id, each.text)
                homes[kind].setdefault(each.id, set()).add(project.pk)
    with snapshot():
        checked = count_checked(ids, window, agent_id)
        before = None if previous is None else count_checked(ids, previous, agent_id)
        if not any(checked.values()):
            return None
        lists = []
        for kind in (MISTAKE, MISSED_PROMPT):
            now = count_marked(ids, kind, window, agent_id)
            then = None if previous is None else count_marked(ids, kind, previous, agent_id)
            keys = list_keys(names[kind], now)
            add_found(homes[kind], ids, kind, filter(None, (window, previous)))
            where = [homes[kind].get(key, ids) for key in keys]
            decided = count_decided(kind, keys, where, now, (window, agent_id), checked)
            decided_then = None
            if previous is not None and then is not None and before is not None:
                decided_then = count_decided(kind, keys, where, then, (previous, agent_id), before)
            lists.append(build_rows(keys, names[kind], (now, then), (decided, decided_then), weeks))
    if not any(lists):
        return None
    return Findings(sum(checked.values()), None if before is None else sum(before.values()), *lists)


def list_keys(names: Mapping[str, str], counted: Counts) -> list[str]:
    """Return the ids of all that is looked for or was found, most calls first."""
    calls = dict.fromkeys(names, 0) | add_up_calls(counted)
    return sorted(calls, key=lambda key: (-calls[key], names.get(key, key).casefold(), key))


def add_up_calls(counted: Counts) -> dict[str, int]:
    """Return the calls of each id, of all days."""
    calls: dict[str, int] = {}
    for key, _day, of_day in counted:
        calls[key] = calls.get(key, 0) + of_day
    return calls


def add_found(homes: Homes, project_ids: list[int], kind: int, windows: Iterable[Window]) -> None:
    """Add the projects in whose calls each was found: settings do not name all that was imported."""
    if len(project_ids) == 1:
        return
    for window in windows:
        first, last = window.days
        marks = CallMark.objects.filter(project__in=project_ids, kind=kind, day__gte=first, day__lte=last)
        for key, project in marks.order_by().values_list("key", "project").distinct():
            homes.setdefault(key, set()).add(project)


def count_decided(
    kind: int,
    keys: Sequence[str],
    where: Sequence[Collection[int]],
    counted: Counts,
    scope: tuple[Window, int | None],
    checked: Mapping[int, int],
) -> DecidedCalls:
    """Return for each id in how many calls it was found, and decided, of the checked ones of its projects."""
    if not keys or not any(checked.values()):
        return DecidedCalls([0] * len(keys), [0] * len(keys))
    if kind == MISTAKE:
        return count_decided_mistakes(keys, where, add_up_calls(counted), checked, *scope)
    return count_decided_prompts(keys, where, list(checked), *scope)


def count_checked(project_ids: list[int], window: Window, agent_id: int | None) -> dict[int, int]:
    """Return in how many calls of each project findings were looked for, from the sums of the call list."""
    mistakes, calls = (TABLES["list"].column(name) for name in ("mistakes", "calls"))
    return {
        project: sum(
            row[calls]
            for row in read_sums([project], window, LISTING, agent_id).rows("list")
            if row[mistakes] != NO_MISTAKES
        )
        for project in project_ids
    }


def build_rows(
    keys: Sequence[str],
    names: Mapping[str, str],
    counted: tuple[Counts, Counts | None],
    decided: tuple[DecidedCalls, DecidedCalls | None],
    weeks: Sequence[dt.date],
) -> list[FindingRow]:
    """Return a row for each id, by what was counted and decided in the window and in the one before."""
    if not keys:
        return []
    by_week: dict[tuple[str, int], int] = {}
    for key, day, calls in counted[0]:
        monday = day - (day - 1) % DAYS_PER_WEEK
        by_week[key, monday] = by_week.get((key, monday), 0) + calls
    now = add_up_calls(counted[0])
    before = None if counted[1] is None else add_up_calls(counted[1])
    shares = estimate(sample_shares(decided[0].found, decided[0].decided))
    intervals, percents = shares.intervals(), shares.percents()
    former: Sequence[float | None] = [None] * len(keys)
    moved: Sequence[float | None] = [None] * len(keys)
    noises: list[Interval] = [None] * len(keys)
    if decided[1] is not None:
        shares_before = estimate(sample_shares(decided[1].found, decided[1].decided))
        changes = shares.minus(shares_before)
        former, moved, noises = shares_before.percents(), changes.percents(), changes.intervals()
    return [
        FindingRow(
            id=key,
            name=names.get(key, key),
            calls=now.get(key, 0),
            share_pct=percents[at],
            share_pct_interval=intervals[at],
            decided_calls=decided[0].decided[at],
            previous_calls=None if before is None else before.get(key, 0),
            previous_share_pct=former[at],
            previous_decided_calls=None if decided[1] is None else decided[1].decided[at],
            delta_pct=moved[at],
            within_noise=is_within_noise(noises[at]),
            weeks=[TrackerWeek(week, by_week.get((key, week.toordinal()), 0)) for week in weeks],
        )
        for at, key in enumerate(keys)
    ]
