"""Snippets: where a call says the words that were looked for, from its stored segments."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from callscope.language.tokens import WORD
from callscope.reports.call_list.call_rows import CallItem
from callscope.reports.search.found_words import Place, find_spoken
from callscope.reports.search.spoken_words import SpokenQuery, list_stems, parse_spoken_query
from callscope.transcription.models import Transcript

MOST_SNIPPETS = 3  # of a call
LONGEST = 240  # characters of a snippet
BEFORE = 80  # characters before the first word that was found, in a segment that is longer
Segment = Mapping[str, Any]  # see transcription.models.Transcript.segments
PHRASE = 100  # a phrase counts more than any number of words


class Snippet(msgspec.Struct, frozen=True, gc=False):
    """A segment of a transcript that says what was looked for."""

    start: float | None  # seconds
    speaker: str | None  # agent or customer
    text: str
    found: list[Place]  # where the text says what was looked for


class FoundCallItem(CallItem, frozen=True, gc=False):
    """A call of the list, with where it says what was looked for."""

    snippets: list[Snippet]


def add_snippets(items: Sequence[CallItem], text: str) -> list[CallItem]:
    """Return the items with the snippets that the query `text` finds in them."""
    query = parse_spoken_query(text)
    calls = [item.id for item in items]
    spoken = Transcript.objects.filter(file__analysis__call__in=calls, file__analysis__is_live=True)
    found = {
        call: choose_segments(cast(list[Segment], segments or []), language, query)
        for call, language, segments in spoken.values_list("file__analysis__call_id", "language", "segments")
    }
    return [FoundCallItem(**msgspec.structs.asdict(item), snippets=found.get(item.id, [])) for item in items]


def choose_segments(segments: Sequence[Segment], language: str, query: SpokenQuery) -> list[Snippet]:
    """Return the segments that say most of what is looked for, in the order in which they were said.

    A segment with nothing but words of a phrase is shown only where none has the phrase or another word:
    it may go on from one segment to the next.
    """
    rated = _rate_segments(segments, language, query)
    best = [each for each in rated if each.is_found] or rated
    chosen = [segments[number] for number in sorted(each.number for each in sorted(best)[:MOST_SNIPPETS])]
    texts = [shorten_text(str(segment["text"]), language, query) for segment in chosen]
    return [
        Snippet(start=segment.get("start"), speaker=segment.get("speaker") or None, text=text, found=found)
        for segment, text, found in zip(chosen, texts, find_spoken(texts, language, query), strict=True)
    ]


class _Rated(NamedTuple):
    """A segment that says any of the words; the best is the lowest."""

    rating: int
    number: int
    is_found: bool  # it says a phrase, or a word that is looked for outside of phrases


def _rate_segments(segments: Sequence[Segment], language: str, query: SpokenQuery) -> list[_Rated]:
    rated = []
    for number, segment in enumerate(segments):
        stems = list_stems(str(segment.get("text") or ""), language)
        said, text = set(stems), f" {' '.join(stems)} "
        rating = sum(not said.isdisjoint(word) for word in query.words)
        phrases = sum(any(form in text for form in phrase) for phrase in query.phrases)
        if rating or phrases:
            is_found = bool(phrases) or not said.isdisjoint(query.single)
            rated.append(_Rated(-rating - PHRASE * phrases, number, is_found))
    return rated


def shorten_text(text: str, language: str, query: SpokenQuery) -> str:
    """Return the text, or a part of it around the first word that was looked for."""
    if len(text) <= LONGEST:
        return text
    forms = {form for word in query.words for form in word}
    places = (m.start() for m in WORD.finditer(text) if not forms.isdisjoint(list_stems(m.group(), language)))
    at = max(0, next(places, 0) - BEFORE)
    start = text.find(" ", at) + 1 if at else 0
    part = text[start : start + LONGEST].strip()
    return ("…" if start else "") + part + ("…" if start + LONGEST < len(text) else "")
