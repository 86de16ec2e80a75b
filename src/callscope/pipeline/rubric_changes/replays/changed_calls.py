"""In which calls of a replay one thing changes: the score, the answer to a criterion, what else is found."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from callscope.pipeline.models import Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays.answers import ReplayedAnswers
from callscope.pipeline.rubric_changes.replays.baseline import Baseline
from callscope.pipeline.rubric_changes.replays.besides import Kind
from callscope.pipeline.rubric_changes.replays.besides_comparison import find_change, list_items
from callscope.pipeline.rubric_changes.replays.comparison import ChangedCall
from callscope.projects import configuration

CALLS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """What is looked at: one criterion, one kind of other findings, or without both the score."""

    criterion_id: str = ""
    kind: Kind | None = None


def list_changed_calls(replay: Replay, part: ChangedPart) -> list[ChangedCall]:
    """Return the calls in which the part changes, those first whose score moves most.

    Reads all judgments of the replay, up to 20,000 rows without a word of a call, a portion at a time.
    """
    is_changed = _compare(replay, part)
    found = [(call_id, answers) for call_id, answers in _read_rows(replay) if is_changed(answers)]
    calls = [
        ChangedCall(
            call_id=call_id,
            before=answers["before"]["score"] if answers["before"] else None,
            after=answers["after"]["score"] if answers["after"] else None,
        )
        for call_id, answers in found
    ]
    return sorted(calls, key=lambda row: (-abs((row["after"] or 0) - (row["before"] or 0)), row["call_id"]))


def _read_rows(replay: Replay) -> Iterator[tuple[int, ReplayedAnswers]]:
    rows = ReplayedCall.objects.filter(replay=replay, answers__isnull=False).order_by("call")
    stored = rows.values_list("call", "answers").iterator(chunk_size=CALLS_AT_ONCE)
    return ((call_id, cast(ReplayedAnswers, answers)) for call_id, answers in stored)


def _compare(replay: Replay, part: ChangedPart) -> Callable[[ReplayedAnswers], bool]:
    if part.kind is not None:
        return _compare_kind(replay, part.kind)
    return lambda answers: _has_moved(answers, part.criterion_id)


def _has_moved(answers: ReplayedAnswers, criterion_id: str) -> bool:
    before, after = answers["before"], answers["after"]
    if before is None or after is None:
        return False
    if not criterion_id:
        return before["score"] != after["score"]
    old, new = before["criteria"].get(criterion_id), after["criteria"].get(criterion_id)
    return old is not None and new is not None and old != new


def _compare_kind(replay: Replay, kind: Kind) -> Callable[[ReplayedAnswers], bool]:
    known = list_items(kind, Baseline(replay.project, replay.config_version).config)
    looked = list_items(kind, configuration.parse(replay.config, is_stored=True))

    def is_changed(answers: ReplayedAnswers) -> bool:
        pair = answers.get("besides")
        if pair is None or kind not in pair["before"] or kind not in pair["after"]:
            return False
        return any(find_change(kind, pair, known, looked))

    return is_changed
