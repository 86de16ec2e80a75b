"""Recognition by any server that speaks OpenAI's `/audio/transcriptions`.

Servers differ in what they can return. We ask for the richest format and step
down, once per server and model: verbose_json with words, diarized_json,
verbose_json, json. A server that only returns text is sent our own stretches of
speech one by one, which gives the times.
"""

import io
import math
import time
import wave
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from callscope.engines.asr.protocol import (
    RATE,
    EngineUnreachable,
    Health,
    Recognition,
    Samples,
    Utterance,
    Word,
)
from callscope.engines.asr.voice_activity import speech_spans
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable

DEFAULT_MODEL = "whisper-1"
CONNECT_S = 3.0  # three attempts and their pauses have to fit into 15 s
LONGEST_SPAN_S = 30.0
MAX_HINT_CHARACTERS = 800
NOISE = 0.6  # no-speech probability above which a doubtful segment is silence

VERBOSE_WORDS, DIARIZED, VERBOSE, PLAIN = "verbose_json with words", "diarized_json", "verbose_json", "json"
LADDER = [VERBOSE_WORDS, DIARIZED, VERBOSE, PLAIN]
FORMATS: dict[str, dict[str, Any]] = {
    VERBOSE_WORDS: {"response_format": "verbose_json", "timestamp_granularities": ["segment", "word"]},
    DIARIZED: {"response_format": "diarized_json", "chunking_strategy": "auto"},
    VERBOSE: {"response_format": "verbose_json"},
    PLAIN: {"response_format": "json"},
}
_rungs: dict[tuple[str, str], str] = {}  # (server, model) → the format that it can


class FormatRefused(Exception):
    """The server does not give this format; the next one down may do."""


class RemoteTranscriber:
    def __init__(
        self,
        base_url: str,
        *,
        api_key: str = "",
        model: str = "",
        operator_run: bool = False,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """`operator_run` says that the server is the operator's own, fit for private recordings."""
        address = urlsplit(base_url)
        self.base_url = base_url.rstrip("/") + ("/v1" if address.path in ("", "/") else "")
        self.host = address.hostname or base_url
        self.hosts = [self.host]
        self.model = model or DEFAULT_MODEL
        self.name = f"OpenAI-compatible ({self.host})"
        self.sends_data_out = not operator_run
        self._http = httpx2.Client(
            transport=transport,
            # The sound goes to the named server: no detour by redirect, and for a private one none by proxy.
            follow_redirects=False,
            trust_env=not operator_run,
        )
        self._client = openai.OpenAI(
            base_url=self.base_url,
            api_key=api_key or "none",
            max_retries=0,  # the job waits and tries again, with what the server asked for
            http_client=self._http,
        )

    def check(self) -> Health:
        try:
            self._client.models.list(timeout=httpx2.Timeout(5.0, connect=CONNECT_S))
        except openai.APIConnectionError as error:
            return Health(False, f"{self.base_url} does not answer ({_cause(error)}).")
        except openai.APIStatusError as error:
            if error.status_code in (401, 403):
                return Health(False, f"{self.base_url} refuses the API key ({error.status_code}).")
        except openai.OpenAIError:
            pass  # it answers, only not with a list of models
        return Health(True, f"{self.base_url} answers.")

    def transcribe(
        self, samples: Samples, *, language: str | None, hints: list[str], deadline: float
    ) -> Recognition:
        key = (self.base_url, self.model)
        asked = _common_options(language, hints)
        refused = ""
        for rung in LADDER[LADDER.index(_rungs.get(key, LADDER[0])) :]:
            try:
                if rung == PLAIN:
                    recognition = self._span_by_span(samples, asked, deadline)
                else:
                    answer = self._send(samples, {**asked, **FORMATS[rung]}, deadline)
                    recognition = _recognition(answer)
            except FormatRefused as error:
                refused = str(error)
                continue
            _rungs[key] = rung
            return recognition
        raise EngineRejected(f"{self.host} refused the recording: {refused}")

    def _span_by_span(self, samples: Samples, asked: dict[str, Any], deadline: float) -> Recognition:
        utterances = []
        language = ""
        for start_s, end_s in _parts(speech_spans(samples) or [(0.0, len(samples) / RATE)]):
            part = samples[int(start_s * RATE) : int(end_s * RATE)]
            answer = self._send(part, {**asked, **FORMATS[PLAIN]}, deadline)
            if not isinstance(answer.get("text"), str):
                raise BadOutput(f"{self.host} answered without a text.")
            language = language or _language_code(answer.get("language"))
            if text := _clean(answer["text"]):
                utterances.append(Utterance(start_s, end_s, text))
        return Recognition(utterances, language=language)

    def _send(self, samples: Samples, asked: dict[str, Any], deadline: float) -> dict[str, Any]:
        """Return the server's JSON. Raises FormatRefused, EngineUnavailable, EngineRejected, BadOutput."""
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise EngineUnavailable(f"{self.host} did not finish in time.")
        try:
            response = self._client.audio.transcriptions.with_raw_response.create(
                file=("call.wav", _wav(samples), "audio/wav"),
                model=self.model,
                timeout=httpx2.Timeout(left_s, connect=min(CONNECT_S, left_s)),
                **asked,
            )
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout):
                raise EngineUnreachable(f"{self.host} cannot be reached ({_cause(error)}).") from None
            raise EngineUnavailable(f"{self.host} broke off ({_cause(error)}).") from None
        except openai.APIStatusError as error:
            raise _status_error(self.host, error) from None
        if not 200 <= response.status_code < 300:
            raise EngineRejected(f"{self.host} answered {response.status_code} instead of a transcript.")
        try:
            answer = response.http_response.json()
        except ValueError:
            raise FormatRefused("the answer is not JSON.") from None
        if not isinstance(answer, dict):
            raise FormatRefused("the answer is not a JSON object.")
        return answer


def _status_error(host: str, error: openai.APIStatusError) -> Exception:
    """Return the error to raise: wait, step down, or give up."""
    status = error.status_code
    body = error.body
    said = _one_line(
        str(body["message"]) if isinstance(body, dict) and body.get("message") else error.message
    )
    if status in (408, 409, 425, 429) or (status >= 500 and "response_format" not in said):
        return EngineUnavailable(f"{host} answered {status}: {said}", retry_after_s=_retry_after_s(error))
    if status in (401, 403):
        return EngineRejected(f"{host} refused the API key ({status}).")
    if status == 404 and error.code == "model_not_found":
        return EngineRejected(f"{host} has no such model: {said}")
    if status in (400, 404, 422) or status >= 500:
        return FormatRefused(said)
    return EngineRejected(f"{host} answered {status}: {said}")


def _retry_after_s(error: openai.APIStatusError) -> float | None:
    value = error.response.headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds <= 3600 else None


def _common_options(language: str | None, hints: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if language:
        options["language"] = language
    if hints:
        options["prompt"] = ", ".join(hints)[:MAX_HINT_CHARACTERS]
    return options


def _recognition(answer: dict[str, Any]) -> Recognition:
    """Return the utterances of a verbose or diarized answer.

    Raises FormatRefused when it has text but no segments: some servers accept
    every format and answer with json.
    """
    segments = answer.get("segments")
    if not isinstance(segments, list) or (not segments and _clean(answer.get("text"))):
        raise FormatRefused("the answer holds no segments.")
    words = [word for item in answer.get("words") or [] if (word := _word(item))]
    utterances = []
    for segment in segments:
        utterance = _utterance(segment, words)
        if utterance:
            utterances.append(utterance)
    utterances.sort(key=lambda u: u.start_s)
    return Recognition(utterances, language=_language_code(answer.get("language")))


def _utterance(segment: Any, words: list[Word]) -> Utterance | None:
    if not isinstance(segment, dict):
        raise FormatRefused("a segment is not an object.")
    start_s, end_s = _number(segment.get("start")), _number(segment.get("end"))
    text = _clean(segment.get("text"))
    if start_s is None or end_s is None:
        raise FormatRefused("a segment has no times.")
    log_probability = _number(segment.get("avg_logprob"))
    silent = (_number(segment.get("no_speech_prob")) or 0.0) > NOISE
    if not text or (silent and log_probability is not None and log_probability < -1):
        return None
    confidence = min(1.0, math.exp(log_probability)) if log_probability is not None else None
    own = [word for item in segment.get("words") or [] if (word := _word(item))]
    inside = tuple(own or [w for w in words if start_s - 0.01 <= (w.start_s + w.end_s) / 2 < end_s + 0.01])
    if inside:  # words know better than segments where speech begins and ends
        start_s, end_s = max(start_s, inside[0].start_s), max(inside[-1].end_s, start_s)
    return Utterance(max(0.0, start_s), max(0.0, start_s, end_s), text, confidence, inside)


def _word(item: Any) -> Word | None:
    if not isinstance(item, dict):
        return None
    start_s, end_s, text = _number(item.get("start")), _number(item.get("end")), item.get("word")
    if start_s is None or end_s is None or not isinstance(text, str):
        return None
    return Word(start_s, end_s, text.strip())


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _clean(text: Any) -> str:
    if not isinstance(text, str):
        return ""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


LANGUAGE_NAMES = {
    "english": "en",
    "spanish": "es",
    "french": "fr",
    "german": "de",
    "portuguese": "pt",
    "italian": "it",
}


def _language_code(value: Any) -> str:
    """Return the code for "en", "en-US" or "English"; "" for anything else."""
    if not isinstance(value, str):
        return ""
    text = value.strip().casefold()
    code = LANGUAGE_NAMES.get(text, text.split("-")[0].split("_")[0])
    return code if len(code) in (2, 3) and code.isascii() and code.isalpha() else ""


def _parts(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the spans, those too long for one request cut into equal parts."""
    parts: list[tuple[float, float]] = []
    for start, end in spans:
        count = max(1, math.ceil((end - start) / LONGEST_SPAN_S))
        step = (end - start) / count
        parts += [(start + step * n, start + step * (n + 1)) for n in range(count)]
    return parts


def _wav(samples: Samples) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.astype("<i2").tobytes())
    return buffer.getvalue()


def _cause(error: openai.APIConnectionError) -> str:
    cause = error.__cause__ or error
    return _one_line(str(cause) or type(cause).__name__).rstrip(".")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300].rstrip(".") + "."
