"""Recognition by any server that speaks OpenAI's `/audio/transcriptions`.

Servers differ in what they can return. We ask for the richest format and step
down, once per server and model: verbose_json with words, diarized_json,
verbose_json, json. A server that only returns text is sent our own stretches of
speech one by one, which gives the times.
"""

import io
import re
import time
import wave
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2

from callscope.engines.answers import note_answer, note_refusal, wait_in_place
from callscope.engines.asr.protocol import (
    RATE,
    EngineUnreachable,
    Health,
    Recognition,
    Samples,
    Utterance,
)
from callscope.engines.asr.response import (
    Answer,
    FormatRefused,
    clean_text,
    parse_language,
    parse_recognition,
)
from callscope.engines.asr.voice_activity import detect_speech, split_spans
from callscope.engines.connection import build_http_client, raise_if_guarded
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable, Trouble
from callscope.engines.identity import EngineId, public_address
from callscope.engines.llm import refusals
from callscope.engines.llm.refusal_texts import NO_KEY, Refusal, find_refusal, read_refusal
from callscope.messages.message import Message
from callscope.processes import crash_points
from callscope.processes.guarded_addresses import Network

if TYPE_CHECKING:
    import openai

DEFAULT_MODEL = "whisper-1"
CONNECT_S = 3.0  # three attempts and their pauses have to fit into 15 s
LONGEST_SPAN_S = 30.0
MAX_HINT_CHARACTERS = 800
TIMEOUT_S = 300.0  # in all for one request

VERBOSE_WORDS, DIARIZED, VERBOSE, PLAIN = "verbose_json with words", "diarized_json", "verbose_json", "json"
Options = dict[str, Any]  # parameters of a request
LADDER = [VERBOSE_WORDS, DIARIZED, VERBOSE, PLAIN]
FORMATS: dict[str, Options] = {
    VERBOSE_WORDS: {"response_format": "verbose_json", "timestamp_granularities": ["segment", "word"]},
    DIARIZED: {"response_format": "diarized_json", "chunking_strategy": "auto"},
    VERBOSE: {"response_format": "verbose_json"},
    PLAIN: {"response_format": "json"},
}
# What a server says of one recording, and never of its own settings.
_OF_RECORDING = re.compile(
    r"\b(?:audio|recording|sound|file|decod\w+|corrupt\w*|duration)\b|too (?:short|long|large)", re.IGNORECASE
)
_rungs: dict[tuple[str, str], str] = {}  # (server, model) → the format that it can


class RemoteTranscriber:
    def __init__(
        self,
        base_url: str,
        *,
        api_key: str = "",
        model: str = "",
        timeout_s: float = TIMEOUT_S,
        operator_run: bool = False,
        networks: Sequence[Network] = (),
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """`operator_run` says that the server is the operator's own, fit for private recordings."""
        import openai

        address = urlsplit(base_url)
        self.base_url = base_url.rstrip("/") + ("/v1" if address.path in ("", "/") else "")
        self.host = address.hostname or base_url
        self.hosts = [self.host]
        self.engine = EngineId("speech", public_address(base_url))
        self.timeout_s = timeout_s
        self.model = model or DEFAULT_MODEL
        self.name = f"OpenAI-compatible ({self.host})"
        self.sends_data_out = not operator_run
        self.is_demo = False
        # The sound goes to the named server: no detour by redirect, and for a private one none by proxy.
        self._http = build_http_client(
            self.base_url, networks=networks, operator_run=operator_run, transport=transport
        )
        self._client = openai.OpenAI(
            base_url=self.base_url,
            api_key=api_key or NO_KEY,
            max_retries=0,  # the job waits and tries again, with what the server asked for
            http_client=self._http,
        )

    def check(self) -> Health:
        import openai

        try:
            self._client.models.list(timeout=httpx2.Timeout(5.0, connect=CONNECT_S))
        except openai.APIConnectionError as error:
            return Health(False, f"{self.engine.address} does not answer ({_cause(error)}).")
        except openai.APIStatusError as error:
            if error.status_code in (401, 403):
                return Health(False, f"{self.engine.address} refuses the API key ({error.status_code}).")
        except openai.OpenAIError:
            pass  # it answers, only not with a list of models
        return Health(True, f"{self.engine.address} answers.")

    def transcribe(
        self, samples: Samples, *, language: str | None, hints: list[str], deadline: float
    ) -> Recognition:
        """Ask for the richest format that the server is not known to refuse, then step down."""
        try:
            return self._step_down(samples, language, hints, deadline)
        except BadOutput:
            note_answer(self.engine)  # if not with what was asked
            raise
        except EngineRejected as error:
            note_refusal(self.engine, error)
            raise

    def _step_down(
        self, samples: Samples, language: str | None, hints: list[str], deadline: float
    ) -> Recognition:
        key = (self.base_url, self.model)
        options: Options = {"language": language} if language else {}
        if hints:
            options["prompt"] = ", ".join(hints)[:MAX_HINT_CHARACTERS]
        refusal = FormatRefused("")
        for rung in LADDER[LADDER.index(_rungs.get(key, LADDER[0])) :]:
            try:
                if rung == PLAIN:
                    recognition = self._transcribe_spans(samples, options, deadline)
                else:
                    answer = self._send(samples, {**options, **FORMATS[rung]}, deadline)
                    crash_points.reach_point("parse")
                    recognition = parse_recognition(answer)
            except FormatRefused as error:
                refusal = error
                continue
            _rungs[key] = rung
            return recognition
        if isinstance(refusal.outcome, EngineUnavailable):
            refusal.outcome.engine = self.engine
        message = Message("engine_refused_recording", host=self.host, value=str(refusal))
        raise refusal.outcome or EngineRejected(message, is_of_call=False)

    def _transcribe_spans(self, samples: Samples, options: Options, deadline: float) -> Recognition:
        """Send each stretch of speech by itself: where we cut is all that is known about times."""
        utterances = []
        language = ""
        for start_s, end_s in split_spans(
            detect_speech(samples) or [(0.0, len(samples) / RATE)], longest_s=LONGEST_SPAN_S
        ):
            part = samples[int(start_s * RATE) : int(end_s * RATE)]
            answer = self._send(part, {**options, **FORMATS[PLAIN]}, deadline)
            if not isinstance(answer.get("text"), str):
                raise BadOutput(Message("engine_no_text", host=self.host))
            language = language or parse_language(answer.get("language"))
            if text := clean_text(answer["text"]):
                utterances.append(Utterance(start_s, end_s, text))
        return Recognition(utterances, language=language)

    def _send(self, samples: Samples, options: Options, deadline: float) -> Answer:
        """Return the server's JSON. Raises FormatRefused, EngineUnavailable, EngineRejected, BadOutput."""
        while True:
            try:
                answer = self._send_once(samples, options, deadline)
            except EngineUnavailable as error:
                error.engine = self.engine
                if not wait_in_place(error):
                    raise
            else:
                note_answer(self.engine)
                return answer

    def _send_once(self, samples: Samples, options: Options, deadline: float) -> Answer:
        import openai

        left_s = min(deadline - time.monotonic(), self.timeout_s)
        if left_s <= 0:
            raise EngineUnavailable(Message("engine_slow", host=self.host))
        try:
            response = self._client.audio.transcriptions.with_raw_response.create(
                file=("call.wav", _encode_wav(samples), "audio/wav"),
                model=self.model,
                timeout=httpx2.Timeout(left_s, connect=min(CONNECT_S, left_s)),
                **options,
            )
        except openai.APIConnectionError as error:
            raise_if_guarded(error, self.host)
            if isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout):
                raise EngineUnreachable(
                    Message("engine_unreachable", host=self.host, value=_cause(error)),
                    trouble=Trouble.UNREACHABLE,
                ) from None
            if isinstance(error, openai.APITimeoutError):
                raise EngineUnavailable(Message("engine_slow", host=self.host)) from None
            raise EngineUnavailable(
                Message("engine_broke_off", host=self.host, value=_cause(error))
            ) from None
        except openai.APIStatusError as error:
            raise _to_error(self.host, self.engine.address, read_refusal(error)) from None
        if not 200 <= response.status_code < 300:
            raise EngineRejected(Message("engine_no_transcript", host=self.host, status=response.status_code))
        try:
            answer = response.http_response.json()
        except (ValueError, RecursionError):
            # Not a matter of formats: a gateway says something in place of the engine.
            raise EngineUnavailable(Message("engine_not_json", host=self.host)) from None
        refusal = find_refusal(answer, key=self._client.api_key)
        if refusal is not None:
            raise _to_error(self.host, self.engine.address, refusal)
        if not isinstance(answer, dict):
            raise FormatRefused("the answer is not a JSON object.")
        if not isinstance(answer.get("text"), str) and not isinstance(answer.get("segments"), list):
            # Nothing in it is of this recording, so every other one may be answered in the same way.
            no_text = Message("engine_no_text", host=self.host)
            raise FormatRefused(str(no_text), EngineRejected(no_text, is_of_call=False))
        return answer


def _to_error(host: str, address: str, refusal: Refusal) -> Exception:
    """Return the error to raise: wait, step down, or give up."""
    status, said = refusal.status, _one_line(refusal.said)
    error = refusals.to_server_error(refusal, host, address)
    if isinstance(error, EngineUnavailable):
        if error.trouble == Trouble.ADDRESS and status == 404 and refusal.is_json:
            return FormatRefused(said, error)
        if error.trouble is not None or status < 500 or "response_format" not in said:
            return error
    is_of_call = refusals.is_of_call(refusal) or bool(_OF_RECORDING.search(refusal.words))
    if status in (400, 422) or status >= 500:
        message = Message("engine_refused_recording", host=host, value=said)
        final = EngineRejected(message, is_of_call=is_of_call)
        # No format changes what is said in the recording.
        return final if refusals.is_of_call(refusal) else FormatRefused(said, final)
    return EngineRejected(error.message, is_of_call=is_of_call)


def _encode_wav(samples: Samples) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.astype("<i2").tobytes())
    return buffer.getvalue()


def _cause(error: "openai.APIConnectionError") -> str:
    cause = error.__cause__ or error
    return _one_line(str(cause) or type(cause).__name__).rstrip(".")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300].rstrip(".") + "."
