"""How far machine and people agree in blind reviews: most disagreements first, and one click away."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.reviewing.review import ANSWER_NAMES, FINDING_NAMES, KIND_NAMES
from callscope.interfaces.web.report_request import explain_day
from callscope.interfaces.web.views.reviewing.samples import explain_nothing_to_draw
from callscope.projects.models import Project
from callscope.reports.charts import dots_svg
from callscope.reports.overview.missing_calls import count_removed_results
from callscope.reports.window import InvalidWindow, parse_window
from callscope.reviews import reading
from callscope.reviews.agreement.blind_agreement import Apart, measure_blind_reviews
from callscope.reviews.agreement.measures import (
    WEAK_BELOW,
    WEAK_FROM,
    Agreement,
    KindAgreement,
    MeasuredAgreement,
)
from callscope.reviews.models import ReviewFinding
from callscope.reviews.weak_criteria.holding import read_held


class Disagreement(NamedTuple):
    """A call in which machine and person gave other answers."""

    call_id: int
    file_name: str
    machine: str | Promise
    person: str | Promise
    times: int  # reviews that say so


class ShownRow(NamedTuple):
    """The agreement on one criterion or finding, or on all of a kind, with calls to look at."""

    name: str | Promise
    kind: str | Promise  # of a mistake or prompt
    waits: bool  # for a person: the machine's answers count nowhere
    agreement: Agreement
    differing: int
    calls: list[Disagreement]
    hidden: int  # disagreements in calls whose results the visitor shall not see
    unlisted: int  # further ones, behind the first
    anchor: str  # on the page of a call; "" where its head says it

    @property
    def dots(self) -> SafeString | str:
        """Return kappa with its interval and where it is good enough, from 0 to 1; "" where undefined."""
        found = self.agreement
        if found.kappa is None or found.kappa_low is None or found.kappa_high is None:
            return ""
        interval = (100 * found.kappa_low, 100 * found.kappa_high)
        drawn = dots_svg(100 * found.kappa, interval=interval, is_few=found.is_few, mark_pct=100 * WEAK_BELOW)
        return mark_safe(drawn)  # noqa: S308 - numbers

    @property
    def is_below_zero(self) -> bool:
        """Return whether the interval goes on below the end of the drawing."""
        low = self.agreement.kappa_low
        return low is not None and low < 0

    @property
    def table(self) -> list[tuple[str | Promise, list[tuple[str | Promise, int]]]]:
        """Return who said what: each answer of the machine, and how often people said which."""
        return [
            (NAMES[machine], [(NAMES[person], times) for person, times in said.items()])
            for machine, said in self.agreement.table.items()
            if any(said.values())
        ]


class Verdict(NamedTuple):
    """What is known of some criteria, and what is to be done about it."""

    name: str  # "weak", "uncertain" or "reliable"
    rows: list[ShownRow]


NAMES: Mapping[str, str | Promise] = {**ANSWER_NAMES, **FINDING_NAMES}
PART_NAMES: Mapping[str, Promise] = {
    "section": gettext_lazy("Section"),
    "month": gettext_lazy("Month of the call"),
    "version": gettext_lazy("Version of the rubric"),
    "engine": gettext_lazy("Engine"),
}
NOT_KNOWN: Mapping[str, Promise] = {
    "section": gettext_lazy("No section"),
    "version": gettext_lazy("Imported results"),
    "engine": gettext_lazy("Unknown"),
}
ANCHORS: Mapping[str, str] = {
    ReviewFinding.Kind.MISTAKE: "protocol-title",
    ReviewFinding.Kind.PROMPT: "protocol-title",
}
ALL_OF_KIND: Mapping[str, Promise] = {
    ReviewFinding.Kind.MISTAKE: gettext_lazy("All mistakes"),
    ReviewFinding.Kind.PROMPT: gettext_lazy("All prompts"),
}


@signed_in_page
@require_safe
def show_agreement(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the agreement over the calls of a window, for everybody who sees the project."""
    project = project_access.get_project_or_404(request, project_id)
    if project.type != Project.Type.CALL:
        raise Http404
    days = {name: request.GET.get(name, "").strip() for name in ("start_date", "end_date")}
    try:
        window = parse_window(days, now=timezone.now())
    except InvalidWindow as error:  # figures of other days would stand below it
        wrong = {"days": days, "wrong": {error.field: explain_day(error)}}
        context = project_access.project_context(request, project, "reviews") | wrong
        return render(request, "web/reviewing/agreement.html", context, status=400)
    first, after = window.moments
    measured, apart, reviews = measure_blind_reviews(
        [project.pk],
        first=None if window.start is None else first,
        after=None if window.end is None else after,
    )
    file_names = name_calls(apart.values(), current_user(request))
    waits = project.configuration.reviews.weak_criteria == "ask_a_person"
    held = read_held([project.pk]).get(project.pk, []) if waits else []
    waiting = {each["criterion_id"] for each in held}

    def show(
        agreement: Agreement,
        key: tuple[str, ...],
        name: str | Promise,
        kind: str | Promise = "",
        *,
        waits: bool = False,
    ) -> ShownRow:
        return show_row(agreement, key, name, kind, waits, apart.get(key, Apart(0, [])), file_names)

    criteria = [
        show(row.agreement, (row.criterion_id, row.name), row.name, waits=row.criterion_id in waiting)
        for row in measured.criteria
    ]
    criteria = place_most_apart_first(criteria)
    context = {
        **project_access.project_context(request, project, "reviews"),
        "measured": measured,
        "reviews": reviews,
        "window": window,
        "removed": count_removed_results([project.pk], window),
        "here": request.path,
        **judge_criteria(criteria),
        **count_missing(criteria),
        # Answers to different criteria, together, agree beyond chance more easily than those to any of them.
        "all_few": all(row.agreement.is_few for row in measured.criteria),
        "criteria": criteria,
        "some_below_zero": any(row.is_below_zero for row in criteria),
        "same": measured.overall.n - sum(row.differing for row in criteria),
        "parts": list_parts(measured),
        **judge_findings([row for kind in measured.findings for row in show_kind(kind, show)]),
        "days": days,
        "nothing_to_draw": explain_nothing_to_draw(project),
    }
    return render(request, "web/reviewing/agreement.html", context)


def show_row(
    agreement: Agreement,
    key: tuple[str, ...],
    name: str | Promise,
    kind: str | Promise,
    waits: bool,
    found: Apart,
    file_names: Mapping[int, str],
) -> ShownRow:
    """Return a row with its disagreements; those without a file name are counted alone."""
    return ShownRow(
        name,
        kind,
        waits,
        agreement,
        found.calls,
        list_calls(found, file_names),
        hidden=sum(each.call_id not in file_names for each in found.examples),
        unlisted=found.calls - len(found.examples),
        anchor=f"criterion-{key[0]}" if len(key) == 2 else ANCHORS.get(key[0], ""),
    )


def list_parts(measured: MeasuredAgreement) -> list[tuple[Promise, list[tuple[str | Promise, Agreement]]]]:
    """Return the agreement by section, month, version and engine, where there is something to tell apart."""
    return [
        (PART_NAMES[name], [(describe_part(name, row.name), row.agreement) for row in rows])
        for name, rows in measured.parts.items()
        if len(rows) > 1 or any(row.name for row in rows)
    ]


def name_calls(found: Iterable[Apart], user: User) -> dict[int, str]:
    """Return id → file name of the calls that differ, without those whose results the user shall not see."""
    wanted = {pair.call_id for each in found for pair in each.examples}
    wanted -= reading.list_hidden(user).all
    return dict(Call.objects.filter(pk__in=wanted).values_list("pk", "file_name"))


def judge_criteria(rows: Sequence[ShownRow]) -> TemplateContext:
    """Return the criteria by what is known of them; those of which nothing can be said yet apart."""
    weak = [row for row in rows if row.agreement.is_weak]
    reliable = [row for row in rows if row.agreement.is_reliable]
    uncertain = [row for row in rows if is_uncertain(row.agreement)]
    groups = [Verdict("weak", weak), Verdict("uncertain", uncertain), Verdict("reliable", reliable)]
    return {
        "weak": len(weak),
        "uncertain": len(uncertain),
        "reliable": len(reliable),
        "verdicts": [each for each in groups if each.rows],
        "unsaid": [row for row in rows if row not in (*weak, *uncertain, *reliable)],
        # Many criteria together are sooner certain than each of them: no verdict on any.
        "is_pool_pale": len(reliable) < len(rows),
    }


def count_missing(rows: Sequence[ShownRow]) -> TemplateContext:
    """Return how many more reviews, of all criteria, give a first verdict; and how many answers it needs."""
    missing = min((row.agreement.missing for row in rows), default=WEAK_FROM)
    return {"first_after": missing, "needed": WEAK_FROM}


def judge_findings(rows: Sequence[ShownRow]) -> TemplateContext:
    """Return the rows of mistakes, prompts and outcome; those of which nothing can be said yet apart."""
    unsaid = [row for row in rows if row.agreement.is_few or row.agreement.has_one_answer]
    return {
        "findings": [row for row in rows if row not in unsaid],
        "unsaid_findings": unsaid,
    }


def is_uncertain(agreement: Agreement) -> bool:
    """Return whether there are answers enough, but nobody can say how well machine and people agree."""
    known = agreement.is_weak or agreement.is_few or agreement.is_reliable or agreement.has_one_answer
    return not known


def describe_part(part: str, name: str) -> str | Promise:
    """Return what a section, month, version or engine is called."""
    if not name:
        return NOT_KNOWN[part]
    if part == "month":
        return date_format(dt.datetime.strptime(name, "%Y-%m"), "YEAR_MONTH_FORMAT")
    return name


def list_calls(found: Apart, file_names: Mapping[int, str]) -> list[Disagreement]:
    """Return the calls in which machine and person differ, of those with a file name."""
    said = Counter((each.call_id, each.machine, each.person) for each in found.examples)
    return [
        Disagreement(call_id, file_names[call_id], NAMES[machine], NAMES[person], times)
        for (call_id, machine, person), times in said.items()
        if call_id in file_names
    ]


def place_most_apart_first(rows: Iterable[ShownRow]) -> list[ShownRow]:
    """Return the rows, most disagreements first; as many: as they were measured, the weak ones first."""
    return sorted(rows, key=lambda row: -row.differing)


def show_kind(measured: KindAgreement, show: Callable[..., ShownRow]) -> Iterable[ShownRow]:
    """Yield the rows of a kind: each mistake or prompt, then all of them; the goal or sentiment alone."""
    kind = KIND_NAMES[measured.kind]
    yield from place_most_apart_first(
        show(item.agreement, (measured.kind, item.id, item.name), item.name, kind) for item in measured.items
    )
    yield show(measured.agreement, (measured.kind, "", ""), ALL_OF_KIND.get(measured.kind, kind))
