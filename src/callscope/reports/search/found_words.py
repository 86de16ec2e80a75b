"""Where a text says what was looked for, so that it can be marked.

Found as the search itself finds it: by stems, without case and accents, what is in quotes as a phrase.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from callscope.language.fold import fold_typography
from callscope.language.tokens import WORD
from callscope.reports.search.spoken_words import SpokenQuery, list_stems


class Place(NamedTuple):
    """A part of a text, in characters."""

    start: int
    end: int  # after the last


class _Stem(NamedTuple):
    stem: str
    place: Place  # of the word; a contraction has two stems in one place


def find_spoken(texts: Sequence[str], language: str, query: SpokenQuery) -> list[list[Place]]:
    """Return for each text where it says words and phrases of the query, in order, without overlaps.

    Where no text holds anything, as when a phrase goes on from one text to the next, the words of
    its phrases are found one by one.
    """
    read = [list(_read_stems(text, language)) for text in texts]
    found = [_merge(_find_words(stems, query.single) + _find_phrases(stems, query)) for stems in read]
    if not any(found):
        words = frozenset(form for word in query.words for form in word)
        found = [_merge(_find_words(stems, words)) for stems in read]
    return found


def find_part(text: str, part: str) -> list[Place]:
    """Return where `text` contains `part` in any case, as the search for a part of a name compares."""
    wanted = part.casefold()
    if not wanted:
        return []
    folded, origins = _fold(text, str.casefold)
    found, at = [], folded.find(wanted)
    while at >= 0:
        found.append(_place_of(origins, at, at + len(wanted), len(text)))
        at = folded.find(wanted, at + len(wanted))
    return _merge(found)


def _read_stems(text: str, language: str) -> Iterator[_Stem]:
    folded, origins = _fold(text, fold_typography)
    for word in WORD.finditer(folded):
        place = _place_of(origins, word.start(), word.end(), len(text))
        for stem in list_stems(word.group(), language):
            yield _Stem(stem, place)


def _fold(text: str, fold: Callable[[str], str]) -> tuple[str, Sequence[int]]:
    """Return the folded text, and for each of its characters the place of that which it comes from.

    Both ways to fold take each character by itself.
    """
    if text.isascii():
        return fold(text), range(len(text))
    parts = [fold(character) for character in text]
    return "".join(parts), [place for place, part in enumerate(parts) for _ in part]


def _place_of(origins: Sequence[int], start: int, end: int, length: int) -> Place:
    """Return the part of a text of so many characters that this part of its folded form comes from."""
    after = origins[end] if end < len(origins) else length  # past accents, which the folded form lacks
    return Place(origins[start], max(origins[end - 1] + 1, after))


def _find_words(stems: Sequence[_Stem], forms: frozenset[str]) -> list[Place]:
    return [each.place for each in stems if each.stem in forms]


def _find_phrases(stems: Sequence[_Stem], query: SpokenQuery) -> list[Place]:
    said = [each.stem for each in stems]
    found: list[Place] = []
    for form in (form.split() for phrase in query.phrases for form in phrase):
        starts = [at for at in range(len(said) - len(form) + 1) if said[at : at + len(form)] == form]
        found += [Place(stems[at].place.start, stems[at + len(form) - 1].place.end) for at in starts]
    return found


def _merge(places: list[Place]) -> list[Place]:
    merged: list[Place] = []
    for place in sorted(places):
        if merged and place.start < merged[-1].end:
            merged[-1] = Place(merged[-1].start, max(merged[-1].end, place.end))
        else:
            merged.append(place)
    return merged
