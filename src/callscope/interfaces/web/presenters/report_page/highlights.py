"""The sentences on top of a report, each with a link to the calls that it is about."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.headline import TILES
from callscope.interfaces.web.presenters.report_page.parts import build_address
from callscope.interfaces.web.templatetags.formatting import number
from callscope.reports.overview.highlights import Highlight, write_highlights
from callscope.reports.overview.report import Report

FIGURE_FILTERS = {tile.name: tile.filters for tile in TILES}


class HighlightLine(NamedTuple):
    text: str
    url: str  # "" where it is about no calls in particular
    link: str  # what the link says


def build_highlights(report: Report, links: Links) -> list[HighlightLine]:
    """Return the sentences in the active language."""
    return [link_highlight(each, links) for each in write_highlights(report, number, links.owners)]


def link_highlight(highlight: Highlight, links: Links) -> HighlightLine:
    if not highlight.subjects:
        return HighlightLine(highlight.text, "", "")
    [subject, *others] = highlight.subjects
    if others:
        return link_several(highlight, links)
    if highlight.kind == "figure":
        return HighlightLine(highlight.text, links.to(**FIGURE_FILTERS[subject]), _("See these calls"))
    if highlight.kind == "criterion":
        url = links.to(criterion=subject, result="not_met")
        return HighlightLine(highlight.text, url, _("See the calls that did not meet it"))
    if highlight.kind == "reason":
        return HighlightLine(highlight.text, links.to(topic=subject), _("See these calls"))
    url = links.to(agent=subject, ordering="score_percentage")
    return HighlightLine(highlight.text, url, _("See these calls"))


def link_several(highlight: Highlight, links: Links) -> HighlightLine:
    """Return the line about what ties, with a link to the part of the report that lists it."""
    if highlight.kind == "criterion":
        order = {} if highlight.is_change else {"order": "lost"}
        url = build_address("criteria", {**links.query, **order})
        return HighlightLine(highlight.text, url, _("See the criteria"))
    if highlight.kind == "reason":
        return HighlightLine(highlight.text, build_address("reasons", links.query), _("See the reasons"))
    return HighlightLine(highlight.text, build_address("agents", links.query), _("See the agents"))
