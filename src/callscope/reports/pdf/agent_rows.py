"""The PDF's tables of agents: their figures, and how they talk; those with most calls."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.reports.overview.comparisons import name_standing
from callscope.reports.overview.coverage import COUNTED_OVER
from callscope.reports.overview.report import AgentRow
from callscope.reports.overview.talk_means import NAMES
from callscope.reports.pdf.noise import write_interval
from callscope.reports.pdf.number_formats import FigureCell, NamedCell, ReportLocale, name_cell
from callscope.reports.pdf.plain_text import make_breakable

SHOWN = 40  # about a page
SHARES = ("critical_error_pct", "negative_sentiment_pct", "goal_reached_pct")


def list_agent_rows(
    agents: Sequence[AgentRow], locale: ReportLocale
) -> list[list[str | NamedCell | FigureCell]]:
    """Return name and standing, calls, average score with its interval and three shares with their calls."""
    return [
        [
            name_cell(row.agent, standing := name_standing(row)),
            locale.count(row.calls),
            # A score that differs from the others' beyond chance says enough, however few calls it is over.
            locale.cell_over(row.average_score, row.scored_calls) | ({"is_few": False} if standing else {}),
            write_interval(row.average_score_interval, locale),
            *(locale.cell_over(getattr(row, name), getattr(row, COUNTED_OVER[name])) for name in SHARES),
        ]
        for row in agents[:SHOWN]
    ]


def list_talk_rows(agents: Sequence[AgentRow], locale: ReportLocale) -> list[list[str | FigureCell]]:
    """Return how each agent talks, each mean with its calls; nothing where nobody's talk was measured.

    "unknown" where recordings do not allow a measure.
    """
    if not any(row.talk for row in agents):
        return []
    unknown = _("unknown")
    return [
        [
            make_breakable(row.agent),
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
