"""Find the JSON object in what a model wrote."""

import json
from typing import Any


class NotJson(ValueError):
    """The text holds no complete JSON object; str() says why."""


class RepeatedKey(NotJson):
    """An object names a key twice: one of the two values would be lost."""


def read_object(text: str) -> dict[str, Any]:
    """Return the first JSON object in a text: alone, in a code fence or between words.

    Raw control characters inside strings are forgiven. Raises NotJson.
    """
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_without_repeats, parse_constant=_refuse)
    start, why = text.find("{"), "there is no JSON object in the answer"
    while start != -1:
        try:
            found, _ = decoder.raw_decode(text, start)
        except RepeatedKey:
            raise
        except (ValueError, RecursionError) as error:
            why = f"the JSON is not well-formed: {error}"
            # Within broken JSON an inner object would pass for the whole.
            start = text.find("\n{", start + 1) + 1 or -1
            continue
        if isinstance(found, dict):
            return found
        start = text.find("{", start + 1)
    raise NotJson(why)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(n for n in names if names.count(n) > 1)
        raise RepeatedKey(f'the key "{twice}" appears twice in one object')
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
