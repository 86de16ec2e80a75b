"""The report as a PDF document: summary, figures, charts, in one language."""

import datetime as dt
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from callscope.contact_reasons.models import ContactReason
from callscope.projects.models import Project
from callscope.reports.narrative import Model, Narrative, configured_model, write_narrative
from callscope.reports.paper.layout import page_data
from callscope.reports.paper.printing import print_pdf
from callscope.reports.paper.words import Words
from callscope.reports.report import Report, build_report
from callscope.reports.window import Window

MAX_NAME = 80  # characters of a project's name in the file name


@dataclass(frozen=True, slots=True)
class ReportDocument:
    content: bytes
    file_name: str  # ASCII letters, digits, "-", "_" and "." only
    narrative: Narrative
    model: Model | None


def report_pdf(
    projects: Sequence[Project], window: Window, *, language: str, generated_at: dt.datetime
) -> ReportDocument:
    """Return the PDF of the report over these projects, in "en" or "es".

    Takes as long as the report, plus the language model's time (at most 20 s) where one is configured.
    """
    report = build_report(list(projects), window)
    words = Words(language)
    is_private = any(project.configuration.private_transcription for project in projects)
    environment = settings.ENVIRONMENT
    model = configured_model(
        environment.private_llm if is_private else environment.llm, operator_run=is_private
    )
    narrative = write_narrative(report, reasons=_codified(report, projects), words=words, model=model)
    data = page_data(
        report,
        projects=[project.name for project in projects],
        summary=narrative.summary,
        words=words,
        generated_at=generated_at,
    )
    return ReportDocument(print_pdf(data), file_name(projects, window), narrative, model)


def file_name(projects: Sequence[Project], window: Window) -> str:
    """Return a name such as "callscope-service-line-2026-01-01-to-2026-01-31.pdf"."""
    named = projects[0].name if len(projects) == 1 else f"{len(projects)} projects"
    ascii_name = unicodedata.normalize("NFKD", named).encode("ascii", "ignore").decode("ascii").lower()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_name).strip("-")[:MAX_NAME].strip("-")
    if window.start and window.end:
        days = f"{window.start}-to-{window.end}"
    elif window.start:
        days = f"from-{window.start}"
    elif window.end:
        days = f"until-{window.end}"
    else:
        days = "whole-history"
    return "-".join(part for part in ("callscope", slug, days) if part) + ".pdf"


def _codified(report: Report, projects: Sequence[Project]) -> frozenset[str]:
    topics = [row.topic for row in report.contact_reasons if row.topic]
    known = ContactReason.objects.filter(project__in=[p.pk for p in projects], name__in=topics)
    return frozenset(known.values_list("name", flat=True))
