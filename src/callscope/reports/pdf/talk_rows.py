"""How agents talk, as rows of the PDF: "unknown" where recordings do not allow a measure."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from callscope.reports.overview.report import AgentRow
from callscope.reports.overview.talk_means import NAMES
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.plain_text import make_breakable


def list_talk_rows(agents: Sequence[AgentRow], locale: ReportLocale) -> list[list[str]]:
    """Return how each agent talks, each mean with its calls; nothing where nobody's talk was measured."""
    if not any(row.talk for row in agents):
        return []
    unknown = _("unknown")
    return [
        [
            make_breakable(row.agent),
            *(
                locale.figure_over(measure.mean, measure.calls) if measure else unknown
                for measure in ((row.talk or {}).get(name) for name in NAMES)
            ),
        ]
        for row in agents
    ]
