"""What publishing a draft asks: which calls are scored again, and what that does to the report."""

from collections.abc import Collection
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.analysis.figures import round_to
from callscope.interfaces.web.templatetags.formatting import day, number
from callscope.messages.translation import translate
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.probes.warnings import check_steadiness
from callscope.pipeline.rubric_changes.replays.drafts import find_comparable
from callscope.pipeline.rubric_changes.replays.lost_answers import LostAnswers, count_lost_answers
from callscope.pipeline.rubric_changes.replays.publishing import is_publishable
from callscope.pipeline.rubric_changes.replays.report_effect import (
    Expected,
    StoredResults,
    count_stored,
    expect_scores,
)
from callscope.pipeline.rubric_changes.replays.rescoring import find_latest_day
from callscope.projects.models import Project
from callscope.reports.window import ALL_TIME, InvalidWindow, Window, parse_window

MOST_NAMED = 6  # versions
MOST_LOSING = 3  # criteria


class WrongDay(Exception):
    """No call can be scored again from this day on; its text says why, for the page."""


@dataclass(frozen=True, slots=True)
class ShownEffect:
    """What the average of the report is, and how calls are expected to move once they are scored again."""

    stored: StoredResults
    expected: Expected
    lost: LostAnswers  # of all calls that are scored again
    calls: int  # that are scored again
    is_drawn: bool  # the replayed calls were drawn at random

    @property
    def is_whole(self) -> bool:
        """Return whether all calls that are scored again were replayed."""
        return self.expected.calls == self.calls

    @property
    def has_interval(self) -> bool:
        """Return whether the replayed calls say within which bounds all of them are expected to move."""
        return self.is_drawn and not self.is_whole and self.expected.move.low is not None

    @property
    def scored_apart(self) -> bool:
        """Return whether some replayed call has a score today or afterwards only."""
        calls = {self.expected.today.calls, self.expected.draft.calls, self.expected.move.calls}
        return len(calls) > 1

    @property
    def versions(self) -> str:
        """Name the older versions whose results are stored; "" without one."""
        numbers = [str(number) for number in self.stored.versions]
        if not numbers:
            return ""
        named = ", ".join(numbers[:MOST_NAMED]) + (", …" if len(numbers) > MOST_NAMED else "")
        return ngettext("version %(numbers)s", "versions %(numbers)s", len(numbers)) % {"numbers": named}

    @property
    def losing_criteria(self) -> str:
        """Name the criteria that lose the most answers, with how many; "" without one."""
        named = [
            _("“%(name)s” %(count)s") % {"name": each.name, "count": number(each.answers)}
            for each in self.lost.criteria[:MOST_LOSING]
        ]
        others = len(self.lost.criteria) - len(named)
        if not others:
            return ", ".join(named)
        more = ngettext("and %(count)s more criterion", "and %(count)s more criteria", others)
        return f"{', '.join(named)} {more % {'count': number(others)}}"

    @property
    def change_by_draft(self) -> float | None:
        """Return by how much the draft alone moves the average, where that is not the whole difference."""
        change, own = self.expected.change, self.expected.change_by_draft
        if change is None or own is None or self.expected.is_withheld:
            return None
        return None if round_to(change, 1) == round_to(own, 1) else own


def describe_form(
    replay: Replay, project: Project, *, hidden: Collection[int], is_offered: bool
) -> dict[str, object]:
    """Return what the form shows; nothing where it is not offered, or the draft cannot be published."""
    if not is_offered or not is_publishable(replay, project):
        return {}
    effect = _read_effect(replay, project, ALL_TIME, hidden)
    return {
        "all_calls": effect.calls,
        "latest_day": find_latest_day(project),
        "steadiness": check_steadiness(replay),
        "effect": effect,
    }


def read_window(request: HttpRequest, project: Project) -> Window | None:
    """Return which calls are scored again; None for none. Raises WrongDay."""
    choice = request.POST.get("rescore", "none")
    if choice == "all":
        return ALL_TIME
    return read_day(request.POST.get("start_date", ""), project) if choice == "from" else None


def read_day(text: str, project: Project) -> Window:
    """Return the window from a day on. Raises WrongDay where it is no day, or one without calls."""
    if not text.strip():
        raise WrongDay(_("Choose a day."))
    try:
        window = parse_window({"start_date": text.strip()}, now=timezone.now())
    except InvalidWindow as error:
        raise WrongDay(translate(error.message)) from None
    latest = find_latest_day(project)
    if latest is None:
        raise WrongDay(_("There is no call that can be scored again."))
    if window.start is not None and window.start > latest:
        raise WrongDay(
            _("The newest call that can be scored again is of %(day)s. Choose that day or an earlier one.")
            % {"day": day(latest)}
        )
    return window


def describe_day(
    text: str, replay: Replay, project: Project, *, hidden: Collection[int]
) -> dict[str, object]:
    """Return what stands below the field of the day: what it covers and changes, or why it is no such day."""
    if not text.strip():
        return {}
    try:
        window = read_day(text, project)
    except WrongDay as error:
        return {"day_error": str(error)}
    is_offered = is_publishable(replay, project)
    return {
        "day_calls": find_comparable(project, window).count(),
        "version": project.config_version + 1,
        "effect": _read_effect(replay, project, window, hidden) if is_offered else None,
    }


def _read_effect(replay: Replay, project: Project, window: Window, hidden: Collection[int]) -> ShownEffect:
    return ShownEffect(
        count_stored(project, window),
        expect_scores(replay, project, window=window, hidden=hidden),
        count_lost_answers(replay, project, window),
        find_comparable(project, window).count(),
        is_drawn=replay.start_date is None and replay.end_date is None,
    )
