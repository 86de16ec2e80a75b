"""The cells of a call in the list, which are written here because a page has up to a hundred such rows.

A template takes five times as long for them: it looks each name up again in each cell.
"""

from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import NamedTuple, Protocol

from django import template
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy, pgettext_lazy
from django.utils.translation import gettext as _

from callscope.interfaces.web.templatetags.formatting import (
    GOALS,
    SENTIMENTS,
    band,
    clock,
    figure,
    gap,
    goal,
    marked,
    moment,
    number_in,
    sentiment,
)
from callscope.interfaces.web.templatetags.icons import draw_icon
from callscope.reports.call_list.call_rows import CallItem
from callscope.reports.call_list.criterion_answers import CriterionAnswer
from callscope.reports.details.answered import MISTAKE, PROMPT, AnsweredCall
from callscope.reports.search.found_words import Place

register = template.Library()

NO_AGENT = gettext_lazy("No agent is linked to this call.")
NO_TOPIC = gettext_lazy("No contact reason was found.")
NO_LENGTH = gettext_lazy("The length is unknown.")
NO_SCORE = gettext_lazy("This call was not scored.")
NO_ANSWER = gettext_lazy("The call does not have this criterion.")
NO_PROTOCOL = gettext_lazy("Prompts and mistakes were not looked for.")
NOT_HEARD = gettext_lazy("None was found, but the transcript is unreliable.")
HIDDEN = gettext_lazy("Results hidden while you rate it.")
WAITS = gettext_lazy("Waits for your blind review.")
WORK = {  # by what the visitor has to do: why the results are hidden, and the words of the link
    "review": (WAITS, pgettext_lazy("a call", "Review")),
    "rate": (HIDDEN, pgettext_lazy("a call", "Rate")),
    "rate_again": (HIDDEN, gettext_lazy("Rate again")),
}
RESULT_COLUMNS = 5  # from the sentiment on, without that of a criterion
DIRECTIONS = {"inbound": gettext_lazy("Inbound"), "outbound": gettext_lazy("Outbound")}
RESULT_CLASSES = {"not_met": "bad", "met": "good"}


class ShownCall(Protocol):
    """What the cells show, as presenters.call_list.CallRow says in full."""

    @property
    def item(self) -> CallItem: ...
    @property
    def url(self) -> str: ...
    @property
    def answer(self) -> CriterionAnswer | None: ...
    @property
    def result(self) -> str | Promise: ...
    @property
    def target(self) -> float | None: ...
    @property
    def is_doubtful(self) -> bool: ...
    @property
    def is_untimed(self) -> bool: ...
    @property
    def answered(self) -> AnsweredCall | None: ...
    @property
    def found(self) -> Mapping[str, list[Place]]: ...
    @property
    def number(self) -> str: ...
    @property
    def raw_topic(self) -> str: ...
    @property
    def project(self) -> str: ...
    @property
    def length_s(self) -> float | None: ...
    @property
    def waits_for(self) -> str: ...


class Doubt(NamedTuple):
    """A word behind the name of a call whose results are in doubt."""

    css_class: str
    word: str | Promise
    title: str | Promise = ""


FAILED = Doubt("bad", gettext_lazy("analysis failed"))
HALF_HEARD = Doubt("warn", pgettext_lazy("a transcript", "unreliable"), gettext_lazy("Unreliable transcript"))
HEARD_BY_PEOPLE = HALF_HEARD._replace(
    title=gettext_lazy(
        "The transcript of this call is unreliable, but a person gave every answer that counts."
    )
)
POOR = Doubt("warn", gettext_lazy("poor transcript"))


class Labels(NamedTuple):
    """The heads of the columns for the cards of a phone, escaped, and other words of each row."""

    agent: str
    topic: str
    length: str
    sentiment: str
    goal: str
    score: str
    answer: str
    mistakes: str
    missed: str
    critical: str  # the sign and the word of a call with a critical error
    select: str  # of the box of a row, with a place for its name; not escaped


@register.simple_tag
def call_cells(row: ShownCall, *, has_answer: bool = False, has_agent: bool = True) -> SafeString:
    """Return the cells of a row, with that of the criterion the list is about where `has_answer`."""
    language = get_language() or ""
    labels = _label_columns(language)
    item = row.item
    said = escape(labels.select % {"name": item.file_name})
    cells = [
        f'<td class="c-pick"><label><span class="vh">{said}</span>'
        f'<input type="checkbox" name="call" value="{item.id}" form="chosen"></label></td>',
        time_cell(row),
        name_cell(row, language),
        *([_text("agent", labels.agent, item.agent, escape(item.agent), NO_AGENT)] if has_agent else []),
        _text("topic", labels.topic, item.topic, marked(item.topic, row.found.get("topic")), NO_TOPIC),
        length_cell(row, labels, language),
    ]
    if item.is_blinded:
        cells.append(hidden_cell(row, has_answer))
    else:
        cells += result_cells(row, labels, has_answer)
    return mark_safe("\n    ".join(cells))  # noqa: S308 - escaped where it is written


def time_cell(row: ShownCall) -> str:
    """Return when the call was, in gray where that is the time of its upload."""
    shown = moment(row.item.call_datetime)
    if not row.is_untimed:
        return f'<td class="c-when">{shown}</td>'
    reason = _("No call time was given, so the time of the upload is used.")
    behind = format_html('<small class="behind" title="{}">{}</small>', reason, _("upload time"))
    return f'<td class="c-when quiet-text">{shown} {behind}</td>'


def length_cell(row: ShownCall, labels: Labels, language: str) -> str:
    """Return how long the call is, behind the sign of its direction."""
    way = _direction(row.item.direction, language) if row.item.direction else ""
    length = gap(NO_LENGTH) if row.length_s is None else clock(row.length_s)
    return f'<td class="c-length n" data-label="{labels.length}">{way} {length}</td>'


def name_cell(row: ShownCall, language: str) -> str:
    """Return the head of the row: the name of the call, doubts about it, and where it comes from."""
    item = row.item
    title = escape(f"{item.file_name} · {item.campaign}" if item.campaign else item.file_name)
    parts = [
        f'<th scope="row" class="c-file"><a class="name" href="{escape(row.url)}" title="{title}">'
        f"{marked(item.file_name, row.found.get('file_name'))}</a>"
    ]
    if item.has_failed_analysis:
        parts.append(f" {_doubt(FAILED, language)}")
    if item.is_half_heard:
        by_people = row.answered is not None and row.answered.criteria.count_people_alone
        parts.append(f" {_doubt(HEARD_BY_PEOPLE if by_people else HALF_HEARD, language)}")
    elif row.is_doubtful:
        parts.append(f" {_doubt(POOR, language)}")
    if item.score_percentage is None and not item.is_blinded:
        parts.append(f' <span class="quiet-text narrow-only">{escape(_("not scored"))}</span>')
    under: list[str] = [escape(row.project)] if row.project else []
    under += [marked(item.campaign, row.found.get("campaign"))] if item.campaign else []
    under += [marked(row.number, row.found.get("number"))] if row.number else []
    if row.raw_topic:
        under.append(f"{escape(_('Topic:'))} {marked(row.raw_topic, row.found.get('raw_topic'))}")
    if under:
        css_class = "of-project" if row.project else "under"
        parts.append(f'<span class="{css_class}">{" · ".join(under)}</span>')
    parts.append(left_out_results(row, _label_columns(language), language))
    return "".join([*parts, "</th>"])


def left_out_results(row: ShownCall, labels: Labels, language: str) -> str:
    """Return a line with what stands in columns that a narrow window has no room for."""
    item = row.item
    parts = (
        [f'<span class="b-topic">{marked(item.topic, row.found.get("topic"))}</span>'] if item.topic else []
    )
    if row.length_s is not None:
        parts.append(f'<span class="b-length">{labels.length}: {clock(row.length_s)}</span>')
    # Words without their icons, which would be half of what a row weighs.
    if item.sentiment in SENTIMENTS:
        parts.append(_say_sentiment(item.sentiment, language))
    if item.goal_reached is not None:
        parts.append(_say_goal(item.goal_reached, language))
    for label, count in ((labels.mistakes, item.mistake_count), (labels.missed, item.missing_prompt_count)):
        if count:
            parts.append(f'<span class="b-counts">{label}: {number_in(language, count, 0)}</span>')
    return f'<span class="brief">{"".join(parts)}</span>' if parts else ""


def _text(name: str, label: str, text: str, shown: str, reason: Promise) -> str:
    if not text:
        return f'<td class="c-{name}" data-label="{label}">{gap(reason)}</td>'
    return f'<td class="c-{name}" data-label="{label}" title="{escape(text)}">{shown}</td>'


def hidden_cell(row: ShownCall, has_answer: bool) -> str:
    """Return one cell for all results that are kept from the visitor: why, and where to rate or review.

    Columns that a narrow window leaves out have no width, so that the cell is as wide as those it has.
    """
    why, do = WORK[row.waits_for or "rate"]
    link = reverse("web:review", args=[row.item.id])
    said = escape(f"{do}: {row.item.file_name}")
    return (
        f'<td class="c-hidden" colspan="{RESULT_COLUMNS + has_answer}"><div><span>{escape(str(why))}</span> '
        f'<a href="{link}" aria-label="{said}">{escape(str(do))}</a></div></td>'
    )


def _says_little(row: ShownCall) -> bool:
    """Return whether a score comes from an unreliable transcript, not from answers of people alone."""
    if not row.item.is_half_heard:
        return False
    criteria = row.answered.criteria if row.answered else None
    return criteria is None or not criteria.count_people_alone or criteria.say_little


def result_cells(row: ShownCall, labels: Labels, has_answer: bool) -> list[str]:
    """Return the cells of what came out of the call."""
    item = row.item
    says_little = _says_little(row)
    quiet = " quiet-text" if says_little else ""
    score: str = figure(item.score_percentage, 1, NO_SCORE)
    if item.has_critical_error:
        score = f"{labels.critical} <b>{score}</b>"
    elif not says_little:
        score = f"{band(item.score_percentage, row.target)} <b>{score}</b>"
    cells = [
        f'<td class="c-sentiment" data-label="{labels.sentiment}">{sentiment(item.sentiment)}</td>',
        f'<td class="c-goal" data-label="{labels.goal}">{goal(item.goal_reached)}</td>',
        f'<td class="c-score n{quiet}" data-label="{labels.score}">{score}</td>',
    ]
    if has_answer:
        answer: str = gap(NO_ANSWER)
        if row.answer:
            doubt = "warn" if row.answer.for_person else "dim"
            css_class = RESULT_CLASSES.get(row.answer.result, doubt)
            answer = f'<span class="mark {css_class}">{escape(str(row.result))}</span>'
        cells.append(f'<td class="c-answer" data-label="{labels.answer}">{answer}</td>')
    decided = row.answered.decided if row.answered else ()
    for name, kind, label, count in (
        ("mistakes", MISTAKE, labels.mistakes, item.mistake_count),
        ("missed", PROMPT, labels.missed, item.missing_prompt_count),
    ):
        is_open = item.is_half_heard and not count and kind not in decided
        zero = " zero" if count == 0 and not is_open else ""
        none = NO_PROTOCOL if count is None else NOT_HEARD
        shown = figure(None if is_open else count, 0, none)
        cells.append(f'<td class="c-{name} n{zero}" data-label="{label}">{shown}</td>')
    return cells


@lru_cache(maxsize=16)
def _label_columns(_language: str) -> Labels:
    words = (
        _("Agent"),
        _("Contact reason"),
        _("Length"),
        _("Sentiment"),
        _("Goal"),
        f"{_('Score')}, %",
        _("Result"),
        _("Mistakes"),
        _("Missed prompts"),
    )
    mark = format_html('<span class="band critical">{}</span>', _("critical"))
    return Labels._make([*map(escape, words), mark, _("Select %(name)s")])


@lru_cache(maxsize=64)
def _say_sentiment(name: str, _language: str) -> str:
    mark = SENTIMENTS[name]
    return f'<span class="b-sentiment mark {mark.css_class}">{escape(str(mark.word))}</span>'


@lru_cache(maxsize=32)
def _say_goal(is_reached: bool, language: str) -> str:
    mark = GOALS[is_reached]
    said = f'<span class="mark {mark.css_class}">{escape(str(mark.word))}</span>'
    return f'<span class="b-goal">{_label_columns(language).goal}: {said}</span>'


@lru_cache(maxsize=32)
def _doubt(doubt: Doubt, _language: str) -> SafeString:
    title = format_html(' title="{}"', doubt.title) if doubt.title else ""
    return format_html(
        '<span class="mark {}"{}>{}{}</span>', doubt.css_class, title, draw_icon("warning"), doubt.word
    )


@lru_cache(maxsize=32)
def _direction(direction: str, _language: str) -> SafeString:
    said = DIRECTIONS[direction]
    return format_html(
        '<span class="way" title="{}">{}<span class="word">{}</span></span>', said, draw_icon(direction), said
    )
