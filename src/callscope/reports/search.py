"""Search: a case-insensitive substring of file name, topic, contact reason, caller number or campaign.

Case is folded by Python for the stored text and for what is looked for, so that
"STRASSE" finds "Straße" on every database. An index of three-character pieces
finds the candidates where there is one; the text itself decides.
"""

from collections.abc import Sequence

from django.db import connection, models
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from callscope.reports import statements
from callscope.reports.models import CallText

# A noncharacter keeps a match within one field; it is replaced where a text holds it.
SEPARATOR = "\ufdd0"
REPLACEMENT = "\ufffd"
PIECE = 3  # characters
MOST_PIECES = 24  # of what is looked for; enough to leave few candidates
RARE_PIECES = 3  # that are looked for at first
MOST_SAMPLES = 8  # pieces whose rarity is looked at
SAMPLE = 20  # calls by which it is judged
ENDLESS = 2**63
INDEX = "reports_callpieces"
FEW = 2000  # matches that are cheaper to name than to look for again
LONGEST = 10_000  # characters; longer than any text of a call

Matches = list[int] | models.QuerySet[CallText, int]


def search_text(*fields: str) -> str:
    """Return the stored form of the searched fields of one call."""
    return SEPARATOR.join(_fold(field) for field in fields)


def index(texts: Sequence[tuple[int, str]]) -> None:
    """Add stored texts, by call, to the index of pieces, in the transaction that stores them.

    PostgreSQL does so itself, and a text that goes takes its pieces along on either database.
    """
    if connection.vendor == "sqlite" and _has_index():
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {INDEX}(rowid, text) VALUES (%s, %s)",  # noqa: S608 - our own name
                texts,
            )


def _fold(text: str) -> str:
    return text.replace(SEPARATOR, REPLACEMENT).casefold()


def matching(query: str) -> "Matches":
    """Return the ids of the calls whose text holds `query`; a queryset where they are many."""
    folded = _fold(query)
    if "\x00" in folded or len(folded) > LONGEST:  # in no text; PostgreSQL refuses NUL, SQLite long patterns
        return []
    texts = CallText.objects.filter(_holds(folded))
    if len(folded) < PIECE:
        return texts.values_list("pk", flat=True)
    if connection.vendor == "sqlite":
        candidates = _candidates(folded)
        if candidates is None:
            return texts.values_list("pk", flat=True)
        return _holding_whole(candidates, folded)
    found = list(texts.values_list("pk", flat=True)[: FEW + 1])
    return found if len(found) <= FEW else texts.values_list("pk", flat=True)


def _holds(folded: str) -> models.Q:
    if connection.vendor == "postgresql":
        return models.Q(text__contains=folded)  # LIKE, which its index serves
    return models.Q(GreaterThan(StrIndex("text", models.Value(folded)), 0))


def _candidates(folded: str) -> list[int] | None:
    """Return the calls that hold every piece of the text; None if they are many, or there is no index.

    A few rare pieces are nearly as good as all of them: the entries of a piece that most calls hold
    take longer to read than everything else.
    """
    if not _has_index():
        return None
    pieces = list(dict.fromkeys(folded[i : i + PIECE] for i in range(len(folded) - PIECE + 1)))
    apart = pieces[::PIECE]
    found = _holding(_rarest(apart[:: -(-len(apart) // MOST_SAMPLES)]), FEW + 1)
    if len(found) > FEW:
        found = _holding(pieces[:MOST_PIECES], FEW + 1)
    return found if len(found) <= FEW else None


def _rarest(pieces: Sequence[str]) -> list[str]:
    """Return the pieces whose first few calls lie furthest apart."""
    distances = {}
    for piece in pieces:
        sample = _holding([piece], SAMPLE)
        distances[piece] = (sample[-1] - sample[0]) if len(sample) == SAMPLE else ENDLESS
    return sorted(pieces, key=lambda piece: -distances[piece])[:RARE_PIECES]


def _holding(pieces: Sequence[str], most: int) -> list[int]:
    """Return the first calls that hold all these pieces, by id."""
    quoted = " AND ".join('"' + piece.replace('"', '""') + '"' for piece in pieces)
    statement = f"SELECT rowid FROM {INDEX} WHERE {INDEX} MATCH %s ORDER BY rowid LIMIT %s"  # noqa: S608
    return [row[0] for row in statements.rows(statement, (quoted, most))]


def _holding_whole(candidates: Sequence[int], folded: str) -> list[int]:
    """Return those of the calls that hold the text as a whole."""
    named = ", ".join(["%s"] * len(candidates))
    statement = f"SELECT call_id FROM reports_calltext WHERE call_id IN ({named}) AND instr(text, %s) > 0"  # noqa: S608
    return [row[0] for row in statements.rows(statement, (*candidates, folded))] if candidates else []


def _has_index() -> bool:
    return bool(statements.rows("SELECT 1 FROM sqlite_master WHERE name = %s", (INDEX,)))
