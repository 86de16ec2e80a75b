"""Search: a case-insensitive substring of file name, topic, contact reason, caller number or campaign.

Case is folded by Python for the stored text and for the query, so that "STRASSE" finds
"Straße" on every database. An index of three-character pieces
finds the candidates where there is one; the text itself decides.
"""

import json
import random
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
FIRST_CALLS = 20  # by which it is judged
READS_PER_MATCH = 5  # texts that may be read for each match that is wanted at most
# Of a text, against an entry of the index that is passed: measured 100 and 500 at 10,000,000 calls. On
# PostgreSQL twice that, because pieces that are chosen for a low estimate are often underestimated.
READ_COST = {"postgresql": 200, "sqlite": 500}
LEFT_BY_CHARACTER = 0.1  # of the texts that hold the others, by each character of a piece that overlaps them
ENDLESS = 2**63
INDEX = "reports_callpieces"
MERGED_PAGES = 2000  # of the index, by one step
NOTHING_MERGED = 2  # rows; a step that changes fewer had nothing left to do
FEW = 2000  # matches that are cheaper to name than to look for again
LARGE = 200_000  # calls, from which a sample tells which pieces are rare
SAMPLED_TEXTS = 5000  # for pieces, once
WORD_TEXTS = 2000  # for words, each time
TEXTS_PER_PAGE = 5  # of a sample on SQLite
SPREAD = 10  # times as many lie on the pages that the sample is taken from: calls of one day lie together
PIECES = {  # that the index knows; of other letters and signs SQLite is asked without a sample
    "postgresql": re.compile(r"(?=([a-z0-9]{3}))", re.ASCII),
    "sqlite": re.compile(r"(?=([!-~]{3}))", re.ASCII),
}
WORD = re.compile(r"[a-z0-9]{2,}", re.ASCII)
HARDLY_MORE = 2  # times as many calls
FIRST_AND_LAST = (
    "SELECT (SELECT MIN(call_id) FROM reports_calltext) AS first,"
    " (SELECT MAX(call_id) FROM reports_calltext) AS last"
)
COUNT_TEXTS = {
    "postgresql": "SELECT reltuples::bigint FROM pg_class WHERE oid = 'reports_calltext'::regclass",
    "sqlite": f"SELECT last - first + 1 FROM ({FIRST_AND_LAST})",  # noqa: S608
}
TEXTS_OF = "SELECT text FROM reports_calltext WHERE call_id IN (SELECT value FROM json_each(%s))"
# The same texts each time: they stay in memory.
SAMPLE = "FROM reports_calltext TABLESAMPLE SYSTEM (%s) REPEATABLE (1) WHERE MOD(call_id, %s) = 0"
LONGEST = 10_000  # characters; longer than any text of a call

Matches = list[int] | models.QuerySet[Any, int]  # ids of calls


class Sample:
    """Some of the texts: for each piece that the index knows the numbers of those that hold it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = max(len(texts), 1)
        self.holders: dict[str, array[int]] = {}
        find_pieces = PIECES[connection.vendor].findall
        for number, text in enumerate(texts):
            for piece in set(find_pieces(text)):
                self.holders.setdefault(piece, array("I")).append(number)

    def choose(self, text: str) -> tuple[list[str], float]:
        """Return the pieces that find what holds this text at the least cost, and the share that holds them.

        Another piece is worth its entries only if it saves reading more texts than that. Where too few
        are sampled to tell how often pieces stand together, they are taken to be independent, but for
        those that overlap: a character more leaves a tenth, as it does of numbers.
        """
        places = {found[1]: found.start() for found in PIECES[connection.vendor].finditer(text)}
        holders = {piece: self.holders.get(piece, ()) for piece in places}
        if not places:
            return [], 1.0
        rarest, *others = sorted(places, key=lambda piece: len(holders[piece]))
        chosen, found = [rarest], frozenset(holders[rarest])
        covered = set(range(places[rarest], places[rarest] + PIECE))
        share = max(len(found), 1) / self.texts
        read_cost = READ_COST[connection.vendor]
        while len(chosen) < RARE_PIECES:
            another, least, found_share = "", read_cost * share, share
            for piece in others:
                own = max(len(holders[piece]), 1) / self.texts
                if own >= least:  # as are all after it
                    break
                fresh = PIECE - len(covered.intersection(range(places[piece], places[piece] + PIECE)))
                counted = len(found.intersection(holders[piece])) / self.texts
                together = max(counted, share * own, share * LEFT_BY_CHARACTER**fresh)
                if own + read_cost * together < least:
                    another, least, found_share = piece, own + read_cost * together, together
            if not another:
                break
            others.remove(another)
            chosen.append(another)
            covered.update(range(places[another], places[another] + PIECE))
            found, share = found.intersection(holders[another]), found_share
        return chosen, share


# (database, texts roughly) → a sample of them
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
    known = _count_texts()
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
    known = _count_texts()
    words = [folded[max(0, found.start() - 1) : found.end() + 1] for found in WORD.finditer(folded)]
    words = [word for word in words if PIECE <= len(word) < len(folded)][: MOST_SAMPLES - 1]
    if known < LARGE or not words:
        return None
    counts = ", ".join(["count(*) FILTER (WHERE strpos(text, %s) > 0)"] * (len(words) + 1))
    parameters = (folded, *words, *_place_sample(known, WORD_TEXTS))
    [(of_all, *found_in)] = raw_sql.fetch_rows(f"SELECT {counts} {SAMPLE}", parameters)
    count, word = min(zip(found_in, words, strict=True))
    return word if count <= max(of_all, 1) * HARDLY_MORE else None


def _count_texts() -> int:
    """Return roughly how many texts there are: the same number until some percent have come or gone."""
    [(known,)] = raw_sql.fetch_rows(COUNT_TEXTS[connection.vendor], ())
    return int(known) if connection.vendor == "postgresql" else int(float(f"{known or 0:.1e}"))


def take_sample(known: int) -> Sample:
    """Return a sample of the texts, of which there are so many; taken again when the number changes."""
    key = (str(connection.settings_dict["NAME"]), known)
    sample = _samples.get(key)
    if sample is None:
        if connection.vendor == "postgresql":
            rows = raw_sql.fetch_rows(f"SELECT text {SAMPLE}", _place_sample(known, SAMPLED_TEXTS))
        else:
            rows = raw_sql.fetch_rows(TEXTS_OF, (json.dumps(_draw_calls()),))
        sample = Sample([text for (text,) in rows])
        _samples.clear()
        _samples[key] = sample
    return sample


def _draw_calls() -> list[int]:
    """Return calls by chance, though the same each time: a few from each of many pages of SQLite."""
    [(first, last)] = raw_sql.fetch_rows(FIRST_AND_LAST, ())
    ids = range(first or 0, (last or 0) + 1)
    dice = random.Random(1)  # noqa: S311 - no secret
    places = dice.sample(ids, min(len(ids), SAMPLED_TEXTS // TEXTS_PER_PAGE))
    return sorted({place + step * SPREAD for place in places for step in range(TEXTS_PER_PAGE)})


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
    statement = f"SELECT rowid FROM {INDEX} WHERE {INDEX} MATCH %s ORDER BY rowid LIMIT %s"  # noqa: S608
    return [row[0] for row in raw_sql.fetch_rows(statement, (_require_pieces(pieces), most))]


def _require_pieces(pieces: Iterable[str]) -> str:
    """Return the query by which FTS5 finds what holds all these pieces."""
    return " AND ".join('"' + piece.replace('"', '""') + '"' for piece in pieces)


def has_index(name: str) -> bool:
    """True if SQLite has this index; its build may lack FTS5."""
    return bool(raw_sql.fetch_rows("SELECT 1 FROM sqlite_master WHERE name = %s", (name,)))
