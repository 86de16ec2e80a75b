"""Contact reasons that reviews give to calls. The caller holds the lock of the project.

A call that a review places is fixed, as one that a person moved; ReviewedReason keeps the place that it has
without the review. A person who moves the call later has the last word: the review's answer is retired then.
"""

from collections.abc import Callable, Collection, Mapping

from django.db.models import F

from callscope.calls.models import Call
from callscope.contact_reasons.assignment import OTHER
from callscope.contact_reasons.models import CallReason, ContactReason, ReviewedReason
from callscope.db.chunks import chunked
from callscope.projects.models import Project
from callscope.reviews import effect
from callscope.reviews.answers import SHOWN, InvalidReview
from callscope.reviews.placements.answers import CheckedPlacement
from callscope.reviews.placements.records import ReviewPlacement

REASON = ReviewPlacement.Kind.REASON
CHUNK = 500
MOST_NAMED = 20  # reasons in a message

# Calls whose reviews place them no more → the reason that they had without them, None for none, and whether
# a person had placed them there. None: they were there already.
RetiredPlaces = dict[int, tuple[int | None, bool] | None]


def list_choices(project: Project) -> list[tuple[int | None, str]]:
    """Return (id, name) of the reasons that a review may name; a code that no call has had yet has no id."""
    reasons = ContactReason.objects.filter(project=project, retired_at=None, is_heading=False)
    ids = dict(reasons.order_by("name", "pk").values_list("name", "pk"))
    settings = project.configuration
    if settings.contact_reasons.mode != "predefined":
        found = list(ids)
    else:
        found = [each.code for each in settings.contact_reasons.codes]
        other = OTHER.get(settings.language, OTHER["en"])
        if other.casefold() not in map(str.casefold, found):
            found.append(other)
    return [(ids.get(name), name) for name in found]


def check_reason(call: Call, given: int | str) -> CheckedPlacement:
    """Return the placement with the reason of this id or name. Raises InvalidReview."""
    choices = list_choices(call.project)
    wanted = " ".join(given.split()).casefold() if isinstance(given, str) else None
    found = next(
        (
            (reason_id, name)
            for reason_id, name in choices
            if (name.casefold() == wanted if wanted is not None else reason_id == given)
        ),
        None,
    )
    if found is None:
        allowed = [f"{pk} ({name})" if pk else name for pk, name in choices[:MOST_NAMED]]
        allowed += ["…"] * (len(choices) > MOST_NAMED)
        raise InvalidReview(
            "contact_reason",
            "review_unknown_reason",
            value=str(given)[:SHOWN],
            allowed=", ".join(allowed) or "-",
        )
    reason_id, name = found
    return CheckedPlacement(
        REASON,
        reason_id=reason_id,
        chosen_reason_id=reason_id,
        reason_name=name,
        machine_reason_name=find_own_name(call.pk),
    )


def find_own_name(call_id: int) -> str:
    """Return the name of the reason that a call has without its review, "" for none."""
    own = read_own_names([call_id])
    if call_id in own:
        return own[call_id]
    return CallReason.objects.filter(call=call_id).values_list("reason__name", flat=True).first() or ""


def read_own_names(call_ids: Collection[int]) -> dict[int, str]:
    """Return the names of the reasons, "" for none, that calls have without the reviews that place them."""
    rows = ReviewedReason.objects.filter(call__in=call_ids).values_list("call_id", "reason__name")
    return {call: name or "" for call, name in rows}


def lift_reasons(call_ids: Collection[int]) -> list[int]:
    """Put these calls back where they are without their reviews; return those that a review had placed."""
    lifted = []
    for chunk in chunked(sorted(set(call_ids)), CHUNK):
        for kept in ReviewedReason.objects.filter(call__in=chunk).select_related("call"):
            CallReason.objects.filter(call=kept.call_id).delete()
            if kept.reason_id is not None:
                CallReason.objects.create(
                    call_id=kept.call_id,
                    project_id=kept.call.project_id,
                    reason_id=kept.reason_id,
                    is_fixed=kept.is_fixed,
                )
            lifted.append(kept.call_id)
        ReviewedReason.objects.filter(call__in=chunk).delete()
    return lifted


def settle_reasons(call_ids: Collection[int]) -> None:
    """Let these calls have the reasons that count: of their reviews, else their own.

    Call it after reviews.effect, which says which answers fit.
    """
    projects: dict[int, Project] = {}
    for chunk in chunked(sorted(set(call_ids)), CHUNK):
        placed = ReviewPlacement.objects.filter(
            review__call__in=chunk, review__is_current=True, kind=REASON, is_outdated=False
        )
        reasons: dict[int, ContactReason] = {}
        for each in placed.select_related("review"):
            project_id = each.review.project_id
            if project_id not in projects:
                projects[project_id] = Project.objects.get(pk=project_id)
            reason = _find_reason(projects[project_id], each)
            if reason is None:
                each.is_outdated = True
                each.save(update_fields=["is_outdated"])
            elif projects[project_id].configuration.reviews.counts == "final":
                reasons[each.review.call_id] = reason
        lift_reasons(set(chunk) - reasons.keys())
        _place(reasons)


def follow_merge(project: Project, merged: Collection[int], into: ContactReason) -> None:
    """Let what reviews say of merged reasons mean the one that they went into."""
    ReviewedReason.objects.filter(reason__in=merged).update(reason=into)
    ReviewPlacement.objects.filter(review__project=project, reason_id__in=merged).update(reason_id=into.pk)


def restore_meaning(project: Project, restored: Collection[int]) -> list[int]:
    """Let reviews mean the reasons again that they chose, where these are there again; return their calls."""
    chosen = ReviewPlacement.objects.filter(review__project=project, chosen_reason_id__in=restored)
    chosen.update(reason_id=F("chosen_reason_id"))
    current = chosen.filter(review__is_current=True, is_retired=False)
    calls = list(current.values_list("review__call_id", flat=True))
    effect.settle_calls(calls)
    return calls


def follow_names(project: Project) -> None:
    """Let what reviews say of contact reasons read as these are named now."""
    names = dict(ContactReason.objects.filter(project=project).values_list("pk", "name"))
    live = set(names.values())
    placements = ReviewPlacement.objects.filter(review__project=project, kind=REASON)
    for reason_id, old in list(placements.values_list("reason_id", "reason_name").distinct()):
        name = names.get(reason_id or 0, old)
        if name == old:
            continue
        stale = placements.filter(reason_id=reason_id, reason_name=old)
        if old and old not in live:
            # An answer that agreed before a reason was renamed does so afterwards. One that was merged
            # says what the call had then, so that the merge can be undone.
            agreeing = stale.filter(machine_reason_name=old, chosen_reason_id=reason_id)
            agreeing.update(reason_name=name, machine_reason_name=name)
        stale.update(reason_name=name)


def retire_moved(call_ids: Collection[int]) -> RetiredPlaces:
    """Let calls stay for good where a person has moved them, even where a review says the same.

    Return what restore_retired() takes.
    """
    retired: RetiredPlaces = {}
    for chunk in chunked(sorted(set(call_ids)), CHUNK):
        current = ReviewPlacement.objects.filter(
            review__call__in=chunk, review__is_current=True, kind=REASON, is_retired=False
        )
        calls = list(current.values_list("review__call_id", flat=True))
        kept = ReviewedReason.objects.filter(call__in=calls)
        retired.update(dict.fromkeys(calls))
        retired.update((row.call_id, (row.reason_id, row.is_fixed)) for row in kept)
        current.update(is_retired=True, is_outdated=True)
        kept.delete()
    return retired


def restore_retired(retired: RetiredPlaces) -> None:
    """Let reviews place calls again whose move was undone; the calls are back where they were.

    Call settle_reasons() afterwards: a review may have been withdrawn since.
    """
    for chunk in chunked(sorted(retired), CHUNK):
        ReviewPlacement.objects.filter(
            review__call__in=chunk, review__is_current=True, kind=REASON, is_retired=True
        ).update(is_retired=False)
        effect.settle_calls(chunk)
        own = {call: place for call in chunk if (place := retired[call]) is not None}
        live = set(
            ContactReason.objects.filter(pk__in={reason for reason, _ in own.values()}).values_list(
                "pk", flat=True
            )
        )
        ReviewedReason.objects.bulk_create(
            [
                ReviewedReason(call_id=call, reason_id=reason if reason in live else None, is_fixed=is_fixed)
                for call, (reason, is_fixed) in own.items()
            ],
            ignore_conflicts=True,
        )


def restore_own(own: Mapping[int, int]) -> None:
    """Let calls have these reasons without their reviews again, where both are there."""
    live = set(ContactReason.objects.filter(pk__in=set(own.values())).values_list("pk", flat=True))
    for call, reason in own.items():
        if reason in live:
            ReviewedReason.objects.filter(call=call).update(reason=reason)


def forget_names(project: Project, is_said: Callable[[str, bool], bool]) -> None:
    """Take names that are words of erased calls out of what reviews say of contact reasons.

    Nobody knows here which names a language model worded, so each is looked at in both ways.
    """
    for row in ReviewPlacement.objects.filter(review__project=project, kind=REASON).order_by("pk"):
        names = (row.reason_name, row.machine_reason_name)
        kept = ["" if is_said(name, False) or is_said(name, True) else name for name in names]
        if kept != [row.reason_name, row.machine_reason_name]:
            row.reason_name, row.machine_reason_name = kept
            row.save(update_fields=["reason_name", "machine_reason_name"])


def _find_reason(project: Project, placement: ReviewPlacement) -> ContactReason | None:
    """Return the reason that an answer means: by its number, else by its name; None where it is gone."""
    reasons = ContactReason.objects.filter(project=project)
    found = reasons.filter(pk=placement.reason_id or 0).first()
    found = found or reasons.filter(name=placement.reason_name or None).first()
    if found is None and project.configuration.contact_reasons.mode == "predefined":
        names = {name for _, name in list_choices(project)}
        if placement.reason_name in names:
            found = ContactReason.objects.create(project=project, name=placement.reason_name)
    if found is not None and placement.reason_id != found.pk:
        placement.reason_id = found.pk
        placement.chosen_reason_id = placement.chosen_reason_id or found.pk
        placement.save(update_fields=["reason_id", "chosen_reason_id"])
    return found


def _place(reasons: dict[int, ContactReason]) -> None:
    """Put each call where its review says; the reason lasts from then on."""
    here = {each.call_id: each for each in CallReason.objects.filter(call__in=list(reasons))}
    kept = set(ReviewedReason.objects.filter(call__in=list(reasons)).values_list("call_id", flat=True))
    for call_id, reason in reasons.items():
        place = here.get(call_id)
        if call_id not in kept:
            before = (place.reason_id, place.is_fixed) if place else (None, False)
            ReviewedReason.objects.create(call_id=call_id, reason_id=before[0], is_fixed=before[1])
        if place is None or place.reason_id != reason.pk or not place.is_fixed:
            CallReason.objects.update_or_create(
                call_id=call_id,
                defaults={"project_id": reason.project_id, "reason": reason, "is_fixed": True},
            )
        if reason.provisional_until is not None or reason.retired_at is not None:
            reason.provisional_until = reason.retired_at = None
            reason.save(update_fields=["provisional_until", "retired_at"])
