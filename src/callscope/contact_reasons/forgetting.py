"""What reasons keep of calls that were erased: their names are words that callers said."""

from collections import Counter
from collections.abc import Collection
from itertools import chain

from django.db.models import Q
from django.utils import timezone

from callscope.contact_reasons import reviewed
from callscope.contact_reasons.grouping import BATCH, read_topics
from callscope.contact_reasons.hierarchy import holds_nothing, name_after, remove_empty_headings
from callscope.contact_reasons.history import forget_names, list_worded_names
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.contact_reasons.naming import (
    capitalize_topic,
    number_name,
    stands_alone,
    to_name,
    without_number,
)
from callscope.db.chunks import chunked
from callscope.language.detect import guess_language
from callscope.language.tokens import tokenize
from callscope.projects.models import Project


def forget_calls(project: Project, topics: Collection[str]) -> tuple[int, list[int]]:
    """Erase what the reasons of a project keep of calls that were erased; `topics` are what these were about.

    Reasons without calls go, but for a name that a person chose, which loses its centroid. A reason
    that is named after words which no call says any more is named after another topic of its calls.
    Returns how many reasons went, and the ids of the calls whose reason has another name now.
    """
    empty = ContactReason.objects.filter(holds_nothing(), project=project, is_pinned=False)
    gone = list(empty.filter(renamed=False).values_list("pk", flat=True))
    ContactReason.objects.filter(pk__in=gone).delete()
    remove_empty_headings(project)
    empty.update(centroid=None, retired_at=timezone.now())
    if project.configuration.contact_reasons.mode == "predefined":
        return len(gone), []
    # Names of older versions are the topic itself.
    said = {form(topic).casefold() for topic in topics for form in (to_name, capitalize_topic)}

    unsaid = find_unsaid_words(project, topics)

    def is_said(name: str, is_worded: bool) -> bool:
        if is_worded:  # it may hold any word of the topics that it was made of
            return not unsaid.isdisjoint(tokenize(name))
        return without_number(name).casefold() in said

    forget_names(project, is_said)
    reviewed.forget_names(project, is_said)
    changed: list[int] = []
    for reason in ContactReason.objects.filter(project=project, renamed=False):
        if is_said(reason.name, reason.named_by_model or reason.is_heading):
            changed += _name_after_remaining_calls(reason)
    return len(gone), sorted(changed)


def find_unsaid_words(project: Project, topics: Collection[str]) -> set[str]:
    """Return the words of erased topics that are in names made of several, and in no topic any more."""
    worded = Q(named_by_model=True) | Q(is_heading=True)
    named = ContactReason.objects.filter(worded, project=project, renamed=False)
    names = [*named.values_list("name", flat=True), *list_worded_names(project)]
    left = {word for name in names for word in tokenize(name)} & {
        word for topic in topics for word in tokenize(topic)
    }
    if left:
        for topic, _ in read_topics(project=project):
            left.difference_update(tokenize(topic))
            if not left:
                break
    return left


def _name_after_remaining_calls(reason: ContactReason) -> list[int]:
    """Name the reason after the most frequent topic of its calls, and return their ids if that is new."""
    own = Q(reason__parent=reason) if reason.is_heading else Q(reason=reason)
    calls = sorted(CallReason.objects.filter(own).values_list("call_id", flat=True))
    counts: Counter[str] = Counter()
    for chunk in chunked(calls, BATCH):
        counts.update(to_name(topic) for topic, _ in read_topics(call__in=chunk))
    names = sorted((name for name, _ in counts.most_common()), key=lambda name: not stands_alone(name))
    if reason.is_heading:
        language = guess_language(". ".join(names)) or "en"
        names = [name_after(name, language) for name in names]
    if not names or without_number(reason.name) in names:
        return []
    others = ContactReason.objects.filter(project=reason.project_id).exclude(pk=reason.pk)
    taken = {name.casefold() for name in others.values_list("name", flat=True)}
    reason.name = next(n for n in chain(names, number_name(names[0])) if n.casefold() not in taken)
    reason.named_by_model = False
    reason.save(update_fields=["name", "named_by_model"])
    return [] if reason.is_heading else calls
