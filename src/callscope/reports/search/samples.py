"""A sample of the searched texts, which tells how frequent the pieces of a text are.

Each process keeps one. Texts that are erased leave it, too: note_erasure() says that there were some, in
the transaction that erases them, and forget_erased() drops the sample of a process that has not heard of it.
"""

import datetime as dt
import json
import random
import re
from array import array
from collections.abc import Sequence

from django.db import connection, transaction
from django.utils import timezone

from callscope.db import raw_sql
from callscope.reports.models import ErasedTexts

PIECE = 3  # characters
RARE_PIECES = 3  # that are looked for
# Of a text, against an entry of the index that is passed: measured 100 and 500 at 10,000,000 calls. On
# PostgreSQL twice that, because pieces that are chosen for a low estimate are often underestimated.
READ_COST = {"postgresql": 200, "sqlite": 500}
LEFT_BY_CHARACTER = 0.1  # of the texts that hold the others, by each character of a piece that overlaps them
SAMPLED_TEXTS = 5000
TEXTS_PER_PAGE = 5  # of a sample on SQLite
SPREAD = 10  # times as many lie on the pages that the sample is taken from: calls of one day lie together
PIECES = {  # that the index knows
    "postgresql": re.compile(r"(?=([a-z0-9]{3}))", re.ASCII),
    "sqlite": re.compile(r"(?=([^\ufdd0]{3}))"),  # all but those that reach from one field into the next
}
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

    def share(self, word: str) -> float:
        """Return the share of the texts that hold the rarest piece of a word."""
        pieces = PIECES[connection.vendor].findall(word)
        return min((len(self.holders.get(piece, ())) for piece in pieces), default=self.texts) / self.texts


class _Keeper:
    """The sample of this process."""

    def __init__(self) -> None:
        # With the database and the rough number of texts that it was taken from.
        self.kept: tuple[tuple[str, int], Sample] | None = None
        self.erased_at: tuple[str, dt.datetime | None] | None = (
            None  # a database, and its latest known erasure
        )
        self.drops = 0  # a sample that was begun before the latest of them is not kept

    def drop(self) -> None:
        self.drops += 1
        self.kept = None


_keeper = _Keeper()


def count_texts() -> int:
    """Return roughly how many texts there are: the same number until some percent have come or gone."""
    [(known,)] = raw_sql.fetch_rows(COUNT_TEXTS[connection.vendor], ())
    return int(known) if connection.vendor == "postgresql" else int(float(f"{known or 0:.1e}"))


def take_sample(known: int) -> Sample:
    """Return a sample of the texts, of which there are so many; taken again when the number changes."""
    source = (_database(), known)
    kept = _keeper.kept
    if kept is not None and kept[0] == source:
        return kept[1]
    drops = _keeper.drops
    if connection.vendor == "postgresql":
        rows = raw_sql.fetch_rows(f"SELECT text {SAMPLE}", place_sample(known, SAMPLED_TEXTS))
    else:
        rows = raw_sql.fetch_rows(TEXTS_OF, (json.dumps(draw_calls()),))
    sample = Sample([text for (text,) in rows])
    if drops == _keeper.drops:
        _keeper.kept = source, sample
    return sample


def drop_sample() -> None:
    """Forget the sample of this process."""
    _keeper.drop()


def note_erasure() -> None:
    """State that texts are erased, in the transaction that erases them."""
    ErasedTexts.objects.update_or_create(pk=1, defaults={"at": timezone.now()})
    transaction.on_commit(drop_sample)


def forget_erased() -> None:
    """Drop the sample of this process if texts were erased since this was last called.

    Every process that searches calls it with its heartbeat.
    """
    erased_at = _database(), ErasedTexts.objects.filter(pk=1).values_list("at", flat=True).first()
    if _keeper.erased_at != erased_at:
        _keeper.erased_at = erased_at
        _keeper.drop()


def draw_calls() -> list[int]:
    """Return calls by chance, though the same each time: a few from each of many pages of SQLite."""
    [(first, last)] = raw_sql.fetch_rows(FIRST_AND_LAST, ())
    ids = range(first or 0, (last or 0) + 1)
    dice = random.Random(1)  # noqa: S311 - no secret
    places = dice.sample(ids, min(len(ids), SAMPLED_TEXTS // TEXTS_PER_PAGE))
    return sorted({place + step * SPREAD for place in places for step in range(TEXTS_PER_PAGE)})


def place_sample(known: int, texts: int) -> tuple[float, int]:
    """Return the parameters of SAMPLE: percent of the pages, and of how many calls there one is taken."""
    spread = min(SPREAD, max(1, known // texts))
    return min(100.0, 100 * texts * spread / max(known, 1)), spread


def _database() -> str:
    return str(connection.settings_dict["NAME"])
