"""Check that every number in a sentence is a number of the report.

Digits are read in the form of the language (1,234.5 in English, 1.234,5 in
Spanish); small numbers written as words are read too. Dates of the report are
taken out first, so that their parts do not vouch for other numbers.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from babel.numbers import get_decimal_symbol, get_group_symbol

from callscope.analysis.figures import round_to
from callscope.reports.overview.report import Report, report_json
from callscope.reports.overview.scorecard import judge_row
from callscope.reports.pdf.number_formats import ReportLocale

NUMBER = re.compile(r"\d(?:[\d.,\u00a0\u202f]*\d)?")
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+(?=[\"'“‘(¿¡]*[^\W\d_a-z]|[\"'“‘(]*\d)")
# "one"/"uno" and "half" are left out: they are seldom numbers ("one of the", "at half past").
NOT_SAID = ("average_pct", "previous_pct", "delta_pct", "average_pct_interval", "delta_pct_interval")
NUMBER_WORDS = {
    "en": "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte",
}
VAGUE_WORDS = {  # these claim a quantity that no figure can confirm
    "en": {
        "thirty",
        "forty",
        "fifty",
        "sixty",
        "seventy",
        "eighty",
        "ninety",
        "hundred",
        "thousand",
        "million",
        "dozen",
    }
    | {
        "twice",
        "double",
        "doubled",
        "tripled",
        "triple",
        "halved",
        "quarter",
        "third",
        "thirds",
        "two-thirds",
    },
    "es": {
        "treinta",
        "cuarenta",
        "cincuenta",
        "sesenta",
        "setenta",
        "ochenta",
        "noventa",
        "cien",
        "ciento",
        "mil",
    }
    | {
        "cientos",
        "miles",
        "millón",
        "millones",
        "docena",
        "doble",
        "triple",
        "mitad",
        "tercio",
        "tercios",
        "duplicó",
    },
}


class ReportNumbers:
    """The numbers of one report, as a sentence in one language may write them."""

    def __init__(self, report: Report, language: str) -> None:
        self.language = language
        document = report_json(report)
        for row in document["scorecard"]:  # averages over calls to which a criterion does not apply
            for name in NOT_SAID:
                del row[name]
        dates = [document.pop("date_range"), [bucket.pop("week") for bucket in document["trend"]]]
        texts = [str(text) for text in _iterate_leaves([document, dates]) if isinstance(text, str) and text]
        self.names = sorted({t for t in texts if any(c.isdigit() for c in t)}, key=len, reverse=True)
        self.dates = sorted(set(_date_forms(report, language)), key=len, reverse=True)
        values = [
            v for v in _iterate_leaves(document) if isinstance(v, int | float) and not isinstance(v, bool)
        ]
        for headline in (report.headline, report.previous_headline):
            if headline:
                values += [v for v in (getattr(headline, n) for n in headline.__slots__) if v is not None]
        values += [judge_row(row).calls for row in report.scorecard]
        # As the tables show them. A change of −3.2 may be described as "fell by 3.2".
        self.values = {abs(round_to(v, 1)) for v in values}

    def contains_all(self, sentence: str) -> bool:
        """Return whether each number in the sentence is one of the report's."""
        rest = unicodedata.normalize("NFKC", sentence)
        for known in (*self.dates, *self.names):
            rest = re.sub(rf"(?<!\w){re.escape(known)}(?!\w)", " ", rest, flags=re.IGNORECASE)
        if any(unicodedata.category(c) in ("Nl", "No") for c in rest):
            return False
        words = set(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", rest.casefold()))
        if words & VAGUE_WORDS.get(self.language, set()):
            return False
        spelled = {w: Decimal(n) for n, w in enumerate(NUMBER_WORDS.get(self.language, "").split(), start=2)}
        written = [spelled[w] for w in words & spelled.keys()]
        return all(value in self.values for value in [*self._numbers(rest), *written])

    def _numbers(self, text: str) -> Iterator[Decimal]:
        grouping, point = get_group_symbol(self.language), get_decimal_symbol(self.language)
        for match in NUMBER.finditer(text):
            digits = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in match.group())
            plain = digits.replace("\u00a0", "").replace("\u202f", "")
            whole = rf"\d{{1,3}}(?:{re.escape(grouping)}\d{{3}})+(?:{re.escape(point)}\d+)?"
            if grouping in plain and not re.fullmatch(whole, plain):
                yield Decimal(-1)  # a point where this language has a comma: no figure is negative here
                continue
            try:
                yield Decimal(plain.replace(grouping, "").replace(point, "."))
            except InvalidOperation:
                yield Decimal(-1)


def split_sentences(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph, trimmed."""
    return [s.strip() for s in SENTENCE_END.split(" ".join(paragraph.split())) if s.strip()]


def _iterate_leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _iterate_leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _iterate_leaves(item)
    else:
        yield value


def _date_forms(report: Report, language: str) -> Iterator[str]:
    locale = ReportLocale(language)
    days = [d for d in (report.window.start, report.window.end) if d] + [b.week for b in report.trend]
    for day in days:
        yield day.isoformat()
        yield locale.date(day)
        yield locale.short_date(day)
        yield day.strftime("%d/%m/%Y")
    for at in (report.window.start_at, report.window.end_at):
        if isinstance(at, dt.datetime):
            yield at.isoformat()
