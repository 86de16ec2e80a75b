"""Mistakes and missed prompts: in how many calls of a window each stands, by week, and in the window before.

They are counted by the marks of calls and by the sums of the call list, for the part of the report that
shows them alone: other parts of the report read neither.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callscope.db.snapshot import snapshot
from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.models import Project
from callscope.reports.overview.builder import build_trend
from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.intervals import Estimates, Interval, estimate, sample_shares
from callscope.reports.overview.loader import count_marked, read_sums
from callscope.reports.overview.schemas import TrackerWeek
from callscope.reports.store import version
from callscope.reports.store.aggregates import NO_MISTAKES, TABLES
from callscope.reports.store.exact_figures import percentage
from callscope.reports.store.marks import MISSED_PROMPT, MISTAKE
from callscope.reports.store.rollups import LISTING
from callscope.reports.window import Window

DAYS_PER_WEEK = 7


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One mistake or prompt of a project in scope, and the calls in which it was made or missed."""

    id: str
    name: str
    calls: int
    share_pct: float | None  # of the calls in which it was looked for
    share_pct_interval: Interval
    previous_calls: int | None  # None without a window before
    delta_pct: float | None  # of the share, in percentage points
    within_noise: bool | None
    weeks: list[TrackerWeek]  # those of the trend


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in the calls of a window; the shares are taken over `checked_calls`."""

    checked_calls: int
    previous_checked_calls: int | None
    mistakes: list[FindingRow]
    missed_prompts: list[FindingRow]

    def previous_share(self, row: FindingRow) -> float | None:
        """Return the share of a row in the window before, in percent; None where nothing was measured."""
        if row.previous_calls is None or self.previous_checked_calls is None:
            return None
        return percentage(row.previous_calls, self.previous_checked_calls)


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
    for project in projects:
        try:
            looked_for = project.configuration.no_protocol
        except InvalidConfiguration:
            continue
        for each in looked_for.mistakes:
            names[MISTAKE].setdefault(each.id, each.text)
        for prompt in looked_for.prompts:
            names[MISSED_PROMPT].setdefault(prompt.id, prompt.text)
    with snapshot():
        checked = count_checked(ids, window, agent_id)
        before = None if previous is None else count_checked(ids, previous, agent_id)
        if not checked or not ids:
            return None
        lists = [
            build_rows(
                names[kind],
                count_marked(ids, kind, window, agent_id),
                None if previous is None else count_marked(ids, kind, previous, agent_id),
                (checked, before),
                weeks,
            )
            for kind in (MISTAKE, MISSED_PROMPT)
        ]
    return Findings(checked, before, *lists) if any(lists) else None


def count_checked(project_ids: list[int], window: Window, agent_id: int | None) -> int:
    """Return in how many calls mistakes and prompts were looked for, from the sums of the call list."""
    if not project_ids:
        return 0
    sums = read_sums(project_ids, window, LISTING, agent_id)
    mistakes, calls = (TABLES["list"].column(name) for name in ("mistakes", "calls"))
    return sum(row[calls] for row in sums.rows("list") if row[mistakes] != NO_MISTAKES)


def build_rows(
    names: Mapping[str, str],
    counted: Sequence[tuple[str, int, int]],
    counted_before: Sequence[tuple[str, int, int]] | None,
    checked: tuple[int, int | None],
    weeks: Sequence[dt.date],
) -> list[FindingRow]:
    """Return a row for each name and for each id that was found without one."""
    by_week: dict[tuple[str, int], int] = {}
    now, before = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for key, day, calls in counted:
        monday = day - (day - 1) % DAYS_PER_WEEK
        by_week[key, monday] = by_week.get((key, monday), 0) + calls
        now[key] = now.get(key, 0) + calls
    for key, _day, calls in counted_before or ():
        before[key] = before.get(key, 0) + calls
    keys = sorted(now, key=lambda key: (-now[key], names.get(key, key).casefold(), key))
    if not keys:
        return []
    shares = estimate(sample_shares([now[key] for key in keys], checked[0]))
    changes: Estimates | None = None
    if checked[1]:
        changes = shares.minus(estimate(sample_shares([before.get(key, 0) for key in keys], checked[1])))
    intervals, noises = shares.intervals(), changes.intervals() if changes else [None] * len(keys)
    percents, moved = shares.percents(), changes.percents() if changes else [None] * len(keys)
    return [
        FindingRow(
            id=key,
            name=names.get(key, key),
            calls=now[key],
            share_pct=percents[at],
            share_pct_interval=intervals[at],
            previous_calls=None if counted_before is None else before.get(key, 0),
            delta_pct=moved[at],
            within_noise=is_within_noise(noises[at]),
            weeks=[TrackerWeek(week, by_week.get((key, week.toordinal()), 0)) for week in weeks],
        )
        for at, key in enumerate(keys)
    ]
