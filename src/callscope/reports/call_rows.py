"""What the call list shows of a call, as one row of the database."""

from collections.abc import Sequence
from typing import Any

from callscope.reports import statements

Row = tuple[Any, ...]  # the values of COLUMNS

COLUMNS = """c.id, c.newest_file_id, c.file_name, f.at_us, a.name, c.direction, c.campaign, t.text,
    f.sentiment, f.score_bp, f.critical, f.mistakes, f.missing_prompts, f.goal_reached"""
ID = 0  # of COLUMNS
# Completes "FROM reports_callfact f"; a call that has no fact is in no list.
JOINS = """JOIN calls_call c ON c.id = f.call_id
    LEFT JOIN calls_agent a ON a.id = c.agent_id LEFT JOIN reports_topic t ON t.id = f.topic_id"""


def of_calls(ids: Sequence[int]) -> list[Row]:
    """Return the rows of these live calls, in their order."""
    if not ids:
        return []
    places = ", ".join(["%s"] * len(ids))
    statement = f"SELECT {COLUMNS} FROM reports_callfact f {JOINS} WHERE f.call_id IN ({places})"  # noqa: S608
    found = {row[ID]: row for row in statements.rows(statement, ids)}
    return [found[pk] for pk in ids if pk in found]
