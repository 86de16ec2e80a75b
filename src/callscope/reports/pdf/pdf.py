"""The report as a PDF document: summary, figures, charts, in one language."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from callscope.accounts.organization import read_logo, read_shown
from callscope.calls.models import Agent
from callscope.calls.private_words import engines_for_projects
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.projects.owners import Owners
from callscope.reports.details.moments import find_moments
from callscope.reports.file_names import build_file_name
from callscope.reports.judged_versions import find_judged_from
from callscope.reports.overview.by_project.agent_projects import name_agent_projects
from callscope.reports.overview.findings import Findings, count_findings
from callscope.reports.overview.kept_back.calls import find_kept_back
from callscope.reports.overview.kept_back.other_figures import hide_in_findings, hide_in_hours, hide_in_map
from callscope.reports.overview.kept_back.whole_report import hide_in_report
from callscope.reports.overview.maps.agent_criteria import AgentMap, build_agent_map
from callscope.reports.overview.maps.week_hours import WeekHours, count_week_hours
from callscope.reports.overview.origin.judges import read_origin
from callscope.reports.overview.report import Report, build_report
from callscope.reports.overview.targets import find_targets, list_called
from callscope.reports.pdf.cover import link_report
from callscope.reports.pdf.layout import build_page_data
from callscope.reports.pdf.narrative import LIMIT_S, Model, Narrative, write_narrative
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.printing import print_pdf
from callscope.reports.pdf.template_summary import write_opening
from callscope.reports.window import ALL_TIME, Window


@dataclass(frozen=True, slots=True)
class ReportDocument:
    content: bytes
    file_name: str  # ASCII letters, digits, "-", "_" and "." only
    narrative: Narrative
    model: Model | None
    opening: str  # what the figures come to in two or three sentences; none of a model


class Figures(NamedTuple):
    """What is counted, as the reader may see it."""

    report: Report
    findings: Findings | None
    agent_map: AgentMap
    week_hours: WeekHours


def read_figures(
    projects: Sequence[Project], window: Window, agent_id: int | None, blinded: Collection[int]
) -> Figures:
    """Return the figures without those that would tell how a call of `blinded` was judged."""
    kept = find_kept_back(projects, blinded, agent_id)
    report = build_report(list(projects), window, agent_id, compares_projects=True, is_drawn=True)
    report = replace(report, judged_from=find_judged_from(report.parting_change, window, agent_id))
    findings = count_findings(projects, window, [bucket.week for bucket in report.trend], agent_id)
    shown = hide_in_report(report, kept, projects)
    # Which criteria the map has, it takes from figures: of the report as the reader may see it.
    agent_map = build_agent_map(shown, projects, window, agent_id)
    return Figures(
        shown,
        hide_in_findings(findings, window, kept),
        hide_in_map(agent_map, kept.within(window)),
        hide_in_hours(count_week_hours(projects, window, agent_id), kept.within(window)),
    )


def build_report_pdf(
    projects: Sequence[Project],
    window: Window,
    *,
    language: str,
    generated_at: dt.datetime,
    agent_id: int | None = None,
    blinded: Collection[int] = (),
    is_mailed: bool = False,
    scope: Mapping[str, str] | None = None,
) -> ReportDocument:
    """Return the PDF of the report over these projects, or one agent's calls in one, in "en" or "es".

    It shows nothing of calls of `blinded`, which its reader may not see judged; mailed, of no private call.
    `scope` are the parameters of an address that chose the projects.
    Takes as long as the report, plus the language model's time (at most 20 s) where one is configured.
    """
    with snapshot():
        called, filled = list_called(projects, window), list_called(projects, ALL_TIME)
        report, findings, agent_map, week_hours = read_figures(projects, window, agent_id, blinded)
        # Agents who see their own calls alone see no engine on the pages of these either.
        origin = None if agent_id is not None else read_origin(projects, window)
        agent_projects = {} if agent_id is not None else name_agent_projects(projects, window)
        moments = find_moments(
            report, projects, window, agent_id=agent_id, without=blinded, is_leaving=is_mailed
        )
    locale = ReportLocale(language)
    configurations = [project.configuration for project in projects]
    llm = engines_for_projects(*projects).llm
    model = llm.with_timeout(LIMIT_S) if llm else None
    # The names of open-ended groups are words of callers, which must not reach a prompt.
    predefined = [c.contact_reasons for c in configurations if c.contact_reasons.mode == "predefined"]
    reasons = frozenset(code.code for listed in predefined for code in listed.codes)
    owners = Owners(called, agent_projects)
    narrative = write_narrative(report, reasons=reasons, locale=locale, model=model, owners=owners)
    data = build_page_data(
        report,
        projects=[project.name for project in filled],
        summary=narrative.summary,
        locale=locale,
        generated_at=generated_at,
        targets=find_targets(called),
        has_one_target=len(called) == 1,
        findings=findings,
        moments=moments,
        owners=owners,
        agent_map=agent_map,
        week_hours=week_hours,
        origin=origin,
        url=link_report(projects, window, scope or {}),
        agent=Agent.objects.get(pk=agent_id).name if agent_id is not None else "",
        organization=read_shown().name,
        logo=read_logo() or b"",
    )
    name = build_file_name(projects, window, "pdf")
    return ReportDocument(print_pdf(data), name, narrative, model, write_opening(report, locale))
