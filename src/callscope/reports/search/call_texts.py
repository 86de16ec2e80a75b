"""Search: a case-insensitive substring of file name, topic, contact reason, caller number or campaign.

Case is folded by Python for the stored text and for the query, so that "STRASSE" finds
"Straße" on every database. An index of three-character pieces
finds the candidates where there is one; the text itself decides.
"""

import re
import time
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from callscope.db import raw_sql
from callscope.db.transactions import run_in_transaction
from callscope.reports.models import CallText

# A noncharacter keeps a match within one field; it is replaced where a text holds it.
SEPARATOR = "\ufdd0"
REPLACEMENT = "\ufffd"
PIECE = 3  # characters
MOST_PIECES = 24  # of what is looked for; enough to leave few candidates
RARE_PIECES = 3  # that are looked for at first
MOST_SAMPLES = 10  # pieces whose rarity is looked at
READS_PER_MATCH = 5  # texts that may be read for each match that is wanted at most
# Of a text, against an entry of the index that is passed. Measured 100, at 10,000,000 calls; twice that,
# because pieces that are chosen for a low estimate are often underestimated.
READ_COST = 200
FIRST_CALLS = 20  # by which it is judged
ENDLESS = 2**63
INDEX = "reports_callpieces"
MERGED_PAGES = 2000  # of the index, by one step
NOTHING_MERGED = 2  # rows; a step that changes fewer had nothing left to do
FEW = 2000  # matches that are cheaper to name than to look for again
LARGE = 200_000  # calls, from which PostgreSQL is asked for rare pieces
SAMPLED_TEXTS = 5000  # for pieces, once
WORD_TEXTS = 2000  # for words, each time
SPREAD = 10  # times as many lie on the pages that the sample is taken from: calls of one day lie together
PIECES = re.compile(r"(?=([a-z0-9]{3}))", re.ASCII)  # that the index of PostgreSQL knows
WORD = re.compile(r"[a-z0-9]{2,}", re.ASCII)
HARDLY_MORE = 2  # times as many calls
COUNT_TEXTS = "SELECT reltuples::bigint FROM pg_class WHERE oid = 'reports_calltext'::regclass"
# The same texts each time: they stay in memory.
SAMPLE = "FROM reports_calltext TABLESAMPLE SYSTEM (%s) REPEATABLE (1) WHERE MOD(call_id, %s) = 0"
LONGEST = 10_000  # characters; longer than any text of a call

Matches = list[int] | models.QuerySet[Any, int]  # ids of calls


class Sample:
    """Some of the texts: for each piece of letters and digits the numbers of those that hold it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = max(len(texts), 1)
        self.holders: dict[str, array[int]] = {}
        for number, text in enumerate(texts):
            for piece in set(PIECES.findall(text)):
                self.holders.setdefault(piece, array("I")).append(number)

    def choose(self, pieces: Iterable[str]) -> tuple[list[str], float]:
        """Return those of the pieces that find what holds them all at the least cost, and their share.

        Another piece is worth its entries only if it saves reading more texts than that. Where too
        few are sampled to tell how often pieces stand together, they are taken to be independent.
        """
        holders = {piece: self.holders.get(piece, ()) for piece in pieces}
        rarest, *others = sorted(holders, key=lambda piece: len(holders[piece]))
        chosen, found = [rarest], frozenset(holders[rarest])
        share = max(len(found), 1) / self.texts
        while len(chosen) < RARE_PIECES:
            another, least, found_share = "", READ_COST * share, share
            for piece in others:
                own = max(len(holders[piece]), 1) / self.texts
                if own >= least:  # as are all after it
                    break
                together = max(len(found.intersection(holders[piece])) / self.texts, share * own)
                if own + READ_COST * together < least:
                    another, least, found_share = piece, own + READ_COST * together, together
            if not another:
                break
            others.remove(another)
            chosen.append(another)
            found, share = found.intersection(holders[another]), found_share
        return chosen, share


# (database, texts that PostgreSQL knows of) → a sample of them
_samples: dict[tuple[str, int], Sample] = {}


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
    if connection.vendor == "sqlite":
        candidates = _find_candidates(folded)
        if not candidates:
            return everywhere if candidates is None else []
        among = ", ".join(["%s"] * len(candidates))
        statement = f"SELECT call_id FROM reports_calltext WHERE call_id IN ({among}) AND instr(text, %s) > 0"  # noqa: S608
        return [row[0] for row in raw_sql.fetch_rows(statement, (*candidates, folded))]
    if rare := _choose_rare_pieces(folded):
        holds_pieces = "text LIKE %s AND " * len(rare)
        statement = f"SELECT call_id FROM reports_calltext WHERE {holds_pieces}strpos(text, %s) > 0 LIMIT %s"  # noqa: S608
        rows = raw_sql.fetch_rows(statement, (*(f"%{piece}%" for piece in rare), folded, FEW + 1))
        some = [pk for (pk,) in rows]
        if len(some) <= FEW:
            return some
    if word := choose_word(folded):
        everywhere = CallText.objects.filter(holds_all, text__contains=word).values_list("pk", flat=True)
    first = list(everywhere[: FEW + 1])
    return first if len(first) <= FEW else everywhere


def _choose_rare_pieces(folded: str) -> list[str]:
    """Return the pieces by which PostgreSQL finds few calls; none where it may look for the whole text.

    Its index walks the entries of every piece of a text, of which some are in each call. A sample of
    the calls tells how frequent pieces are, alone and together.
    """
    [(known,)] = raw_sql.fetch_rows(COUNT_TEXTS, ())
    if known < LARGE:
        return []
    pieces = PIECES.findall(folded)
    if not pieces:
        return []
    chosen, share = take_sample(known).choose(pieces)
    return chosen if known * share <= FEW * READS_PER_MATCH else []


def choose_word(folded: str) -> str | None:
    """Return a word of the text that hardly more calls hold than all of it, or None.

    The index of PostgreSQL passes fewer entries for a word than for all of them, each time that the
    calls are counted and listed. What stands around a word is part of it: the index knows where words begin.
    """
    [(known,)] = raw_sql.fetch_rows(COUNT_TEXTS, ())
    words = [folded[max(0, found.start() - 1) : found.end() + 1] for found in WORD.finditer(folded)]
    words = [word for word in words if PIECE <= len(word) < len(folded)][: MOST_SAMPLES - 1]
    if known < LARGE or not words:
        return None
    counts = ", ".join(["count(*) FILTER (WHERE strpos(text, %s) > 0)"] * (len(words) + 1))
    parameters = (folded, *words, *_place_sample(known, WORD_TEXTS))
    [(of_all, *found_in)] = raw_sql.fetch_rows(f"SELECT {counts} {SAMPLE}", parameters)
    count, word = min(zip(found_in, words, strict=True))
    return word if count <= max(of_all, 1) * HARDLY_MORE else None


def take_sample(known: int) -> Sample:
    """Return a sample of the texts, of which PostgreSQL knows so many.

    Taken again when PostgreSQL has counted its texts again, as it does for the plans of its own.
    """
    key = (str(connection.settings_dict["NAME"]), known)
    sample = _samples.get(key)
    if sample is None:
        rows = raw_sql.fetch_rows(f"SELECT text {SAMPLE}", _place_sample(known, SAMPLED_TEXTS))
        sample = Sample([text for (text,) in rows])
        _samples.clear()
        _samples[key] = sample
    return sample


def _place_sample(known: int, texts: int) -> tuple[float, int]:
    """Return the parameters of SAMPLE: percent of the pages, and of how many calls there one is taken."""
    spread = min(SPREAD, max(1, known // texts))
    return min(100.0, 100 * texts * spread / max(known, 1)), spread


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
    quoted = " AND ".join('"' + piece.replace('"', '""') + '"' for piece in pieces)
    statement = f"SELECT rowid FROM {INDEX} WHERE {INDEX} MATCH %s ORDER BY rowid LIMIT %s"  # noqa: S608
    return [row[0] for row in raw_sql.fetch_rows(statement, (quoted, most))]


def has_index(name: str) -> bool:
    """True if SQLite has this index; its build may lack FTS5."""
    return bool(raw_sql.fetch_rows("SELECT 1 FROM sqlite_master WHERE name = %s", (name,)))
