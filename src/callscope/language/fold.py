"""Compare texts regardless of case and accents."""

import unicodedata


def fold_text(text: str) -> str:
    """Return the text case-folded and without accents; every other character stays as it is."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def fold_typography(text: str) -> str:
    """Return the text case-folded, without accents, ligatures or full-width forms, with plain apostrophes."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("’", "'").replace("‘", "'"))
    return "".join(c for c in decomposed if not unicodedata.combining(c))
