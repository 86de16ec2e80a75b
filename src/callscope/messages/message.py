"""A message: a code of the catalog with its parameters. str() is the English sentence."""

from typing import Any

from callscope.messages.catalog import CATALOG, Plural


class Message:
    """One thing to say. Parameters are values, or messages of their own where a sentence quotes another."""

    __slots__ = ("code", "params")

    def __init__(self, code: str, **params: Any) -> None:
        self.code = code
        self.params = params

    def __str__(self) -> str:
        """Return the English sentence whatever language is active: the API, logs and tables hold it."""
        template = CATALOG[self.code]
        if isinstance(template, Plural):
            template = template.one if self.params["count"] == 1 else template.other
        return template % self.params

    def __repr__(self) -> str:
        return f"Message({self.code!r}, {self.params!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.code, self.params) == (other.code, other.params)

    def __hash__(self) -> int:
        return hash((self.code, str(self)))


def quoted(text: object) -> Message:
    """Return a text of another program as a message; it is shown as it came."""
    return Message("quoted", text=text)


class MessageError(Exception):
    """An error that says one message; str() is its English sentence.

    A text is taken too: what another program said, or a sentence that no page shows.
    """

    def __init__(self, message: Message | str) -> None:
        super().__init__(str(message))
        self.message = quoted(message) if isinstance(message, str) else message
