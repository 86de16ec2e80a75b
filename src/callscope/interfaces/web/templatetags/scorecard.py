"""Quotes of a call, and the rows of its scorecard with their evidence.

They are written here because a scorecard has dozens of rows and each is painted first: a template takes
ten times as long for them.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from html import escape
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote as quote_address

from django import template
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from callscope.interfaces.web.templatetags.formatting import clock, gap, number, plain
from callscope.interfaces.web.templatetags.icons import draw_icon

register = template.Library()


class Quoted(Protocol):
    """Words of the transcript and when they begin, as presenters.evidence.Quote says in full."""

    @property
    def text(self) -> str: ...
    @property
    def at_s(self) -> float | None: ...


class QuotedPart(Protocol):
    """As presenters.evidence.PartQuote."""

    @property
    def number(self) -> int | None: ...
    @property
    def quote(self) -> Quoted: ...


class Absence(Protocol):
    """As presenters.evidence.ShownAbsence."""

    @property
    def applied(self) -> Quoted | None: ...
    @property
    def phrases(self) -> Sequence[str]: ...
    @property
    def more(self) -> int: ...
    @property
    def start_s(self) -> float | None: ...
    @property
    def end_s(self) -> float | None: ...


class Criterion(Protocol):
    """As presenters.call_page.call.CriterionResult."""

    @property
    def id(self) -> str | None: ...
    @property
    def name(self) -> str | None: ...
    @property
    def guideline(self) -> str: ...
    @property
    def word(self) -> str | Promise: ...
    @property
    def icon(self) -> str: ...
    @property
    def tone(self) -> str: ...
    @property
    def points(self) -> str: ...
    @property
    def max_points(self) -> str: ...
    @property
    def justification(self) -> str: ...
    @property
    def quote(self) -> Quoted | None: ...
    @property
    def quotes(self) -> Sequence[QuotedPart]: ...
    @property
    def is_critical(self) -> bool: ...
    @property
    def critical_class(self) -> str | Promise: ...
    @property
    def is_unverified(self) -> bool: ...
    @property
    def is_unrecorded(self) -> bool: ...
    @property
    def is_left_out(self) -> bool: ...
    @property
    def has_failed(self) -> bool: ...
    @property
    def is_persons(self) -> bool: ...
    @property
    def keeps_machines_reason(self) -> bool: ...
    @property
    def has_more(self) -> bool: ...
    @property
    def is_open(self) -> bool: ...
    @property
    def absence(self) -> Absence | None: ...


class Section(Protocol):
    """A part of the scorecard, as presenters.call_page.call.ScoredSection says in full."""

    @property
    def criteria(self) -> Sequence[Criterion]: ...


class Words(NamedTuple):
    """What rows say again and again, escaped, in one language."""

    play: str
    show: str  # what was said, in the transcript
    correct: str
    appeal: str
    appealed: str
    critical: str
    machine: str  # before its reason for what a person answered
    looked_for: str
    applied: str
    applies: str
    unverified: str
    unrecorded: str
    by_person: str  # a mark
    no_points: str
    full_points: str


class Page(NamedTuple):
    """What a page shows of the call around its evidence."""

    words: Words
    has_audio: bool
    has_transcript: bool
    names_people: bool = True  # whether answers of people are marked: not where all are theirs
    correct_url: str = ""  # where an answer is corrected; "" for who may not
    appeal_urls: Mapping[str, str] = MappingProxyType({})  # by criterion that the visitor may appeal
    appealed: Collection[str] = ()  # criteria whose appeals by the visitor wait

    @classmethod
    def of(cls, context: Mapping[str, Any]) -> "Page":
        detail, of_criteria = context.get("detail"), context.get("of_criteria")
        appealed = context.get("appealed")
        form = getattr(appealed, "form", None)
        return cls(
            _list_words(get_language() or ""),
            has_audio=bool(context.get("audio_url")),
            has_transcript=bool(detail and detail.transcript),
            names_people=not (of_criteria and of_criteria.are_all_by_people),
            correct_url=context.get("correct_url") or "",
            appeal_urls=form.link_costly(context["request"].GET) if form else {},
            appealed=getattr(appealed, "waiting", ()),
        )


@register.simple_tag(takes_context=True)
def quote(context: Mapping[str, Any], quoted: Quoted, *, short: bool = False) -> SafeString:
    """Return what was said and when: a button that leads there, where the page has the recording or words.

    With `short` the words are read out and not shown.
    """
    return mark_safe(write_quote(quoted, Page.of(context), short=short))  # noqa: S308 - escaped


def write_quote(quoted: Quoted, page: Page, *, short: bool = False) -> str:
    """Return a quote as markup."""
    text = escape(quoted.text)
    if quoted.at_s is None or not (page.has_transcript or page.has_audio):
        at = "" if quoted.at_s is None else f'<span class="at">{clock(quoted.at_s)}</span> '
        return f'<span class="quote plain">{at}{"" if short else f"<q>{text}</q>"}</span>'
    name, title = ("play", page.words.play) if page.has_audio else ("next", page.words.show)
    said = f'<span class="vh"> {text}</span>' if short else f" <q>{text}</q>"
    return (
        f'<button type="button" class="quote{" short" if short else ""}" data-at="{plain(quoted.at_s)}" '
        f'title="{title}">{draw_icon(name)}<span class="at">{clock(quoted.at_s)}</span>{said}</button>'
    )


@register.simple_tag(takes_context=True)
def criterion_rows(context: Mapping[str, Any], section: Section) -> SafeString:
    """Return the rows of the criteria of a section, each with its evidence folded under its name."""
    page = Page.of(context)
    return mark_safe("".join([_row(each, page) for each in section.criteria]))  # noqa: S308 - escaped


def _row(criterion: Criterion, page: Page) -> str:
    css_class = "is-critical" if criterion.is_critical else "" if criterion.has_failed else "passed"
    attribute = f' class="{css_class}"' if css_class else ""
    anchor = f' id="criterion-{escape(str(criterion.id))}"' if criterion.id else ""
    word = (
        f'<span class="mark {criterion.tone}">{draw_icon(criterion.icon)}{escape(str(criterion.word))}</span>'
    )
    person = f" {page.words.by_person}" if criterion.is_persons and page.names_people else ""
    return (
        f'<tr{anchor}{attribute}>\n<th scope="row">{_head(criterion, page)}</th>\n<td>{word}{person}</td>\n'
        f'<td class="n">{_points(criterion, page.words)}</td></tr>'
    )


def _points(criterion: Criterion, words: Words) -> str:
    if criterion.is_left_out:
        return words.no_points
    if criterion.icon == "not-applicable":
        return f'<span class="quiet-text" title="{words.full_points}">({criterion.points})</span>'
    return f"{criterion.points} / {criterion.max_points}"


def _head(criterion: Criterion, page: Page) -> str:
    """Return the name of a criterion, with what kind of error it was and what unfolds."""
    name = escape(str(criterion.name))
    error = ""
    if criterion.is_critical:
        kind = escape(str(criterion.critical_class)) or page.words.critical
        error = f'<span class="mark bad">{draw_icon("critical")}{kind}</span>'
    actions, whose = [], f'<span class="vh">: {name}</span>'
    if page.correct_url:
        address = f"{page.correct_url}?correct={quote_address(str(criterion.id), safe='')}"
        actions.append(
            f'<a class="correct no-print" href="{escape(address)}">{page.words.correct}{whose}</a>'
        )
    if address := page.appeal_urls.get(str(criterion.id), ""):
        actions.append(f'<a class="no-print" href="{escape(address)}">{page.words.appeal}{whose}</a>')
    elif str(criterion.id) in page.appealed:
        actions.append(f'<a class="no-print" href="#appeals-title">{page.words.appealed}{whose}</a>')
    if not criterion.has_more:
        return " ".join([f"{error}{name}", *actions])
    state = " open" if criterion.is_open else ""
    evidence = "\n".join(filter(None, [*_evidence(criterion, page), *actions]))
    return f'{error}<details class="fold"{state}><summary>{name}</summary>\n{evidence}</details>'


def _evidence(criterion: Criterion, page: Page) -> list[str]:
    """Return what the answer rests on: the reason, what was quoted, and what was looked for in vain."""
    words = page.words
    whose = f"{words.machine} " if criterion.keeps_machines_reason else ""
    reason = f'<span class="why">{whose}{escape(criterion.justification)}</span>'
    parts = [reason if criterion.justification else ""]
    if criterion.quotes:
        parts += [_part(each, page) for each in criterion.quotes]
    elif criterion.quote:
        parts.append(write_quote(criterion.quote, page))
    if criterion.absence:
        parts.append(_absence(criterion.absence, page))
    elif criterion.guideline:
        before = f"{words.looked_for} " if criterion.has_failed else ""
        parts.append(f'<span class="why">{before}{escape(criterion.guideline)}</span>')
    if criterion.is_unverified:
        parts.append(f'<span class="mark warn">{draw_icon("unknown")}{words.unverified}</span>')
    if criterion.is_unrecorded and not criterion.is_left_out:
        parts.append(f'<span class="mark dim">{draw_icon("info")}{words.unrecorded}</span>')
    return parts


def _part(part: QuotedPart, page: Page) -> str:
    said = _("Part %(number)s") % {"number": number(part.number)} if part.number else ""
    label = f'<span class="part">{escape(said)}</span>' if said else ""
    return label + write_quote(part.quote, page)


def _absence(absence: Absence, page: Page) -> str:
    """Return why a criterion applied, what was looked for, and when it would have counted."""
    words = page.words
    if absence.applied:
        parts = [f'<span class="part">{words.applied}</span>', write_quote(absence.applied, page)]
    else:
        parts = [f'<span class="part">{words.applies}</span>']
    if absence.phrases:
        listed = [f"<q>{escape(phrase)}</q>" for phrase in absence.phrases]
        if absence.more:
            more = ngettext("and %(count)s more", "and %(count)s more", absence.more)
            listed.append(escape(more % {"count": number(absence.more)}))
        parts.append(f' <span class="why">{words.looked_for} {", ".join(listed)}</span>')
    if absence.end_s is not None:
        between = _("It should have been said between %(start)s and %(end)s") % {
            "start": clock(absence.start_s),
            "end": clock(absence.end_s),
        }
        parts.append(
            f'<button type="button" class="quote" data-at="{plain(absence.start_s or 0)}">'
            f"{draw_icon('play' if page.has_audio else 'next')} {escape(between)}</button>"
        )
    return "".join(parts)


@register.simple_tag(name="by_person")
def write_mark_of_people() -> SafeString:
    """Return the mark of an answer that a person gave."""
    text = escape(_("by a person"))
    mark = (
        f'<span class="by-person" title="{text}">{draw_icon("person")}<span class="vh">{text}</span></span>'
    )
    return mark_safe(mark)  # noqa: S308 - escaped


@lru_cache(maxsize=16)
def _list_words(_language: str) -> Words:
    def written(text: str | Promise) -> str:
        return escape(str(text))

    return Words(
        play=written(_("Play it")),
        show=written(_("Show it in the transcript")),
        correct=written(_("Correct it")),
        appeal=written(pgettext("a criterion", "Appeal")),
        appealed=written(_("Appealed, waits for a decision")),
        critical=written(_("critical error")),
        machine=written(_("The machine:")),
        looked_for=written(_("Looked for:")),
        applied=written(_("It applied because of:")),
        applies=written(_("It applies to every call.")),
        unverified=written(_("unverified: the cited words are not in the transcript")),
        unrecorded=written(_("it was not recorded whether it applied")),
        by_person=write_mark_of_people(),
        no_points=gap(_("It does not count, neither in the points nor in the possible points.")),
        full_points=written(_("It does not apply, so it counts with full points.")),
    )
