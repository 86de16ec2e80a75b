"""What a server's refusal means. The status alone does not tell it, and servers word it differently."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import openai

from callscope.engines.errors import EngineRejected, EngineUnavailable

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
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|unrecognized|unknown|does not support|not permitted|extra|invalid",
    re.IGNORECASE,
)


def words_of(error: openai.APIStatusError) -> str:
    """Return everything that a refusal says."""
    try:
        return f"{error.message} {error.code or ''} {error.response.text}"
    except Exception:  # a body that was never read, or is no text
        return str(error)


def is_overflow(error: openai.APIStatusError) -> bool:
    return error.status_code in (400, 413, 422, 500) and bool(_OVERFLOW.search(words_of(error)))


def names(error: openai.APIStatusError, parameter: str) -> bool:
    """Whether a refusal is about one request parameter."""
    text = words_of(error)
    is_named = bool(re.search(rf"\b{parameter}\b", text))
    return error.status_code in (400, 422) and is_named and bool(_UNSUPPORTED.search(text))


def is_about_format(error: openai.APIStatusError) -> bool:
    """Whether asking less strictly may help: a refused request, or a crash that names the format."""
    if error.status_code in (400, 404, 422):
        return True
    return error.status_code in (500, 501) and bool(_FORMAT.search(words_of(error)))


def as_engine_error(error: openai.APIStatusError, host: str) -> EngineUnavailable | EngineRejected:
    """Return what a refusal means for the job: to be tried again, or final."""
    status = error.status_code
    if status == 429 and _QUOTA.search(words_of(error)):
        return EngineRejected(f"The language model at {host} is out of quota: {told(error)}")
    if status in (408, 409, 425, 429) or status >= 500:
        return EngineUnavailable(
            f"The language model at {host} is not available (HTTP {status}).",
            retry_after_s=retry_after_s(error),
        )
    if status in (401, 403):
        return EngineRejected(f"The language model at {host} refused CALLSCOPE_LLM_API_KEY (HTTP {status}).")
    return EngineRejected(f"The language model at {host} refused the request (HTTP {status}): {told(error)}")


def told(error: openai.APIStatusError) -> str:
    """Return the refusal's own sentence, in one line."""
    return " ".join(str(error.message).split())[:200]


def raise_for_hidden_error(answer: Any, host: str) -> None:
    """Raise what an error means that comes with HTTP 200, as some gateways send it."""
    error = (getattr(answer, "model_extra", None) or {}).get("error")
    if not isinstance(error, dict):
        return
    text = " ".join(str(error.get("message", "")).split())[:200]
    if error.get("code") in (408, 429, 500, 502, 503, 504):
        raise EngineUnavailable(f"The language model at {host} is not available: {text}")
    raise EngineRejected(f"The language model at {host} refused the request: {text}")


def retry_after_s(error: openai.APIStatusError) -> float | None:
    """Return how long the server asked to wait, in seconds or by a date; None when it did not."""
    value = error.response.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return min(float(value), MAX_WAIT_S)
    return _until(value, error.response.headers.get("date", ""))


def _until(moment: str, server_now: str) -> float | None:
    try:
        at = parsedate_to_datetime(moment)
        now = parsedate_to_datetime(server_now) if server_now else datetime.now(UTC)
        return min(max((at - now).total_seconds(), 0.0), MAX_WAIT_S)
    except (ValueError, TypeError, IndexError):
        return None
