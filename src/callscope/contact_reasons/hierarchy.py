"""A second level where a project has more than twenty reasons: headings, each over reasons that are alike.

A heading is a reason without calls of its own. What is under one stays there; a new reason joins the heading
that it is near to, and new headings are made only where more than twenty lines would stand on the first
level. Where a person put a reason is where it stays. plan_headings() only reads, apply_headings() writes.
"""

import datetime as dt
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product

import numpy as np
from django.db.models import Q

from callscope.contact_reasons.models import ContactReason
from callscope.contact_reasons.naming import number_name, stands_alone
from callscope.engines.embeddings.protocol import Vectors
from callscope.language.detect import guess_language
from callscope.language.tokens import LANGUAGES, WORD, extract_content_words, stem_words
from callscope.language.wordlists import read_word_list
from callscope.projects.models import Project

MOST_FLAT = 20  # reasons that stand in one level
DISSOLVED = 15  # so few reasons need no headings any more; between both they stay as they are
FEWEST_MEMBERS = 2  # of a new heading
JOIN = 0.25  # cosine, less what all reasons have in common, from which a reason joins a heading
SHARED = 0.6  # of the calls under a heading that hold its first word; below, it takes a second one
SHORTEST_WORD = 3
HEADING_WORDS = 3
LONGEST_NAME = 6  # words of a reason's name that names its heading, too
MAX_NAME = 200  # characters of it
# How a heading is named after one of its reasons, in the language of their names; true as others join, too.
NAMED_AFTER = {"en": "{name} and similar", "es": "{name} y similares"}

LIGHT_STEMS = {
    language: frozenset(stem_words(sorted(read_word_list(__package__, f"light_words.{language}")), language))
    for language in LANGUAGES
}

NamedTopics = Sequence[tuple[str, Sequence[int]]]  # names that topics give, with the calls that say so


@dataclass(frozen=True, slots=True)
class Member:
    """A planned reason as the hierarchy sees it. `row` is its place in the plan."""

    row: int
    reason_id: int | None
    vector: Vectors  # one row of unit length
    names: NamedTopics


@dataclass(frozen=True, slots=True)
class PlannedHeading:
    """A heading and the planned reasons that come under it. Without an id it is new."""

    reason_id: int | None
    members: list[int]  # places in the plan
    worded: str = ""  # a name by a language model


def plan_headings(project: Project, members: Sequence[Member], now: dt.datetime) -> list[PlannedHeading]:
    """Return the headings that planned reasons come under, without those that stay where they are."""
    rows = {reason.pk: reason for reason in ContactReason.objects.filter(project=project)}
    headings = [reason for reason in rows.values() if reason.is_heading and lasts(reason, now)]
    if len(members) <= (DISSOLVED if headings else MOST_FLAT):
        return []
    lasting = {reason.pk for reason in headings}
    parents = {reason.parent_id for reason in rows.values()}
    places = place_members(members)
    under: dict[int, list[int]] = defaultdict(list)  # places in `members`, by heading
    free: list[int] = []
    for place, member in enumerate(members):
        reason = rows.get(member.reason_id or 0)
        if reason is not None and reason.parent_id in lasting:
            under[reason.parent_id].append(place)
        elif reason is None or not (reason.is_placed or reason.is_set_aside or reason.pk in parents):
            free.append(place)
    joining = join_headings(places, under, free)
    left = [place for place in free if not any(place in found for found in joining.values())]
    planned = [
        PlannedHeading(heading, [members[place].row for place in found])
        for heading, found in sorted(joining.items())
    ]
    if len(left) + len(headings) <= MOST_FLAT:
        return planned
    planned += [
        PlannedHeading(None, [members[place].row for place in group])
        for group in cluster_members(places, left)
    ]
    return planned


def apply_headings(
    project: Project,
    planned: Iterable[PlannedHeading],
    reason_ids: Mapping[int, int],
    topics: Mapping[int, NamedTopics],
    *,
    now: dt.datetime,
    settles_at: dt.datetime,
) -> None:
    """Write the headings.

    `reason_ids` and `topics` hold the reason of each place in the plan, and its topics with the calls that
    say so; those that only erased calls said are left out already.
    """
    reasons = ContactReason.objects.filter(project=project)
    rows = {reason.pk: reason for reason in reasons}
    provisional = {
        each.name.casefold(): each for each in rows.values() if each.is_heading and not lasts(each, now)
    }
    taken = {each.name.casefold() for each in rows.values()} - provisional.keys()
    parent_of: dict[int, int] = {}
    kept: set[int] = set()
    for each in planned:
        children = [reason_ids[row] for row in each.members if row in reason_ids]
        heading = rows.get(each.reason_id or 0)
        below = [row for row in each.members if row in topics]
        inside = [(rows[reason_ids[row]].name, topics[row]) for row in below]
        names = name_heading(inside, list(topics.values()))
        if heading is None and children and names:
            worded = [each.worded] if each.worded else []
            found = chain(worded, names, number_name(names[0]))
            name = next(name for name in found if name.casefold() not in taken)
            taken.add(name.casefold())
            new = ContactReason(project=project, name=name, is_heading=True, provisional_until=settles_at)
            heading = provisional.get(name.casefold(), new)
            heading.named_by_model = name in worded
            heading.save()
        if heading is not None:
            kept.add(heading.pk)
            parent_of.update(dict.fromkeys(children, heading.pk))
    temporary = {each.pk for each in provisional.values()}
    if len(reason_ids) <= DISSOLVED:
        temporary |= {r.pk for r in rows.values() if r.is_heading and not (r.renamed or r.is_pinned)} - kept
    for reason in rows.values():
        former = None if reason.parent_id in temporary else reason.parent_id
        parent = reason.parent_id if reason.is_placed else parent_of.get(reason.pk, former)
        if parent != reason.parent_id:
            reasons.filter(pk=reason.pk).update(parent=parent)
    remove_empty_headings(project)


def remove_empty_headings(project: Project) -> None:
    """Delete headings over nothing, unless a person named or pinned them."""
    empty = ContactReason.objects.filter(project=project, is_heading=True, children=None, calls=None)
    empty.filter(renamed=False, is_pinned=False).delete()


def lasts(reason: ContactReason, now: dt.datetime) -> bool:
    """Return whether a reason has stood so long, or was worked on by a person, that it stays."""
    return reason.renamed or reason.provisional_until is None or reason.provisional_until <= now


def holds_nothing() -> Q:
    """Return the condition of a reason that has no calls and is no heading over others."""
    return Q(calls__isnull=True) & ~Q(is_heading=True, children__isnull=False)


def name_heading(inside: Sequence[tuple[str, NamedTopics]], everywhere: Sequence[NamedTopics]) -> list[str]:
    """Return names for a heading over reasons with these names and topics, the best first.

    After a short name among them that says something and holds a word which tells them from the others, those
    with most calls first; without a short one after a phrase around such a word, and where callers said
    nothing longer, such words themselves.
    """
    topics = [names for _, names in inside]
    own, shown = count_words(topics)
    total, _ = count_words(everywhere)
    all_calls = sum(len(said_by) for names in topics for _, said_by in names) or 1
    order = sorted(own, key=lambda stem: (-own[stem] * own[stem] / total[stem], stem))[:HEADING_WORDS]
    words = [shown[stem] for stem in order]
    first = 1 if order and own[order[0]] >= SHARED * all_calls else 2
    listed = [", ".join(words[:number]) for number in range(min(first, len(words)), len(words) + 1) if number]
    short = [(name, names) for name, names in inside if is_short(name)]

    def rank(each: tuple[str, NamedTopics]) -> tuple[bool, int, int, str]:
        place = rank_words(each[0], order)
        calls = sum(len(said_by) for _, said_by in each[1])
        return not says_something(each[0]), place, -calls, each[0]

    named = [name for name, _ in sorted(short, key=rank)] or list_phrases(topics, order[:1])
    language = guess_language(". ".join(name for name, _ in inside)) or "en"
    return [name_after(name, language) for name in named] + [name[:1].upper() + name[1:] for name in listed]


def list_phrases(topics: Sequence[NamedTopics], stems: Sequence[str]) -> list[str]:
    """Return phrases of two words of substance that hold one of these stems, those of most calls first."""
    calls: Counter[str] = Counter()
    for names in topics:
        for name, said_by in names:
            language = guess_language(name) or "en"
            words = name.split()
            is_content = [
                word.isalpha() and len(extract_content_words(word, language)) == 1 for word in words
            ]
            for start, length in product(range(len(words) - 1), (2, 3)):
                phrase, framed = words[start : start + length], is_content[start : start + length]
                if len(phrase) == length and framed[0] and framed[-1] and sum(framed) == 2:
                    text = " ".join(phrase)
                    if rank_words(text, stems) < len(stems):
                        calls[text[:1].upper() + text[1:]] += len(said_by)
    ranked = sorted(calls, key=lambda phrase: (-calls[phrase], len(phrase), phrase))
    return [phrase for phrase in ranked if is_short(phrase)]


def says_something(name: str) -> bool:
    """Return whether a word of a name says what it is about: of "check it out" none does."""
    language = guess_language(name) or "en"
    words = [word for word in extract_content_words(name, language) if len(word) >= SHORTEST_WORD]
    return not LIGHT_STEMS[language].issuperset(stem_words(words, language))


def name_after(name: str, language: str) -> str:
    """Return the name of a heading after one of its reasons."""
    return NAMED_AFTER[language].format(name=name[:MAX_NAME])


def is_short(name: str) -> bool:
    """Return whether the name of a reason can name more than itself: a short phrase, and no sentence."""
    return stands_alone(name) and len(name.split()) <= LONGEST_NAME and not re.search(r"[.,;:?!…()]", name)


def rank_words(name: str, order: Sequence[str]) -> int:
    """Return the place of the first of these stems that the name holds; behind the last one without any."""
    held, _ = count_words([[(name, [0])]])
    return next((place for place, stem in enumerate(order) if stem in held), len(order))


def count_words(groups: Sequence[NamedTopics]) -> tuple[Counter[str], dict[str, str]]:
    """Return how many calls say each stem, and its most frequent form."""
    counts: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for names in groups:
        for name, said_by in names:
            language = guess_language(name) or "en"
            stems: set[str] = set()
            for word in WORD.findall(name.lower()):
                content = extract_content_words(word, language)
                if len(word) >= SHORTEST_WORD and word.isalpha() and len(content) == 1:
                    (stem,) = stem_words(content, language)
                    stems.add(stem)
                    forms[stem][word] += len(said_by)
            counts.update(dict.fromkeys(stems, len(said_by)))
    return counts, {stem: min(found, key=lambda word: (-found[word], word)) for stem, found in forms.items()}


def place_members(members: Sequence[Member]) -> Vectors:
    """Return one row a member, of unit length, without what all have in common."""
    rows = np.stack([member.vector for member in members]).astype(np.float64)
    rows -= rows.mean(axis=0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0), dtype=np.float32)


def join_headings(
    places: Vectors, under: Mapping[int, list[int]], free: Sequence[int]
) -> dict[int, list[int]]:
    """Return the free members by the heading that they are near to."""
    found: dict[int, list[int]] = defaultdict(list)
    ids = sorted(heading for heading in under if under[heading])
    if ids and free:
        centers = np.stack([places[under[heading]].mean(axis=0) for heading in ids])
        centers /= np.maximum(np.linalg.norm(centers, axis=1, keepdims=True), 1e-9)
        likeness = places[list(free)] @ centers.T
        for place, row in zip(free, likeness, strict=True):
            if row.max() >= JOIN:
                found[ids[int(row.argmax())]].append(place)
    return found


def cluster_members(places: Vectors, left: Sequence[int]) -> list[list[int]]:
    """Return groups of at least FEWEST_MEMBERS members by Ward's method, in the order of their first ones."""
    if len(left) < FEWEST_MEMBERS:
        return []
    from scipy.cluster import hierarchy  # here: few processes ever make headings

    tree = hierarchy.linkage(places[list(left)].astype(np.float64).round(6), method="ward")
    number = max(2, round(float(np.sqrt(1.5 * len(left)))))
    labels = hierarchy.fcluster(tree, number, criterion="maxclust")
    groups: dict[int, list[int]] = defaultdict(list)
    for place, label in zip(left, labels.tolist(), strict=True):
        groups[label].append(place)
    return sorted(group for group in groups.values() if len(group) >= FEWEST_MEMBERS)
