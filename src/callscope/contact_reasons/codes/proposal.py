"""The codes that the reasons of a project would make, before anything is changed."""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from callscope.calls.private_words import engines_for_projects
from callscope.contact_reasons.assignment import list_codes
from callscope.contact_reasons.codes.phrases import choose_phrases
from callscope.contact_reasons.codes.wish import Wish
from callscope.contact_reasons.grouping import read_topics
from callscope.contact_reasons.listing import ReasonRow, list_reasons
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.engines.embeddings.protocol import Embedder
from callscope.engines.errors import EngineMissing
from callscope.language.detect import guess_language
from callscope.projects.configuration import Configuration, Pattern
from callscope.projects.models import Project

logger = logging.getLogger(__name__)

LATEST = 20_000  # calls whose topics may become phrases


@dataclass(frozen=True, slots=True)
class ProposedCode:
    """One reason as it would be a code."""

    reason: int
    project: int
    code: str
    description: str
    phrases: list[str]
    calls: int
    is_pinned: bool


def list_candidates(project: Project) -> list[ReasonRow]:
    """Return the reasons that can become codes, those with most calls first.

    Headings cannot, nor can reasons that are set aside, and in a predefined project its codes are there
    already, that of the rest among them.
    """
    coded = set(list_codes(project.configuration) or ())
    return [
        row
        for row in list_reasons([project.pk])
        if not (row.is_heading or row.is_set_aside or row.name in coded)
    ]


def has_candidates(project: Project) -> bool:
    """Return whether list_candidates has any, without reading them."""
    found = ContactReason.objects.filter(
        project=project, retired_at=None, is_heading=False, is_set_aside=False
    )
    return found.exclude(name__in=list_codes(project.configuration) or ()).exists()


def propose_codes(project: Project, only: Collection[int] | None = None) -> list[ProposedCode]:
    """Return what the reasons of a project would be as codes, those with most calls first.

    `only` has the ids of those that are asked for: the phrases of thousands take an embedder many seconds.
    """
    config = project.configuration
    rows = [row for row in list_candidates(project) if only is None or row.id in only]
    if not rows:
        return []
    topics = _count_topics(project)
    everywhere: Counter[str] = Counter()
    for counts in topics.values():
        everywhere.update(counts)
    embedder: Embedder | None = None  # then the most frequent topics stand for a reason
    try:
        embedder = engines_for_projects(project).embedder
    except EngineMissing as error:
        logger.warning("Codes are proposed without comparing topics: %s", error)
    proposed = []
    for row in rows:
        counts = topics.get(row.id, Counter())
        foreign = {topic for topic, calls in counts.items() if calls * 2 <= everywhere[topic]}
        phrases = choose_phrases(counts, find_language(config, counts), embedder, foreign)
        proposed.append(
            ProposedCode(row.id, project.pk, row.name, row.description, phrases, row.calls, row.is_pinned)
        )
    return proposed


def complete_wish(project: Project, wish: Wish) -> Wish:
    """Return the wish with phrases where it names none: those that the code has, else those proposed."""
    if all(each.phrases is not None for each in wish.chosen):
        return wish
    proposed: dict[int, Sequence[str | Pattern]] = {
        each.reason: each.phrases
        for each in propose_codes(project, {each.reason for each in wish.chosen if each.phrases is None})
    }
    coded = {each.code: each.phrases for each in project.configuration.contact_reasons.codes if each.phrases}
    codes = ContactReason.objects.filter(project=project, name__in=coded)
    proposed |= {reason: coded[name] for reason, name in codes.values_list("pk", "name")}
    chosen = [
        each if each.phrases is not None else replace(each, phrases=proposed.get(each.reason, ()))
        for each in wish.chosen
    ]
    return replace(wish, chosen=chosen)


def find_language(config: Configuration, topics: Collection[str]) -> str:
    """Return the language of topics: that of the project, or their own where its calls differ."""
    return config.language if config.language != "auto" else guess_language(". ".join(topics)) or "en"


def _count_topics(project: Project) -> dict[int, Counter[str]]:
    """Return the calls of each topic by reason, over the latest calls."""
    placed = CallReason.objects.filter(project=project).order_by("-call_id")
    reason_of = dict(placed.values_list("call_id", "reason_id")[:LATEST])
    counts: dict[int, Counter[str]] = {}
    if reason_of:
        for topic, call in read_topics(project=project, call__gte=min(reason_of)):
            if call in reason_of:
                counts.setdefault(reason_of[call], Counter())[topic] += 1
    return counts
