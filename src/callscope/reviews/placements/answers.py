"""The agent and the contact reason that a person gives a call, checked, and stored with its review."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from callscope.reviews.placements.records import ReviewPlacement

NOBODY: Literal["none"] = "none"  # as the list filter of agents has it
COPIED = (
    "kind", "is_nobody", "agent_id", "machine_agent_id", "reason_id", "chosen_reason_id", "reason_name",
    "machine_reason_name", "is_retired",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckedPlacement:
    """One placement that stands, as the columns of ReviewPlacement."""

    kind: str
    is_nobody: bool = False
    agent_id: int | None = None
    machine_agent_id: int | None = None
    reason_id: int | None = None
    chosen_reason_id: int | None = None
    reason_name: str = ""
    machine_reason_name: str = ""
    is_retired: bool = False

    @property
    def is_other(self) -> bool:
        """Return whether the call has another place without the review."""
        if self.kind == ReviewPlacement.Kind.AGENT:
            return self.agent_id != self.machine_agent_id
        return self.reason_name != self.machine_reason_name


def read_placements(rows: Sequence[ReviewPlacement]) -> list[CheckedPlacement]:
    """Return stored placements as another revision takes them over, but for erased agents."""
    return [
        CheckedPlacement(**{name: getattr(row, name) for name in COPIED})
        for row in rows
        if not row.is_agent or row.is_nobody or row.agent_id is not None
    ]


def store_placements(review_id: int, placements: Sequence[CheckedPlacement]) -> None:
    """Store the placements of a saved review, in place of those that it had."""
    ReviewPlacement.objects.filter(review=review_id).delete()
    ReviewPlacement.objects.bulk_create(
        ReviewPlacement(
            review_id=review_id,
            is_outdated=each.is_retired,
            **{name: getattr(each, name) for name in COPIED},
        )
        for each in placements
    )
