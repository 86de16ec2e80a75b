"""What a copy changed in a call, and what each answer quotes: by what an answer that moved can be judged.

A probe keeps times, no words. The copy is made again from the call when somebody looks, so it is gone once
the transcript is.
"""

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, cast

from callscope.analysis.counterfactuals.groups import GROUPS
from callscope.analysis.counterfactuals.protection import Protection
from callscope.pipeline.models import Probe, ProbedCall
from callscope.pipeline.rubric_changes.probes.copying import load_transcript, read_copier
from callscope.pipeline.rubric_changes.probes.fairness import ORIGINAL
from callscope.pipeline.rubric_changes.probes.judging import Judged
from callscope.pipeline.rubric_changes.replays.answers import Answers
from callscope.pipeline.rubric_changes.replays.quotes import Said, find_words
from callscope.projects import configuration

if TYPE_CHECKING:
    from callscope.pipeline.rubric_changes.probes.tipping import WordsPair

MAX_LINES = 30  # of one copy; a call in another dialect can change nearly all of its lines
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|\s+|[^\w\s]+")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line, and whether it differs from the other line."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """One segment of the call, and the same one in the copy."""

    start: float
    speaker: str | None
    before: list[Part]
    after: list[Part]
    is_decisive: bool = False  # one of the answers that moved hangs on it


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """The answer to one criterion for the call and for its copy, with what each quotes."""

    criterion_id: str
    before: str
    after: str
    before_quotes: list[Said]
    after_quotes: list[Said]
    before_left_open_by: str = ""  # why it is not evaluated, of answers.LEFT_OPEN_BY
    after_left_open_by: str = ""
    words: "list[WordsPair]" = field(default_factory=list)  # that tipped it; none where a model judged


@dataclass(frozen=True, slots=True)
class CopyChange:
    """A copy next to its call, as both are now."""

    has_words: bool  # False: the transcript was removed
    answers: list[AnswerChange]  # that moved
    lines: list[ChangedLine] = field(default_factory=list)
    more_lines: int = 0  # changed, but not listed


def load_change(probe: Probe, call_id: int, variant: str) -> CopyChange | None:
    """Return what one copy changed; the lines on which answers hang come first.

    None where the probe did not judge both the call and this copy.
    """
    rows = ProbedCall.objects.filter(
        probe=probe, call=call_id, variant__in=(ORIGINAL, variant), judgment__is_same=False
    )
    found = {row.variant: cast(Judged, row.judgment)["answers"] for row in rows}
    before, after = found.get(ORIGINAL), found.get(variant)
    if before is None or after is None or variant not in GROUPS:
        return None
    transcript = load_transcript(call_id)
    if transcript is None:
        return CopyChange(False, _list_answers(before, after, [], []))
    config = configuration.parse(probe.config, is_stored=True)
    made = read_copier(transcript, config, Protection(config)).make_copy(variant)
    spoken = transcript.segments or []
    texts = made.texts if made else [each["text"] for each in spoken]
    copied = [{**each, "text": text} for each, text in zip(spoken, texts, strict=True)]
    answers = _list_answers(before, after, spoken, copied)
    if not probe.engine:
        from callscope.pipeline.rubric_changes.probes.tipping import find_tipping_words  # slow to import

        other = copy.copy(transcript)  # never saved
        other.segments = copied
        moved = {each.criterion_id: (each.before, each.after) for each in answers}
        words = find_tipping_words(transcript, other, config, moved)
        answers = [replace(each, words=words.get(each.criterion_id, [])) for each in answers]
    starts = {said.quote.start_s for each in answers for pair in each.words for said in pair if said.quote}
    lines = [
        ChangedLine(
            float(old["start"]),
            old.get("speaker"),
            *mark_words(old["text"], new["text"]),
            is_decisive=float(old["start"]) in starts,
        )
        for old, new in zip(spoken, copied, strict=True)
        if old["text"] != new["text"]
    ]
    lines.sort(key=lambda line: not line.is_decisive)
    return CopyChange(True, answers, lines[:MAX_LINES], max(len(lines) - MAX_LINES, 0))


def mark_words(before: str, after: str) -> tuple[list[Part], list[Part]]:
    """Return both lines in pieces, of which those are marked that the other one lacks."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    parts: tuple[list[Part], list[Part]] = ([], [])
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for part, tokens in zip(parts, (old[a:b], new[c:d]), strict=True):
            if tokens:
                part.append(Part("".join(tokens), kind != "equal"))
    return parts


def _list_answers(
    before: Answers, after: Answers, spoken: Sequence[object], copied: Sequence[object]
) -> list[AnswerChange]:
    return [
        AnswerChange(
            name,
            former,
            after["criteria"][name],
            find_words(before, name, spoken),
            find_words(after, name, copied),
            before.get("left_open", {}).get(name, ""),
            after.get("left_open", {}).get(name, ""),
        )
        for name, former in before["criteria"].items()
        if after["criteria"].get(name, former) != former
    ]
