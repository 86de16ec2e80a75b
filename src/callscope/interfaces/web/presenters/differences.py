"""Prepare intervals and differences for pages: how far, which way, and whether that may be chance."""

from django.utils.translation import get_language, gettext_lazy

from callscope.interfaces.web.templatetags.formatting import Cell, write_interval
from callscope.reports.overview.headline import ESTIMATED
from callscope.reports.overview.report import AgentRow, Headline
from callscope.reports.overview.talk_means import NAMES

TALK_TERMS = ("talk_share", "longest_monologue", "silence_over_3", "interruptions", "speech_rate", "hold")
NOT_KNOWN = gettext_lazy(
    "It is unknown in all of these calls, for example because the speakers cannot be told apart."
)


def write_intervals(headline: Headline) -> dict[str, str]:
    """Return the intervals of a headline in writing, by figure."""
    language, found = get_language() or "", {}
    for name in ESTIMATED:
        interval = getattr(headline, f"{name}_interval")
        if interval is not None:
            found[name] = write_interval(interval, 1, language)
    return found


def list_talk_cells(row: AgentRow) -> list[Cell]:
    """Return how an agent talks, each mean with the calls that it is taken over."""
    found = [(row.talk or {}).get(name) for name in NAMES]
    return [
        Cell(known and known.mean, 1, "", NOT_KNOWN, term, out_of=known.calls if known else 0)
        for term, known in zip(TALK_TERMS, found, strict=True)
    ]
