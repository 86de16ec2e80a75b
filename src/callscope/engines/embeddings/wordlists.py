"""Read the word lists that lie beside the code: plain text, "#" begins a comment."""

from importlib import resources


def phrase_list(package: str, name: str) -> list[str]:
    """Return the lines of a list."""
    text = resources.files(package).joinpath("lists", f"{name}.txt").read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def word_list(package: str, name: str) -> frozenset[str]:
    """Return the words of a list, however many stand in a line."""
    return frozenset(word for line in phrase_list(package, name) for word in line.split())
