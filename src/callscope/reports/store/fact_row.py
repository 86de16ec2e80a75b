"""The fact of a call: one row of models.CallFact, and the one list of its columns.

The journal, the matrix of calls and the statements that read facts all follow the
order of FactRow's fields. A new figure begins here, and with a column in models.py.
"""

from typing import Any, NamedTuple


class FactRow(NamedTuple):
    """What the reports know about one live call; models.CallFact says what each column means."""

    # Listed and filtered by, but in no aggregate.
    call_id: int
    at_us: int
    score_bp: int | None
    missing_prompts: int | None
    has_answers: bool
    half_heard: bool
    # Counted: aggregate.CALL_COLUMNS are these, in this order.
    project_id: int
    day: int
    hour: int | None
    agent_id: int | None
    topic_id: int | None
    direction: int
    sentiment: int | None
    goal_reached: bool | None
    duration_us: int
    max_points: int | None
    points: int
    counted_points: int
    critical: bool
    error_classes: int
    plain_judged: int
    plain_met: int
    mistakes: int | None
    talk_share_bp: int | None
    monologue_ms: int | None
    silence_ms: int | None
    interruptions: int | None
    words_per_100_minutes: int | None
    hold_ms: int | None
    pack: bytes  # always last: its entries follow the matrix of calls in a table of their own

    @property
    def counted(self) -> tuple[Any, ...]:
        """The values that aggregates are made of; two facts that share them count alike."""
        return self[FIRST_COUNTED:]


FIRST_COUNTED = FactRow._fields.index("project_id")
COUNTED_FIELDS = FactRow._fields[FIRST_COUNTED:]
