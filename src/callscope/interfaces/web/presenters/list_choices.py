"""Lists from which calls are filtered: the criteria, reasons, mistakes and prompts of projects in scope."""

from collections.abc import Iterable
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.translation import gettext as _

from callscope.contact_reasons.models import ContactReason
from callscope.interfaces.web.report_request import ReportRequest
from callscope.projects.configuration import Configuration, InvalidConfiguration

MOST = 500  # of one kind in a list to choose from
FAILED_ANSWERS = ("not_met", "partly")


class Option(NamedTuple):
    value: str
    label: str


class FilterChoices(NamedTuple):
    """Lists to choose from, each empty where there is nothing to choose."""

    failed: list[Option]  # "not_met:greeting": the criterion that a call failed, and how
    reasons: list[Option]
    mistakes: list[Option]
    prompts: list[Option]


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
    reasons = ContactReason.objects.filter(
        project__in=report_request.projects, retired_at=None, is_set_aside=False
    )
    named = {str(pk): name for pk, name in reasons.order_by("pk").values_list("pk", "name")[:MOST]}
    return FilterChoices(
        list(_keep(failed, name_failed(query), query.get("criterion", ""))),
        sorted(_keep(named, query.get("reason", "")), key=lambda each: each.label.casefold()),
        list(_keep(mistakes, query.get("mistake", ""))),
        list(_keep(prompts, query.get("prompt", ""))),
    )


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
