"""When a report is due by mail, and which days it is about; days are the server's.

A weekly one is due on Monday, about the week before; a monthly one on the first, about the month before.
"""

import datetime as dt

from callscope.pipeline.models import ReportMail
from callscope.reports.window import DAY


def find_latest_due(rhythm: str, today: dt.date) -> dt.date:
    """Return the latest due date that is not after today."""
    if rhythm == ReportMail.Rhythm.WEEKLY:
        return today - today.weekday() * DAY
    return today.replace(day=1)


def find_next_due(rhythm: str, today: dt.date) -> dt.date:
    """Return the first due date after today."""
    latest = find_latest_due(rhythm, today)
    if rhythm == ReportMail.Rhythm.WEEKLY:
        return latest + 7 * DAY
    return (latest + 31 * DAY).replace(day=1)


def find_days(rhythm: str, due: dt.date) -> tuple[dt.date, dt.date]:
    """Return the first and the last day that the mail of a due date is about."""
    last = due - DAY
    return due - 7 * DAY if rhythm == ReportMail.Rhythm.WEEKLY else last.replace(day=1), last
