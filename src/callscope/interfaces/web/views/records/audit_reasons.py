"""Name the contact reasons that events are about, and say what their changes did.

Events hold numbers alone, since the names are words of callers. The history of the reasons holds the
names until the calls that said these words are erased: so do they here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.urls import reverse

from callscope.accounts.models import AuditEvent
from callscope.contact_reasons.history import list_touched
from callscope.contact_reasons.models import ContactReason, ReasonChange
from callscope.interfaces.web.presenters.reasons import FIRST_LINES, list_sentences

MORE = "…"


class ReasonNames(NamedTuple):
    """By key and number of a detail."""

    names: dict[tuple[str, int | str], str]
    urls: dict[tuple[str, int], str]


def name_reasons(events: Sequence[AuditEvent], seen: Sequence[int]) -> ReasonNames:
    """Return the names and pages of reasons in the projects that the visitor sees, and changes in words."""
    about = [each for each in events if each.action.startswith("reason.")]
    changes = list(
        ReasonChange.objects.filter(pk__in=list(_list_numbers(about, "change")), project__in=seen).only(
            "summary", "project_id"
        )
    )
    asked = {*_list_numbers(about, "contact_reason"), *_list_numbers(about, "reasons")}
    for change in changes:
        asked |= list_touched(change)
    live = ContactReason.objects.filter(pk__in=asked, project__in=seen).values_list("pk", "project", "name")
    names_now = {pk: name for pk, _project, name in live}
    return ReasonNames(
        {
            **{("contact_reason", pk): name for pk, name in _list_former(changes).items()},
            **{("contact_reason", pk): name for pk, name in names_now.items()},
            **{("change", change.pk): _describe(change, names_now) for change in changes},
        },
        {
            ("contact_reason", pk): reverse("web:project-reason", args=[project, pk])
            for pk, project, _name in live
        },
    )


def _list_numbers(events: Iterable[AuditEvent], key: str) -> Iterable[int]:
    for event in events:
        value = event.detail.get(key)
        yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, int))


def _list_former(changes: Iterable[ReasonChange]) -> dict[int, str]:
    """Return the names that reasons had in these changes, for those that are gone."""
    rows = [row for change in changes for row in change.summary["reasons"]]
    return {row["id"]: state["name"] for row in rows if (state := row["after"] or row["before"])}


def _describe(change: ReasonChange, names_now: Mapping[int, str]) -> str:
    summary = change.summary
    said = list_sentences(summary["reasons"], summary["moves"], summary.get("settings"), names_now)
    return " ".join([*said[:FIRST_LINES], *([MORE] if len(said) > FIRST_LINES else [])])
