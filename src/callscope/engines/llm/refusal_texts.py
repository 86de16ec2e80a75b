"""What a refusal says: the status, the server's own sentence and its codes, wherever in the answer they are.

Servers send an object, a list of one, a sentence, a page of HTML, or an error as if it were an answer.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import openai

MAX_SAID = 200  # characters that people are shown
MAX_WORDS = 1000  # of the sentence, to be understood; more would be the request that some servers repeat
MAX_PAGE = 5000  # of a page that is no JSON
MAX_DEPTH, MAX_ITEMS, MAX_CODE = 4, 5, 100
NO_KEY = "none"  # what is sent where the settings hold no key
MAX_WAIT_DEPTH = 8  # lists of fields count, too
_SENTENCES = ("message", "error_description", "error", "errors", "detail", "msg", "title")
_CODES = ("code", "type", "status", "reason")
_HIDDEN = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf)[-_][\w*.-]{8,}|\bAIza[\w*-]{8,}|(?<=Bearer )[\w.~+/=*-]{16,}|"
    r"(?<=//)[^/@\s]+(?=@)|(?<=[?&]key=)[^&\s]+",
    re.IGNORECASE,
)
_RATE_LIMIT = re.compile(r"rate[ _-]?limit|too many requests|resource[ _]exhausted", re.IGNORECASE)
# What a sentence repeats of a request: a call may speak of bills, keys and limits.
_QUOTATION = re.compile(r"""(?<!\w)'(?:[^']|'(?=\w))*(?:'|$)|"[^"]*(?:"|$)|[“‘«][^”’»]*(?:[”’»]|$)""")
_MIN_SPACES = 2  # fewer are a name: of a model, a parameter or a code
_WAIT = re.compile(
    r"\b(?:again|retry) (?:in|after) (?=\d)(?:(\d{1,3})h)?(?:(\d{1,4})m(?!s))?"
    r"(?:(\d{1,7}(?:\.\d{1,9})?) ?(ms|s)(?:econds?)?\b)?",
    re.IGNORECASE,
)
_DELAY = re.compile(r"(\d{1,7}(?:\.\d{1,9})?)s")
_DOWN = re.compile(r"overloaded|unavailable|timed? ?out|try again", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal as it was read."""

    status: int  # of HTTP, or what the error of an answer stands for
    said: str  # the server's sentence in one line, without secrets; "" if it said nothing
    words: str  # the sentence without quotations, and the codes; to be understood
    is_json: bool  # False where something else than an engine may have answered
    headers: Mapping[str, str] = field(default_factory=dict)
    is_answer: bool = False  # it came with HTTP 200
    wait_s: float | None = None  # how long it asks to wait, by its words


def read_refusal(error: "openai.APIStatusError") -> Refusal:
    """Return what a refusal says; the key of the request is hidden wherever it is repeated."""
    key = error.request.headers.get("authorization", "").removeprefix("Bearer ")
    try:
        text = error.response.text
    except Exception:  # a body that was never read
        text = ""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    is_json = isinstance(document, dict | list)
    sentence = find_sentence(document) if is_json else read_page(text)
    codes = " ".join(_find_codes(document))
    words = _join_words(sentence, codes)
    said = _shorten(sentence or codes, key) or error.response.reason_phrase
    return Refusal(
        error.status_code,
        said,
        words,
        is_json,
        error.response.headers,
        wait_s=_find_wait_s(document, words),
    )


def find_refusal(answer: Any, *, key: str) -> Refusal | None:
    """Return the error that an answer with HTTP 200 holds, as some gateways send it; else None."""
    document = answer[0] if isinstance(answer, list) and answer else answer
    error = document.get("error") if isinstance(document, dict) else None
    if not error or not isinstance(error, dict | str):
        return None
    sentence, codes = find_sentence(error), " ".join(_find_codes(error))
    words = _join_words(sentence, codes)
    return Refusal(
        find_status(error, words),
        _shorten(sentence or codes, key),
        words,
        is_json=True,
        is_answer=True,
        wait_s=_find_wait_s(error, words),
    )


def find_sentence(document: Any, depth: int = 0) -> str:
    """Return the first sentence of an error in JSON; "" if there is none."""
    if isinstance(document, str):
        return document
    if depth > MAX_DEPTH:
        return ""
    if isinstance(document, list):
        parts = document[:MAX_ITEMS]
    else:
        parts = (
            [document[name] for name in _SENTENCES if name in document] if isinstance(document, dict) else []
        )
    return next((found for part in parts if (found := find_sentence(part, depth + 1))), "")


def _find_codes(document: Any, depth: int = 0) -> Iterator[str]:
    if depth > MAX_DEPTH:
        return
    if isinstance(document, list):
        for part in document[:MAX_ITEMS]:
            yield from _find_codes(part, depth + 1)
    if isinstance(document, dict):
        for name in _CODES:
            value = document.get(name)
            if isinstance(value, str | int) and not isinstance(value, bool):
                yield str(value)[:MAX_CODE]
        for name in ("error", "errors", "details"):
            yield from _find_codes(document.get(name), depth + 1)


def _join_words(sentence: str, codes: str) -> str:
    """Return what a refusal says in words of the server alone."""

    def leave_out(match: re.Match[str]) -> str:
        return "''" if match.group().count(" ") >= _MIN_SPACES else match.group()

    return f"{_QUOTATION.sub(leave_out, sentence[:MAX_WORDS])} {codes}"


def _find_wait_s(document: Any, words: str, depth: int = 0) -> float | None:
    """Return how long an error asks to wait: in a field of its own, else in its words."""
    if depth <= MAX_WAIT_DEPTH and isinstance(document, list):
        found = (_find_wait_s(part, "", depth + 1) for part in document[:MAX_ITEMS])
        return next((wait_s for wait_s in found if wait_s is not None), None) or _read_wait(words)
    if depth > MAX_WAIT_DEPTH or not isinstance(document, dict):
        return _read_wait(words)
    delay = _DELAY.fullmatch(str(document.get("retryDelay", "")))
    if delay:
        return float(delay[1])
    return _find_wait_s([document.get(name) for name in ("error", "details")], words, depth + 1)


def _read_wait(words: str) -> float | None:
    match = _WAIT.search(words)
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds, unit = match.groups()
    seconds_s = float(seconds or 0) / (1000 if (unit or "").lower() == "ms" else 1)
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + seconds_s


def find_status(error: Any, words: str) -> int:
    """Return the status that the code of an error means, in digits or in words; 400 where it says nothing."""
    for name in ("code", "status"):
        value = str(error.get(name, "")) if isinstance(error, dict) else ""
        if re.fullmatch("[345][0-9][0-9]", value):
            return int(value)
    if _RATE_LIMIT.search(words):
        return 429
    return 503 if _DOWN.search(words) else 400


def read_page(text: str) -> str:
    """Return the words of a page without its tags."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", text[:MAX_PAGE], flags=re.DOTALL | re.IGNORECASE)
    return html.unescape(re.sub(r"<[^<>]{0,500}>", " ", page))


def _shorten(text: str, key: str) -> str:
    """Return the beginning of a text as one line, without secrets."""
    if key and key != NO_KEY:
        text = re.sub(rf"(?<!\w){re.escape(key)}(?!\w)" if len(key) < 6 else re.escape(key), "***", text)
    text = _HIDDEN.sub("***", text[:MAX_PAGE])
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:MAX_SAID]
