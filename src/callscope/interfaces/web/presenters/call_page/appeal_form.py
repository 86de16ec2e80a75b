"""The form in which an agent appeals a criterion of a call: what cost points comes first."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from callscope.analysis.models import CallAnalysis
from callscope.interfaces.web.presenters.call_page.call import CriterionResult
from callscope.projects.models import Project
from callscope.reviews.criteria import KnownCriteria, StoredCriterion, list_criteria


@dataclass(frozen=True, slots=True)
class TypedAppeal:
    """What was chosen and typed, and what is wrong with it."""

    criterion_id: str = ""
    reason: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)  # input → sentence
    gains_nothing: bool = False  # it is sent once the visitor confirms


class AppealChoice(NamedTuple):
    """One criterion that can be appealed, as it counts."""

    value: str
    label: str
    is_chosen: bool
    costs_points: bool


class AppealGroup(NamedTuple):
    """Criteria that the list has under one heading."""

    label: str
    choices: list[AppealChoice]


@dataclass(frozen=True, slots=True)
class AppealForm:
    """The criteria to choose from, and what was typed."""

    call_id: int
    groups: list[AppealGroup]
    typed: TypedAppeal

    @property
    def is_open(self) -> bool:
        """Whether it begins unfolded: a criterion was chosen to be appealed, or something is wrong."""
        chosen = any(each.is_chosen for group in self.groups for each in group.choices)
        return chosen or bool(self.typed.problems)

    def link_costly(self, query: QueryDict) -> dict[str, str]:
        """Return where the form is with a criterion chosen, for those that cost points, within a list."""
        links, place = {}, query.copy()
        for choice in (each for group in self.groups for each in group.choices if each.costs_points):
            place["appeal"] = choice.value
            links[choice.value] = (
                f"{reverse('web:call', args=[self.call_id])}?{place.urlencode()}#appeal-form"
            )
        return links


def build_appeal_form(
    analysis: CallAnalysis, project: Project, typed: TypedAppeal, *, waiting: Collection[str]
) -> AppealForm | None:
    """Return the form, without criteria whose appeals are `waiting`; None where there is none to choose."""
    copc = analysis.copc or {}
    left_out = [CriterionResult.of_left_out(row, "") for row in copc.get("not_evaluated") or []]
    scored = [CriterionResult.of_scored(row, "") for row in copc.get("criterion_scores") or []]
    results = {each.id: each for each in left_out + scored}
    choices = [
        _describe_choice(each, results.get(each["criterion_id"]), typed)
        for each in list_criteria(analysis, KnownCriteria(project))
        if each["criterion_id"] not in waiting
    ]
    groups = [
        AppealGroup(_("Points lost"), [each for each in choices if each.costs_points]),
        AppealGroup(_("Other criteria"), [each for each in choices if not each.costs_points]),
    ]
    shown = [group for group in groups if group.choices]
    return AppealForm(analysis.call_id, shown, typed) if shown else None


def _describe_choice(
    criterion: StoredCriterion, result: CriterionResult | None, typed: TypedAppeal
) -> AppealChoice:
    criterion_id, name = criterion["criterion_id"], criterion["name"]
    answer: str | Promise = result.word if result else _("not evaluated")
    label = f"{name}: {answer}"
    if result and not result.is_left_out and result.icon != "not-applicable":
        label = _("%(name)s: %(answer)s, %(points)s of %(possible)s") % {
            "name": name, "answer": answer, "points": result.points, "possible": result.max_points,
        }  # fmt: skip
    costs_points = result is not None and result.earned < result.possible
    return AppealChoice(criterion_id, label, criterion_id == typed.criterion_id, costs_points)
