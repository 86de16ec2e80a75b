"""Lists from which calls are filtered: the criteria, reasons, mistakes and prompts of projects in scope."""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from callscope.contact_reasons.models import ContactReason
from callscope.db.compiled import CompiledQuery, compile_query, stand_ins
from callscope.interfaces.web.query_string import with_query
from callscope.interfaces.web.report_request import ReportRequest
from callscope.projects.configuration import Configuration, InvalidConfiguration
from callscope.reports.call_list.listing import list_agents

MOST = 500  # of one kind in a list to choose from
MAX_AGENTS = 2000
FAILED_ANSWERS = ("not_met", "partly")


class Option(NamedTuple):
    value: str
    label: str


class FilterChoices(NamedTuple):
    """Lists to choose from, each empty where there is nothing to choose."""

    failed: list[Option]  # "not_met:greeting": the criterion that a call failed, and how
    mistakes: list[Option]
    prompts: list[Option]


class LongLists(NamedTuple):
    """The lists that may be long: a page is painted before them, and calls.js fetches them."""

    agents: list[tuple[int, str]]
    reasons: list[Option]
    has_reasons: bool
    rest_url: str = ""  # where they are, if they are left out here


def build_long_lists(report_request: ReportRequest, query: dict[str, str], *, may_wait: bool) -> LongLists:
    """Return agents and contact reasons to choose from, or where they are.

    They never wait where the address asks for one of them, which is to be seen as chosen.
    """
    if may_wait and "agent" not in query and "reason" not in query:
        url = with_query(reverse("web:call-choices"), report_request.scope_query)
        return LongLists([], [], has_reasons=has_reasons(report_request), rest_url=url)
    reasons = list_reasons(report_request, query.get("reason", ""))
    agents = [(each.id, each.label) for each in list_agents(report_request.projects, most=MAX_AGENTS)]
    return LongLists(agents, reasons, has_reasons=bool(reasons))


def list_choices(report_request: ReportRequest, query: dict[str, str]) -> FilterChoices:
    """Return what may be chosen; what the address already asks for is always among it."""
    configs = list(_read_configurations(report_request))
    criteria = [criterion for config in configs for _section, criterion in config.rubric.criteria()]
    failed = {f"not_met:{each.id}": each.name for each in criteria}
    failed |= {
        f"partly:{each.id}": _("%(criterion)s (partly)") % {"criterion": each.name}
        for each in criteria
        if each.partial_credit
    }
    mistakes = {each.id: each.text for config in configs for each in config.no_protocol.mistakes}
    prompts = {each.id: each.text for config in configs for each in config.no_protocol.prompts}
    return FilterChoices(
        list(_keep(failed, name_failed(query), query.get("criterion", ""))),
        list(_keep(mistakes, query.get("mistake", ""))),
        list(_keep(prompts, query.get("prompt", ""))),
    )


def list_reasons(report_request: ReportRequest, chosen: str = "") -> list[Option]:
    """Return the contact reasons by name; the chosen one is always among them."""
    found = select_reasons(report_request).order_by("pk").values_list("pk", "name")[:MOST]
    named = {str(pk): name for pk, name in found}
    return sorted(_keep(named, chosen), key=lambda each: each.label.casefold())


def has_reasons(report_request: ReportRequest) -> bool:
    """Return whether there is a contact reason to choose."""
    ids = [project.pk for project in report_request.projects]
    return bool(ids) and bool(compile_any_reason(len(ids)).fetch(ids))


@lru_cache(maxsize=128)
def compile_any_reason(projects: int) -> CompiledQuery:
    """Return the query for a contact reason of so many projects."""
    return compile_query(_reasons_in_use(stand_ins(projects)).values_list("pk")[:1])


def select_reasons(report_request: ReportRequest) -> QuerySet[ContactReason]:
    """Return the contact reasons in use."""
    return _reasons_in_use([project.pk for project in report_request.projects])


def _reasons_in_use(project_ids: Collection[int]) -> QuerySet[ContactReason]:
    return ContactReason.objects.filter(project__in=project_ids, retired_at=None, is_set_aside=False)


def read_failed(request: HttpRequest) -> dict[str, str]:
    """Return the criterion and the result that "failed_criterion" of the address stands for."""
    answer, _colon, criterion = request.GET.get("failed_criterion", "").partition(":")
    return {"criterion": criterion, "result": answer} if answer in FAILED_ANSWERS and criterion else {}


def name_failed(query: dict[str, str]) -> str:
    """Return the choice that stands for the criterion and result of a query; "" for others."""
    is_failed = query.get("result") in FAILED_ANSWERS and query.get("criterion") and not query.get("found")
    return f"{query['result']}:{query['criterion']}" if is_failed else ""


def _read_configurations(report_request: ReportRequest) -> Iterable[Configuration]:
    for project in report_request.projects:
        try:
            yield project.configuration
        except InvalidConfiguration:
            continue


def _keep(options: dict[str, str], chosen: str, label: str = "") -> Iterable[Option]:
    """Yield the options, and first the chosen one where it is not among them: a retired criterion, say."""
    if chosen and chosen not in options:
        yield Option(chosen, label or chosen)
    for value, text in list(options.items())[:MOST]:
        yield Option(value, text)
