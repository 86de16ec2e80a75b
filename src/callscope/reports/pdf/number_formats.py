"""How a language writes the numbers and dates of the PDF."""

import datetime as dt
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from babel.dates import format_date, format_datetime, format_time
from babel.numbers import format_decimal

from callscope.analysis.figures import round_to
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.pdf.plain_text import make_breakable

DASH = "–"  # stands for a null: nothing was measured


class FigureCell(TypedDict):
    """A figure in a table, and whether it is taken over so few calls that it says little."""

    text: str
    is_few: bool
    below: NotRequired[str]  # its interval, on a line of its own


class NamedCell(TypedDict):
    """What a row is about, and in gray whose it is."""

    text: str
    note: str  # "" for nothing
    below: NotRequired[str]  # the same on a line of its own


class ShareCell(FigureCell):
    """A share of a whole, which a bar shows next to its number."""

    share_pct: float | None  # None where nothing was measured


def name_cell(name: str, note: str, below: str = "") -> NamedCell:
    """Return what a row is about, with the projects that have it next to it or below."""
    cell: NamedCell = {"text": make_breakable(name), "note": make_breakable(note)}
    return {**cell, "below": make_breakable(below)} if below else cell


@dataclass(frozen=True, slots=True)
class ReportLocale:
    """The numbers and dates of one language; its words come from gettext."""

    language: str  # a code of settings.LANGUAGES

    def count(self, value: int | None) -> str:
        return DASH if value is None else format_decimal(value, locale=self.language)

    def figure(self, value: float | None) -> str:
        """Return the value with one decimal, as on the pages; a dash for null."""
        return DASH if value is None else self.rounded(value, 1)

    def rounded(self, value: float, decimals: int) -> str:
        """Return the value with just so many decimals."""
        pattern = "#,##0" + ("." + "0" * decimals if decimals else "")
        return format_decimal(round_to(value, decimals), format=pattern, locale=self.language)

    def figure_over(self, value: float | None, calls: int) -> str:
        """Return "81.2 (31)": a figure and how many calls it is taken over."""
        return DASH if value is None else f"{self.figure(value)} ({self.count(calls)})"

    def cell_over(self, value: float | None, calls: int) -> FigureCell:
        """Return figure_over() as a cell, pale where calls are few."""
        return {"text": self.figure_over(value, calls), "is_few": calls < FEW_CALLS}

    def share(self, value: float | None, calls: int) -> ShareCell:
        """Return figure() as a cell with a bar from 0 to 100, pale where calls are few."""
        return {"text": self.figure(value), "is_few": calls < FEW_CALLS, "share_pct": value}

    def change(self, value: float | None) -> str:
        """Return the value with its sign, so that color is not the only sign of a fall."""
        if value is None:
            return DASH
        shown = round_to(value, 1)
        sign = "+" if shown > 0 else "−" if shown < 0 else "±"
        return sign + self.rounded(abs(value), 1)

    def count_change(self, value: int) -> str:
        """Return the change of a number of calls with its sign."""
        return ("+" if value > 0 else "−" if value < 0 else "±") + self.count(abs(value))

    def date(self, day: dt.date) -> str:
        return format_date(day, format="long", locale=self.language)

    def short_date(self, day: dt.date) -> str:
        return format_date(day, format="medium", locale=self.language)

    def moment(self, at: dt.datetime) -> str:
        """Return day, minute and time zone."""
        minute = format_time(at, format="short", tzinfo=at.tzinfo, locale=self.language)
        zone = format_datetime(at, format="z", tzinfo=at.tzinfo, locale=self.language)
        return f"{self.date(at.date())}, {minute} {zone}"
