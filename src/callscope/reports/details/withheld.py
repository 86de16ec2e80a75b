"""Keep figures of an agent's page over very few calls from a reader who is to rate or review one of them.

Over so few calls an average says about what each of them has. Of a criterion it is not looked up whether it
applies to the hidden call: that there is one in the same days is enough.
"""

from collections.abc import Collection
from dataclasses import replace

from callscope.reports.details.agent_page import AgentPage, CriterionCourse, WeekFigure
from callscope.reports.models import CallFact
from callscope.reports.overview.schemas import Headline, ScorecardRow
from callscope.reports.window import Window, end_of_week

ENOUGH_CALLS = 5  # for a figure that says little of each

Days = Collection[int]  # with hidden calls, as ordinals


def withhold_figures(page: AgentPage, hidden: Collection[int]) -> AgentPage:
    """Return the page without figures that would say results of calls that are `hidden` from the reader.

    What is withheld is None next to its number of calls.
    """
    facts = CallFact.objects.filter(project=page.project, call__in=hidden).order_by()
    days = set(facts.values_list("agent_id", "day").distinct()) if hidden else set()
    if not days:
        return page
    own, every = {day for agent, day in days if agent == page.agent.pk}, {day for _agent, day in days}
    before = page.window.previous()
    headline = _withhold_headline(page.headline, page.window, own)
    return replace(
        page,
        headline=headline,
        everyone=page.everyone and _withhold_headline(page.everyone, page.window, every),
        previous=_withhold_headline(page.previous, before, own) if page.previous and before else None,
        to_others=None if headline.average_score is None else page.to_others,
        criteria=[
            CriterionCourse(
                _withhold_row(each.row, page.window, own),
                [_withhold_week(week, own) for week in each.weeks],
                each.everyone and _withhold_row(each.everyone, page.window, every),
            )
            for each in page.criteria
        ],
    )


def _says_too_much(calls: int, window: Window, days: Days) -> bool:
    first, last = window.days
    return calls < ENOUGH_CALLS and any(first <= day <= last for day in days)


def _withhold_headline(headline: Headline, window: Window, days: Days) -> Headline:
    if _says_too_much(headline.scored_calls, window, days):
        headline = replace(headline, average_score=None, weighted_compliance=None, critical_error_pct=None)
        headline = replace(headline, average_score_interval=None, weighted_compliance_interval=None)
        headline = replace(headline, critical_error_pct_interval=None)
    if _says_too_much(headline.sentiment_calls, window, days):
        headline = replace(headline, negative_sentiment_pct=None, negative_sentiment_pct_interval=None)
    if _says_too_much(headline.outcome_calls, window, days):
        headline = replace(headline, goal_reached_pct=None, goal_reached_pct_interval=None)
    return headline


def _withhold_row(row: ScorecardRow, window: Window, days: Days) -> ScorecardRow:
    if not _says_too_much(row.judged_calls, window, days):
        return row
    shown = replace(row, average_pct=None, average_pct_interval=None)
    return replace(shown, evaluated_pct=None, evaluated_pct_interval=None)


def _withhold_week(week: WeekFigure, days: Days) -> WeekFigure:
    if not _says_too_much(week.judged_calls, Window(week.week, end_of_week(week.week)), days):
        return week
    shown = week._replace(average_pct=None, average_pct_interval=None)
    return shown._replace(evaluated_pct=None, evaluated_pct_interval=None)
