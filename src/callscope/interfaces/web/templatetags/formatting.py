"""How numbers, times and gaps are written on every page.

Figures follow the language of the page (83.5 or 83,5); what was not measured is a dash that says why.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from html import escape as plain_escape  # without a look for lazy texts, which figures have none of
from typing import NamedTuple

from django import template
from django.utils import timezone
from django.utils.formats import date_format, get_format
from django.utils.functional import Promise
from django.utils.html import conditional_escape, escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext_lazy
from django.utils.translation import gettext as _

from callscope.analysis.figures import round_to
from callscope.interfaces.web.templatetags.icons import draw_icon
from callscope.messages.translation import translate_stored
from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.overview.intervals import Interval
from callscope.reports.overview.targets import DEFAULT_TARGET, NEAR, Band, find_average_band, find_band

register = template.Library()
register.filter("translate_stored", translate_stored)
register.simple_tag(draw_icon, name="icon")

BANDS: dict[Band, Promise] = {
    "on_target": gettext_lazy("on target"),
    "near": pgettext_lazy("a score and its target", "near"),
    "below": pgettext_lazy("a score and its target", "below"),
    "within_noise": gettext_lazy("within the margin of error"),
}


class Mark(NamedTuple):
    """A word of a result with its icon and color."""

    css_class: str
    icon: str
    word: str | Promise


SENTIMENTS = {
    "negative": Mark("bad", "negative", gettext_lazy("negative")),
    "positive": Mark("good", "positive", gettext_lazy("positive")),
    "neutral": Mark("dim", "neutral", gettext_lazy("neutral")),
}
GOALS = {
    True: Mark("good", "check", gettext_lazy("reached")),
    False: Mark("bad", "close", pgettext_lazy("goal", "missed")),
}
MINUS = "−"  # as wide as a plus, unlike the hyphen
# Why a figure is not shown that would tell of a call which waits for the blind review of who looks or shares.
WAITS = gettext_lazy("Waits for a blind review: the figure would show what was answered.")


@register.filter
def number(value: float | Decimal | None, decimals: int = 0) -> str:
    """Return 1234.5 as "1,234.5" with exactly so many decimals; "" for None."""
    return "" if value is None else number_in(get_language() or "", value, decimals)


def number_in(language: str, value: float | Decimal, decimals: int) -> str:
    """Return a number as the language writes it, which has to be the one that is active."""
    text = _written(abs(rounded := round_to(value, decimals)), decimals, language)
    return f"{MINUS}{text}" if rounded < 0 else text


@register.filter
def signed(value: float | Decimal | None, decimals: int = 1) -> str:
    """Return a change with its sign: "+1.2", "−0.4", "±0.0"."""
    if value is None:
        return ""
    rounded = round_to(value, decimals)
    sign = "+" if rounded > 0 else MINUS if rounded < 0 else "±"
    return sign + _written(abs(rounded), decimals, get_language() or "")


@lru_cache(maxsize=8192)  # a report shows a thousand figures, most of them again and again
def _written(value: Decimal, decimals: int, language: str) -> str:
    """Return the number as the language writes it; Django's own number_format takes ten times as long."""
    return f"{value:,.{decimals}f}".translate(_separators(language))


@lru_cache(maxsize=32)
def _separators(_language: str) -> dict[int, str]:
    return {ord(","): get_format("THOUSAND_SEPARATOR"), ord("."): get_format("DECIMAL_SEPARATOR")}


@register.simple_tag
def marked(text: str, places: Iterable[tuple[int, int]] | None) -> SafeString:
    """Return the text with what was looked for marked: from a first character to the one after the last."""
    if not places:
        return mark_safe(plain_escape(str(text)))  # noqa: S308 - escaped
    parts, at = [], 0
    for start, end in places:
        parts.append((text[at:start], text[start:end]))
        at = end
    return format_html("{}{}", format_html_join("", "{}<mark>{}</mark>", parts), text[at:])


@register.simple_tag
def gap(reason: str | Promise, waits: bool = False) -> SafeString:
    """Return the dash for what was not measured, with its reason on hover and for screen readers.

    What waits for the visitor is a clock instead: WAITS, or any reason of which `waits` says so.
    """
    text = str(reason)  # once: a page holds a hundred, and translating is most of it
    said = conditional_escape(text)
    css_class, shown = "gap", '<span aria-hidden="true">–</span>'
    if waits or text == str(WAITS):
        css_class, shown = "gap waits", draw_icon("clock")
    return mark_safe(  # noqa: S308 - escaped
        f'<span class="{css_class}" title="{said}">{shown}<span class="vh">{said}</span></span>'
    )


@register.simple_tag
def options(choices: Iterable[tuple[object, object]], chosen: object = "") -> SafeString:
    """Return an <option> for each (value, label), the one of the value `chosen` selected.

    Written here because a project's lists may have hundreds, which a loop in a template takes long to write.
    """
    wanted = "" if chosen is None else str(chosen)
    written = [
        f'<option value="{plain_escape(value)}"{" selected" if wanted and value == wanted else ""}>'
        f"{plain_escape(label)}</option>"
        for value, label in ((str(value), str(label)) for value, label in choices)
    ]
    return mark_safe("\n    ".join(written))  # noqa: S308 - each value and label is escaped


@register.simple_tag
def term(name: str, *, has_unit: bool = True, keeps_unit: bool = False) -> SafeString:
    """Return the name of a figure as a button that shows its definition, then its unit."""
    return _term(name, get_language() or "", has_unit, keeps_unit)


@register.simple_tag
def unit_of(name: str) -> str:
    """Return the unit of a figure, for where it stands after the value; "" without one."""
    return DEFINITIONS[name].unit


@lru_cache(maxsize=512)
def _term(name: str, _language: str, has_unit: bool, keeps_unit: bool) -> SafeString:
    found, space = DEFINITIONS[name], "\u00a0" if keeps_unit else " "
    unit = format_html('{}<span class="unit">{}</span>', space, found.unit) if found.unit and has_unit else ""
    return format_html(
        '<button type="button" class="term" data-tip="{}">{}{}</button>{}',
        found.meaning,
        found.label,
        *((unit, "") if keeps_unit else ("", unit)),
    )


@register.simple_tag
def label_of(name: str) -> str:
    """Return the name of a figure with its unit, for the cards of a phone."""
    return DEFINITIONS[name].heading


@register.simple_tag
def glossary(*names: str) -> SafeString:
    """Return the definitions of these figures as a list, for the foot of a page."""
    return _glossary(names, get_language() or "")


@lru_cache(maxsize=64)
def _glossary(names: tuple[str, ...], _language: str) -> SafeString:
    entries = ((DEFINITIONS[name].label, DEFINITIONS[name].meaning) for name in names)
    return format_html("<dl>{}</dl>", format_html_join("", "<div><dt>{}</dt><dd>{}</dd></div>", entries))


@register.simple_tag
def figure(value: float | None, decimals: int = 0, reason: str | Promise = "", url: str = "") -> SafeString:
    """Return a figure, as a link to its calls if there is an address; a gap for None."""
    if value is None:
        return gap(reason or _("Nothing was measured in this period."))
    shown = number(value, decimals)
    # Without format_html(): a page holds hundreds of figures, whose text is digits alone.
    return mark_safe(f'<a class="figure" href="{escape(url)}">{shown}</a>' if url else shown)  # noqa: S308


@register.simple_tag
def band(score: float | None, target: float | None = None, *, is_critical: bool = False) -> SafeString:
    """Return how the score of one call stands to its target: a word, a shape and a color; "" for none.

    Of a call with a critical error it says that, whatever the score.
    """
    if score is None:
        return mark_safe("")
    if is_critical:
        return _critical_band(get_language() or "")
    known = target if isinstance(target, float) else None  # a page without one has no such name
    return _band(find_band(score, known), get_language() or "")


@register.simple_tag
def average_band(
    average: float | None, interval: Interval, target: float | None, *, says_noise: bool = True
) -> SafeString:
    """Return how an average score stands to the target of its project; "" where none is set.

    `says_noise`: whether it says "within the margin of error", which words of a target may say already.
    """
    found = find_average_band(average, interval, target)
    if found is None or (found == "within_noise" and not says_noise):
        return mark_safe("")
    return _band(found, get_language() or "")


@lru_cache(maxsize=8)
def _critical_band(_language: str) -> SafeString:
    return format_html('<span class="band critical">{}</span>', _("critical error"))


@lru_cache(maxsize=64)
def _band(name: Band, _language: str) -> SafeString:
    return format_html('<span class="band {}">{}</span>', name.replace("_", "-"), BANDS[name])


@register.simple_tag
def sentiment(name: str | None) -> SafeString:
    """Return the sentiment of a customer as a word with an icon; a dash for an unknown one."""
    if name not in SENTIMENTS:
        return gap(_("The sentiment is unknown."))
    return _mark(SENTIMENTS[name], get_language() or "")


@register.simple_tag
def goal(is_reached: bool | None) -> SafeString:
    """Return whether the goal of a call was reached as a word with an icon; a dash where it is unknown."""
    if is_reached is None:
        return gap(_("The outcome is unknown."))
    return _mark(GOALS[is_reached], get_language() or "")


@lru_cache(maxsize=64)
def _mark(mark: Mark, _language: str) -> SafeString:
    return format_html('<span class="mark {}">{}{}</span>', mark.css_class, draw_icon(mark.icon), mark.word)


@register.simple_tag
def band_legend(
    target: float | None = None, *, is_one: bool = True, averages: Collection[Band] | None = None
) -> SafeString:
    """Return what the signs of scores mean over one target or several projects', or those of `averages`."""
    least = target if isinstance(target, float) else DEFAULT_TARGET
    values = {"target": number(least, 0 if least == round(least) else 1), "near": number(NEAR)}
    texts: dict[Band, str] = {
        "on_target": _("%(target)s %% or more") % values if is_one else _("the project's target or more"),
        "near": _("at most %(near)s points below") % values,
        "below": _("more than %(near)s points below") % values,
        "within_noise": _("%(target)s %% is inside the interval") % values,
    }
    language, signs = get_language() or "", ("on_target", "near", "below") if averages is None else averages
    said = [(_band(name, language), text) for name, text in texts.items() if name in signs]
    if averages is None:
        said.append((_critical_band(language), _("whatever the score")))
    return format_html('<span class="band-legend">{}</span>', format_html_join("\xa0· ", "{}: {}", said))


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure in a table, as `cells` writes it."""

    value: float | None
    decimals: int
    url: str = ""  # of its calls
    reason: str | Promise = ""  # why there is no value
    column: str = ""  # its name in DEFINITIONS: the label on a phone, where rows become cards
    css_class: str = "n"
    out_of: int | None = None  # how many calls a share is of, where nothing next to it says so
    interval: tuple[float, float] | None = None
    has_short: bool = False  # narrow rows of one line have the interval without decimals
    band: Band | None = None  # of a score
    below: str = ""  # what a second line says


@register.simple_tag
def cells(figures: Iterable[Cell]) -> SafeString:
    """Return a row of figures as <td> elements: a template that writes hundreds of them takes far longer."""
    language = get_language() or ""
    return mark_safe("".join([_cell(cell, language) for cell in figures]))  # noqa: S308


def _cell(cell: Cell, language: str) -> str:
    behind = "" if cell.out_of is None else f"{_count_behind(cell.out_of, language)} "
    if cell.value is None:
        shown: str = gap(cell.reason or _("Nothing was measured in this period."))
    else:
        shown = number_in(language, cell.value, cell.decimals)
        if cell.url:
            shown = f'<a class="figure" href="{plain_escape(cell.url)}">{shown}</a>'
        if cell.band is not None:
            shown = f"{_band(cell.band, language)} {shown}"
        if cell.interval is not None:
            bounds = write_interval(cell.interval, cell.decimals, language)
            short = f' data-short="{write_interval(cell.interval, 0, language)}"' if cell.has_short else ""
            said = f'<span title="{_label("interval", language)}"{short}>{bounds}</span>'
            shown += f' <span class="interval">{behind}{said}</span>'
        elif behind and not cell.has_short:
            shown += f" {behind.strip()}"
        if cell.below:
            shown += f' <small class="behind below">{plain_escape(cell.below)}</small>'
    if cell.has_short and cell.interval is None:  # its place, so that the figures stand below each other
        shown += f' <span class="interval">{behind.strip() if cell.value is not None else ""}</span>'
    label = f' data-label="{_label(cell.column, language)}"' if cell.column else ""
    return f'<td class="{cell.css_class}"{label}>{shown}</td>'


@register.simple_tag
def count_behind(calls: int) -> SafeString:
    """Return "n 31" in small letters: how many calls a share or a mean is taken over."""
    return _count_behind(calls, get_language() or "")


@lru_cache(maxsize=4096)
def _count_behind(calls: int, language: str) -> SafeString:
    meaning = ngettext("over %(count)s call", "over %(count)s calls", calls)
    shown = number_in(language, calls, 0)
    return format_html('<small class="behind" title="{}">n {}</small>', meaning % {"count": shown}, shown)


def write_interval(interval: tuple[float, float], decimals: int, language: str) -> str:
    """Return "72.1–80.2"."""
    return "–".join(number_in(language, bound, decimals) for bound in interval)


@lru_cache(maxsize=512)
def _label(column: str, _language: str) -> SafeString:
    return escape(label_of(column))


@register.filter
def clock(seconds: float | None) -> str:
    """Return seconds as "m:ss", from an hour on "h:mm:ss"; "" for None."""
    if seconds is None:
        return ""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


@register.filter
def microseconds(value: int | None) -> float | None:
    """Return microseconds, as durations are stored, in seconds."""
    return None if value is None else value / 1_000_000


@register.filter
def plain(value: float) -> str:
    """Return a number for attributes: a point for decimals, no grouping, whatever the language."""
    return f"{float(value):.3f}".rstrip("0").rstrip(".")


@register.filter
def email(address: str) -> str:
    """Return an address that breaks before its @, where a narrow cell has to break it."""
    name, at, host = address.rpartition("@")
    return format_html("{}<wbr>{}{}", name, at, host) if at else address


@register.filter
def trim_zeros(text: str) -> str:
    """Return "103" for "103.00" and "10.5" for "10.50"."""
    separator = get_format("DECIMAL_SEPARATOR")
    return text.rstrip("0").rstrip(separator) if separator in text else text


@register.filter
def moment(value: datetime | None) -> str:
    """Return day and time in the server's time zone, as the language writes them; "" for None."""
    if value is None:
        return ""
    local = timezone.localtime(value)
    return f"{day(local.date())} {local:%H:%M}"


@register.filter
def day(value: date | None) -> str:
    """Return a day as the language writes it; "" for None."""
    return "" if value is None else _day_in(get_language() or "", value.year, value.month, value.day)


@lru_cache(maxsize=4096)  # a list has many calls of one day
def _day_in(_language: str, year: int, month: int, day_of_month: int) -> str:
    # Translators: a day as short as possible, in the letters of Django's date filter.
    return date_format(date(year, month, day_of_month), _("M j, Y"))
