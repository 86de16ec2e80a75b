"""Count the calls in each combination of analysis states, without counting calls.

The counts are kept by database triggers on the table of analysis.models.CallAnalysis,
installed by reports/migrations/0006_counted_states.py: any write to an analysis
changes reports_statecount in the same statement, and no Python code does so.
A count of a million rows at every poll would cost a third of a second instead.
"""

from collections.abc import Sequence

from django.db import connection

from callscope.analysis.models import STATE_FIELDS
from callscope.db import raw_sql

KEY = ", ".join(["project_id", *STATE_FIELDS.values()])

Status = int | None  # analysis.AnalysisState; None: that analysis is not enabled


def count_by_status(project_ids: Sequence[int]) -> list[tuple[tuple[Status, ...], int]]:
    """Return (the states in the order of STATE_FIELDS, calls whose newest file is in them)."""
    if not project_ids:
        return []
    states = ", ".join(STATE_FIELDS.values())
    these = ", ".join(["%s"] * len(project_ids))
    statement = (
        f"SELECT {states}, SUM(calls) FROM reports_statecount WHERE project_id IN ({these})"  # noqa: S608 - our own words
        f" GROUP BY {states} HAVING SUM(calls) > 0 ORDER BY {states}"
    )
    rows = raw_sql.fetch_prepared(statement, project_ids)
    return [(tuple(state or None for state in row[:-1]), int(row[-1])) for row in rows]


def compact_status_counts() -> None:
    """Add up on PostgreSQL what its triggers have appended; readers see the same before and after."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        # An instance without changes writes nothing: each rewritten row leaves a dead one.
        scattered = f"SELECT 1 FROM reports_statecount GROUP BY {KEY} HAVING count(*) > 1 OR SUM(calls) = 0"  # noqa: S608
        cursor.execute(f"{scattered} LIMIT 1")
        if cursor.fetchone() is None:
            return
        # SKIP LOCKED: two workers that compact at once take different rows, and wait for nobody.
        cursor.execute(
            "WITH present AS (DELETE FROM reports_statecount WHERE id IN"  # noqa: S608 - our own words
            f" (SELECT id FROM reports_statecount FOR UPDATE SKIP LOCKED) RETURNING {KEY}, calls)"
            f" INSERT INTO reports_statecount ({KEY}, calls)"
            f" SELECT {KEY}, SUM(calls) FROM present GROUP BY {KEY} HAVING SUM(calls) <> 0"
        )
