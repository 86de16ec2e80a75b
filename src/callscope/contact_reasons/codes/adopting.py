"""Reasons become the codes of their project. Their calls stay; every other call gets a code, or "Other".

The caller holds the lock of the project and its transaction.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.db.models import Q

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.analysis.rules.reason_codes import choose_by_topic
from callscope.calls.private_words import engines_for_projects
from callscope.contact_reasons import reviewed
from callscope.contact_reasons.assignment import find_other
from callscope.contact_reasons.codes.proposal import find_language
from callscope.contact_reasons.codes.wish import KnownTopics, Outcome, Wish
from callscope.contact_reasons.editing import InvalidReason
from callscope.contact_reasons.grouping import read_topics
from callscope.contact_reasons.hierarchy import remove_empty_headings
from callscope.contact_reasons.history import NOWHERE, OwnPlaces, Places, ReasonConflict, Recording
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange, ReviewedReason
from callscope.contact_reasons.settings_change import change_reasons
from callscope.db.chunks import chunked
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.messages.message import Message
from callscope.processes import crash_points
from callscope.projects import configuration
from callscope.projects.configuration import MAX_CODES, ContactReasons, Pattern
from callscope.projects.models import Project

BATCH = 2000  # rows a statement; SQLite takes 32,766 variables
MOST_TOPICS = 2000  # that are compared with the codes; calls of rarer ones go where others of their reason go


def build_codes(project: Project, wish: Wish) -> ContactReasons:
    """Return the contact reasons of the settings as they would be. Raises InvalidReason."""
    today = project.configuration.contact_reasons
    if wish.mode != "predefined" and today.mode == "predefined":
        raise InvalidReason("mode", "codes_in_use")
    if not wish.chosen:
        raise InvalidReason("codes", "no_codes_chosen")
    found = ContactReason.objects.filter(project=project, retired_at=None).in_bulk(
        [each.reason for each in wish.chosen]
    )
    kept = [] if wish.replaces else today.codes
    names = {each.code.casefold() for each in kept}
    aside = ContactReason.objects.filter(
        project=project, is_set_aside=True, retired_at=None, name__in=[each.code for each in kept]
    )
    for name in aside.values_list("name", flat=True):
        raise InvalidReason("codes", "set_aside_is_no_code", value=name)
    added: dict[str, dict[str, object]] = {}
    for each in wish.chosen:
        reason = found.get(each.reason)
        if reason is None:
            raise InvalidReason("codes", "unknown_reason", value=each.reason)
        if reason.is_heading:
            raise InvalidReason("codes", "heading_is_no_code", value=reason.name)
        if reason.is_set_aside:
            raise InvalidReason("codes", "set_aside_is_no_code", value=reason.name)
        if reason.name.casefold() in names:
            raise InvalidReason("codes", "code_in_settings", value=reason.name)
        if reason.name.casefold() in added:
            raise InvalidReason("codes", "codes_alike", value=reason.name)
        description = reason.description if each.description is None else each.description
        added[reason.name.casefold()] = {
            "code": reason.name,
            "description": description,
            "phrases": [
                text.model_dump() if isinstance(text, Pattern) else text for text in each.phrases or ()
            ],
        }
    if (count := len(kept) + len(added)) > MAX_CODES:
        raise InvalidReason("codes", "too_many_codes", most=MAX_CODES, count=count)
    codes = [*(each.model_dump() for each in kept), *added.values()]
    try:
        made = configuration.parse({"contact_reasons": {"mode": wish.mode, "codes": codes}})
    except configuration.InvalidConfiguration as error:
        path, problem = error.errors[0]
        raise InvalidReason("codes", "invalid_code", path=path, reason=problem) from None
    return made.contact_reasons


def classify_topics(
    project: Project, reasons: ContactReasons, counts: Mapping[str, int], known: KnownTopics
) -> None:
    """Enter the codes of the most frequent of these topics in `known`, those that it does not hold.

    Raises ReasonConflict where the embedder is away.
    """
    frequent = sorted(counts, key=lambda topic: (-counts[topic], topic))[:MOST_TOPICS]
    new = [topic for topic in frequent if topic not in known]
    if not new:
        return
    language = find_language(project.configuration, new)
    try:
        chosen = choose_by_topic(reasons, new, language, engines_for_projects(project).embedder)
    except (EngineUnavailable, EngineRejected, BadOutput):
        raise ReasonConflict(Message("codes_need_engine")) from None
    known.update(zip(new, chosen, strict=True))


def count_rest(project: Project, reasons: ContactReasons) -> Counter[str]:
    """Return the topics of the calls that have none of the codes, and how many calls each has."""
    return Counter(filter(None, _read_rest(project, reasons).values()))


def adopt_codes(project: Project, wish: Wish, by: User | None, known: KnownTopics) -> Outcome:
    """Write the codes into the settings; with the mode predefined, give every call one of them.

    `known` are the topics that were classified beforehand. Raises InvalidReason and ReasonConflict.
    """
    reasons = build_codes(project, wish)
    if reasons.mode != "predefined":
        recording = Recording(project, [])
        settings = change_reasons(project, reasons.model_dump(), by)
        recording.store(ReasonChange.Kind.CODED, by, settings=settings)
        return Outcome(change=recording.change)
    rest = _read_rest(project, reasons)
    classify_topics(project, reasons, Counter(filter(None, rest.values())), known)
    chosen = ContactReason.objects.filter(pk__in=[each.reason for each in wish.chosen])
    kept = CallReason.objects.filter(reason__in=chosen)
    recording = Recording(project, [*kept.values_list("call_id", flat=True), *rest])
    settings = change_reasons(project, reasons.model_dump(), by)
    chosen.update(renamed=True, named_by_model=False)
    counted = kept.count()
    kept.filter(is_fixed=False).update(is_fixed=True)
    other = find_other(project.configuration)
    names = [*(each.code for each in reasons.codes), other]
    places = _choose_places(recording.places, rest, known, names)
    rows = _take_rows(project, names)
    moved = {
        call: rows[name] for call, name in places.items() if recording.places.get(call) != (rows[name], False)
    }
    retired = reviewed.retire_moved(moved.keys() & recording.places.keys())
    _place(project, moved)
    own = _end_other_reasons(project, rows, rows[other])
    changed = recording.store(ReasonChange.Kind.CODED, by, retired=retired, settings=settings, own=own)
    counts = Counter(places.values())
    left = counts.pop(other, 0)
    return Outcome(counted, counts.total(), left, changed, recording.change)


def _read_rest(project: Project, reasons: ContactReasons) -> dict[int, str]:
    """Return the calls in the reports that have none of the codes, with their topics.

    Calls of reasons that are set aside stay there, and so do calls that a person put under "Other".
    """
    config = project.configuration.model_copy(update={"contact_reasons": reasons})
    stays = Q(reason__name__in=[each.code for each in reasons.codes]) | Q(reason__is_set_aside=True)
    stays |= Q(reason__name=find_other(config), is_fixed=True)
    staying = set(CallReason.objects.filter(stays, project=project).values_list("call_id", flat=True))
    live = CallAnalysis.objects.filter(project=project, is_live=True, call__isnull=False)
    rest = {call: "" for call in live.values_list("call_id", flat=True) if call not in staying}
    for chunk in chunked(sorted(rest), BATCH):
        rest.update((call, topic) for topic, call in read_topics(call__in=chunk))
    return rest


def _choose_places(
    places: Places, rest: Mapping[int, str], known: KnownTopics, names: Sequence[str]
) -> dict[int, str]:
    """Return the code of each of these calls, the last name for those that fit none.

    A call that only its review placed elsewhere goes to its own code. One with a rare topic goes where most
    calls of its former reason go, and one without topic and reason gets none.
    """
    own: dict[int, str] = {}
    for chunk in chunked(sorted(rest), BATCH):
        own.update(reviewed.read_own_names(chunk))
    followed: dict[int, Counter[str]] = {}
    for call, topic in rest.items():
        if topic in known and call in places:
            followed.setdefault(places[call][0], Counter())[known[topic]] += 1
    chosen: dict[int, str] = {}
    for call, topic in rest.items():
        former = places[call][0] if call in places else NOWHERE
        if not (topic or former):
            continue
        code = known.get(topic, "")
        if own.get(call) in names:
            code = own[call]
        elif topic and topic not in known and former in followed:
            code = min(followed[former], key=lambda each: (-followed[former][each], each))
        chosen[call] = code if code in names else names[-1]
    return chosen


def _take_rows(project: Project, names: Sequence[str]) -> dict[str, int]:
    """Return the reason of each code; each lasts from now on, also without calls."""
    rows: dict[str, int] = {}
    for name in names:
        reason, _ = ContactReason.objects.get_or_create(project=project, name=name)
        reason.take_into_use()
        rows[name] = reason.pk
    for chunk in chunked(sorted(rows.values()), BATCH):
        ContactReason.objects.filter(pk__in=chunk).update(is_pinned=True, provisional_until=None)
    return rows


def _place(project: Project, moved: Mapping[int, int]) -> None:
    for chunk in chunked(sorted(moved), BATCH):
        CallReason.objects.filter(call__in=chunk).delete()
        CallReason.objects.bulk_create(
            CallReason(call_id=call, project=project, reason_id=moved[call]) for call in chunk
        )
    crash_points.reach_point("edit_calls")


def _end_other_reasons(project: Project, rows: Mapping[str, int], other: int) -> OwnPlaces:
    """Delete the reasons that are no codes; what is set aside stays, and so do headings over codes.

    Return the reasons that calls of theirs had without their reviews: those count as other calls now.
    """
    ended = ContactReason.objects.filter(
        project=project, retired_at=None, is_heading=False, is_set_aside=False
    ).exclude(pk__in=rows.values())
    without_review = ReviewedReason.objects.filter(reason__in=ended)
    own = dict(without_review.values_list("call_id", "reason_id"))
    without_review.update(reason=other)
    ended.delete()
    remove_empty_headings(project)
    return own
