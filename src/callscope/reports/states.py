"""How many calls are in which states of analysis, without counting calls.

Triggers on the analyses keep the counts (see the migration of StateCount); a
count of a million rows at every poll would cost a third of a second.
"""

from collections.abc import Sequence

from django.db import connection

from callscope.analysis.models import STATE_FIELDS
from callscope.reports import statements

KEY = ", ".join(["project_id", *STATE_FIELDS.values()])

State = int | None  # analysis.AnalysisState; None: that analysis is not enabled


def counts(project_ids: Sequence[int]) -> list[tuple[tuple[State, ...], int]]:
    """Return (the states in the order of STATE_FIELDS, calls whose newest file is in them)."""
    if not project_ids:
        return []
    states = ", ".join(STATE_FIELDS.values())
    these = ", ".join(["%s"] * len(project_ids))
    statement = (
        f"SELECT {states}, SUM(calls) FROM reports_statecount WHERE project_id IN ({these})"  # noqa: S608 - our own words
        f" GROUP BY {states} HAVING SUM(calls) > 0 ORDER BY {states}"
    )
    found = statements.rows(statement, project_ids)
    return [(tuple(state or None for state in row[:-1]), int(row[-1])) for row in found]


def compact() -> None:
    """Add up on PostgreSQL what its triggers have appended; what readers see is the same before and after."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH present AS (DELETE FROM reports_statecount WHERE id IN"  # noqa: S608 - our own words
            f" (SELECT id FROM reports_statecount FOR UPDATE SKIP LOCKED) RETURNING {KEY}, calls)"
            f" INSERT INTO reports_statecount ({KEY}, calls)"
            f" SELECT {KEY}, SUM(calls) FROM present GROUP BY {KEY} HAVING SUM(calls) <> 0"
        )
