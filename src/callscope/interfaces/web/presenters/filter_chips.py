"""The filters of the call list that are on, in words, each with a link to the list without it."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.contact_reasons.listing import find_reason_name
from callscope.interfaces.web.presenters.call_list import (
    DIRECTIONS,
    GOALS,
    REVIEWS,
    SENTIMENTS,
    CallListQuery,
    list_url,
)
from callscope.interfaces.web.presenters.list_choices import LongLists
from callscope.interfaces.web.report_request import ReportRequest
from callscope.reports.overview.maps.shades import WEEKDAYS as SHORT_WEEKDAYS

Trackers = list[tuple[str, str]]  # id and name


def list_trackers(report_request: ReportRequest) -> Trackers:
    """Return (id, name) of the trackers of the projects in scope, by name; one that several have once."""
    names = {t.id: t.name for p in report_request.projects for t in p.configuration.trackers}
    return sorted(names.items(), key=lambda tracker: (tracker[1].casefold(), tracker[0]))


# What is asked for by ticking a box, and by a number: its words, with the number behind them.
TICKED = {
    "critical": gettext_lazy("Critical errors only"),
    "mistakes": gettext_lazy("With a mistake"),
    "missed_prompts": gettext_lazy("With a missed prompt"),
    "failed": gettext_lazy("Failed analyses only"),
    "half_heard": gettext_lazy("Unreliable transcripts only"),
}
BOUNDS = {
    "min_score": gettext_lazy("Score from"),
    "max_score": gettext_lazy("Score up to"),
    "min_length": gettext_lazy("Length from"),
    "max_length": gettext_lazy("Length up to"),
}
CHOSEN = {
    "sentiment": (gettext_lazy("Sentiment"), dict(SENTIMENTS)),
    "goal": (gettext_lazy("Goal"), dict(GOALS)),
    "direction": (gettext_lazy("Direction"), dict(DIRECTIONS)),
    "reviewed": (gettext_lazy("Review"), dict(REVIEWS)),
}
TYPED = {
    "search": gettext_lazy("Search"),
    "transcript": gettext_lazy("Said in the call"),
    "campaign": gettext_lazy("Campaign"),
}


class Chip(NamedTuple):
    label: str
    url: str  # of the list without it


def build_chips(
    report_request: ReportRequest, list_query: CallListQuery, lists: LongLists, trackers: Trackers
) -> list[Chip]:
    """Return every filter that is on, in words: a phone folds the fields away.

    First those that a figure of the report brought along, then those that fields show alone.
    """
    fields = [
        Chip(label, list_url(report_request, list_query, **{name: None}))
        for name, label in name_fields(list_query.query, lists, trackers)
    ]
    return build_figure_chips(report_request, list_query) + fields


def name_fields(query: Mapping[str, str], lists: LongLists, trackers: Trackers) -> Iterator[tuple[str, str]]:
    """Yield each parameter that a field fills in, with field and value in words."""
    agents = {"none": _("No agent"), **{str(pk): name for pk, name in lists.agents}}
    named = {"agent": (_("Agent"), agents), "tracker": (_("Tracker"), dict(trackers))}
    for name, value in query.items():
        if name in TYPED:
            yield name, f"{TYPED[name]}: {value}"
        elif name in named:
            field, names = named[name]
            yield name, f"{field}: {names.get(value, value)}"
        elif name in CHOSEN and value in CHOSEN[name][1]:
            label, words = CHOSEN[name]
            yield name, f"{label}: {words[value]}"
        elif name in BOUNDS:
            yield name, f"{BOUNDS[name]} {value}"
        elif name in TICKED:
            yield name, str(TICKED[name])


def build_figure_chips(report_request: ReportRequest, list_query: CallListQuery) -> list[Chip]:
    """Return the filters that no field shows, in words: those that a figure of the report brought along."""
    drilldown, projects = list_query.filters.drilldown, report_request.counted_projects
    chosen = []
    if drilldown.topic:
        chosen.append((_("Reason: %s") % drilldown.topic, {"topic": None}))
    if drilldown.reason is not None:
        name = find_reason_name([p.pk for p in report_request.projects], drilldown.reason)  # not for agents
        chosen.append((_("Reason: %s") % (name or drilldown.reason), {"reason": None}))
    if drilldown.criterion:
        # The id stands for a criterion that is no longer in the rubric of any project in scope.
        criteria = [c for p in projects for _section, c in p.configuration.rubric.criteria()]
        name = next((c.name for c in criteria if c.id == drilldown.criterion), drilldown.criterion)
        words = {
            "critical": _("Critical error in: %s"),
            "judged": _("Where it applies: %s"),
            "evaluated": _("Evaluated: %s"),
            "not_applicable": _("Not applicable: %s"),
            "met": _("Met: %s"),
            "partly": _("Partly met: %s"),
            "not_met": _("Not met: %s"),
            "not_evaluated": _("Not evaluated: %s"),
        }
        without = {"criterion": None, "found": None, "result": None}
        chosen.append((words.get(drilldown.outcome, _("Criterion: %s")) % name, without))
    findings = [p.configuration.no_protocol for p in projects]
    if drilldown.mistake:
        texts = {each.id: each.text for looked_for in findings for each in looked_for.mistakes}
        mistake = texts.get(drilldown.mistake, drilldown.mistake)
        chosen.append((_("Mistake: %s") % mistake, {"mistake": None}))
    if drilldown.prompt:
        texts = {each.id: each.text for looked_for in findings for each in looked_for.prompts}
        chosen.append((_("Missed: %s") % texts.get(drilldown.prompt, drilldown.prompt), {"prompt": None}))
    if drilldown.shift:
        chosen.append((_("Day shift") if drilldown.shift == "day" else _("Night shift"), {"shift": None}))
    if drilldown.weekday is not None:
        chosen.append((str(SHORT_WEEKDAYS[drilldown.weekday]), {"weekday": None}))
    if drilldown.hour is not None:
        chosen.append((f"{drilldown.hour:02d}:00–{drilldown.hour:02d}:59", {"hour": None}))
    if drilldown.scored:
        chosen.append((_("Scored"), {"scored": None}))
    if drilldown.timed:
        chosen.append((_("With call time"), {"timed": None}))
    return [Chip(label, list_url(report_request, list_query, **without)) for label, without in chosen]
