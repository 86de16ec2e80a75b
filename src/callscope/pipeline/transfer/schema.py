"""The shapes in which an import stores results, and an export writes them.

Fields that these types do not name are kept where they are plain values, so that
what an export carries comes back: a row or a result may hold more than is listed.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, NotRequired, TypedDict

JsonObject = dict[str, object]  # read from a line, nothing in it checked yet
Plain = str | int | float | bool | None
CriticalClass = Literal["customer", "business", "compliance"]


class CriterionMarks(NamedTuple):
    """What the project's rubric says of a criterion, for rows of lines that do not say it."""

    critical: bool
    critical_class: CriticalClass | None


Marks = Mapping[str, CriterionMarks]  # by criterion id; only criteria that are marked


class StoredCopc(TypedDict):
    """A rubric's result; None stands for no points where nothing was scored."""

    criterion_scores: Sequence[object]  # rows in the order of the line, as objects or as compiled structs
    not_evaluated: list[dict[str, str]]
    total_points: int | float | None
    max_possible_points: int | float | None
    score_percentage: int | float | None
    has_critical_error: bool
    rubric_version: None  # a version of another system says nothing here
    on_critical_error: str


class StoredNoProtocol(TypedDict):
    mistakes: list[dict[str, Plain]]
    missing_prompts: list[dict[str, Plain]]
    prompts: NotRequired[list[dict[str, Plain]]]


class StoredAnswers(TypedDict):
    answers: dict[str, JsonObject]  # question → answer, quotes


class StoredInsights(TypedDict):
    sentiment: str | None
    topic: str
    goal_reached: bool | None
