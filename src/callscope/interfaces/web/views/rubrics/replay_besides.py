"""What a replay shows besides the score: goal, reasons, mistakes, prompts, trackers and questions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from callscope.calls.models import Call
from callscope.contact_reasons.assignment import find_other
from callscope.interfaces.web.views.rubrics import rounding
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.replays.baseline import Baseline
from callscope.pipeline.rubric_changes.replays.besides import KINDS, MISSED, REACHED, UNKNOWN, Kind
from callscope.pipeline.rubric_changes.replays.besides_comparison import (
    BesidesOutcome,
    CallChange,
    ChangedKind,
    GoalChange,
)
from callscope.pipeline.rubric_changes.replays.call_changes import load_call_changes, load_changes_of
from callscope.projects import configuration
from callscope.projects.configuration import Configuration
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reviews.reading import HiddenCalls

TITLES: dict[Kind, Promise] = {
    "goal": _("Goal reached"),
    "reason": _("Contact reason"),
    "mistakes": _("Mistakes"),
    "prompts": _("Missed prompts"),
    "trackers": _("Trackers"),
    "questions": _("Questions"),
}
#: How the list of all calls in which one of them changes is called.
CHANGES: dict[Kind, Promise] = {
    "goal": _("Calls whose goal changes"),
    "reason": _("Calls whose contact reason changes"),
    "mistakes": _("Calls whose mistakes change"),
    "prompts": _("Calls whose missed prompts change"),
    "trackers": _("Calls whose trackers change"),
    "questions": _("Calls whose answers to questions change"),
}
OUTCOMES = {REACHED: _("reached"), MISSED: _("not reached"), UNKNOWN: _("unknown")}
Names = Mapping[str, str | Promise]


@dataclass(frozen=True, slots=True)
class ShownItem:
    """In how many calls one thing is found; None by settings that do not look for it."""

    name: str | Promise
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class ShownFound:
    """A call in which something else is found, each side alone."""

    call: Call
    before: list[str | Promise]
    after: list[str | Promise]


@dataclass(frozen=True, slots=True)
class ShownKind:
    """How what is found of one kind changes."""

    kind: Kind
    title: Promise
    calls: int  # compared
    changed: int
    items: list[ShownItem]  # whose number of calls changes, or that only one side looks for
    changed_calls: list[ShownFound]
    listed: int  # those included whose results are hidden
    left_out: int = 0  # of these, hidden
    other: str | Promise = ""  # of reasons: under which calls count that fit no code of the draft
    unfit: int = 0  # such calls
    coded: int = 0  # calls that have a reason by the codes of the draft

    @property
    def is_compared(self) -> bool:
        """False for reasons that only one side takes from a list of codes."""
        return self.kind != "reason" or self.calls > 0


@dataclass(frozen=True, slots=True)
class ShownBesides:
    """The section of the page; without `is_recorded` the replay is of an earlier release."""

    is_recorded: bool
    is_touched: bool  # the draft changes a setting that decides such things
    goal: GoalChange | None = None  # where goals are shown
    kinds: list[ShownKind] = field(default_factory=list)  # that the draft touches, or that change
    has_grouped_reasons: bool = False  # the draft touches reasons, and neither side has codes

    @property
    def is_shown(self) -> bool:
        return bool(self.kinds) or self.has_grouped_reasons

    @property
    def is_goal_moved(self) -> bool:
        return self.goal is not None and any(kind.kind == "goal" for kind in self.changed)

    @property
    def changed(self) -> list[ShownKind]:
        return [kind for kind in self.kinds if kind.changed]

    @property
    def uncompared(self) -> list[ShownKind]:
        """The reasons where only one side takes them from a list of codes."""
        return [kind for kind in self.kinds if not kind.is_compared and kind.items]

    @property
    def is_few(self) -> bool:
        """Return whether the goal is known in so few calls that its share says little."""
        goal = self.goal
        return goal is not None and min(goal["before"]["known"], goal["after"]["known"]) < FEW_CALLS

    @property
    def has_interval(self) -> bool:
        return self.goal is not None and rounding.has_interval(self.goal["low"], self.goal["high"])

    @property
    def rounds_apart(self) -> bool:
        goal = self.goal if self.is_goal_moved else None
        return goal is not None and rounding.rounds_apart(
            goal["before"]["pct"], goal["after"]["pct"], goal["change"]
        )

    @property
    def is_unclear(self) -> bool:
        goal = self.goal
        return (
            goal is not None
            and goal["low"] is not None
            and goal["high"] is not None
            and goal["low"] <= 0 <= goal["high"]
        )


def show_besides(
    replay: Replay, besides: BesidesOutcome | None, changed_settings: Collection[str], hidden: HiddenCalls
) -> ShownBesides:
    """Return what the draft touches, by the names of the settings that it changes, and what changes."""
    touched = {kind for kind, name in KINDS.items() if name in changed_settings}
    if besides is None:
        return ShownBesides(is_recorded=False, is_touched=bool(touched))
    rows = [row for row in besides["kinds"] if row["changed"] or row["kind"] in touched]
    listed = {call_id for row in rows for call_id in row["changed_calls"]}
    calls = Call.objects.filter(project=replay.project_id).in_bulk(listed - hidden.all)
    changes = load_call_changes(replay, besides, hidden=hidden.all) if listed else {}
    settings = _read_settings(replay)
    kinds = [_show_kind(row, changes.get(row["kind"], []), calls, settings, hidden.all) for row in rows]
    return ShownBesides(
        is_recorded=True,
        is_touched=bool(touched),
        goal=besides["goal"] if any(row["kind"] == "goal" for row in rows) else None,
        kinds=kinds,
        has_grouped_reasons="reason" in touched and all(row["kind"] != "reason" for row in rows),
    )


def show_found(replay: Replay, kind: Kind, calls: Mapping[int, Call]) -> list[ShownFound]:
    """Return what is found otherwise in these calls of the project, in their order."""
    settings = _read_settings(replay)
    changes = load_changes_of(replay, {kind: list(calls)})[kind]
    return _show_found(changes, calls, _name_all(kind, settings))


def _read_settings(replay: Replay) -> tuple[Configuration, Configuration]:
    before = Baseline(replay.project, replay.config_version).config
    return before, configuration.parse(replay.config, is_stored=True)


def _show_kind(
    row: ChangedKind,
    changes: list[tuple[int, CallChange]],
    calls: Mapping[int, Call],
    settings: tuple[Configuration, Configuration],
    hidden: Collection[int],
) -> ShownKind:
    names = _name_all(row["kind"], settings)
    found = {item["id"]: item["after"] or 0 for item in row["items"]}
    return ShownKind(
        row["kind"],
        TITLES[row["kind"]],
        row["calls"],
        row["changed"],
        [
            ShownItem(names.get(item["id"], item["id"]), item["before"], item["after"])
            for item in row["items"]
            if item["before"] != item["after"]
        ],
        _show_found(changes, calls, names),
        len(row["changed_calls"]),
        sum(call_id in hidden for call_id in row["changed_calls"]),
        names.get("", ""),
        found.get("", 0),
        sum(found.values()),
    )


def _show_found(
    changes: list[tuple[int, CallChange]], calls: Mapping[int, Call], names: Names
) -> list[ShownFound]:
    return [
        ShownFound(
            calls[call_id],
            [names.get(each, each) for each in change.before],
            [names.get(each, each) for each in change.after],
        )
        for call_id, change in changes
        if call_id in calls
    ]


def _name_all(kind: Kind, settings: tuple[Configuration, Configuration]) -> Names:
    return {**_name_items(kind, settings[0]), **_name_items(kind, settings[1])}


def _name_items(kind: Kind, config: Configuration) -> Names:
    """Return what the page calls the ids of a kind; codes and questions are their own names."""
    match kind:
        case "goal":
            return OUTCOMES
        case "reason":
            return {"": find_other(config)}  # as lists and reports call them
        case "mistakes":
            return {each.id: each.text for each in config.no_protocol.mistakes}
        case "prompts":
            return {each.id: each.text for each in config.no_protocol.prompts}
        case "trackers":
            return {each.id: each.name for each in config.trackers}
        case "questions":
            return {}
