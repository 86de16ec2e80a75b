"""What was found otherwise in the calls that a replay lists besides the score."""

from collections.abc import Container

from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.replays.baseline import Baseline
from callscope.pipeline.rubric_changes.replays.besides import Kind, load_pairs
from callscope.pipeline.rubric_changes.replays.besides_comparison import (
    BesidesOutcome,
    CallChange,
    find_change,
    list_items,
)
from callscope.projects import configuration


def load_call_changes(
    replay: Replay, besides: BesidesOutcome, *, hidden: Container[int]
) -> dict[Kind, list[tuple[int, CallChange]]]:
    """Return by kind the listed calls, those left out whose results are hidden, and what changes in each."""
    listed = {
        row["kind"]: [each for each in row["changed_calls"] if each not in hidden] for row in besides["kinds"]
    }
    return load_changes_of(replay, listed)


def load_changes_of(
    replay: Replay, listed: dict[Kind, list[int]]
) -> dict[Kind, list[tuple[int, CallChange]]]:
    """Return by kind what changes in each of these calls, in their order, without those that are gone."""
    before = Baseline(replay.project, replay.config_version).config
    after = configuration.parse(replay.config, is_stored=True)
    pairs = load_pairs(replay, {each for calls in listed.values() for each in calls})
    return {
        kind: [
            (each, find_change(kind, pairs[each], list_items(kind, before), list_items(kind, after)))
            for each in calls
            if each in pairs
        ]
        for kind, calls in listed.items()
    }
