"""The PDF's tables of projects and of agents: their figures, and how agents talk; those with most calls."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from callscope.projects.owners import Owners
from callscope.reports.overview.comparisons import name_standing
from callscope.reports.overview.coverage import COUNTED_OVER, FEW_CALLS
from callscope.reports.overview.report import AgentRow, ProjectRow
from callscope.reports.overview.talk_means import NAMES
from callscope.reports.overview.targets import may_be_chance
from callscope.reports.pdf.noise import mark_noise, write_interval
from callscope.reports.pdf.number_formats import (
    DASH,
    FigureCell,
    NamedCell,
    ReportLocale,
    name_cell,
)
from callscope.reports.pdf.plain_text import make_breakable

SHOWN = 40  # about a page
SHARES = ("critical_error_pct", "negative_sentiment_pct", "goal_reached_pct")


def list_project_rows(projects: Sequence[ProjectRow], locale: ReportLocale) -> list[list[str | FigureCell]]:
    """Return name, calls, score with its interval and target, the score before and its change, two shares.

    Each figure with its calls.
    """
    return [
        [
            make_breakable(row.name),
            locale.count(row.total_calls),
            {
                **locale.cell_over(row.average_score, row.scored_calls),
                "below": write_interval(row.average_score_interval, locale),
            },
            write_target(row, locale),
            locale.cell_over(row.previous_average_score, row.previous_scored_calls or 0),
            write_change(row, locale),
            *(
                locale.cell_over(getattr(row, name), getattr(row, COUNTED_OVER[name]))
                for name in ("critical_error_pct", "goal_reached_pct")
            ),
        ]
        for row in projects
    ]


def write_target(row: ProjectRow, locale: ReportLocale) -> str:
    """Return the target of a project's score and in a word whether it is met; a word alone without one."""
    if row.target is None:
        return pgettext("a target", "none")
    target = locale.rounded(row.target, 0 if row.target == round(row.target) else 1)
    if row.average_score is None:
        return target
    if row.scored_calls < FEW_CALLS:
        text = _("%(target)s: few calls")
    elif may_be_chance(row.average_score_interval, row.target):
        text = _("%(target)s: within the margin of error")
    elif row.average_score >= row.target:
        text = _("%(target)s: met")
    else:
        text = _("%(target)s: missed")
    return text % {"target": target}


def write_change(row: ProjectRow, locale: ReportLocale) -> str:
    if row.average_score_change is None:
        return DASH
    is_few = min(row.scored_calls, row.previous_scored_calls or 0) < FEW_CALLS
    return locale.change(row.average_score_change) + mark_noise(
        row.average_score_change_interval, is_few=is_few
    )


def list_agent_rows(
    agents: Sequence[AgentRow], locale: ReportLocale, owners: Owners
) -> list[list[str | NamedCell | FigureCell]]:
    """Return name and standing, calls, average score with its interval and three shares with their calls."""
    return [
        [
            name_cell(row.label, standing := name_standing(row), owners.name_by_agent(row.agent_id)),
            locale.count(row.calls),
            # A score that differs from the others' beyond chance says enough, however few calls it is over.
            locale.cell_over(row.average_score, row.scored_calls) | ({"is_few": False} if standing else {}),
            write_interval(row.average_score_interval, locale),
            *(locale.cell_over(getattr(row, name), getattr(row, COUNTED_OVER[name])) for name in SHARES),
        ]
        for row in agents[:SHOWN]
    ]


def list_talk_rows(
    agents: Sequence[AgentRow], locale: ReportLocale, owners: Owners
) -> list[list[str | NamedCell | FigureCell]]:
    """Return how each agent talks, each mean with its calls; nothing where nobody's talk was measured.

    "unknown" where recordings do not allow a measure.
    """
    if not any(row.talk for row in agents):
        return []
    unknown = _("unknown")
    return [
        [
            name_cell(row.label, "", owners.name_by_agent(row.agent_id)),
            *(
                locale.cell_over(measure.mean, measure.calls) if measure else unknown
                for measure in ((row.talk or {}).get(name) for name in NAMES)
            ),
        ]
        for row in agents[:SHOWN]
    ]


def describe_others(agents: Sequence[AgentRow], locale: ReportLocale) -> str:
    """Return how many agents the tables leave out, and where they are; "" for none."""
    others = len(agents) - SHOWN
    if others <= 0:
        return ""
    text = ngettext(
        "And %(count)s more agent, with at most %(most)s calls. "
        "The CSV of the report page and the API list all agents.",
        "And %(count)s more agents, each with at most %(most)s calls. "
        "The CSV of the report page and the API list all agents.",
        others,
    )
    # Those with as many calls as the last that is shown are among the others.
    return text % {"count": locale.count(others), "most": locale.count(agents[SHOWN].calls)}
