"""Read the word lists of a package from its folder `lists`: plain text, "#" begins a comment."""

from importlib import resources


def read_phrase_list(package: str, name: str) -> list[str]:
    """Return the lines of the list `lists/{name}.txt` of a package, without comments and empty lines."""
    text = resources.files(package).joinpath("lists", f"{name}.txt").read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def read_word_list(package: str, name: str) -> frozenset[str]:
    """Return the words of a list, however many of them share a line."""
    return frozenset(word for line in read_phrase_list(package, name) for word in line.split())
