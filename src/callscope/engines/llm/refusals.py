"""What a server's refusal means. The status alone does not say, and every server words it differently."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from callscope.engines.errors import EngineRejected, EngineUnavailable, Trouble
from callscope.engines.llm.refusal_texts import Refusal, read_refusal
from callscope.messages.message import Message

if TYPE_CHECKING:
    import openai

MAX_WAIT_S = 3600.0
_OVERFLOW = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum (?:context|prompt|input)|prompt is too long|"
    r"too many (?:input )?tokens|(?:input|prompt|request)[^.]{0,40}(?:too long|too large|exceeds)|"
    r"reduce the length|n_ctx|available context",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"response_?format|json_?schema|json_?object|guided|grammar|structured output|\bschema\b", re.IGNORECASE
)
_KEY_NAME = (
    r"(?:api[ _-]?key|access token|auth(?:entication)? token|bearer token|auth(?:entication)? credentials)"
)
_KEY = re.compile(
    rf"{_KEY_NAME}[^.]{{0,60}}\b(?:not (?:valid|found|provided)|invalid|incorrect|wrong|missing|expired|"
    rf"revoked|disabled|required|unknown|malformed)|"
    rf"\b(?:not valid|invalid|incorrect|wrong|missing|expired|revoked|malformed|no|provide)\b"
    rf"[^.]{{0,30}}{_KEY_NAME}|"
    r"invalid_api_key|api_key_invalid|\bunauthenticated\b|\bunauthorized\b|invalid authentication|"
    r"authentication[ _](?:error|failed)",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[ _](?:quota|credits?|funds|balance)|billing|payment required|credit balance", re.IGNORECASE
)
# Not with 429, where a quota a minute is a rate limit.
_SPENT = re.compile(
    r"\b(?:quota|credits?)\b[^.]{0,40}(?:exceeded|exhausted|used up|depleted)|"
    r"\b(?:exceeded|exhausted|used up|out of|no)\b[^.]{0,30}\b(?:quota|credits?)\b",
    re.IGNORECASE,
)
# Some gateways answer 403 where a filter stopped this one text.
_CONTENT = re.compile(
    r"moderation|flagged|content[ _-]?(?:policy|filter|management)|safety|responsible ?ai|"
    r"inspection_failed|(?:inappropriate|prohibited) content",
    re.IGNORECASE,
)
_LOADING = re.compile(r"\bloading\b|warming up|starting up", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model_not_found|\bmodel\b[^.]{0,120}(?:not found|does not exist)|no such model|\binvalid model\b",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|unrecognized|unknown|does not support|not permitted|extra|invalid",
    re.IGNORECASE,
)
# Where asking for less may help, before it is known that nothing does.
MAY_BE_FORMAT = (None, Trouble.MODEL, Trouble.ADDRESS)


def error_text(error: "openai.APIStatusError") -> str:
    """Return everything that a refusal says."""
    try:
        return f"{error.message} {error.code or ''} {error.response.text}"
    except Exception:  # a body that was never read, or is no text
        return str(error)


def is_context_overflow(error: "openai.APIStatusError") -> bool:
    return error.status_code in (400, 413, 422, 500) and bool(_OVERFLOW.search(error_text(error)))


def says_overflow(refusal: Refusal) -> bool:
    """True if a refusal that came as an answer is about the length of the prompt."""
    return bool(_OVERFLOW.search(refusal.words))


def rejects_parameter(error: "openai.APIStatusError", parameter: str) -> bool:
    """True if a refusal is about one request parameter."""
    text = error_text(error)
    is_named = bool(re.search(rf"\b{parameter}\b", text))
    return error.status_code in (400, 422) and is_named and bool(_UNSUPPORTED.search(text))


def rejects_format(error: "openai.APIStatusError") -> bool:
    """True if asking less strictly may help: a refused request, or a crash that names the format."""
    if error.status_code in (400, 422):
        return True
    if error.status_code == 404:  # without JSON, there is no such server at the address
        return read_refusal(error).is_json
    return error.status_code in (500, 501) and bool(_FORMAT.search(error_text(error)))


def find_trouble(refusal: Refusal) -> Trouble | None:
    """Return what a refusal says of the engine itself; None where it may be about this request."""
    status, words = refusal.status, refusal.words
    is_refused = 400 <= status < 500
    if status == 402 or (is_refused and _QUOTA.search(words)):
        return Trouble.QUOTA
    if status == 429:
        return Trouble.BUSY
    if is_refused and status != 401 and _CONTENT.search(words):
        return None
    if is_refused and _SPENT.search(words):
        return Trouble.QUOTA
    if status in (401, 403) or (is_refused and _KEY.search(words)):
        return Trouble.KEY
    if status >= 500 and (refusal.headers.get("retry-after") or _LOADING.search(words)):
        return Trouble.BUSY
    if status in (400, 404, 422) and _NO_MODEL.search(words):
        return Trouble.MODEL
    if status in (404, 405, 410):  # whatever a call holds, the server would find the address
        return Trouble.ADDRESS
    if 300 <= status < 400:  # somebody else answers at the address, and redirects are not followed
        return Trouble.UNREACHABLE
    return None


def is_passing(refusal: Refusal) -> bool:
    """True if a refusal without trouble of the engine may pass by itself."""
    return refusal.status in (408, 409, 425) or refusal.status >= 500


def is_of_call(refusal: Refusal) -> bool:
    """True if a refusal says that it is about what this one request holds."""
    return refusal.status in (413, 415) or bool(_CONTENT.search(refusal.words))


def to_engine_error(refusal: Refusal, host: str, address: str) -> EngineUnavailable | EngineRejected:
    """Return what a refusal means for the job: to be tried again, or final.

    `address` is the engine's URL as it may be shown.
    """
    status, said, trouble = refusal.status, refusal.said, find_trouble(refusal)
    if trouble == Trouble.QUOTA:
        return EngineUnavailable(Message("llm_no_quota", host=host, value=said), trouble=trouble)
    if trouble == Trouble.KEY and status not in (401, 403):
        message = Message("llm_refused_key_saying", host=host, status=status, value=said)
        return EngineUnavailable(message, trouble=trouble)
    if trouble == Trouble.KEY:
        return EngineUnavailable(Message("llm_refused_key", host=host, status=status), trouble=trouble)
    if trouble == Trouble.ADDRESS:
        return wrong_address(refusal, address)
    if trouble == Trouble.MODEL:
        message = Message("llm_refused_request", host=host, status=status, value=said)
        return EngineUnavailable(message, trouble=trouble)
    if trouble is not None or is_passing(refusal):
        message = Message("llm_unavailable", host=host, status=status)
        if refusal.is_answer:
            message = Message("llm_unavailable_because", host=host, value=said)
        return EngineUnavailable(message, retry_after_s=retry_after_s(refusal), trouble=trouble)
    message = Message("llm_refused_request", host=host, status=status, value=said)
    if refusal.is_answer:
        message = Message("llm_refused", host=host, value=said)
    return EngineRejected(message, is_of_call=is_of_call(refusal))


def wrong_address(refusal: Refusal, address: str) -> EngineUnavailable:
    """Return the error of an address at which no such server answers."""
    message = Message("engine_wrong_address", url=address, status=refusal.status, value=refusal.said)
    return EngineUnavailable(message, trouble=Trouble.ADDRESS)


def retry_after_s(refusal: Refusal) -> float | None:
    """Return how long the server asked to wait, in seconds or by a date; None when it did not."""
    headers = refusal.headers
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return min(float(value), MAX_WAIT_S)
    try:
        # Both dates are the server's: its clock may differ from ours.
        now = parsedate_to_datetime(headers["date"]) if headers.get("date") else datetime.now(UTC)
        return min(max((parsedate_to_datetime(value) - now).total_seconds(), 0.0), MAX_WAIT_S)
    except (ValueError, TypeError, IndexError):
        return None
