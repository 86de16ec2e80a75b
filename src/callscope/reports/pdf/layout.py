"""A Report as the texts that the page shows: every number and date in its final form.

The Typst template receives this as JSON data, never as markup, so whatever a
caller or a file name says stays text.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from callscope.projects.owners import Owners
from callscope.reports.details.moments import Moment
from callscope.reports.overview.coverage import COUNTED_OVER
from callscope.reports.overview.findings import Findings
from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.overview.highlights import write_highlights
from callscope.reports.overview.maps.agent_criteria import AgentMap
from callscope.reports.overview.maps.week_hours import WeekHours
from callscope.reports.overview.origin.judges import Origin
from callscope.reports.overview.origin.sentences import explain_no_estimate
from callscope.reports.overview.people.sentences import describe_people, explain_people
from callscope.reports.overview.report import Report, ShiftHours
from callscope.reports.overview.targets import Targets
from callscope.reports.pdf.agent_rows import (
    describe_others,
    list_agent_rows,
    list_project_rows,
    list_talk_rows,
)
from callscope.reports.pdf.cover import list_cover, list_projects, write_period
from callscope.reports.pdf.criterion_rows import (
    Section,
    describe_signs,
    list_rate_rows,
    list_sections,
)
from callscope.reports.pdf.finding_rows import FindingTable, list_finding_tables
from callscope.reports.pdf.foot.definitions import list_definitions
from callscope.reports.pdf.map_rows import Maps, build_maps
from callscope.reports.pdf.noise import write_difference
from callscope.reports.pdf.number_formats import FigureCell, NamedCell, ReportLocale
from callscope.reports.pdf.plain_text import make_breakable, strip_control_characters
from callscope.reports.pdf.reason_rows import (
    describe_reasons,
    describe_trackers,
    list_reason_group_rows,
    list_reason_rows,
    list_tracker_rows,
)
from callscope.reports.pdf.story import Story, build_story
from callscope.reports.pdf.tiles import (
    COUNTS,
    HEADLINE_FIGURES,
    HERO,
    Tile,
    build_tiles,
    describe_comparison,
    format_headline_figure,
)
from callscope.reports.pdf.trend_rows import TrendTable, build_trend_table

FIGURE_LABELS = (  # heads of columns, by the names that report.typ uses
    "weight_pct",
    "evaluated_pct",
    "delta_pct",
    "critical_errors",
    "volume_pct",
    "average_score",
    "negative_sentiment_pct",
)
LABELS = {  # headings and heads of columns, by the names that report.typ uses
    "changed": gettext_lazy("What changed"),
    "look": gettext_lazy("What to look at"),
    "nothing_stands_out": gettext_lazy("Too few calls for anything to stand out."),
    "causes": gettext_lazy("What explains it"),
    "cause": gettext_lazy("Criterion or contact reason"),
    "now": gettext_lazy("Now, % (calls)"),
    "effect": gettext_lazy("Effect on the score"),
    "quotes": gettext_lazy("Calls to hear"),
    "no_quotes": gettext_lazy(
        "In this period there is no quote for a criterion that was not met or a mistake."
    ),
    "listen": gettext_lazy("Open the call"),
    "open_report": gettext_lazy("Open this report"),
    "summary": gettext_lazy("Executive summary"),
    "headline": gettext_lazy("All figures"),
    "projects": gettext_lazy("Projects"),
    "project": gettext_lazy("Project"),
    "target_short": gettext_lazy("Score target, %"),
    "score_before": gettext_lazy("Score before, %"),
    "agent_map": gettext_lazy("Agents by criterion"),
    "hour_calls": gettext_lazy("Calls by weekday and hour"),
    "hour_scores": gettext_lazy("Average score by weekday and hour"),
    "trend": gettext_lazy("Weekly trend"),
    "trend_chart": gettext_lazy(
        "Line chart of the average score by week; its values are in the table below."
    ),
    "weeks": gettext_lazy("Week by week"),
    "week": gettext_lazy("Week of"),
    "scorecard": gettext_lazy("Scorecard"),
    "criterion": gettext_lazy("Criterion"),
    "previous_pct": gettext_lazy("Before, % (calls)"),
    "copc_rates": gettext_lazy("COPC-style rates"),
    "contact_reasons": gettext_lazy("Contact reasons"),
    "reason": gettext_lazy("Contact reason"),
    "reason_groups": gettext_lazy("Contact reasons by parent reason"),
    "reasons": gettext_lazy("Reasons"),
    "agents": gettext_lazy("Agents"),
    "agent": gettext_lazy("Agent"),
    "score_short": gettext_lazy("Score, %"),
    "share": gettext_lazy("Share, %"),
    "interval": gettext_lazy("95 % interval"),
    "trackers": gettext_lazy("Trackers"),
    "tracker": gettext_lazy("Tracker"),
    "calls_pct": gettext_lazy("% of all calls"),
    "difference": gettext_lazy("Day minus night"),
    "critical_short": gettext_lazy("Critical, %"),
    "negative_short": gettext_lazy("Negative, %"),
    "goal_short": gettext_lazy("Goal, %"),
    "talk": gettext_lazy("How agents talk"),
    "talk_share_short": gettext_lazy("Talks, %"),
    "monologue_short": gettext_lazy("Monologue, s"),
    "silence_short": gettext_lazy("Silence, s"),
    "interruptions_short": gettext_lazy("Interruptions"),
    "rate_short": gettext_lazy("Words per minute"),
    "hold_short": gettext_lazy("Hold, s"),
    "shifts": gettext_lazy("Day and night"),
    "figure": gettext_lazy("Figure"),
    "day": gettext_lazy("Day"),
    "night": gettext_lazy("Night"),
    "reading": gettext_lazy("How to read this report"),
    "no_rows": gettext_lazy("Nothing in this period."),
    "no_times": gettext_lazy("No call in this period has a known time."),
    "page": pgettext_lazy("page 1 of 5", "Page"),
    "of": pgettext_lazy("page 1 of 5", "of"),
}


@dataclass(frozen=True, slots=True)
class Summary:
    """The executive summary; `note` says who wrote it or why it is missing."""

    paragraphs: Sequence[str]
    note: str = ""
    is_of_model: bool = False


class Tables(TypedDict):
    """The tables of the report; cells are texts."""

    trend: TrendTable
    sections: list[Section]
    scorecard_signs: list[tuple[str, str]]  # signs of report.typ or "", and what they mean
    rates: list[list[str | FigureCell]]
    reasons: list[list[str | NamedCell | FigureCell]]
    reasons_note: str  # what their shares are taken over; "" for nothing
    reason_groups: list[list[str | FigureCell]]
    trackers: list[list[str | FigureCell]]
    trackers_note: str  # what their shares are taken over; "" for nothing
    projects: list[list[str | FigureCell]]  # [] unless several have calls
    agents: list[list[str | NamedCell | FigureCell]]
    other_agents: str  # how many the tables leave out; "" for none
    talk: list[list[str | NamedCell | FigureCell]]  # by agent; [] where nothing was measured
    shifts: list[list[str | FigureCell]]  # [] where the time of no call is known


class SummaryText(TypedDict):
    changed: list[str]  # since the period before
    look: list[str]  # at what: of the highlights, then of a summary that is not a model's
    paragraphs: list[str]  # a model's, or that there are no calls
    note: str


class PageData(Tables, Story, Maps):
    """Everything that report.typ prints."""

    language: str
    organization: str  # its name; "" for none
    logo: list[int]  # the bytes of a PNG; [] for none
    logo_text: str
    title: str
    heading: str
    labels: dict[str, str]
    subtitle: str  # projects
    period: str  # days
    cover: list[list[str]]  # the rest that a reader has to know, as label and text
    url: str  # of the page of the report; "" where the server does not know its own address
    summary: SummaryText
    people: str  # what reviews of calls drawn at random say of the average score, or why they say nothing
    has_calls: bool  # without any, only the first page and the definitions are printed
    is_compared: bool  # with calls in the window before
    hero: Tile  # the average score
    tiles: list[Tile]  # the other figures
    findings: list[FindingTable]
    shift_hours: str
    compared_with: str  # which days changes compare with; "" without a window before
    definitions: list[tuple[str, str]]  # a figure or "", and what it means


def build_page_data(
    report: Report,
    *,
    projects: Sequence[str],
    summary: Summary,
    locale: ReportLocale,
    generated_at: dt.datetime,
    targets: Targets | None = None,
    has_one_target: bool = False,  # only one of the projects has calls in the period
    findings: Findings | None = None,
    moments: Sequence[Moment] = (),
    owners: Owners | None = None,
    agent_map: AgentMap | None = None,
    week_hours: WeekHours | None = None,
    origin: Origin | None = None,
    url: str = "",
    agent: str = "",
    organization: str = "",
    logo: bytes = b"",
) -> PageData:
    """Return what the template prints, JSON-ready; `owners` name whose a row is, of several projects."""
    owners = owners or Owners([])
    with translation.override(locale.language):
        title = _("Call report")
        scope = list_projects(projects, locale)
        tiles = build_tiles(
            report, locale, targets or {}, is_one_project=has_one_target or len(projects) == 1
        )
        data: PageData = {
            **_tables(report, locale, targets or {}, owners, is_one_project=len(projects) == 1),
            **build_story(report, moments, locale, owners),
            **build_maps(agent_map, week_hours, locale, owners),
            "language": locale.language,
            "organization": strip_control_characters(organization),
            "logo": list(logo),
            "logo_text": _("Logo of the organization"),
            "title": f"{title}: {strip_control_characters(scope)}"[:500],
            "heading": title,
            "labels": list_labels(),
            "subtitle": make_breakable(scope),
            "period": write_period(report, locale),
            "cover": list_cover(report, agent, locale, generated_at, origin),
            "url": url,
            "summary": _summary(report, summary, locale, owners),
            "people": describe_people_or_none(report, origin, locale),
            "has_calls": bool(report.headline.total_calls),
            "is_compared": has_period_before(report),
            "hero": tiles.pop(HERO),
            "tiles": place_tiles(tiles),
            "findings": list_finding_tables(findings, locale, owners),
            "shift_hours": _describe_shift_hours(report.shift_hours),
            "compared_with": describe_comparison(report, locale),
            "definitions": [],
        }
        estimate = explain_people(report.reviews, locale.rounded)
        data["definitions"] = [
            *list_definitions(data, waits=report.waiting_calls > 0),
            *([("", estimate)] if estimate else []),
        ]
        return data


def place_tiles(tiles: Mapping[str, Tile]) -> list[Tile]:
    """Return the tiles so that those that are as high stand next to each other."""
    return [tiles[name] for is_count in (False, True) for name in tiles if (name in COUNTS) == is_count]


def describe_people_or_none(report: Report, origin: Origin | None, locale: ReportLocale) -> str:
    """Return what people would score, or why that is not said."""
    people = describe_people(report.reviews, locale.rounded)
    missing = "" if origin is None else explain_no_estimate(report, locale.rounded)
    return " ".join(each for each in (missing, people) if each)


def list_labels() -> dict[str, str]:
    """Return headings and heads of columns, by the names that report.typ uses."""
    figures = {name: DEFINITIONS[name].heading for name in FIGURE_LABELS}
    calls = {"calls": DEFINITIONS["total_calls"].heading}
    return {**figures, **calls, **{name: str(label) for name, label in LABELS.items()}}


def _summary(report: Report, summary: Summary, locale: ReportLocale, owners: Owners) -> SummaryText:
    highlights = write_highlights(report, locale.rounded, owners)
    is_list = bool(report.headline.total_calls) and not summary.is_of_model
    look = [each.text for each in highlights if not each.is_change]
    look += summary.paragraphs if is_list else []
    return {
        "changed": [make_breakable(each.text) for each in highlights if each.is_change],
        "look": [make_breakable(text) for text in look],
        "paragraphs": [] if is_list else [make_breakable(p) for p in summary.paragraphs],
        "note": summary.note,
    }


def has_period_before(report: Report) -> bool:
    """Return whether there are calls in the window before: else its columns would be dashes alone."""
    return report.previous_headline is not None and report.previous_headline.total_calls > 0


def _describe_shift_hours(hours: ShiftHours) -> str:
    if hours.day_start is None:
        return _(
            "The projects have different shift hours; each call is classified by those of its own project."
        )
    said = (
        _("Day is from %(start)s:00 to %(end)s:00 of the next day.")
        if hours.ends_next_day
        else _("Day is from %(start)s:00 to %(end)s:00.")
    )
    return said % {"start": hours.day_start, "end": hours.day_end}


def _tables(
    report: Report,
    locale: ReportLocale,
    targets: Targets,
    owners: Owners,
    *,
    is_one_project: bool,
) -> Tables:
    differences = {each.figure: each for each in report.shift_differences}
    return {
        "trend": build_trend_table(report, locale, targets, is_one_project=is_one_project),
        "sections": (
            sections := list_sections(
                report.scorecard, locale, targets, owners, is_compared=has_period_before(report)
            )
        ),
        "scorecard_signs": describe_signs(sections, is_compared=has_period_before(report)),
        "rates": list_rate_rows(report.copc_rates, locale),
        "reasons": list_reason_rows(report, locale, owners),
        "reasons_note": describe_reasons(report, locale),
        "reason_groups": list_reason_group_rows(report, locale),
        "trackers": list_tracker_rows(report, locale),
        "trackers_note": describe_trackers(report, locale),
        "projects": list_project_rows(report.projects, locale),
        "agents": list_agent_rows(report.agents, locale, owners),
        "other_agents": describe_others(report.agents, locale),
        "talk": list_talk_rows(report.agents, locale, owners),
        "shifts": [
            [
                DEFINITIONS[n].heading,
                *(
                    locale.cell_over(getattr(s.headline, n), getattr(s.headline, COUNTED_OVER[n]))
                    if n in COUNTED_OVER
                    else format_headline_figure(s.headline, n, locale)
                    for s in report.shifts
                ),
                write_difference(differences.get(n), locale),
            ]
            for n, _more_is_better in HEADLINE_FIGURES
            # The time of each of these calls is known: that row would repeat the first.
            if n != "calls_with_metadata" and any(shift.headline.total_calls for shift in report.shifts)
        ],
    }
