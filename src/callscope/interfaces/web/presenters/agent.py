"""Prepare the page of an agent: figures and criteria next to those of all calls, and how criteria went."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from callscope.calls.models import Agent
from callscope.calls.namesakes import Namesake, Namesakes
from callscope.interfaces.web.presenters.appeals import STATE_NAMES, UNDECIDABLE
from callscope.interfaces.web.presenters.differences import write_intervals
from callscope.interfaces.web.presenters.report_page.courses import explain_marks
from callscope.interfaces.web.presenters.report_page.headline import (
    TILES,
    Change,
    find_change,
    reason_for_none,
)
from callscope.interfaces.web.presenters.report_page.parts import PartLink
from callscope.interfaces.web.presenters.report_page.sparks import spark_svg
from callscope.interfaces.web.presenters.reviewing.review import ANSWER_NAMES
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.templatetags.formatting import day, number
from callscope.reports.charts import dots_svg
from callscope.reports.details.agent_page import AgentPage, CriterionCourse
from callscope.reports.overview.coverage import COUNTED_OVER, FEW_CALLS, describe_coverage, is_all_known
from callscope.reports.overview.scorecard import JudgedFigures, judge_row
from callscope.reviews.appeal_records import Appeal

WHOSE_CALL = gettext_lazy(
    "A review can say whose call it is; so does an agent's name that is sent with the call."
)
MIN_WEEKS = 3  # with calls, from which on a line shows a course


class AgentCriterion(NamedTuple):
    """One criterion of an agent."""

    course: CriterionCourse
    judged: JudgedFigures
    dots: SafeString  # the agent, hollow for all calls of the project
    everyone: str  # the figure of all calls, with how many; "" where it is not shown
    gap: float | None  # to that of all calls, below zero where the agent has less
    beyond: str  # "below" or "above" where the interval does not reach that of all calls; else ""
    spark: SafeString
    url: str  # of the calls that did not meet it
    critical_url: str  # of those in which it was a critical error


class AgentAppeal(NamedTuple):
    """One appeal in the list of an agent."""

    appeal: Appeal
    state: str  # of an accepted one with the answer that counts since
    url: str  # of the appeal on the page of its call
    at: dt.datetime  # when it was filed, decided or withdrawn


class AgentFigure(NamedTuple):
    """One figure of the headline: the agent, and all calls of the project."""

    name: str
    decimals: int
    value: float | int | None
    reason: str  # why there is no value
    coverage: str  # how many calls it is a share or a mean of, where its change does not say so
    interval: str
    everyone: str  # the figure of all calls with how many they are; "" for counts, and for agents themselves
    change: Change | None  # since the window before
    url: str
    missed_url: str  # of the calls that missed a goal; "" for other figures


def list_latest_appeals(page: AgentPage) -> list[AgentAppeal]:
    """Return the latest appeals about the agent's calls with what became of each."""
    listed = []
    for appeal in page.latest_appeals:
        is_undecidable = appeal.pk in page.undecidable
        state = str(UNDECIDABLE if is_undecidable else STATE_NAMES[Appeal.State(appeal.state)])
        if appeal.new_answer:
            state = _("%(state)s: %(answer)s") % {"state": state, "answer": ANSWER_NAMES[appeal.new_answer]}
        url = f"{reverse('web:call', args=[appeal.call_id])}#appealed-{appeal.pk}"
        listed.append(AgentAppeal(appeal, state, url, appeal.decided_at or appeal.created_at))
    return listed


def build_figures(page: AgentPage, query: Mapping[str, str]) -> list[AgentFigure]:
    """Return the figures that the report begins with, for the calls of the agent; `query` chose them."""
    intervals, scope = write_intervals(page.headline), {**query, "agent": page.agent.pk}
    figures = []
    for spec in TILES:
        name, decimals, _better, filters = spec
        everyone = ""
        of_all = getattr(page.everyone, name, None)
        if name in COUNTED_OVER and page.everyone and of_all is not None:
            shown = {
                "value": number(of_all, decimals),
                "calls": number(getattr(page.everyone, COUNTED_OVER[name])),
            }
            everyone = _("all calls: %(value)s (n\u00a0%(calls)s)") % shown
            if page.standing and name == "average_score":
                side = _("%(side)s, beyond chance") % {"side": page.standing}
                everyone = f"{side} · {everyone}"
        change = find_change(spec, page.headline, page.previous, page.changes)
        # The calls next to a change are those of the figure, too.
        is_said = change is not None and change.compared and is_all_known(name, page.headline)
        figures.append(
            AgentFigure(
                name=name,
                decimals=decimals,
                value=getattr(page.headline, name),
                reason=reason_for_none(name, page.headline),
                coverage="" if is_said else describe_coverage(name, page.headline, number),
                interval=intervals.get(name, ""),
                everyone=everyone,
                change=change,
                url=with_query(reverse("web:calls"), {**scope, **filters}),
                missed_url=with_query(reverse("web:calls"), {**scope, "goal": "false"})
                if name == "goal_reached_pct"
                else "",
            )
        )
    return figures


def build_lines(page: AgentPage, query: Mapping[str, str], *, by_gap: bool = False) -> list[AgentCriterion]:
    """Return the criteria of the page in the order of the rubric, or those furthest below all calls first.

    `by_gap`: those of so few calls that there is no interval come after the others, as they say little.
    """
    scope, calls = {**query, "agent": page.agent.pk}, reverse("web:calls")
    lines = []
    for each in page.criteria:
        judged, of_all = judge_row(each.row), judge_row(each.everyone).pct if each.everyone else None
        lines.append(
            AgentCriterion(
                course=each,
                judged=judged,
                dots=_draw_dots(each),
                everyone=_describe_everyone(each),
                gap=None if judged.pct is None or of_all is None else judged.pct - of_all,
                beyond=_find_side(page, judged, of_all),
                spark=_draw_course(each),
                url=with_query(calls, {**scope, "criterion": each.row.criterion_id, "result": "not_met"}),
                critical_url=with_query(
                    calls, {**scope, "criterion": each.row.criterion_id, "found": "critical"}
                ),
            )
        )
    return sorted(lines, key=_rank_gap) if by_gap else lines


def _rank_gap(line: AgentCriterion) -> tuple[bool, bool, float]:
    return line.gap is None, line.judged.interval is None, line.gap or 0.0


def _find_side(page: AgentPage, judged: JudgedFigures, of_all: float | None) -> str:
    """Return on which side of all calls the whole interval lies; "" where it reaches them.

    It reaches them from above, too, where it may be so high for unreliable transcripts alone.
    """
    if judged.interval is None or judged.pct is None or of_all is None:
        return ""
    low, high = judged.interval
    raised = judged.pct - page.find_least(judged.pct, judged.calls)
    return "below" if high < of_all else "above" if low - raised > of_all else ""


def list_orders(here: str, query: Mapping[str, str], *, by_gap: bool) -> list[PartLink]:
    """Return the orders of the criteria as links."""
    to = "#course-title"
    return [
        PartLink(_("Order of the rubric"), with_query(here, query) + to, not by_gap),
        PartLink(_("By gap to all calls"), with_query(here, {**query, "order": "gap"}) + to, by_gap),
    ]


def _draw_course(each: CriterionCourse) -> SafeString:
    values = [week.evaluated_pct for week in each.weeks]
    has_enough = any(not week.is_few for week in each.weeks)  # else it is nothing but gray dots
    if not has_enough or sum(value is not None for value in values) < MIN_WEEKS:
        return mark_safe("")
    drawn = spark_svg(
        values,
        low=0,
        high=100,
        pale=[i for i, week in enumerate(each.weeks) if week.is_few],
        hollow=[i for i, week in enumerate(each.weeks) if week.is_part],
    )
    return mark_safe(drawn)  # noqa: S308 - numbers


def explain_weeks(lines: Sequence[AgentCriterion]) -> list[str]:
    """Return which weeks are shown, and what gray and hollow dots of the courses mean."""
    mondays = [week.week for each in lines for week in each.course.weeks if week.calls]
    weeks = [week for each in lines if each.spark for week in each.course.weeks if week.judged_calls]
    if not mondays:
        return []
    span = {"first": day(min(mondays)), "last": day(max(mondays))}
    marks = explain_marks(
        has_few=any(week.is_few for week in weeks),
        parts=sorted({week.week for week in weeks if week.is_part}),
    )
    said = _("By week: all weeks of this period with calls, from that of %(first)s to that of %(last)s.")
    return [said % span, *marks]


class NamesakeNotice(NamedTuple):
    """Who may be the same person, with links to their pages and to the calls of the shorter name."""

    text: str
    links: list[tuple[str, str]]  # address, what the link says


def describe_namesakes(found: Namesakes, agent: Agent, query: Mapping[str, str]) -> list[NamesakeNotice]:
    """Return that the agent may be one of a fuller name, or one who was heard with less of the name."""
    scope = {"project_id": query["project_id"]}
    calls = reverse("web:calls")

    def link(each: Namesake) -> tuple[str, str]:
        return with_query(reverse("web:agent", args=[each.id]), scope), each.label

    notices = []
    if found.fuller:
        text = ngettext(
            "“%(name)s” was said in %(count)s call. It may be an agent of a fuller name. Names that differ "
            "are not joined: two people may share a first name.",
            "“%(name)s” was said in %(count)s calls. It may be an agent of a fuller name. Names that differ "
            "are not joined: two people may share a first name.",
            found.heard_calls,
        )
        said = text % {"name": agent.name, "count": number(found.heard_calls)}
        own = with_query(calls, {**scope, "agent": agent.pk}), _("Calls of this agent")
        notices.append(NamesakeNotice(f"{said} {WHOSE_CALL}", [*map(link, found.fuller), own]))
    for each in found.shorter:
        text = ngettext(
            "In %(count)s call only “%(name)s” was said. It does not count here, since it may be "
            "somebody else.",
            "In %(count)s calls only “%(name)s” was said. They do not count here, since it may be "
            "somebody else.",
            each.heard_calls,
        )
        said = text % {"name": each.name, "count": number(each.heard_calls)}
        notices.append(NamesakeNotice(f"{said} {WHOSE_CALL}", [link(each)]))
    return notices


def describe_moments(page: AgentPage) -> str:
    """Return which calls are behind what to talk about and what went well."""
    said = ngettext(
        "The latest %(count)s call of this period.",
        "The latest %(count)s calls of this period.",
        page.calls_read,
    )
    parts = [said % {"count": number(page.calls_read)}] if page.calls_read else []
    if page.hidden_calls:
        left_out = ngettext(
            "%(count)s call that waits for your rating or blind review is left out.",
            "%(count)s calls that wait for your rating or blind review are left out.",
            page.hidden_calls,
        )
        parts.append(left_out % {"count": number(page.hidden_calls)})
    if unreliable := page.other_half_heard_calls:
        text = (
            ngettext(
                "%(count)s other call with an unreliable transcript is left out.",
                "%(count)s other calls with unreliable transcripts are left out.",
                unreliable,
            )
            if page.hidden_calls
            else ngettext(
                "%(count)s call with an unreliable transcript is left out.",
                "%(count)s calls with unreliable transcripts are left out.",
                unreliable,
            )
        )
        parts.append(text % {"count": number(unreliable)})
    return " ".join(parts)


def _draw_dots(each: CriterionCourse) -> SafeString:
    judged, everyone = judge_row(each.row), judge_row(each.everyone) if each.everyone else None
    drawn = dots_svg(
        judged.pct,
        before_pct=everyone.pct if everyone else None,
        interval=judged.interval,
        is_few=judged.calls < FEW_CALLS,
    )
    return mark_safe(drawn)  # noqa: S308 - numbers


def _describe_everyone(each: CriterionCourse) -> str:
    if each.everyone is None:
        return ""
    judged = judge_row(each.everyone)
    if judged.pct is None:  # also where that would tell of a call that waits for the visitor
        return ""
    shown = {"value": number(judged.pct, 1), "calls": number(judged.calls)}
    return _("%(value)s %% (n\u00a0%(calls)s)") % shown
