"""What the lint found at one place of a configuration."""

from dataclasses import dataclass, field
from typing import Literal

from callscope.messages.message import Message

Severity = Literal["error", "warning"]
#: With these a criterion cannot say what it promises; the others make it say it badly.
ERRORS = frozenset(
    {
        "met_by_half",
        "no_judge",
        "phrase_in_two_groups",
        "unknown_criterion",
        "criterion_of_itself",
        "criterion_without_evidence",
        "criteria_in_a_circle",
    }
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a part of a configuration misleads, and what to do; `calls` are ids that show it."""

    path: str  # as in the errors of a configuration: rubric.sections[0].criteria[2].rule
    message: Message
    calls: list[int] = field(default_factory=list)

    @property
    def code(self) -> str:
        return self.message.code

    @property
    def severity(self) -> Severity:
        return "error" if self.code in ERRORS else "warning"
