"""What a person wants of the codes of a project, and what came of it. Without numpy: pages start fast."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from callscope.projects.configuration import Pattern

Mode = Literal["open_ended", "predefined"]
KnownTopics = dict[str, str]  # topic → its code, "" where none fits


@dataclass(frozen=True, slots=True)
class ChosenReason:
    """A reason that becomes a code."""

    reason: int
    description: str | None = None  # None: that of the reason
    phrases: Sequence[str | Pattern | dict[str, str]] | None = None  # None: the code's own, or proposed ones


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants: which codes, whether calls get them from now on, what becomes of earlier codes."""

    chosen: Sequence[ChosenReason]
    mode: Mode
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many calls kept their reason under its code, got a code, or count under "Other"."""

    kept: int = 0
    coded: int = 0
    other: int = 0
    changed: list[int] = field(default_factory=list)  # calls that are shown differently
    change: int | None = None  # the number of the change in the history; None where nothing differs
