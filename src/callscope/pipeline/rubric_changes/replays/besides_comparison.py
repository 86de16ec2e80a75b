"""What both judgments of all calls of a replay come to besides the score, kind by kind."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypedDict, cast

from callscope.pipeline.rubric_changes.replays.besides import (
    GOAL_STATES,
    KINDS,
    MISSED,
    REACHED,
    Besides,
    BesidesPair,
    Kind,
)
from callscope.projects.configuration import Configuration

MOST_LISTED = 20  # calls of a kind

Pairs = Sequence[tuple[int, BesidesPair]]


class Item(TypedDict):
    """In how many calls one thing was found; None by settings that do not look for it."""

    id: str  # of the settings: a code, an id, a question; of the goal its outcome
    before: int | None
    after: int | None


class ChangedKind(TypedDict):
    """How what was found of one kind moved."""

    kind: Kind
    calls: int  # judged on both sides; 0 where only one of the settings has this kind
    changed: int  # calls
    items: list[Item]
    changed_calls: list[int]  # at most MOST_LISTED


class CallChange(NamedTuple):
    """What one judgment of a call found and the other one did not; of goal and reason, each outcome."""

    before: list[str]
    after: list[str]


class GoalShare(TypedDict):
    """The share of calls that reached the goal, of those whose outcome is known."""

    known: int
    reached: int
    pct: float | None


class GoalChange(TypedDict):
    """The shares, and by how many points of 100 they differ, with the 95 % interval over the same calls."""

    before: GoalShare
    after: GoalShare
    change: float | None
    low: float | None
    high: float | None


class BesidesOutcome(TypedDict):
    """What is stored of a completed replay; no word of a call."""

    goal: GoalChange
    kinds: list[ChangedKind]  # of those that one of the settings has


def compare_besides(rows: Pairs, before: Configuration, after: Configuration) -> BesidesOutcome:
    """Return what the judgments of these calls by two settings come to."""
    return {
        "goal": _compare_goal(rows),
        "kinds": [
            _compare_kind(kind, rows, known, looked)
            for kind in KINDS
            if (known := list_items(kind, before)) + (looked := list_items(kind, after))
        ],
    }


def list_items(kind: Kind, config: Configuration) -> list[str]:
    """Return what these settings can find of a kind; nothing of reasons that are grouped."""
    match kind:
        case "goal":
            return list(GOAL_STATES.values())
        case "reason":
            reasons = config.contact_reasons
            return [*(each.code for each in reasons.codes), ""] if reasons.mode == "predefined" else []
        case "mistakes":
            return [each.id for each in config.no_protocol.mistakes]
        case "prompts":
            return [each.id for each in config.no_protocol.prompts]
        case "trackers":
            return [each.id for each in config.trackers]
        case "questions":
            return list(config.custom_questions)


def find_change(kind: Kind, pair: BesidesPair, known: Sequence[str], looked: Sequence[str]) -> CallChange:
    """Return what was found in a call by one of the settings alone, which can find `known` and `looked`."""
    old, new = _read(kind, pair["before"], known) or [], _read(kind, pair["after"], looked) or []
    if kind == "questions":  # one that only one of them asks is no change of an answer
        old, new = [each for each in old if each in looked], [each for each in new if each in known]
    return CallChange([each for each in old if each not in new], [each for each in new if each not in old])


def _compare_kind(kind: Kind, pairs: Pairs, known: list[str], looked: list[str]) -> ChangedKind:
    both = [(call_id, each) for call_id, each in pairs if kind in each["before"] and kind in each["after"]]
    changed = [call_id for call_id, each in both if any(find_change(kind, each, known, looked))]
    is_alone = not (known and looked)  # the reasons of one of them are grouped: its calls have no code
    counted = [each for _, each in (pairs if is_alone else both)]
    old_counts = Counter(name for each in counted for name in _read(kind, each["before"], known) or [])
    new_counts = Counter(name for each in counted for name in _read(kind, each["after"], looked) or [])
    return {
        "kind": kind,
        "calls": len(both),
        "changed": len(changed),
        "items": [
            {
                "id": name,
                "before": old_counts[name] if name in known else None,
                "after": new_counts[name] if name in looked else None,
            }
            for name in dict.fromkeys([*looked, *known])
        ],
        "changed_calls": changed[:MOST_LISTED],
    }


def _read(kind: Kind, found: Besides, items: Sequence[str]) -> list[str] | None:
    """Return what was found in a call; None where this kind was not judged."""
    value = found.get(kind)
    if kind == "questions" and value is not None:
        return [items[place] for place in cast(list[int], value)]
    return [value] if isinstance(value, str) else cast(list[str] | None, value)


def _compare_goal(pairs: Pairs) -> GoalChange:
    """Compare the shares as reports count them: of the calls whose outcome is known.

    With other phrases a call can become unknown, so that the two shares are of different calls. Each call has
    its part in the difference of both (linearized); the interval is that of the mean of these parts.
    """
    from callscope.reviews.statistics.means import mean_interval

    both = [each for _, each in pairs if "goal" in each["before"] and "goal" in each["after"]]
    states = [(each["before"]["goal"], each["after"]["goal"]) for each in both]
    before, after = _share([old for old, _ in states]), _share([new for _, new in states])
    outcome: GoalChange = {"before": before, "after": after, "change": None, "low": None, "high": None}
    if not (before["known"] and after["known"]):
        return outcome
    change = 100 * (after["reached"] / after["known"] - before["reached"] / before["known"])
    outcome["change"] = round(change, 2)
    parts = [change + _part(new, after, len(states)) - _part(old, before, len(states)) for old, new in states]
    if interval := mean_interval(parts):
        outcome["low"] = round(max(-100.0, interval.low), 2)
        outcome["high"] = round(min(100.0, interval.high), 2)
    return outcome


def _share(states: Sequence[str]) -> GoalShare:
    counts = Counter(states)
    known = counts[REACHED] + counts[MISSED]
    pct = round(100 * counts[REACHED] / known, 2) if known else None
    return {"known": known, "reached": counts[REACHED], "pct": pct}


def _part(state: str, share: GoalShare, calls: int) -> float:
    """Return how far a call moves the share from what it is, in points of 100; 0 on average over all."""
    if state not in (REACHED, MISSED):
        return 0.0
    return 100 * ((state == REACHED) - share["reached"] / share["known"]) * calls / share["known"]
