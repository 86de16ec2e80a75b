"""Search: a case-insensitive substring of file name, topic, contact reason, caller number or campaign.

Case is folded by Python for the stored text and for the query, so that "STRASSE" finds
"Straße" on every database. Indexes of three-character pieces and, on SQLite, of words
find the candidates where there are any; the text itself decides.
"""

import json
import re
import time
from collections.abc import Sequence
from typing import Any

from django.db import connection, models
from django.db.models.expressions import RawSQL
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from callscope.db import raw_sql
from callscope.db.transactions import run_in_transaction
from callscope.reports.models import CallText
from callscope.reports.search.samples import (
    PIECE,
    SAMPLE,
    Sample,
    count_texts,
    place_sample,
    take_sample,
)

# A noncharacter keeps a match within one field; it is replaced where a text holds it.
SEPARATOR = "\ufdd0"
REPLACEMENT = "\ufffd"
MOST_PIECES = 24  # that are looked for; enough to leave few candidates
MOST_WORDS = 9  # whose rarity is looked at on PostgreSQL
READS_PER_MATCH = 5  # texts that may be read for each match that is wanted at most
INDEX = "reports_callpieces"
WORD_INDEX = "reports_callwords"
MERGED_PAGES = 2000  # of an index, by one step
NOTHING_MERGED = 2  # rows; a step that changes fewer had nothing left to do
FEW = 2000  # matches that are cheaper to name than to look for again
MANY = 1_000_000  # matches; more are not held in memory
LARGE = {"postgresql": 200_000, "sqlite": 20_000}  # calls, from which a sample tells which pieces are rare
WORD_TEXTS = 2000  # of a sample for words, each time
WORD = re.compile(r"[a-z0-9]{2,}", re.ASCII)
HARDLY_MORE = 2  # times as many calls
# A word that begins within what is looked for; the index of SQLite knows where words begin and end.
BEGUN_WORD = re.compile(r"(?<=[\x01-\x7f])(?<![a-z0-9])[a-z0-9]{5,}", re.ASCII)
RARE_SHARE = 0.05  # of the texts that hold its rarest piece: words that are looked for on SQLite
READ_IN_ORDER = 0.2  # of the texts, from which it is quicker to read them all
LONGEST = 10_000  # characters; longer than any text of a call

Matches = list[int] | models.QuerySet[Any, int]  # ids of calls


def build_search_text(*fields: str) -> str:
    """Return the stored form of the searched fields of one call."""
    return SEPARATOR.join([field.replace(SEPARATOR, REPLACEMENT) for field in fields]).casefold()


def index_texts(texts: Sequence[tuple[int, str]]) -> None:
    """Add stored texts, by call, to the indexes of pieces and words, in the transaction that stores them.

    PostgreSQL does so itself, and a text that goes takes its entries along on either database.
    """
    if connection.vendor != "sqlite":
        return
    for index in (INDEX, WORD_INDEX):
        if has_index(index):
            with connection.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO {index}(rowid, text) VALUES (%s, %s)",  # noqa: S608 - our own name
                    texts,
                )


def merge_texts(until: float) -> bool:
    """Take erased texts out of the indexes of pieces and words, as merge_index() does."""
    return merge_index(INDEX, until) and merge_index(WORD_INDEX, until)


def merge_index(index: str, until: float) -> bool:
    """Take erased texts out of an index on SQLite; False if the time was over before the end.

    A text that goes leaves its pieces in older parts of the index, marked as gone, until these are
    merged. Each step is a transaction of its own, so that writers come between. `until` is a
    moment of time.monotonic(). Call it outside transactions.
    """
    if connection.vendor != "sqlite" or not has_index(index):
        return True
    pages = -MERGED_PAGES  # a negative number begins to merge all parts into one; it may go on from there
    while time.monotonic() < until:
        if run_in_transaction(lambda pages=pages: _merge_pages(index, pages)) < NOTHING_MERGED:  # type: ignore[misc]
            return True
        pages = MERGED_PAGES
    return False


def _merge_pages(index: str, pages: int) -> int:
    """Merge parts of an index and return how many rows that changed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT total_changes()")
        before = cursor.fetchone()[0]
        cursor.execute(f"INSERT INTO {index}({index}, rank) VALUES ('merge', %s)", [pages])  # noqa: S608
        cursor.execute("SELECT total_changes()")
        changed: int = cursor.fetchone()[0] - before
    return changed


def _fold(text: str) -> str:
    return text.replace(SEPARATOR, REPLACEMENT).casefold()


def find_matching_calls(query: str) -> "Matches":
    """Return the ids of the calls whose text contains `query`; a queryset where they are many."""
    folded = _fold(query)
    if "\x00" in folded or len(folded) > LONGEST:  # in no text; PostgreSQL refuses NUL, SQLite long patterns
        return []
    return _find_on_sqlite(folded) if connection.vendor == "sqlite" else _find_on_postgresql(folded)


def _find_on_postgresql(folded: str) -> "Matches":
    contains = models.Q(text__contains=folded)  # LIKE, which the index serves
    everywhere = CallText.objects.filter(contains).values_list("pk", flat=True)
    if len(folded) < PIECE:
        return everywhere
    if rare := _choose_rare_pieces(folded):
        holds_pieces = "text LIKE %s AND " * len(rare)
        statement = f"SELECT call_id FROM reports_calltext WHERE {holds_pieces}strpos(text, %s) > 0 LIMIT %s"  # noqa: S608
        found = raw_sql.fetch_rows(statement, (*(f"%{piece}%" for piece in rare), folded, FEW + 1))
        if len(found) <= FEW:
            return [pk for (pk,) in found]
    if word := choose_word(folded):
        holds_all = GreaterThan(StrIndex("text", models.Value(folded)), 0)
        everywhere = CallText.objects.filter(holds_all, text__contains=word).values_list("pk", flat=True)
    first = list(everywhere[: FEW + 1])
    return first if len(first) <= FEW else everywhere


def _choose_rare_pieces(folded: str) -> list[str]:
    """Return the pieces by which the index of PostgreSQL finds few calls; none where there may be no such.

    It walks the entries of every piece that it is asked for, of which some are in each call. A sample
    of the calls tells how frequent pieces are, alone and together.
    """
    known = count_texts()
    if known < LARGE[connection.vendor]:
        return []
    chosen, share = take_sample(known).choose(folded)
    return chosen if known * share <= FEW * READS_PER_MATCH else []


def choose_word(folded: str) -> str | None:
    """Return a word of the text that hardly more calls of PostgreSQL hold than all of it, or None.

    The index passes fewer entries for a word than for all of them, each time that the
    calls are counted and listed. What stands around a word is part of it: the index knows where words begin.
    """
    known = count_texts()
    words = [folded[max(0, found.start() - 1) : found.end() + 1] for found in WORD.finditer(folded)]
    words = [word for word in words if PIECE <= len(word) < len(folded)][:MOST_WORDS]
    if known < LARGE[connection.vendor] or not words:
        return None
    counts = ", ".join(["count(*) FILTER (WHERE strpos(text, %s) > 0)"] * (len(words) + 1))
    parameters = (folded, *words, *place_sample(known, WORD_TEXTS))
    [(of_all, *found_in)] = raw_sql.fetch_rows(f"SELECT {counts} {SAMPLE}", parameters)
    count, word = min(zip(found_in, words, strict=True))
    return word if count <= max(of_all, 1) * HARDLY_MORE else None


def _find_on_sqlite(folded: str) -> "Matches":
    """Return the calls that hold the text: by a rare word in it, else by pieces, else looking into all texts.

    Each text is read once, however often the calls are counted and listed.
    """
    has_pieces = len(folded) >= PIECE and has_index(INDEX)
    known = count_texts() if has_pieces else 0
    sample = take_sample(known) if has_pieces and known >= LARGE[connection.vendor] else None
    pieces, share = _choose_pieces(folded, sample) if has_pieces else ([], 1.0)
    if pieces and sample is not None and (word := _choose_rare_word(folded, sample)):
        statement = f"SELECT rowid FROM {WORD_INDEX} WHERE {WORD_INDEX} MATCH %s LIMIT %s"  # noqa: S608
        candidates = [pk for (pk,) in raw_sql.fetch_rows(statement, (word, FEW + 1))]
        if len(candidates) <= FEW:
            among = "call_id IN (SELECT value FROM json_each(%s)) AND instr(text, %s) > 0"
            found_among = f"SELECT call_id FROM reports_calltext WHERE {among}"  # noqa: S608
            return [pk for (pk,) in raw_sql.fetch_rows(found_among, (json.dumps(candidates), folded))]
    texts = "reports_calltext t"
    parameters: tuple[str, ...] = ()
    if pieces and share <= READ_IN_ORDER:
        texts = f"{INDEX} p CROSS JOIN reports_calltext t ON t.call_id = p.rowid AND {INDEX} MATCH %s"
        parameters = (" AND ".join(map(_quote, pieces)),)
    statement = f"SELECT t.call_id FROM {texts} WHERE instr(t.text, %s) > 0 LIMIT %s"  # noqa: S608
    gathered = f"SELECT json_group_array(call_id) FROM ({statement})"  # noqa: S608
    [(found,)] = raw_sql.fetch_rows(gathered, (*parameters, folded, MANY + 1))
    matches = found.count(",") + 1
    if matches <= FEW:
        return list(json.loads(found))
    if matches <= MANY:
        gathered_ids = RawSQL("SELECT value FROM json_each(%s)", (found,))
        return CallText.objects.filter(pk__in=gathered_ids).values_list("pk", flat=True)
    holds_all = GreaterThan(StrIndex("text", models.Value(folded)), 0)
    return CallText.objects.filter(holds_all).values_list("pk", flat=True)


def _choose_pieces(folded: str, sample: Sample | None) -> tuple[list[str], float]:
    """Return the pieces by which SQLite finds candidates, and which share of the texts these may be.

    In a small table, of which there is no sample, that is every third one; a sample tells which are rare.
    """
    if sample is not None:
        return sample.choose(folded)
    starts = range(0, len(folded) - PIECE + 1, PIECE)
    return [folded[start : start + PIECE] for start in starts][:MOST_PIECES], 0.0


def _choose_rare_word(folded: str, sample: Sample) -> str | None:
    """Return the query for the rarest word that begins within the text, if there is one that is rare at all.

    A word is rarer than each of its pieces, of which a number shares every one with many others. The last
    word may go on in a text; the index would gather all such words before the first call, were they frequent.
    """
    words = {found[0]: found.end() for found in BEGUN_WORD.finditer(folded)}
    if not words or not has_index(WORD_INDEX):
        return None
    shares = {word: sample.share(word) for word in words}
    word = min(shares, key=lambda each: shares[each])
    if shares[word] > RARE_SHARE:
        return None
    follower = folded[words[word] : words[word] + 1]
    return _quote(word) + ("" if follower and follower.isascii() else "*")


def _quote(term: str) -> str:
    """Return a term of a query of FTS5."""
    return '"' + term.replace('"', '""') + '"'


def has_index(name: str) -> bool:
    """True if SQLite has this index; its build may lack FTS5."""
    return bool(raw_sql.fetch_rows("SELECT 1 FROM sqlite_master WHERE name = %s", (name,)))
