"""What the calls that change most say where their answers moved, by the settings of today and by the draft.

A replay keeps times, no words: the words are read from the transcripts when somebody looks, so they are gone
once a transcript is.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from callscope.analysis.models import CallAnalysis
from callscope.pipeline.models import Replay, ReplayedCall
from callscope.pipeline.rubric_changes.replays.answers import (
    NOT_EVALUATED,
    Answers,
    ReplayedAnswers,
    is_unreliable,
)
from callscope.transcription.models import Transcript

MAX_SHOWN = 300  # characters of a quote
WITHOUT_POINTS = (NOT_EVALUATED, "not_applicable")  # answers that move no score where a side has no criterion


@dataclass(frozen=True, slots=True)
class Said:
    """The segment in which a quote begins."""

    start: float
    speaker: str | None
    text: str


@dataclass(frozen=True, slots=True)
class CriterionChange:
    """One criterion of one call whose answer moved, with what each judgment quotes."""

    criterion_id: str
    before: str  # "": those settings do not have the criterion
    after: str
    before_quotes: list[Said] = field(default_factory=list)
    after_quotes: list[Said] = field(default_factory=list)
    left_open_by: str = ""  # why one of them does not evaluate it, of answers.LEFT_OPEN_BY


class CallChanges(NamedTuple):
    """What differs between both judgments of a call, so far as it can move the score."""

    criteria: list[CriterionChange]  # in the order of the draft, then those that it removes
    had_critical_error: bool
    has_critical_error: bool
    scored: list[str]  # criteria that earn or lose points on both sides
    judged: int  # criteria of the draft that are judged
    is_unreliable: bool  # the transcript: what it lacks was not judged


def load_changes(replay: Replay, call_ids: Collection[int]) -> dict[int, list[CriterionChange]]:
    """Return by call which answers moved, to criteria that both sides have."""
    found = explain_changes(replay, call_ids)
    return {
        call_id: [each for each in changes.criteria if each.before and each.after]
        for call_id, changes in found.items()
    }


def explain_changes(replay: Replay, call_ids: Collection[int]) -> dict[int, CallChanges]:
    """Return by call what differs, with the answers to criteria that the draft adds or removes."""
    rows = ReplayedCall.objects.filter(replay=replay, call__in=call_ids, answers__isnull=False)
    live = CallAnalysis.objects.filter(call__in=call_ids, is_live=True)
    files = dict(live.values_list("call", "file"))
    stored = Transcript.objects.filter(file__in=files.values()).only("file", "segments")
    segments = {transcript.file_id: transcript.segments or [] for transcript in stored}
    changes = {}
    for row in rows:
        answers = cast(ReplayedAnswers, row.answers)
        before, after = answers["before"], answers["after"]
        if before and after:
            spoken = segments.get(files.get(row.call_id, 0), [])
            changes[row.call_id] = CallChanges(
                _list_changes(before, after, spoken),
                bool(before["has_critical_error"]),
                bool(after["has_critical_error"]),
                [
                    name
                    for name in after["criteria"]
                    if _has_points(before, name) and _has_points(after, name)
                ],
                sum(answer != NOT_EVALUATED for answer in after["criteria"].values()),
                is_unreliable(before) or is_unreliable(after),
            )
    return changes


def _has_points(answers: Answers, name: str) -> bool:
    return answers["criteria"].get(name, NOT_EVALUATED) not in WITHOUT_POINTS


def _list_changes(before: Answers, after: Answers, spoken: Sequence[Any]) -> list[CriterionChange]:
    old, new = before["criteria"], after["criteria"]
    moved = [
        CriterionChange(
            name,
            old.get(name, ""),
            answer,
            find_words(before, name, spoken),
            find_words(after, name, spoken),
            (after if answer == NOT_EVALUATED else before).get("left_open", {}).get(name, ""),
        )
        for name, answer in new.items()
        if old.get(name) != answer and (name in old or answer not in WITHOUT_POINTS)
    ]
    return moved + [
        CriterionChange(name, answer, "", find_words(before, name, spoken))
        for name, answer in old.items()
        if name not in new and answer not in WITHOUT_POINTS
    ]


def find_words(answers: Answers, name: str, spoken: Sequence[Any]) -> list[Said]:
    """Return the segments that begin when the quotes of an answer do."""
    times = answers.get("times", {}).get(name, [])
    return [
        Said(float(segment["start"]), segment.get("speaker"), str(segment["text"])[:MAX_SHOWN])
        for segment in spoken
        if any(abs(float(segment["start"]) - time) < 0.01 for time in times)
    ]
