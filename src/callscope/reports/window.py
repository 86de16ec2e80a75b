"""Windows of days: presets, explicit dates, and the window just before.

Rules: docs/api.md, "Periods". Days are days of the server's time zone. A day is
the span of instants from its midnight to the next one, so that days follow each
other without gap or overlap whatever the clocks do at night.
"""

import calendar
import datetime as dt
import re
import zoneinfo
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.utils import timezone

from callscope.messages.message import Message, MessageError

PRESETS = ("mtd", "last_month", "last_30_days", "last_90_days", "ytd")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECOND = dt.timedelta(microseconds=1)
DAY = dt.timedelta(days=1)
NIGHT = dt.timedelta(hours=6)  # from midnight on; then the calls of the night are in


class InvalidWindow(MessageError):
    """A date parameter that is not allowed; `field` names it."""

    def __init__(self, field: str, code: str, **params: object) -> None:
        super().__init__(Message(code, **params))
        self.field = field


@dataclass(frozen=True, slots=True)
class Window:
    """The days from `start` to `end`, both included; None leaves that side open."""

    start: dt.date | None = None
    end: dt.date | None = None
    preset: str | None = None

    @property
    def start_at(self) -> dt.datetime | None:
        """00:00:00 of the first day with the server's offset on that date."""
        return None if self.start is None else dt.datetime.combine(self.start, dt.time.min, server_zone())

    @property
    def until(self) -> dt.datetime | None:
        """The moment after the last day; None where that side is open, or no moment follows."""
        is_last = self.end is None or self.end == dt.date.max
        return None if is_last or self.end_at is None else self.end_at + dt.timedelta(seconds=1)

    @property
    def end_at(self) -> dt.datetime | None:
        """23:59:59 of the last day with the server's offset on that date."""
        if self.end is None:
            return None
        return dt.datetime.combine(self.end, dt.time(23, 59, 59, fold=1), server_zone())

    @property
    def moments(self) -> tuple[dt.datetime, dt.datetime]:
        """Return the first moment and the one after the last in UTC, kept within the calendar."""
        first = _to_utc(self.start, dt.timedelta(0)) or dt.datetime.min.replace(tzinfo=dt.UTC)
        after = _to_utc(self.end, DAY) or dt.datetime.max.replace(tzinfo=dt.UTC)
        return first, after

    @property
    def days(self) -> tuple[int, int]:
        """Return first and last day as ordinals (date.toordinal), open sides at the ends of the calendar."""
        first = dt.date.min if self.start is None else self.start
        last = dt.date.max if self.end is None else self.end
        return first.toordinal(), last.toordinal()

    def previous(self) -> "Window | None":
        """Return the window of the same length that ends the day before this one.

        None if a side is open, or if it would begin before the calendar does.
        """
        if self.start is None or self.end is None:
            return None
        length = self.end.toordinal() - self.start.toordinal() + 1
        first = self.start.toordinal() - length
        if first < 1:
            return None
        return Window(dt.date.fromordinal(first), dt.date.fromordinal(self.start.toordinal() - 1))


ALL_TIME = Window()


def _to_utc(day: dt.date | None, later: dt.timedelta) -> dt.datetime | None:
    """Return the first moment of a day, or so much later by the wall clock; None past the calendar."""
    if day is None:
        return None
    try:
        moment = dt.datetime.combine(day, dt.time.min) + later
        return moment.replace(tzinfo=server_zone()).astimezone(dt.UTC)
    except OverflowError:
        return None


def parse_window(query: Mapping[str, str], *, now: dt.datetime) -> Window:
    """Return the window that `date_range`, `start_date` and `end_date` describe.

    A named range wins over dates; blank values count as not sent. Raises InvalidWindow.
    """
    preset = query.get("date_range") or ""
    if preset:
        return _preset_window(preset, today=now.astimezone(server_zone()).date())
    start = _date(query, "start_date")
    end = _date(query, "end_date")
    if start is not None and end is not None and start > end:
        raise InvalidWindow("end_date", "end_before_start", end=end, start=start)
    return Window(start, end)


def _preset_window(preset: str, *, today: dt.date) -> Window:
    first_of_month = today.replace(day=1)
    match preset:
        case "mtd":
            return Window(first_of_month, today, preset)
        case "ytd":
            return Window(today.replace(month=1, day=1), today, preset)
        case "last_30_days":
            return Window(today - 29 * DAY, today, preset)
        case "last_90_days":
            return Window(today - 89 * DAY, today, preset)
        case "last_month":
            last = first_of_month - DAY
            return Window(last.replace(day=1), last, preset)
    raise InvalidWindow("date_range", "unknown_range", value=preset[:80], known=", ".join(PRESETS))


def _date(query: Mapping[str, str], field: str) -> dt.date | None:
    value = query.get(field) or ""
    if not value:
        return None
    try:
        if DATE.fullmatch(value):
            return dt.date.fromisoformat(value)
    except ValueError:
        pass
    raise InvalidWindow(field, "invalid_date", value=value[:80])


def server_zone() -> dt.tzinfo:
    """Return the time zone in which days, hours and weeks are counted."""
    return timezone.get_default_timezone()


def find_day_at_work(now: dt.datetime) -> dt.date:
    """Return the date of which weekly and monthly work may begin: until the morning it is yesterday's."""
    return (now.astimezone(server_zone()).replace(tzinfo=None) - NIGHT).date()


def day_of(moment: dt.datetime) -> int:
    """Return the ordinal of the server's day that holds an aware moment."""
    zone = server_zone()
    try:
        day = moment.astimezone(zone).toordinal()
    except OverflowError:  # within a day of the ends of the calendar
        return moment.toordinal()
    at_us = to_microseconds(moment)
    if day < dt.date.max.toordinal() and at_us >= midnight_us(day + 1, zone):
        return day + 1
    return day - 1 if day > 1 and at_us < midnight_us(day, zone) else day


def find_week(day: int) -> dt.date:
    """Return the Monday of the week that holds a day: the first day of the calendar was one."""
    return dt.date.fromordinal(day - (day - 1) % 7)


def end_of_week(monday: dt.date) -> dt.date:
    """Return the Sunday of a week; the last day of the calendar for the last week, which has none."""
    return dt.date.fromordinal(min(monday.toordinal() + 6, dt.date.max.toordinal()))


def list_weekdays(days: Iterable[int]) -> set[int]:
    """Return the weekdays of some days, Monday being 0."""
    return {(day - 1) % 7 for day in days}


def is_part_of_week(
    monday: int, first: int, last: int, weekdays: Iterable[int], *, today: int | None = None
) -> bool:
    """Return whether some of these weekdays in a week lie outside the days from first to last.

    `weekdays` are those on which anybody ever calls: no other day of a week is missed. All are ordinals but
    the weekdays; `today` is not over, so it does not count as a day that has passed.
    """
    if today is not None:
        last = min(last, today - 1)
    return any(not first <= monday + weekday <= last for weekday in weekdays)


def hour_of(moment: dt.datetime) -> int:
    """Return the server's wall-clock hour of an aware moment."""
    try:
        return moment.astimezone(server_zone()).hour
    except OverflowError:
        return moment.hour


def to_microseconds(moment: dt.datetime) -> int:
    """Return microseconds since 1970-01-01 UTC, exactly."""
    return (moment - EPOCH) // MICROSECOND


def to_datetime(at_us: int) -> dt.datetime:
    """Return the UTC moment of what to_microseconds() gave."""
    return EPOCH + at_us * MICROSECOND


@lru_cache(maxsize=4096)
def midnight_us(day: int, zone: dt.tzinfo) -> int:
    """Return the instant at which a day begins; the first one where the clock shows midnight twice."""
    return to_microseconds(dt.datetime.combine(dt.date.fromordinal(day), dt.time.min, zone))


def month_of(day: int) -> int:
    """Return the ordinal of the first day of the month that holds a day."""
    return dt.date.fromordinal(day).replace(day=1).toordinal()


def month_end(first_day: int) -> int:
    """Return the ordinal of the last day of the month that begins with `first_day`."""
    date = dt.date.fromordinal(first_day)
    return first_day + calendar.monthrange(date.year, date.month)[1] - 1


def zone_name() -> str:
    """Return the name under which the report store remembers the zone it was built for."""
    zone = server_zone()
    return zone.key if isinstance(zone, zoneinfo.ZoneInfo) else str(zone)
