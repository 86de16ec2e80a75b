"""The prompts and mistakes of which nobody can tell whether they are in a call, each with the reason."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from callscope.projects.configuration import Configuration, Mistake
from callscope.reports.call_list.call_detail import CallDetail
from callscope.reports.details.absences import judged_by_rules
from callscope.reports.overview.decided_findings import list_ids, names_only_missed
from callscope.reviews.models import ReviewFinding

KNOWN_SPEAKERS = frozenset({"agent", "customer"})


class UndecidedFinding(NamedTuple):
    """A prompt or mistake that was not evaluated, and why."""

    kind: str  # of ReviewFinding.Kind
    text: str
    reason: str


def list_undecided(
    detail: CallDetail, config: Configuration, result: Mapping[str, Any]
) -> list[UndecidedFinding]:
    """Return what the settings that judged a call look for, and its result leaves open.

    An imported result that lists no prompts that were said leaves none open: see decided_findings.
    """
    answered = _list_answered(detail)
    decided = list_ids(result.get("missing_prompts")) | list_ids(result.get("prompts"))
    machine = detail.analysis.read_machine("no_protocol") if detail.analysis else None
    is_complete = names_only_missed(machine or result) and not detail.item.is_half_heard
    kind = ReviewFinding.Kind.PROMPT.value
    found = [
        UndecidedFinding(kind, prompt.text, _explain_prompt(detail))
        for prompt in config.no_protocol.prompts
        if prompt.id not in decided and (kind, prompt.id) not in answered and not is_complete
    ]
    made, kind = list_ids(result.get("mistakes")), ReviewFinding.Kind.MISTAKE.value
    for mistake in config.no_protocol.mistakes:
        if mistake.id not in made and (kind, mistake.id) not in answered:
            reason = _explain_mistake(detail, mistake)
            found += [UndecidedFinding(kind, mistake.text, reason)] if reason else []
    return found


def has_undecided_words(detail: CallDetail) -> bool:
    """Return whether what was said is not known, so that nothing says what was not."""
    return detail.item.is_half_heard or _has_no_words(detail)


def _list_answered(detail: CallDetail) -> Collection[tuple[str, str]]:
    """Return the (kind, id) that a person decided: what was not made is in no list of the result."""
    if detail.review is None:
        return ()
    rows = ReviewFinding.objects.filter(review=detail.review, is_outdated=False)
    return set(rows.values_list("kind", "item_id"))


def _explain_prompt(detail: CallDetail) -> str:
    if reason := _explain_words(detail):
        return reason
    if judged_by_rules(detail):
        return _("Something near to it may have been said: the rules cannot tell.")
    return _("The result does not say whether it was said.")


def _explain_mistake(detail: CallDetail, mistake: Mistake) -> str:
    """Return why a mistake that was not found may have been made; "" where it was not."""
    if reason := _explain_words(detail):
        return reason
    segments = detail.transcript.segments if detail.transcript else []
    speakers = {each.get("speaker") for each in segments or []}
    is_silent = mistake.speaker != "any" and mistake.speaker not in speakers
    if judged_by_rules(detail) and is_silent and speakers - KNOWN_SPEAKERS:
        return _("It is not known who speaks.")
    return ""


def _explain_words(detail: CallDetail) -> str:
    if detail.item.is_half_heard:
        return _("The transcript is unreliable: what was said may be missing from it.")
    return _("No words were heard in the call.") if _has_no_words(detail) else ""


def _has_no_words(detail: CallDetail) -> bool:
    transcript = detail.transcript
    if transcript is None or detail.analysis is None or detail.analysis.file is None:
        return False
    if detail.analysis.file.transcript_removed_at is not None:
        return False
    return not any((each.get("text") or "").strip() for each in transcript.segments or [])
