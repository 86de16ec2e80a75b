"""Full-text search in what was said: the stems of every transcript, and the calls that say some words.

index_transcript() writes the stems of a transcript in the transaction that stores it; they go with
it, whatever removes it: a foreign key takes the row along, and on SQLite a trigger the entry of the
index. Text is stemmed by Python, so that both databases find the same and no query reaches their
query languages. Stemmed by the language of the transcript; a query is read in all languages.
docs/adr/0020 says why.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection, transaction
from django.db.models.expressions import RawSQL

from callscope.calls.models import Call
from callscope.db import raw_sql
from callscope.db.index_scans import prefer_indexes
from callscope.language.tokens import LANGUAGES, stem_words, tokenize
from callscope.reports.models import SpokenWords
from callscope.reports.search.call_texts import FEW, Matches, has_index, merge_index
from callscope.transcription.models import Transcript

INDEX = "reports_spokenindex"
MAX_STEM = 64  # characters; longer words are cut
MAX_STEMS = 10_000  # different ones of a transcript: PostgreSQL bounds them, and no talk of hours has more
TURN = "."  # between the turns of two speakers, so that no phrase spans them
PLAIN = re.compile(r"[a-z0-9]+", re.ASCII)
CODED = "0u"  # begins the stems that are written as the digits of their letters
QUOTED = re.compile(r'["“”«»„]')
# PostgreSQL keeps a text out of its row only where the row is longer than 2 kB; spaces are compressed away.
WIDTH = 2100  # characters
# What the index of PostgreSQL holds; spelled as in the migration, which only then serves.
VECTOR = "array_to_tsvector(string_to_array(btrim(text), ' '))"

_state = {"indexed_up_to": 0}  # of index_missing(), in this process


@dataclass(frozen=True, slots=True)
class SpokenQuery:
    """What is looked for: each word and each phrase in all the forms that a transcript may hold."""

    words: tuple[tuple[str, ...], ...]  # those of phrases, too
    phrases: tuple[tuple[str, ...], ...]
    single: frozenset[str] = frozenset()  # forms of the words that are looked for outside of phrases


def parse_spoken_query(text: str) -> SpokenQuery:
    """Return the words of a query, all of which are looked for, and what stands in quotes as phrases."""
    words: dict[tuple[str, ...], None] = {}
    phrases: dict[tuple[str, ...], None] = {}
    single: set[str] = set()
    for number, part in enumerate(QUOTED.split(text)):
        tokens = tokenize(part)
        # Words of no language stay as they are; transcripts of other languages hold those.
        forms = [[encode_stem(stem) for stem in stem_words(tokens, each)] for each in (*LANGUAGES, "")]
        words.update(dict.fromkeys(tuple(dict.fromkeys(word)) for word in zip(*forms, strict=True)))
        if number % 2 and len(tokens) > 1:
            phrases[tuple(dict.fromkeys(f" {' '.join(form)} " for form in forms))] = None
        else:
            single.update(stem for form in forms for stem in form)
    return SpokenQuery(tuple(words), tuple(phrases), frozenset(single))


def build_text(segments: Sequence[Mapping[str, Any]], language: str) -> str:
    """Return the stored form of a transcript: its stems in order, each with a space on either side."""
    parts: list[str] = []
    known: set[str] = set()
    speaker = None
    for segment in segments:
        if parts and segment.get("speaker") != speaker:
            parts.append(TURN)
        speaker = segment.get("speaker")
        for stem in list_stems(str(segment.get("text") or ""), language):
            if stem in known or len(known) < MAX_STEMS:
                known.add(stem)
                parts.append(stem)
    return f" {' '.join(parts)} "


def list_stems(text: str, language: str) -> list[str]:
    """Return the stems of a text in order, as they are indexed."""
    return [_encode_word(word, language[:2]) for word in tokenize(text)]


@lru_cache(maxsize=100_000)  # a page of snippets reads 7,000 words, 1,000 different ones
def _encode_word(word: str, language: str) -> str:
    [stem] = stem_words([word], language)
    return encode_stem(stem)


def encode_stem(stem: str) -> str:
    """Return a stem in ASCII letters and digits, which every tokenizer takes for one word."""
    if PLAIN.fullmatch(stem) and not stem.startswith(CODED):
        return stem[:MAX_STEM]
    return (CODED + stem.encode("utf-8", "surrogatepass").hex())[:MAX_STEM]


def index_transcript(transcript: Transcript) -> None:
    """Index what a transcript says, in place of what it said before.

    Call it in the transaction that stores the transcript.
    """
    SpokenWords.objects.filter(pk=transcript.pk).delete()
    store_stems([(transcript.pk, build_text(transcript.segments or [], transcript.language))])


def index_missing(most: int = 200) -> int:
    """Index transcripts of an older version, or of a backup, at most so many; return how many there were.

    It goes on where it ended in this process, so that it costs nothing once all are indexed.
    """
    missing = Transcript.objects.filter(pk__gt=_state["indexed_up_to"], spoken=None).order_by("pk")
    with transaction.atomic():
        found = list(missing.select_for_update(of=("self",)).only("segments", "language")[:most])
        store_stems((each.pk, build_text(each.segments or [], each.language)) for each in found)
    _state["indexed_up_to"] = max((each.pk for each in found), default=_state["indexed_up_to"])
    return len(found)


def merge(until: float) -> bool:
    """Take erased words out of the index on SQLite, as search.merge_texts() does."""
    return merge_index(INDEX, until)


def store_stems(stored: Iterable[tuple[int, str]]) -> None:
    """Store and index (id of a transcript, its stems); none of them may have stems yet."""
    width = WIDTH if connection.vendor == "postgresql" else 0
    rows = [(pk, text.ljust(width)) for pk, text in stored]
    SpokenWords.objects.bulk_create(SpokenWords(transcript_id=pk, text=text) for pk, text in rows)
    if rows and connection.vendor == "sqlite" and has_index(INDEX):
        with connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {INDEX}(rowid, text) VALUES (%s, %s)", rows)  # noqa: S608


def find_calls_saying(text: str) -> Matches:
    """Return the ids of the calls whose live results come from a transcript with all these words.

    A queryset where they are many.
    """
    query = parse_spoken_query(text)
    if not query.words:
        return []
    said, parameters = select_spoken_calls(query)
    # Read once and as one text: a list is counted, ordered and read, and 200,000 integers take 7 MB.
    is_postgresql = connection.vendor == "postgresql"
    gathered = "json_agg(call_id)::text" if is_postgresql else "json_group_array(call_id)"
    with prefer_indexes():
        [(found,)] = raw_sql.fetch_rows(f"SELECT {gathered}{said}", parameters)
    if not found or found.count(",") < FEW:
        return list(json.loads(found or "[]"))
    values = (
        "value::bigint FROM json_array_elements_text(%s::json)"
        if is_postgresql
        else "value FROM json_each(%s)"
    )
    live = Call.objects.filter(pk__in=RawSQL(f"SELECT {values}", (found,)))  # noqa: S611 - our own words
    return live.values_list("pk", flat=True)


def select_spoken_calls(query: SpokenQuery) -> tuple[str, tuple[str, ...]]:
    """Return FROM and WHERE of the calls, `c`, that say all this, and the parameters.

    The joins are in the order in which both databases do best to read: the index, the narrow rows
    of the calls, and the texts only where phrases are looked for.
    """
    with_text = "reports_spokenwords w CROSS JOIN reports_spokencall c"
    of_same = "c.transcript_id = w.transcript_id"
    words: tuple[str, ...]
    parameters: tuple[str, ...]
    if connection.vendor == "postgresql":
        read, same, words = with_text, of_same, (f"{VECTOR} @@ %s::tsquery",)
        parameters = (_join(query.words, "'", "&", "|"),)
    elif has_index(INDEX):
        read, same, words = (
            f"{INDEX} i CROSS JOIN reports_spokencall c",
            "c.transcript_id = i.rowid",
            (f"{INDEX} MATCH %s",),
        )
        if query.phrases:
            read += " CROSS JOIN reports_spokenwords w"
            same += " AND w.transcript_id = i.rowid"
        parameters = (_join(query.words, '"', "AND", "OR"),)
    else:
        read, same = with_text, of_same
        words, parameters = _require_each([f" {form} " for form in word] for word in query.words)
    phrases, forms = _require_each(query.phrases)
    return f" FROM {read} WHERE {' AND '.join([same, *words, *phrases])}", (*parameters, *forms)


def find_saying_among(call_ids: Sequence[int], query: SpokenQuery) -> set[int]:
    """Return those of these calls that say all this, read without an index: for few calls."""
    words, forms = _require_each([f" {form} " for form in word] for word in query.words)
    phrases, more = _require_each(query.phrases)
    statement = (
        f"SELECT c.call_id FROM reports_spokencall c JOIN reports_spokenwords w"  # noqa: S608 - our own words
        f" ON w.transcript_id = c.transcript_id WHERE c.call_id IN ({', '.join(['%s'] * len(call_ids))})"
        f" AND {' AND '.join((*words, *phrases))}"
    )
    return {row[0] for row in raw_sql.fetch_rows(statement, (*call_ids, *forms, *more))}


def _require_each(wanted: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a condition for each that one of its forms stands in the text, `w`, and their parameters."""
    place = "strpos(w.text, %s)" if connection.vendor == "postgresql" else "instr(w.text, %s)"
    chosen = list(wanted)
    conditions = tuple(f"({' OR '.join([f'{place} > 0'] * len(forms))})" for forms in chosen)
    return conditions, tuple(form for forms in chosen for form in forms)


def _join(words: Iterable[Sequence[str]], quote: str, both: str, either: str) -> str:
    """Return a query in the language of a database: all words, each in one of its forms."""
    each = (f" {either} ".join(f"{quote}{form}{quote}" for form in word) for word in words)
    return f" {both} ".join(f"({forms})" for forms in each)
