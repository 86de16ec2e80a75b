"""Search: a case-insensitive substring of file name, topic, contact reason, caller number or campaign.

Case is folded by Python for the stored text and for what is looked for, so that
"STRASSE" finds "Straße" on every database.
"""

from typing import Any

from django.db import models
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from callscope.reports.models import CallText

# A noncharacter keeps a match within one field; it is replaced where a text holds it.
SEPARATOR = "\ufdd0"
REPLACEMENT = "\ufffd"


def search_text(*fields: str) -> str:
    """Return the stored form of the searched fields of one call."""
    return SEPARATOR.join(_fold(field) for field in fields)


def _fold(text: str) -> str:
    return text.replace(SEPARATOR, REPLACEMENT).casefold()


def matching(query: str) -> "models.QuerySet[CallText, Any]":
    """Return the calls whose text holds `query`, as a queryset of their ids."""
    if "\x00" in query:  # in no stored text, and PostgreSQL refuses to look for it
        return CallText.objects.none().values("call_id")
    return CallText.objects.filter(holds(_fold(query))).values("call_id")


def holds(folded: str) -> models.Q:
    position = StrIndex("text", models.Value(folded))
    return models.Q(GreaterThan(position, 0))
