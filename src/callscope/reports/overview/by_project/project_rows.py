"""The projects of a report next to each other: figures, change and target of each.

They follow from the sums by project and hour that a report reads anyway.
"""

import numpy as np

from callscope.analysis.figures import percentage
from callscope.reports.overview.comparisons import sum_scores
from callscope.reports.overview.intervals import estimate, sample_scores, sample_shares
from callscope.reports.overview.loader import ReportData
from callscope.reports.overview.schemas import ProjectRow
from callscope.reports.overview.targets import read_score_target
from callscope.reports.store.aggregates import TABLES, Aggregates, HourCounts, IntMatrix, group_by_key
from callscope.reports.store.exact_figures import ExactMean, difference_percent, means_by_key


def compare_projects(data: ReportData) -> list[ProjectRow]:
    """Return a row for each project with calls in the window, most calls first, then by name.

    [] unless several have calls.
    """
    if len(data.projects) < 2:
        return []
    counted = {pk: HourCounts._make(row) for pk, *row in sum_by_project(data.aggregates, "hours").tolist()}
    if len(counted) < 2:
        return []
    keys = list(counted)
    counts = HourCounts._make(zip(*counted.values(), strict=True))
    scores = sum_by_project(data.aggregates, "hour_scores")
    earlier = sum_by_project(data.previous or Aggregates(), "hour_scores")
    earlier = earlier[np.isin(earlier[:, 0], keys)]
    means, means_before = means_by_key(scores), means_by_key(earlier)
    now = estimate(sample_scores(*sum_scores(scores, keys)))
    changes = now.minus(estimate(sample_scores(*sum_scores(earlier, keys))))
    critical = estimate(sample_shares(counts.critical, counts.scored))
    reached = estimate(sample_shares(counts.reached, counts.known))
    bounds = zip(*(each.intervals() for each in (now, changes, critical, reached)), strict=True)
    projects = {project.pk: project for project in data.projects}
    rows = []
    for (pk, row), (interval, moved, critical_interval, reached_interval) in zip(
        counted.items(), bounds, strict=True
    ):
        mean, before = means.get(pk, ExactMean()), means_before.get(pk, ExactMean())
        rows.append(
            ProjectRow(
                project_id=pk,
                name=projects[pk].name,
                total_calls=row.calls,
                scored_calls=row.scored,
                outcome_calls=row.known,
                average_score=mean.percent(),
                average_score_interval=interval,
                target=read_score_target(projects[pk].config),
                previous_average_score=before.percent(),
                previous_scored_calls=None if data.previous is None else before.calls,
                average_score_change=difference_percent(mean, before),
                average_score_change_interval=moved,
                critical_error_pct=percentage(row.critical, row.scored),
                critical_error_pct_interval=critical_interval,
                goal_reached_pct=percentage(row.reached, row.known),
                goal_reached_pct_interval=reached_interval,
            )
        )
    return sorted(rows, key=lambda row: (-row.total_calls, row.name.casefold(), row.project_id))


def sum_by_project(aggregates: Aggregates, table: str) -> IntMatrix:
    """Return a table that is kept by project and hour, summed over the hours."""
    schema = TABLES[table]
    hour = schema.keys.index("hour")
    return group_by_key(np.delete(aggregates.table(table), hour, axis=1), len(schema.keys) - 1)
