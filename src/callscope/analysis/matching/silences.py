"""Waits that are too long: a silence of everybody, or a speaker who goes away and does not come back."""

from collections.abc import Sequence
from dataclasses import dataclass

from callscope.analysis.conversation.turns import Conversation, Segment
from callscope.analysis.matching.occurrences import find_times
from callscope.projects.configuration_rules import Rule

GOES_ON_WITHIN_S = 3.0  # "One moment. | Let me look." in two cues is one announcement


@dataclass(frozen=True, slots=True)
class Wait:
    """How long nobody spoke, or the speaker was away, and the last words before it."""

    seconds: float
    since: Segment


def find_long_wait(
    rule: Rule, heard: Sequence[Segment], window: Sequence[Segment], conversation: Conversation
) -> Wait | None:
    """Return the first wait over the rule's limit; None without one.

    Without `after` it is a silence of everybody in the time window. With it, it begins when the rule's
    speaker, in what was `heard` of them, has said one of these phrases, and ends when that speaker speaks
    again, or with the last words of the call.
    """
    silence = rule.no_silence
    if silence is None:
        return None
    if not silence.after:
        waits = _list_pauses([s for s in window if s.words])
    else:
        own = [s for s in conversation.said_by(rule.speaker) if s.words]
        times = find_times(silence.after, heard, conversation.language)
        waits = [_follow(own, match.end.segment, conversation.duration_s) for match in times]
    return next((wait for wait in waits if wait.seconds > silence.over_seconds), None)


def _list_pauses(spoken: Sequence[Segment]) -> list[Wait]:
    """Return the pauses between cues; the ones that overlap leave none."""
    waits, latest = [], spoken[0] if spoken else None
    for segment in spoken[1:]:
        assert latest is not None
        waits.append(Wait(segment.start_s - latest.end_s, latest))
        latest = max(latest, segment, key=lambda s: s.end_s)
    return waits


def _follow(own: Sequence[Segment], index: int, call_end_s: float) -> Wait:
    """Return the wait after a cue of a speaker, whose announcement may go on in the next ones."""
    at = next(n for n, segment in enumerate(own) if segment.index == index)
    while at + 1 < len(own) and own[at + 1].start_s - own[at].end_s <= GOES_ON_WITHIN_S:
        at += 1
    back_s = own[at + 1].start_s if at + 1 < len(own) else call_end_s
    return Wait(back_s - own[at].end_s, own[at])
