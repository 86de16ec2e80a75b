"""Which figures have a trend, and their names in addresses: `calls`, `criterion:ID`, `question:TEXT`."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from callscope.messages.message import Message, MessageError
from callscope.projects.models import Project
from callscope.reports.models import CriterionSeen

CALLS = "calls"
DAY_FIGURES = ("average_score", "critical_error_pct", "goal_reached_pct", "negative_sentiment_pct", CALLS)
HOUR_FIGURES = (  # in no sums of a window by day
    "weighted_compliance",
    "customer_critical_accuracy_pct",
    "business_critical_accuracy_pct",
    "compliance_critical_accuracy_pct",
    "non_critical_accuracy_pct",
)
FIGURES = (*DAY_FIGURES, *HOUR_FIGURES)
CRITERION, QUESTION = "criterion:", "question:"
CRITERION_ID = re.compile(r"[^\0]{1,64}")


class UnknownFigure(MessageError):
    """A figure that these projects do not have."""

    def __init__(self, value: str) -> None:
        known = f"{', '.join(FIGURES)}, {CRITERION}ID, {QUESTION}TEXT"
        super().__init__(Message("unknown_figure", value=value[:80], known=known))


class FigureName(NamedTuple):
    """A figure as an address names it, and the name that a person gave it; "" for others."""

    figure: str
    name: str = ""


def find_figure(text: str, projects: Sequence[Project]) -> FigureName:
    """Return the figure that a text names; a blank one is the average score. Raises UnknownFigure."""
    if not text:
        return FigureName("average_score")
    if text in FIGURES:
        return FigureName(text)
    if text.startswith(CRITERION):
        names = [each.name for each in list_criteria(projects) if each.figure == text]
        return FigureName(text, names[0] if names else _find_retired_name(text, projects))
    if text.startswith(QUESTION) and text in (each.figure for each in list_questions(projects)):
        return FigureName(text, text.removeprefix(QUESTION))
    raise UnknownFigure(text)


def list_criteria(projects: Sequence[Project]) -> list[FigureName]:
    """Return the criteria of the rubrics, in their order, each id once."""
    names: dict[str, dict[str, None]] = {}
    for project in projects:
        for _section, criterion in project.configuration.rubric.criteria():
            names.setdefault(CRITERION + criterion.id, {})[criterion.name] = None
    return [FigureName(figure, " / ".join(each)) for figure, each in names.items()]


def list_questions(projects: Sequence[Project]) -> list[FigureName]:
    """Return the custom questions of the projects, in their order, each once."""
    texts = dict.fromkeys(text for project in projects for text in project.configuration.custom_questions)
    return [FigureName(QUESTION + text, text) for text in texts]


def _find_retired_name(figure: str, projects: Sequence[Project]) -> str:
    """Return the name of a criterion that only results have. Raises UnknownFigure."""
    criterion_id = figure.removeprefix(CRITERION)
    if not CRITERION_ID.fullmatch(criterion_id):
        raise UnknownFigure(figure)
    seen = CriterionSeen.objects.filter(
        project__in=[project.pk for project in projects], criterion_id=criterion_id
    )
    name = seen.order_by("-pk").values_list("name", flat=True).first()
    if name is None:
        raise UnknownFigure(figure)
    return name
