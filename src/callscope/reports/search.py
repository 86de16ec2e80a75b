"""Search: a case-insensitive substring of file name, topic, contact reason, caller number or campaign.

Case is folded by Python for the stored text and for what is looked for, so that
"STRASSE" finds "Straße" on every database. An index of three-character pieces
finds the candidates where there is one; the text itself decides.
"""

from collections.abc import Sequence

from django.db import connection, models
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from callscope.reports.models import CallText

# A noncharacter keeps a match within one field; it is replaced where a text holds it.
SEPARATOR = "\ufdd0"
REPLACEMENT = "\ufffd"
PIECE = 3  # characters
MOST_PIECES = 24  # of what is looked for; enough to leave few candidates
INDEX = "reports_callpieces"
FEW = 2000  # matches that are cheaper to name than to look for again
LONGEST = 10_000  # characters; longer than any text of a call


def search_text(*fields: str) -> str:
    """Return the stored form of the searched fields of one call."""
    return SEPARATOR.join(_fold(field) for field in fields)


def _fold(text: str) -> str:
    return text.replace(SEPARATOR, REPLACEMENT).casefold()


def matching(query: str) -> "Sequence[int] | models.QuerySet[CallText, int]":
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
        return list(texts.filter(pk__in=candidates).values_list("pk", flat=True))
    found = list(texts.values_list("pk", flat=True)[: FEW + 1])
    return found if len(found) <= FEW else texts.values_list("pk", flat=True)


def _holds(folded: str) -> models.Q:
    if connection.vendor == "postgresql":
        return models.Q(text__contains=folded)  # LIKE, which its index serves
    return models.Q(GreaterThan(StrIndex("text", models.Value(folded)), 0))


def _candidates(folded: str) -> list[int] | None:
    """Return the calls that hold every piece of the text; None if they are many, or there is no index."""
    if not _has_index():
        return None
    pieces = dict.fromkeys(folded[i : i + PIECE] for i in range(min(len(folded) - PIECE + 1, MOST_PIECES)))
    quoted = " AND ".join('"' + piece.replace('"', '""') + '"' for piece in pieces)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT rowid FROM {INDEX} WHERE {INDEX} MATCH %s LIMIT {FEW + 1}",  # noqa: S608 - our own names
            [quoted],
        )
        found = [row[0] for row in cursor.fetchall()]
    return found if len(found) <= FEW else None


def _has_index() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM sqlite_master WHERE name = %s", [INDEX])
        return cursor.fetchone() is not None
