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
    r"reduce the length|n_ctx|available context|"
    r"\binputs`?(?: tokens)? (?:\+ `?max_new_tokens`? )?must (?:be|have)",
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
_NO_MONEY = re.compile(
    r"insufficient[ _](?:quota|credits?|funds|balance)|payment required|credit balance|"
    r"billing_(?:hard_limit|not_active)|billing (?:hard limit|account)|budget[ _](?:has been )?exceeded|"
    r"(?:over|exceeded) ?budget|key limit exceeded|(?:plans? &|enable|activate|set up) billing",
    re.IGNORECASE,
)
# With 429 often a limit of requests a minute.
_SPENT = re.compile(
    r"\b(?:quota|credits?)\b[^.]{0,40}(?:exceeded|exhausted|used up|depleted)|"
    r"\b(?:exceeded|exhausted|used up|out of|no)\b[^.]{0,30}\b(?:quota|credits?)\b|"
    r"\bnot have any credits?\b|n't have any credits?\b|billing details",
    re.IGNORECASE,
)
_RATE = re.compile(r"rate[ _-]?limit|\bper[ -](?:second|min(?:ute)?|hour|day)\b", re.IGNORECASE)
_TOO_LARGE = re.compile(r"request too large|tokens must be reduced", re.IGNORECASE)
# Some gateways answer 403 where a filter stopped this one text.
_CONTENT = re.compile(
    r"moderation|flagged|content[ _-]?(?:policy|filter|management)|safety|responsible ?ai|"
    r"inspection_failed|(?:inappropriate|prohibited) content",
    re.IGNORECASE,
)
_LOADING = re.compile(r"\bloading\b|warming up|starting up", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model_not_(?:found|available)|\b(?:model|deployment)\b[^.]{0,120}(?:not found|does not exist)|"
    r"no such model|\binvalid model\b|not a valid model|model identifier is invalid|unable to access model|"
    r"\bno models? (?:is |are )?loaded|deploymentnotfound|no endpoints found for",
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
    if error.status_code == 429:  # one request that no minute has room for
        return bool(_TOO_LARGE.search(error_text(error)))
    return error.status_code in (400, 413, 422, 500) and bool(_OVERFLOW.search(error_text(error)))


def says_overflow(refusal: Refusal) -> bool:
    """True if a refusal that came as an answer is about the length of the prompt."""
    return bool(_OVERFLOW.search(refusal.words))


def rejects_parameter(error: "openai.APIStatusError", parameter: str) -> bool:
    """True if a refusal is about one request parameter."""
    text = error_text(error)
    is_named = bool(re.search(rf"\b{parameter}\b", text))
    return error.status_code in (400, 422) and is_named and bool(_UNSUPPORTED.search(text))


def names_form(error: "openai.APIStatusError") -> bool:
    """True if a refusal names a way of asking, and not only what was asked."""
    parameters = ("max_tokens", "temperature", "seed")
    return bool(_FORMAT.search(error_text(error))) or any(rejects_parameter(error, p) for p in parameters)


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
    if status == 429:
        return Trouble.QUOTA if _says_quota(refusal) else Trouble.BUSY
    if status >= 500:
        asks_to_wait = refusal.headers.get("retry-after") or retry_after_s(refusal) is not None
        return Trouble.BUSY if asks_to_wait or _LOADING.search(words) else None
    if 300 <= status < 400:  # somebody else answers at the address, and redirects are not followed
        return Trouble.UNREACHABLE
    if status not in (401, 402) and _CONTENT.search(words):
        return None
    if status == 402 or _says_quota(refusal):
        return Trouble.QUOTA
    if status in (401, 403) or _KEY.search(words):
        return Trouble.KEY
    if status in (400, 404, 422) and _NO_MODEL.search(words):
        return Trouble.MODEL
    # Whatever a call holds, the server would find the address.
    return Trouble.ADDRESS if status in (404, 405, 410) else None


def _says_quota(refusal: Refusal) -> bool:
    """True if nothing is left to pay with, which no waiting helps."""
    if _NO_MONEY.search(refusal.words):
        return True
    is_limit = refusal.status == 429 and (refusal.wait_s is not None or _RATE.search(refusal.words))
    return not is_limit and bool(_SPENT.search(refusal.words))


def is_passing(refusal: Refusal) -> bool:
    """True if a refusal without trouble of the engine may pass by itself."""
    return refusal.status in (408, 409, 425) or refusal.status >= 500


def is_of_call(refusal: Refusal) -> bool:
    """True if a refusal says that it is about what this one request holds."""
    return refusal.status in (413, 415) or bool(_CONTENT.search(refusal.words))


def to_engine_error(
    refusal: Refusal, host: str, address: str, *, key_setting: str
) -> EngineUnavailable | EngineRejected:
    """Return what a refusal of a language model means for the job: to be tried again, or final.

    `address` is the engine's URL as it may be shown, `key_setting` names where its key comes from.
    """
    status, said, trouble = refusal.status, refusal.said, find_trouble(refusal)
    if trouble == Trouble.QUOTA:
        return EngineUnavailable(Message("llm_no_quota", host=host, value=said), trouble=trouble)
    if trouble == Trouble.KEY:
        message = Message("llm_refused_key", host=host, name=key_setting, status=status, value=said)
        return EngineUnavailable(message, trouble=trouble)
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


def to_server_error(refusal: Refusal, host: str, address: str) -> EngineUnavailable | EngineRejected:
    """Return the same for a server of another kind: what it says and its status, in words that fit all."""
    status, said, trouble = refusal.status, f"{refusal.said.rstrip('.')}.", find_trouble(refusal)
    if trouble == Trouble.ADDRESS:
        return wrong_address(refusal, address)
    codes = {Trouble.KEY: "engine_refused_key", Trouble.MODEL: "engine_no_model"}
    code = "engine_answered" if trouble is None else codes.get(trouble, "engine_answered")
    values = {"host": host, "value": said} | ({} if trouble == Trouble.MODEL else {"status": status})
    message = Message(code, **values)
    if trouble is not None or is_passing(refusal):
        return EngineUnavailable(message, retry_after_s=retry_after_s(refusal), trouble=trouble)
    return EngineRejected(message, is_of_call=is_of_call(refusal))


def wrong_address(refusal: Refusal, address: str) -> EngineUnavailable:
    """Return the error of an address at which no such server answers."""
    message = Message("engine_wrong_address", url=address, status=refusal.status, value=refusal.said)
    return EngineUnavailable(message, trouble=Trouble.ADDRESS)


def retry_after_s(refusal: Refusal) -> float | None:
    """Return how long the server asked to wait, in seconds or by a date; None when it did not."""
    headers = refusal.headers
    milliseconds = headers.get("retry-after-ms", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", milliseconds):
        return min(float(milliseconds) / 1000, MAX_WAIT_S)
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return min(float(value), MAX_WAIT_S)
    if not value:
        return None if refusal.wait_s is None else min(refusal.wait_s, MAX_WAIT_S)
    try:
        # Both dates are the server's: its clock may differ from ours.
        now = parsedate_to_datetime(headers["date"]) if headers.get("date") else datetime.now(UTC)
        return min(max((parsedate_to_datetime(value) - now).total_seconds(), 0.0), MAX_WAIT_S)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
