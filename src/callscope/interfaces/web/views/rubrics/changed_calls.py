"""Calls whose score or answers a draft changes, with what is quoted for each answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.functional import Promise

from callscope.analysis.figures import score_of
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.interfaces.web.views.rubrics.answers import ANSWERS, LEFT_OPEN_BY
from callscope.interfaces.web.views.rubrics.rounding import rounds_apart
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.replays.comparison import ChangedCall
from callscope.pipeline.rubric_changes.replays.quotes import CriterionChange, Said, load_changes


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A criterion of a call whose answer moved, with what was quoted for each answer."""

    name: str
    before: str | Promise
    after: str | Promise
    before_quotes: list[Said]
    after_quotes: list[Said]
    left_open_by: str | Promise  # why one of them does not evaluate it


class ShownCall(NamedTuple):
    """A call that changes."""

    call: Call
    scores: ChangedCall
    reviewed_score: float | None  # where a person's answers count, which a replay leaves out
    changes: list[ShownChange]

    @property
    def change(self) -> float | None:
        """The new score minus the old one; None where either is missing."""
        if self.scores["before"] is None or self.scores["after"] is None:
            return None
        return self.scores["after"] - self.scores["before"]

    @property
    def rounds_apart(self) -> bool:
        return rounds_apart(self.scores["before"], self.scores["after"], self.change)


def show_changed_calls(
    replay: Replay,
    rows: Sequence[ChangedCall],
    calls: Mapping[int, Call],
    names: Mapping[str, str],
    *,
    criterion_id: str = "",
) -> list[ShownCall]:
    """Return the rows whose call is among `calls`, with all answers that moved or that to one criterion."""
    changes = load_changes(replay, list(calls))
    reviewed = _read_reviewed_scores(replay, list(calls))
    return [
        ShownCall(
            calls[row["call_id"]],
            row,
            reviewed.get(row["call_id"]),
            [
                _name(change, names)
                for change in changes.get(row["call_id"], [])
                if criterion_id in ("", change.criterion_id)
            ],
        )
        for row in rows
        if row["call_id"] in calls
    ]


def _read_reviewed_scores(replay: Replay, call_ids: list[int]) -> dict[int, float | None]:
    """Return the scores of those calls whose criteria count as people answered them.

    Once the draft is published, not of those that it has judged: their score is not one of before.
    """
    found = CallAnalysis.objects.filter(call__in=call_ids, is_live=True, machine_copc__isnull=False)
    if replay.published_version is not None:
        found = found.filter(config_version__lt=replay.published_version)
    rows: Iterable[tuple[int, Any]] = found.values_list("call", "copc")
    return {call_id: score_of(copc) for call_id, copc in rows}


def _name(change: CriterionChange, names: Mapping[str, str]) -> ShownChange:
    return ShownChange(
        names.get(change.criterion_id, change.criterion_id),
        ANSWERS.get(change.before, change.before),
        ANSWERS.get(change.after, change.after),
        change.before_quotes,
        change.after_quotes,
        LEFT_OPEN_BY.get(change.left_open_by, ""),
    )
