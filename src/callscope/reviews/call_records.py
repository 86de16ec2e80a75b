"""Which records of people a call has: most calls have none, and one statement says so."""

from typing import NamedTuple

from callscope.db import raw_sql
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.models import Review
from callscope.reviews.note_records import CoachingNote

RECORDS = (Review, Appeal, CoachingNote)
PARTS = [f"EXISTS (SELECT 1 FROM {model._meta.db_table} WHERE call_id = %s)" for model in RECORDS]  # noqa: S608 - names of tables
STATEMENT = f"SELECT {', '.join(PARTS)}"


class CallRecords(NamedTuple):
    """Whether there are reviews and ratings, appeals and notes, also superseded ones."""

    has_reviews: bool
    has_appeals: bool
    has_notes: bool


def find_call_records(call_id: int) -> CallRecords:
    """Return which records of people there are of a call; one statement."""
    [found] = raw_sql.fetch_prepared(STATEMENT, [call_id] * len(RECORDS))
    return CallRecords(*map(bool, found))
