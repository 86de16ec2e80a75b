"""Search: a case-insensitive substring of file name, topic, contact reason, caller number or campaign.

Case is folded by Python for the stored text and for the query, so that "STRASSE" finds
"Straße" on every database. An index of three-character pieces
finds the candidates where there is one; the text itself decides.
"""

import re
import time
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from callscope.db import raw_sql
from callscope.db.transactions import run_in_transaction
from callscope.reports.models import CallText
from callscope.reports.search.samples import (
    PIECE,
    RARE_PIECES,
    SAMPLE,
    count_texts,
    place_sample,
    take_sample,
)

# A noncharacter keeps a match within one field; it is replaced where a text holds it.
SEPARATOR = "\ufdd0"
REPLACEMENT = "\ufffd"
MOST_PIECES = 24  # of what is looked for; enough to leave few candidates
MOST_SAMPLES = 10  # pieces whose rarity is looked at
FIRST_CALLS = 20  # by which it is judged
READS_PER_MATCH = 5  # texts that may be read for each match that is wanted at most
ENDLESS = 2**63
INDEX = "reports_callpieces"
MERGED_PAGES = 2000  # of the index, by one step
NOTHING_MERGED = 2  # rows; a step that changes fewer had nothing left to do
FEW = 2000  # matches that are cheaper to name than to look for again
LARGE = 200_000  # calls, from which a sample tells which pieces are rare
WORD_TEXTS = 2000  # of a sample for words, each time
WORD = re.compile(r"[a-z0-9]{2,}", re.ASCII)
HARDLY_MORE = 2  # times as many calls
LONGEST = 10_000  # characters; longer than any text of a call

Matches = list[int] | models.QuerySet[Any, int]  # ids of calls


def build_search_text(*fields: str) -> str:
    """Return the stored form of the searched fields of one call."""
    return SEPARATOR.join([field.replace(SEPARATOR, REPLACEMENT) for field in fields]).casefold()


def index_texts(texts: Sequence[tuple[int, str]]) -> None:
    """Add stored texts, by call, to the index of pieces, in the transaction that stores them.

    PostgreSQL does so itself, and a text that goes takes its pieces along on either database.
    """
    if connection.vendor == "sqlite" and has_index(INDEX):
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {INDEX}(rowid, text) VALUES (%s, %s)",  # noqa: S608 - our own name
                texts,
            )


def merge_pieces(until: float) -> bool:
    """Take erased texts out of the index of pieces, as merge_index() does."""
    return merge_index(INDEX, until)


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
    holds_all = models.Q(GreaterThan(StrIndex("text", models.Value(folded)), 0))
    # LIKE, which the index of PostgreSQL serves.
    contains = models.Q(text__contains=folded) if connection.vendor == "postgresql" else holds_all
    everywhere = CallText.objects.filter(contains).values_list("pk", flat=True)
    if len(folded) < PIECE:
        return everywhere
    some = _find_by_rare_pieces(folded)
    if some is not None:
        return some
    if connection.vendor == "sqlite":
        candidates = _find_candidates(folded)
        if not candidates:
            return everywhere if candidates is None else []
        among = ", ".join(["%s"] * len(candidates))
        statement = f"SELECT call_id FROM reports_calltext WHERE call_id IN ({among}) AND instr(text, %s) > 0"  # noqa: S608
        return [row[0] for row in raw_sql.fetch_rows(statement, (*candidates, folded))]
    if word := choose_word(folded):
        everywhere = CallText.objects.filter(holds_all, text__contains=word).values_list("pk", flat=True)
    first = list(everywhere[: FEW + 1])
    return first if len(first) <= FEW else everywhere


def _find_by_rare_pieces(folded: str) -> list[int] | None:
    """Return the calls that hold the text, found by its rare pieces; None if it has none or they are many."""
    rare = _choose_rare_pieces(folded)
    if not rare:
        return None
    parameters: tuple[str, ...]
    if connection.vendor == "postgresql":
        holds_pieces = "text LIKE %s AND " * len(rare)
        statement = f"SELECT call_id FROM reports_calltext WHERE {holds_pieces}strpos(text, %s) > 0"  # noqa: S608
        parameters = tuple(f"%{piece}%" for piece in rare)
    else:
        statement = (
            f"SELECT t.call_id FROM {INDEX} p CROSS JOIN reports_calltext t ON t.call_id = p.rowid"  # noqa: S608
            f" WHERE {INDEX} MATCH %s AND instr(t.text, %s) > 0"
        )
        parameters = (_require_pieces(rare),)
    found = raw_sql.fetch_rows(f"{statement} LIMIT %s", (*parameters, folded, FEW + 1))
    return [pk for (pk,) in found] if len(found) <= FEW else None


def _choose_rare_pieces(folded: str) -> list[str]:
    """Return the pieces by which the index finds few calls; none where there may be no such pieces.

    It walks the entries of every piece that it is asked for, of which some are in each call. A sample
    of the calls tells how frequent pieces are, alone and together.
    """
    known = count_texts()
    if known < LARGE:
        return []
    if connection.vendor == "sqlite" and not has_index(INDEX):
        return []
    chosen, share = take_sample(known).choose(folded)
    return chosen if known * share <= FEW * READS_PER_MATCH else []


def choose_word(folded: str) -> str | None:
    """Return a word of the text that hardly more calls hold than all of it, or None.

    The index of PostgreSQL passes fewer entries for a word than for all of them, each time that the
    calls are counted and listed. What stands around a word is part of it: the index knows where words begin.
    """
    known = count_texts()
    words = [folded[max(0, found.start() - 1) : found.end() + 1] for found in WORD.finditer(folded)]
    words = [word for word in words if PIECE <= len(word) < len(folded)][: MOST_SAMPLES - 1]
    if known < LARGE or not words:
        return None
    counts = ", ".join(["count(*) FILTER (WHERE strpos(text, %s) > 0)"] * (len(words) + 1))
    parameters = (folded, *words, *place_sample(known, WORD_TEXTS))
    [(of_all, *found_in)] = raw_sql.fetch_rows(f"SELECT {counts} {SAMPLE}", parameters)
    count, word = min(zip(found_in, words, strict=True))
    return word if count <= max(of_all, 1) * HARDLY_MORE else None


def _find_candidates(folded: str) -> list[int] | None:
    """Return the calls that contain the pieces of the text; None if they are many, or there is no index.

    A few rare pieces are nearly as good as all of them: the entries of a piece that most calls have
    take longer to read than everything else. Rare are those whose first few calls lie furthest apart.
    """
    if not has_index(INDEX):
        return None
    pieces = list(dict.fromkeys(folded[i : i + PIECE] for i in range(len(folded) - PIECE + 1)))
    apart = pieces[::PIECE]
    distances: dict[str, int] = {}
    for piece in apart[:: -(-len(apart) // MOST_SAMPLES)]:
        sample = _find_by_pieces([piece], FIRST_CALLS)
        distances[piece] = (sample[-1] - sample[0]) if len(sample) == FIRST_CALLS else ENDLESS
    rarest = sorted(distances, key=lambda piece: -distances[piece])[:RARE_PIECES]
    candidates = _find_by_pieces(rarest, FEW + 1)
    if len(candidates) > FEW:
        candidates = _find_by_pieces(pieces[:MOST_PIECES], FEW + 1)
    return candidates if len(candidates) <= FEW else None


def _find_by_pieces(pieces: Sequence[str], most: int) -> list[int]:
    """Return the first calls that contain all these pieces, by id."""
    statement = f"SELECT rowid FROM {INDEX} WHERE {INDEX} MATCH %s ORDER BY rowid LIMIT %s"  # noqa: S608
    return [row[0] for row in raw_sql.fetch_rows(statement, (_require_pieces(pieces), most))]


def _require_pieces(pieces: Iterable[str]) -> str:
    """Return the query by which FTS5 finds what holds all these pieces."""
    return " AND ".join('"' + piece.replace('"', '""') + '"' for piece in pieces)


def has_index(name: str) -> bool:
    """True if SQLite has this index; its build may lack FTS5."""
    return bool(raw_sql.fetch_rows("SELECT 1 FROM sqlite_master WHERE name = %s", (name,)))
