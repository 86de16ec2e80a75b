"""The filters of a draw: controls for a form, and in words for the page of the draw."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.calls.namesakes import label_alone
from callscope.interfaces.web.presenters.call_list import DIRECTIONS, GOALS, RESULTS, REVIEWS, SENTIMENTS
from callscope.projects.models import Project
from callscope.reports.call_list.listing import list_agents

MOST_AGENTS = 500  # in the select box
YES = (("true", gettext_lazy("Yes")),)
LABELS: dict[str, str | Promise] = {
    "agent": gettext_lazy("Agent"),
    "sentiment": gettext_lazy("Sentiment"),
    "direction": gettext_lazy("Direction"),
    "goal": gettext_lazy("Goal"),
    "reviewed": gettext_lazy("Review"),
    "critical": gettext_lazy("Critical errors only"),
    "mistakes": gettext_lazy("With a mistake"),
    "missed_prompts": gettext_lazy("With a missed prompt"),
    "min_score": gettext_lazy("Score from"),
    "max_score": gettext_lazy("Score up to"),
    "min_length": gettext_lazy("Length from"),
    "max_length": gettext_lazy("Length up to"),
    "criterion": gettext_lazy("Criterion"),
    "result": gettext_lazy("Result"),
    "tracker": gettext_lazy("Tracker"),
    "reason": gettext_lazy("Contact reason"),
}
TYPED = ("min_score", "max_score", "min_length", "max_length")  # each from next to its up to
CHOSEN: dict[str, Sequence[tuple[str, str | Promise]]] = {
    "sentiment": SENTIMENTS,
    "direction": DIRECTIONS,
    "goal": GOALS,
    "reviewed": REVIEWS,
    "critical": YES,
    "mistakes": YES,
    "missed_prompts": YES,
}


class FilterChoice(NamedTuple):
    """One control of the form; without options it is typed into."""

    name: str
    label: str | Promise
    value: str
    options: Sequence[tuple[str, str | Promise]]

    @property
    def bound(self) -> str:
        """Return which of two bounds it is, so that both stand next to each other; "" for other filters."""
        return ("from" if self.name.startswith("min_") else "to") if self.name in TYPED else ""


def list_choices(project: Project, chosen: Mapping[str, str]) -> list[FilterChoice]:
    """Return the controls, each with what was chosen."""
    agents = [(str(each.id), each.label) for each in list_agents([project], most=MOST_AGENTS)]
    options = {"agent": [("none", _("No agent")), *agents], **CHOSEN, **dict.fromkeys(TYPED, ())}
    return [FilterChoice(name, LABELS[name], chosen.get(name, ""), each) for name, each in options.items()]


def list_kept(project: Project, filters: Mapping[str, str]) -> list[tuple[str, str, object, object]]:
    """Return name, value and both in words of the filters that have no control: the API set them."""
    others = {n: v for n, v in filters.items() if n not in CHOSEN and n not in TYPED and n != "agent"}
    described = describe_filters(project, others)
    return [(n, v, *words) for (n, v), words in zip(others.items(), described, strict=True)]


def describe_filters(
    project: Project, filters: Mapping[str, str]
) -> list[tuple[str | Promise, str | Promise]]:
    """Return label and value of each filter as people read them."""
    return [(LABELS[name], _name_value(project, name, value)) for name, value in filters.items()]


def _name_value(project: Project, name: str, value: str) -> str | Promise:
    if name == "agent" and value.isdigit():
        return label_alone(project.pk, int(value)) or value
    if name == "agent":
        return _("No agent")
    if name == "criterion":
        criteria = project.configuration.rubric.criteria()
        return next((each.name for _section, each in criteria if each.id == value), value)
    known = dict(CHOSEN.get(name, ())) | (RESULTS if name == "result" else {})
    return known.get(value, value)
