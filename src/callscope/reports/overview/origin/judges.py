"""Who judged the calls of a report, by which settings, and how far people agree in blind reviews.

The engine of each call is in its results, which take long to read: only the PDF, and readers who ask for it,
get this.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, Max, Min, QuerySet
from django.db.models.fields.json import KT

from callscope.analysis.models import CallAnalysis
from callscope.projects.models import Project
from callscope.reports.window import ALL_TIME, Window
from callscope.reviews.agreement.blind_agreement import measure_blind_reviews
from callscope.reviews.agreement.measures import Agreement

RULES = "rules"
IMPORTED = "import"  # what stands in place of an engine where another system judged


class Judge(NamedTuple):
    """An engine, and how many calls it judged."""

    engine: str  # RULES, IMPORTED, the name of another engine, or "" where nobody knows
    model: str  # "" of rules
    calls: int


class Versions(NamedTuple):
    """The first and the last version of a project's settings that its calls were judged by."""

    project: str
    first: int
    last: int


class Origin(NamedTuple):
    """How the figures of a report came about."""

    judges: list[Judge]  # most calls first
    versions: list[Versions]  # in the order of the projects; none of imported results
    agreement: Agreement  # on criteria, of machine and people
    blind_reviews: int


def read_origin(projects: Sequence[Project], window: Window) -> Origin:
    """Return the origin of the report over these projects."""
    first, after = window.moments
    measured = measure_blind_reviews(
        [project.pk for project in projects],
        first=None if window.start is None else first,
        after=None if window.end is None else after,
    )
    judges, versions = list_judges(projects, window), find_versions(projects, window)
    return Origin(judges, versions, measured.measured.overall, measured.reviews)


def list_judges(projects: Sequence[Project], window: Window) -> list[Judge]:
    """Return who judged the live calls of the window."""
    rows = _select(projects, window).values_list(
        KT("provenance__engine"), KT("provenance__model"), KT("provenance__source")
    )
    counted: dict[tuple[str, str], int] = {}
    for engine, model, source, calls in rows.annotate(calls=Count("pk")):
        name = engine or (IMPORTED if source == IMPORTED else "")
        key = name, (model or "") if name != RULES else ""  # rules with and without word meanings
        counted[key] = counted.get(key, 0) + calls
    judges = [Judge(engine, model, calls) for (engine, model), calls in counted.items()]
    return sorted(judges, key=lambda each: (-each.calls, each.engine, each.model))


def find_versions(projects: Sequence[Project], window: Window) -> list[Versions]:
    """Return by which versions of their settings the live calls of each project were judged."""
    found = _select(projects, window).filter(config_version__isnull=False)
    rows = found.values_list("project_id").annotate(first=Min("config_version"), last=Max("config_version"))
    bounds = {project: (first, last) for project, first, last in rows}
    return [Versions(project.name, *bounds[project.pk]) for project in projects if project.pk in bounds]


def _select(projects: Sequence[Project], window: Window) -> QuerySet[CallAnalysis]:
    live = CallAnalysis.objects.filter(project__in=[project.pk for project in projects], is_live=True)
    first, last = window.days
    days = {} if window == ALL_TIME else {"call__fact__day__gte": first, "call__fact__day__lte": last}
    return live.filter(**days).order_by()
