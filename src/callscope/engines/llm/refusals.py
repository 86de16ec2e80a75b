"""What a server's refusal means. The status alone does not say, and every server words it differently."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from callscope.engines.errors import EngineRejected, EngineUnavailable, Trouble
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
_QUOTA = re.compile(r"insufficient_quota|billing|payment required", re.IGNORECASE)
# Some gateways answer 403 where a filter stopped this one text.
_CONTENT = re.compile(r"moderation|flagged|content[ _-]?(?:policy|filter)|safety", re.IGNORECASE)
_LOADING = re.compile(r"\bloading\b|warming up|starting up", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model_not_found|\bmodel\b[^.]{0,120}(?:not found|does not exist)|no such model", re.IGNORECASE
)
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|unrecognized|unknown|does not support|not permitted|extra|invalid",
    re.IGNORECASE,
)


def error_text(error: "openai.APIStatusError") -> str:
    """Return everything that a refusal says."""
    try:
        return f"{error.message} {error.code or ''} {error.response.text}"
    except Exception:  # a body that was never read, or is no text
        return str(error)


def is_context_overflow(error: "openai.APIStatusError") -> bool:
    return error.status_code in (400, 413, 422, 500) and bool(_OVERFLOW.search(error_text(error)))


def rejects_parameter(error: "openai.APIStatusError", parameter: str) -> bool:
    """True if a refusal is about one request parameter."""
    text = error_text(error)
    is_named = bool(re.search(rf"\b{parameter}\b", text))
    return error.status_code in (400, 422) and is_named and bool(_UNSUPPORTED.search(text))


def rejects_format(error: "openai.APIStatusError") -> bool:
    """True if asking less strictly may help: a refused request, or a crash that names the format."""
    if error.status_code in (400, 404, 422):
        return True
    return error.status_code in (500, 501) and bool(_FORMAT.search(error_text(error)))


def find_trouble(error: "openai.APIStatusError") -> Trouble | None:
    """Return what a refusal says of the engine itself; None where it may be about this request."""
    status, text = error.status_code, error_text(error)
    if status == 402 or (status in (403, 429) and _QUOTA.search(text)):
        return Trouble.QUOTA
    if status == 401 or (status == 403 and not _CONTENT.search(text)):
        return Trouble.KEY
    if status == 429:
        return Trouble.BUSY
    if status >= 500 and (error.response.headers.get("retry-after") or _LOADING.search(text)):
        return Trouble.BUSY
    if status == 404 and _NO_MODEL.search(text):
        return Trouble.MODEL
    if 300 <= status < 400:  # somebody else answers at the address, and redirects are not followed
        return Trouble.UNREACHABLE
    return None


def to_engine_error(error: "openai.APIStatusError", host: str) -> EngineUnavailable | EngineRejected:
    """Return what a refusal means for the job: to be tried again, or final."""
    status, trouble = error.status_code, find_trouble(error)
    said = error_message(error)
    if trouble == Trouble.QUOTA:
        return EngineUnavailable(Message("llm_no_quota", host=host, value=said), trouble=trouble)
    if trouble == Trouble.KEY:
        return EngineUnavailable(Message("llm_refused_key", host=host, status=status), trouble=trouble)
    if trouble == Trouble.MODEL:
        refusal = Message("llm_refused_request", host=host, status=status, value=said)
        return EngineUnavailable(refusal, trouble=trouble)
    if trouble is not None or status in (408, 409, 425) or status >= 500:
        return EngineUnavailable(
            Message("llm_unavailable", host=host, status=status),
            retry_after_s=retry_after_s(error),
            trouble=trouble,
        )
    return EngineRejected(Message("llm_refused_request", host=host, status=status, value=said))


def error_message(error: "openai.APIStatusError") -> str:
    """Return the refusal's own sentence, in one line."""
    return " ".join(str(error.message).split())[:200]


def raise_for_error_body(answer: Any, host: str) -> None:
    """Raise what an error means that comes with HTTP 200, as some gateways send it."""
    error = (getattr(answer, "model_extra", None) or {}).get("error")
    if not isinstance(error, dict):
        return
    text = " ".join(str(error.get("message", "")).split())[:200]
    code = error.get("code")
    if code in (408, 429, 500, 502, 503, 504):
        trouble = Trouble.BUSY if code == 429 else None
        raise EngineUnavailable(Message("llm_unavailable_because", host=host, value=text), trouble=trouble)
    raise EngineRejected(Message("llm_refused", host=host, value=text))


def retry_after_s(error: "openai.APIStatusError") -> float | None:
    """Return how long the server asked to wait, in seconds or by a date; None when it did not."""
    headers = error.response.headers
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return min(float(value), MAX_WAIT_S)
    try:
        # Both dates are the server's: its clock may differ from ours.
        now = parsedate_to_datetime(headers["date"]) if headers.get("date") else datetime.now(UTC)
        return min(max((parsedate_to_datetime(value) - now).total_seconds(), 0.0), MAX_WAIT_S)
    except (ValueError, TypeError, IndexError):
        return None
