"""Calls whose score or answers a draft changes, with what is quoted for each answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from callscope.analysis.figures import score_of
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.interfaces.web.templatetags.formatting import number, trim_zeros
from callscope.interfaces.web.views.rubrics.answers import ANSWERS, LEFT_OPEN_BY
from callscope.interfaces.web.views.rubrics.rounding import rounds_apart
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.replays.answers import NOT_EVALUATED
from callscope.pipeline.rubric_changes.replays.comparison import ChangedCall, OneSided
from callscope.pipeline.rubric_changes.replays.quotes import (
    CallChanges,
    CriterionChange,
    Said,
    explain_changes,
)
from callscope.projects.versions import Document, list_criteria, name_criteria


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A criterion of a call whose answer moved, with what was quoted for each answer."""

    name: str
    before: str | Promise
    after: str | Promise
    before_quotes: list[Said]
    after_quotes: list[Said]
    left_open_by: str | Promise  # why one of them does not evaluate it
    is_left_open_first: bool  # it is the former answer that this is about


class ShownOneSided(NamedTuple):
    """A criterion that the draft adds or removes, and how it was answered."""

    name: str
    is_added: bool
    answers: list[tuple[str | Promise, int]]  # most calls first


class ShownCall(NamedTuple):
    """A call that changes."""

    call: Call
    scores: ChangedCall
    reviewed_score: float | None  # where a person's answers count, which a replay leaves out
    changes: list[ShownChange]
    remarks: list[str]  # what else moves the score
    unreliable: str  # how little of it was judged; "" for a reliable transcript

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
    former: Document,
    *,
    criterion_id: str = "",
) -> list[ShownCall]:
    """Return the rows whose call is among `calls`, with all answers that moved or that to one criterion.

    `former` are the settings that the replay compares its draft with.
    """
    changes = explain_changes(replay, list(calls))
    reviewed = _read_reviewed_scores(replay, list(calls))
    rubrics = former.get("rubric") or {}, replay.config.get("rubric") or {}
    judged_of = _("%(judged)s of %(all)s criteria judged")
    criteria = len(list_criteria(rubrics[1]))
    points = _find_changed_points(*rubrics)
    nothing = CallChanges([], False, False, [], 0, False)
    return [
        ShownCall(
            calls[row["call_id"]],
            row,
            reviewed.get(row["call_id"]),
            [_name(change, names) for change in found.criteria if criterion_id in ("", change.criterion_id)],
            [] if criterion_id else _explain_score(found, rubrics, points, names),
            judged_of % {"judged": found.judged, "all": criteria} if found.is_unreliable else "",
        )
        for row in rows
        if row["call_id"] in calls
        for found in [changes.get(row["call_id"], nothing)]
    ]


def name_all_criteria(former: Document, replay: Replay) -> dict[str, str]:
    """Return the names of all criteria of both sides by id, those of the draft first."""
    return {**name_criteria(former), **name_criteria(replay.config)}


def show_one_sided(rows: Sequence[OneSided], names: Mapping[str, str]) -> list[ShownOneSided]:
    """Return the criteria that the draft adds or removes."""
    return [
        ShownOneSided(
            names.get(row["criterion_id"], row["criterion_id"]),
            row["is_added"],
            [
                (ANSWERS.get(answer, answer), calls)
                for answer, calls in sorted(row["answers"].items(), key=lambda found: -found[1])
            ],
        )
        for row in rows
    ]


def _find_changed_points(before: Document, after: Document) -> dict[str, str]:
    """Return by criterion how its points change, of those that both sides have."""
    former = list_criteria(before)
    return {
        name: f"{_write_points(former[name])} → {_write_points(row)}"
        for name, row in list_criteria(after).items()
        if name in former and former[name].get("max_points") != row.get("max_points")
    }


def _write_points(criterion: Document) -> str:
    return trim_zeros(number(criterion.get("max_points") or 0, 2))


def _explain_score(
    changes: CallChanges,
    rubrics: tuple[Document, Document],
    points: Mapping[str, str],
    names: Mapping[str, str],
) -> list[str]:
    """Say what else than answers moves the score: critical errors, and other points."""
    zeroed, zeroes = (rubric.get("on_critical_error") == "zero_score" for rubric in rubrics)
    moved = [
        _("“%(name)s” %(points)s") % {"name": names.get(each, each), "points": points[each]}
        for each in changes.scored
        if each in points
    ]
    said = _explain_critical_error(changes, zeroed, zeroes)
    return [*said, _("Other points: %(names)s") % {"names": "; ".join(moved)}] if moved else said


def _explain_critical_error(changes: CallChanges, zeroed: bool, zeroes: bool) -> list[str]:
    """Say what a critical error does to the score on one side alone."""
    if changes.had_critical_error != changes.has_critical_error:
        return [
            _("Critical error: no → yes") if changes.has_critical_error else _("Critical error: yes → no")
        ]
    if not changes.has_critical_error or zeroed == zeroes:
        return []
    if zeroes:
        return [_("The critical error sets the score to 0 with the draft")]
    return [_("The critical error does not set the score to 0 with the draft")]


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
        change.after != NOT_EVALUATED,
    )
