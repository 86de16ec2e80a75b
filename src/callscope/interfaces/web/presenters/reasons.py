"""Contact reasons in the order of their list, their changes in words, and the offer to regroup them."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from callscope.analysis.evidence import TIME_PREFIX, read_time
from callscope.contact_reasons.clusters.causes import describe_cause
from callscope.contact_reasons.history import Move, ReasonState
from callscope.contact_reasons.listing import ChangeRow, ReasonRow, StateChange
from callscope.contact_reasons.models import ReasonChange
from callscope.contact_reasons.settings_change import SettingsChange
from callscope.interfaces.web.presenters.report_links import link_week
from callscope.interfaces.web.presenters.report_page.courses import list_pale
from callscope.interfaces.web.presenters.report_page.reasons import write_course
from callscope.interfaces.web.presenters.report_page.sparks import spark_svg
from callscope.interfaces.web.presenters.report_page.wide_trend import WeekSlot
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.templatetags.formatting import day, moment, number, write_interval
from callscope.messages.translation import translate
from callscope.pipeline.files.regrouping import Outlook
from callscope.reports.charts import round_ticks
from callscope.reports.details.reason_detail import Passage, Rate, ReasonDetail, Week
from callscope.reports.overview.course import Course
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.reason_weeks import ReasonWeeks
from callscope.reports.wide_chart import WideChart, wide_svg, wide_ticks
from callscope.reports.window import ALL_TIME, end_of_week

KINDS = {
    ReasonChange.Kind.EDITED: gettext_lazy("Edited"),
    ReasonChange.Kind.MERGED: gettext_lazy("Merged"),
    ReasonChange.Kind.SPLIT: gettext_lazy("Calls split off"),
    ReasonChange.Kind.MOVED: gettext_lazy("Calls moved"),
    ReasonChange.Kind.REGROUPED: gettext_lazy("Regrouped"),
    ReasonChange.Kind.CODED: gettext_lazy("Made codes"),
}
FIRST_LINES = 4  # of a change that are shown without opening it


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """One reason of the list; `is_below` for one that has a parent."""

    row: ReasonRow
    url: str
    is_below: bool
    parent_name: str
    share_pct: float | None = None  # of the calls that have a reason; None for one that reports leave out
    spark: SafeString | str = ""  # shares by week, one scale for all reasons
    said: str = ""  # the same in words
    course: Course | None = None  # of the latest days, against those before

    @property
    def calls(self) -> int:
        """The calls that its link lists: of a heading those of the reasons under it."""
        return self.row.calls_in_all if self.row.is_heading else self.row.calls


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One change in words: the first sentences about it, and the others."""

    row: ChangeRow
    kind: str
    first: list[str]
    others: list[str]
    obstacle: str  # why it cannot be undone now; "" if it can, or nothing helps


@dataclass(frozen=True, slots=True)
class PassageLine:
    """Words that a customer said, with the address that opens the call where they begin."""

    row: Passage
    text: str
    at_s: float
    url: str


class ReasonChart(NamedTuple):
    """The share of a reason by week as a drawing, with what each week says and where it leads."""

    ticks: SafeString
    svg: SafeString
    slots: list[WeekSlot]
    has_band: bool
    has_pale: bool  # weeks of few calls
    has_firm: bool  # weeks of more
    has_part: bool  # the week that has not ended


def list_passages(rows: Iterable[Passage]) -> list[PassageLine]:
    """Return passages with links to where they begin."""
    lines = []
    for row in rows:
        at_s = read_time(row.quote) or 0.0
        url = f"{reverse('web:call', args=[row.call])}#t={at_s:.0f}"
        lines.append(PassageLine(row, TIME_PREFIX.sub("", row.quote).strip(), at_s, url))
    return lines


def draw_weeks(weeks: Sequence[Week], calls_url: str, *, today: dt.date) -> ReasonChart | None:
    """Return the shares by week as a chart; None where no week has a call with the reason."""
    if not any(week.calls for week in weeks):
        return None
    pale = [i for i, week in enumerate(weeks) if week.share.n < FEW_CALLS]
    part = [i for i, week in enumerate(weeks) if end_of_week(week.first_day) >= today]
    intervals = [None if i in pale else bounds_of(week.share) for i, week in enumerate(weeks)]
    values = [week.share.pct for week in weeks]
    ticks = round_ticks([*values, *(each[1] for each in intervals if each)], at_least=3.0, most=100.0)
    texts = [number(value, 0 if value == int(value) else 1) for value in ticks]
    chart = WideChart(
        values=values,
        behind=[None] * len(weeks),
        intervals=intervals,
        ticks=[
            (value, text + (" %" if value == ticks[-1] else ""))
            for value, text in zip(ticks, texts, strict=True)
        ],
        dates=[date_format(week.first_day, _("M j")) for week in weeks],
        hollow=part,
        pale=pale,
    )
    link = f"{calls_url}&"
    return ReasonChart(
        ticks=mark_safe(wide_ticks(chart)),  # noqa: S308 - numbers
        svg=mark_safe(wide_svg(chart)),  # noqa: S308 - numbers and dates
        slots=[
            WeekSlot(describe_week(week, is_part=i in part), link_week(link, week.first_day, ALL_TIME))
            for i, week in enumerate(weeks)
        ],
        has_band=any(intervals),
        has_pale=bool(pale),
        has_firm=len(pale) < len(weeks),
        has_part=bool(part),
    )


def bounds_of(share: Rate) -> tuple[float, float] | None:
    """Return the interval of a share."""
    if share.low_pct is None or share.high_pct is None:
        return None
    return share.low_pct, share.high_pct


def describe_week(week: Week, *, is_part: bool) -> str:
    """Return the share of a week with what it is taken of and its interval."""
    value = _("no call has a contact reason")
    bounds = bounds_of(week.share)
    if bounds is not None:
        of_all = _("%(part)s of %(all)s calls") % {
            "part": number(week.share.count),
            "all": number(week.share.n),
        }
        interval = write_interval(bounds, 1, get_language() or "")
        value = f"{number(week.share.pct, 1)}\N{NO-BREAK SPACE}% ({of_all}), " + _(
            "95 %% interval %(interval)s"
        ) % {"interval": interval}
    text = _("Week of %(week)s: %(value)s") % {"week": day(week.first_day), "value": value}
    return text + (" · " + _("part of the week") if is_part else "")


def write_confidence(figures: ReasonDetail) -> str:
    """Return the confidence of the change with as many decimals as tell it from 100."""
    decimals = len(str(figures.compared_reasons - 1)) if figures.compared_reasons > 1 else 0
    return number(figures.change_confidence_pct, decimals)


def calls_url(row: ReasonRow) -> str:
    """Return the address of the calls of a reason."""
    return with_query(reverse("web:calls"), {"project_id": row.project, "reason": row.id})


def arrange(rows: list[ReasonRow]) -> list[ReasonLine]:
    """Return the reasons in their order, each followed by those under it."""
    names = {row.id: row.name for row in rows}
    below: dict[int, list[ReasonRow]] = {}
    for row in rows:
        if row.parent in names:
            below.setdefault(row.parent, []).append(row)
    lines: list[ReasonLine] = []
    for row in rows:
        if row.parent not in names:
            lines.append(ReasonLine(row, calls_url(row), False, ""))
            lines.extend(
                ReasonLine(child, calls_url(child), True, row.name) for child in below.get(row.id, [])
            )
    return lines


def add_figures(
    lines: Sequence[ReasonLine], weeks: ReasonWeeks, courses: Mapping[int, Course]
) -> list[ReasonLine]:
    """Return the lines with share, course by week and mark; without them what reports leave out."""
    counted = [each for each in lines if not (each.row.is_set_aside or each.row.is_heading)]
    total = sum(each.row.calls for each in counted)
    shares = {each.row.id: weeks.list_shares(each.row.name) for each in counted}
    high = max((share or 0.0 for each in shares.values() for share in each), default=0.0) or 1.0
    pale = list_pale(weeks.with_reason)
    return [
        replace(
            line,
            share_pct=100 * line.row.calls / total if total else None,
            spark=mark_safe(  # noqa: S308 - numbers
                spark_svg(shares[line.row.id], low=0.0, high=high, pale=pale, hollow=weeks.parts)
            ),
            said=write_course(line.row.name, weeks),
            course=courses.get(line.row.id),
        )
        if line.row.id in shares
        else line
        for line in lines
    ]


def describe_change(row: ChangeRow, names_now: Mapping[int, str]) -> ChangeLine:
    """Return a change in words; `names_now` are those of the reasons that are there now, by id."""
    sentences = list_sentences(row.reasons, row.moves, row.settings, names_now)
    kind = KINDS[ReasonChange.Kind(row.kind)]
    obstacle = translate(row.obstacle) if row.obstacle else ""
    return ChangeLine(row, str(kind), sentences[:FIRST_LINES], sentences[FIRST_LINES:], obstacle)


def list_sentences(
    reasons: Sequence[StateChange],
    moves: Sequence[Move],
    settings: SettingsChange | None,
    names_now: Mapping[int, str],
) -> list[str]:
    """Return what a change did to the settings, to reasons and to calls."""
    names = dict(names_now)
    for change in reasons:
        state = change["after"] or change["before"]
        if state:
            names[change["id"]] = state["name"]
    sentences = list(_describe_settings(settings)) if settings else []
    sentences += [text for change in reasons for text in _sentences(change, names)]
    return sentences + [_move(move, names) for move in moves]


def _sentences(change: StateChange, names: Mapping[int, str]) -> list[str]:
    """Return what happened to one reason, a sentence for each property."""
    before, after = change["before"], change["after"]
    if before is None or after is None:
        if after is not None:
            return [_("“%(name)s” is new.") % {"name": after["name"]}]
        return [_("“%(name)s” no longer exists.") % {"name": before["name"]}] if before is not None else []
    return list(_differences(before, after, names))


def _differences(before: ReasonState, after: ReasonState, names: Mapping[int, str]) -> Iterable[str]:
    name = {"name": after["name"]}
    if before["name"] != after["name"]:
        yield _("“%(former)s” is now “%(name)s”.") % {**name, "former": before["name"]}
    if before["description"] != after["description"]:
        yield _("The note for readers of “%(name)s” was changed.") % name
    if before["is_set_aside"] != after["is_set_aside"]:
        yield (
            _("“%(name)s” was set aside.")
            if after["is_set_aside"]
            else _("“%(name)s” is no longer set aside.")
        ) % name
    if before["is_pinned"] != after["is_pinned"]:
        yield (_("“%(name)s” was pinned.") if after["is_pinned"] else _("“%(name)s” was unpinned.")) % name
    if before["parent_id"] != after["parent_id"]:
        if after["parent_id"] is None:
            yield _("“%(name)s” has no parent reason.") % name
        else:
            yield _("“%(name)s” is now below “%(parent)s”.") % {
                **name,
                "parent": _name_of(after["parent_id"], names),
            }


def _describe_settings(change: SettingsChange) -> Iterator[str]:
    """Yield what a change did to the settings."""
    if change["mode_before"] != change["mode_after"]:
        yield _("Calls get the codes of the settings from then on; regrouping ended.")
    if change["added"]:
        yield _("Codes in the settings: %(names)s.") % {"names": ", ".join(change["added"])}
    if change["removed"]:
        yield _("Codes removed: %(names)s.") % {"names": ", ".join(change["removed"])}


def _move(move: Move, names: Mapping[int, str]) -> str:
    values = {
        "count": number_format(move["calls"]),
        "former": _name_of(move["from"], names),
        "name": _name_of(move["to"], names),
    }
    text = ngettext(
        "%(count)s call: “%(former)s” → “%(name)s”.",
        "%(count)s calls: “%(former)s” → “%(name)s”.",
        move["calls"],
    )
    said = text % values
    cause = move.get("cause")
    return f"{said} {translate(describe_cause(cause, partial(number, decimals=2)))}" if cause else said


def _name_of(reason_id: int | None, names: Mapping[int, str]) -> str:
    if reason_id is None:
        return _("no contact reason")
    return names.get(reason_id) or _("a contact reason that no longer exists")


class RegroupingOffer(NamedTuple):
    """What stands next to the button, and what its dialog says."""

    facts: list[str]
    question: str


def offer_regrouping(outlook: Outlook, project_name: str) -> RegroupingOffer:
    """Return what is known before the contact reasons of a project are regrouped."""
    facts = describe_outlook(outlook)
    question = _("Regroup the contact reasons of %(name)s?") % {"name": project_name}
    said = [
        question,
        *facts,
        _(
            "Calls whose topics are similar become one reason. Names that people gave, pinned reasons and "
            "calls that people moved stay."
        ),
        _("The history lists every change, and you can undo it there."),
    ]
    return RegroupingOffer(facts, " ".join(said))


def describe_outlook(outlook: Outlook) -> list[str]:
    """Return in sentences when the reasons were regrouped last, and how many calls are new or wait."""
    if outlook.latest_at is None:
        found = ngettext("%(count)s call is analyzed.", "%(count)s calls are analyzed.", outlook.calls)
        facts = [_("Not regrouped yet."), found % {"count": number(outlook.calls)}]
    else:
        facts = [_("Last regrouped: %(when)s.") % {"when": moment(outlook.latest_at)}]
        new = ngettext(
            "%(count)s of %(all)s call is new since then.",
            "%(count)s of %(all)s calls are new since then.",
            outlook.calls,
        )
        none = _("No call is new since then, so few reasons will change.")
        counts = {"count": number(outlook.new_calls), "all": number(outlook.calls)}
        facts.append(new % counts if outlook.new_calls else none)
    if outlook.waiting_calls:
        waiting = ngettext(
            "%(count)s of them waits for a reason.",
            "%(count)s of them wait for a reason.",
            outlook.waiting_calls,
        )
        facts.append(waiting % {"count": number(outlook.waiting_calls)})
    return facts
