"""Prepare a report for people who have its link: figures alone, no calls, no agents, no rare reasons."""

from django.utils.translation import gettext as _

from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.report import present_trend
from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.headline import MORE_TILES, TILES, build_tiles
from callscope.interfaces.web.presenters.report_page.scorecard import CriterionLine
from callscope.interfaces.web.templatetags.formatting import WAITS, number
from callscope.projects.owners import Owners
from callscope.reports.overview.coverage import (
    FEW_CALLS,
    describe_failed,
    describe_half_heard,
    describe_removed_results,
    describe_undrawn,
    describe_zeroed,
)
from callscope.reports.overview.highlights import write_highlights
from callscope.reports.overview.origin.sentences import describe_reviewed
from callscope.reports.overview.people.sentences import (
    describe_difference,
    describe_people,
    explain_people,
)
from callscope.reports.overview.report import Report
from callscope.reports.overview.targets import Targets

ROWS_OF_TREND = 8  # so many rows of criteria are as high as the charts of the weeks below each other


class NoLinks(Links):
    """Links to nowhere: the calls behind a figure are for people who see the project."""

    def __init__(self, *, is_compared: bool) -> None:
        self.is_compared = is_compared
        self.owners = Owners([])
        self.url = self.all_time = self.start = self.joint = ""

    def to(self, **_filters: object) -> str:
        """Return no address."""
        return ""


def build_context(report: Report, targets: Targets, *, hides: bool) -> TemplateContext:
    """Return the context of the shared report's template; `hides`: some figures wait for a blind review."""
    links = NoLinks(is_compared=report.window.previous() is not None)
    # Agents are people, and a reason of a few calls may be the words of one caller.
    reasons = [row for row in report.contact_reasons if row.topic and row.calls >= FEW_CALLS]
    criteria = [CriterionLine.of(row, links, targets) for row in report.scorecard]
    return {
        "report": report,
        "window": report.window,
        "highlights": [
            {"text": each.text}
            for each in write_highlights(report, number)
            if each.kind in ("figure", "criterion", "nothing")  # the others name agents and reasons
        ],
        "tiles": build_tiles(TILES, report, links, targets),
        "more_tiles": build_tiles(MORE_TILES, report, links),
        "score_target": targets.get("average_score"),
        "is_few_scored": report.headline.scored_calls < FEW_CALLS,
        "people": describe_people(report.reviews, number),
        "people_explained": explain_people(report.reviews, number),
        "people_differ": describe_difference(report.reviews, number),
        "notices": [
            said
            for said in (
                describe_failed(report.failed_calls, number),
                describe_removed_results(report.removed_results, report.headline.total_calls, number),
                describe_half_heard(report.half_heard_calls, report.half_heard_by_people, number),
            )
            if said
        ],
        "zeroed": describe_zeroed(report.zeroed_calls, report.headline.scored_calls, number),
        "reviewed": describe_reviewed(report, number),
        "has_previous": links.is_compared,
        "previous": report.window.previous(),
        "criteria": criteria,
        "waits": WAITS,
        "hides": hides,
        "clock_says": _("waits for a blind review"),
        "trend_is_beside": len(criteria) >= len(reasons) + ROWS_OF_TREND,
        "has_reasons": any(row.topic for row in report.contact_reasons),
        "calls_with_reason": sum(row.calls for row in report.contact_reasons),
        "reasons": reasons,
        "undrawn": describe_undrawn(report.undrawn_calls, number),
        "trend": present_trend(report, links, is_one_project=True),
    }
