"""What the pages for setting up write: a document for a module, and the results of a trial."""

import datetime as dt
import json
from typing import Any

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from callscope.interfaces.web.templatetags.formatting import gap, number, trim_zeros
from callscope.interfaces.web.templatetags.icons import draw_icon

register = template.Library()

OUTCOMES = {
    "mistake": ("bad", "warning", gettext_lazy("said")),
    "missed": ("bad", "close", gettext_lazy("not said")),
    "said": ("good", "check", gettext_lazy("said")),
}
REDACTIONS = {
    "cards": gettext_lazy("Card numbers"),
    "security_codes": gettext_lazy("Security codes of cards"),
    "digit_runs": gettext_lazy("Other long numbers"),
    "emails": gettext_lazy("E-mail addresses"),
    "phones": gettext_lazy("Phone numbers"),
}
MINUTE_S, HOUR_S = 60, 3600
INSIGHT_NAMES = {
    "sentiment": gettext_lazy("Sentiment"),
    "topic": gettext_lazy("Topic"),
    "contact_reason_code": gettext_lazy("Reason code"),
    "goal_reached": gettext_lazy("Goal reached"),
}
INSIGHTS = {
    "positive": gettext_lazy("positive"),
    "neutral": gettext_lazy("neutral"),
    "negative": gettext_lazy("negative"),
    True: pgettext_lazy("answer", "yes"),
    False: pgettext_lazy("answer", "no"),
}


@register.filter
def as_json(value: Any) -> str:
    """Return the value as JSON for an attribute, which escapes it."""
    return json.dumps(value, ensure_ascii=False)


@register.filter
def yes_no(value: bool | None) -> str:
    """Return yes, no, or a dash for what is not known."""
    return "–" if value not in (True, False) else str(INSIGHTS[value])


@register.filter
def insight_name(name: str) -> str:
    return str(INSIGHT_NAMES.get(name, name))


@register.filter
def redaction(kind: str) -> str:
    """Return what the redaction takes out, in words."""
    return str(REDACTIONS.get(kind, kind))


@register.filter
def insight(value: Any) -> str:
    """Return the value in words; other texts as they are."""
    if value in (None, ""):
        return "–"
    return str(INSIGHTS.get(value, value))


@register.simple_tag
def judged(entry: dict[str, Any] | None) -> SafeString:
    """Return the result of one criterion: points, or why there are none."""
    if entry is None:
        return gap(_("It is not part of these settings."))
    if entry.get("left_out"):
        return gap(entry.get("reason") or _("It was not evaluated."))
    if entry.get("applicability") == "not_applicable":
        return format_html(
            '<span class="mark dim">{}{}</span>', draw_icon("not-applicable"), _("not applicable")
        )
    points = _("%(points)s of %(most)s") % {
        "points": trim_zeros(number(entry.get("score"), 2)),
        "most": trim_zeros(number(entry.get("max_points"), 2)),
    }
    if entry.get("is_critical_error"):
        return format_html(
            '<span class="mark bad">{}{}</span>', draw_icon("critical", _("Critical error")), points
        )
    return format_html("{}", points)


@register.simple_tag
def outcome(entry: dict[str, Any] | None) -> SafeString:
    """Return whether a prompt or mistake was said."""
    if entry is None:
        return gap(_("Not found, or not part of these settings."))
    css_class, name, word = OUTCOMES[entry["outcome"]]
    return format_html('<span class="mark {}">{}{}</span>', css_class, draw_icon(name), word)


@register.simple_tag
def week_of(monday: dt.date) -> str:
    """Return "week of Nov 9 to 15" or "week of Nov 30 to Dec 6": short, where another date has the year."""
    sunday = monday + dt.timedelta(days=6)
    # Translators: each a day in the letters of Django's date filter.
    formats = pgettext("first of days in one month", "M j"), pgettext("last of days in one month", "j")
    if monday.month != sunday.month:
        formats = (_("M j"), _("M j"))
    first, last = (date_format(*each) for each in zip((monday, sunday), formats, strict=True))
    days = pgettext("days", "%(first)s to %(last)s") % {"first": first, "last": last}
    return _("week of %(days)s") % {"days": days}


@register.filter
def rough_time(seconds: float) -> str:
    """Return an estimated time as people say it: "about 4 min", from two hours on "about 3 h"."""
    if seconds < MINUTE_S / 2:
        return _("less than 1 min")
    if seconds < 2 * HOUR_S:
        return _("about %(count)s min") % {"count": number(max(round(seconds / MINUTE_S), 1))}
    return _("about %(count)s h") % {"count": number(round(seconds / HOUR_S))}
