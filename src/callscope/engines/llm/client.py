"""Chat with any OpenAI-compatible server, and get JSON back.

What a server can do is found out by asking and remembered per server and model:
capabilities.py. How freely an answer is read is the same for all: reading.py.
"""

import copy
import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from callscope.engines.answers import note_answer, note_refusal, wait_in_place
from callscope.engines.connection import build_http_client, raise_if_guarded
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable, Trouble
from callscope.engines.identity import EngineId, public_address
from callscope.engines.llm import refusals
from callscope.engines.llm.capabilities import ChatMessage, JsonSchema, ServerCapabilities
from callscope.engines.llm.refusal_texts import NO_KEY, Refusal, find_refusal, read_refusal
from callscope.engines.request_limits import AnswerTooLarge
from callscope.messages.message import Message
from callscope.processes.guarded_addresses import Network
from callscope.processes.time_limit import seconds_left

TIMEOUT_S = 300.0  # in all for one request
CONNECT_S = 10.0


class ContextOverflow(Exception):
    """The prompt is longer than the model can read."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the model, and what it cost."""

    text: str
    input_tokens: int
    output_tokens: int
    cost_micros: int | None  # None: neither the server nor the settings say
    model: str


_capabilities: dict[tuple[str, str], ServerCapabilities] = {}  # of each server and model
# What was answered once, in this form: server, model, capabilities and schema. Oldest first.
_answered_forms: dict[tuple[str, str, ServerCapabilities, str], None] = {}
MAX_FORMS = 1000
_lock = threading.Lock()
Pricing = Callable[[int, int], int | None]  # input tokens, output tokens → cost in millionths


class ChatClient:
    """One server and model. Safe to share between threads."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str = "",
        model: str = "",
        timeout_s: float = TIMEOUT_S,
        operator_run: bool = False,
        networks: Sequence[Network] = (),
        pricing: Pricing = lambda _input_tokens, _output_tokens: None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """`operator_run`: the server is the operator's own, and is asked without a proxy of the environment.

        `networks` are guarded ones in which it may be (connection.py).
        `pricing` gives the cost where the server does not state it.
        """
        # Here and in the methods: it takes a quarter of the time in which the web loads.
        import openai

        address = urlsplit(base_url)
        self.base_url = base_url.rstrip("/") + ("/v1" if address.path in ("", "/") else "")
        self.host = address.hostname or base_url
        self.engine = EngineId("language", public_address(base_url))
        self.model = model
        self.name = f"OpenAI-compatible ({self.host})"
        self.key_setting = "CALLSCOPE_PRIVATE_LLM_API_KEY" if operator_run else "CALLSCOPE_LLM_API_KEY"
        self.pricing = pricing
        self.timeout_s = timeout_s
        self._client = openai.OpenAI(
            base_url=self.base_url,
            api_key=api_key or NO_KEY,
            max_retries=0,  # the job waits and tries again, with what the server asked for
            timeout=httpx2.Timeout(timeout_s, connect=CONNECT_S),
            http_client=build_http_client(
                self.base_url, networks=networks, operator_run=operator_run, transport=transport
            ),
        )

    def with_timeout(self, timeout_s: float) -> "ChatClient":
        """Return a client that waits this long for an answer, over the same connections."""
        client = copy.copy(self)
        client.timeout_s = timeout_s
        client._client = self._client.with_options(timeout=httpx2.Timeout(timeout_s, connect=CONNECT_S))
        return client

    def complete(
        self, messages: list[ChatMessage], *, schema: JsonSchema, schema_name: str, max_tokens: int
    ) -> Reply:
        """Return the model's answer, asked to follow the JSON schema as strictly as the server can.

        Raises ContextOverflow, EngineUnavailable (try later), EngineRejected
        (final) or BadOutput (cut off at max_tokens, empty, or refused).
        """
        while True:
            try:
                return self._complete(messages, schema, schema_name, max_tokens)
            except EngineUnavailable as error:
                error.engine = self.engine
                if not wait_in_place(error):
                    raise
            except (BadOutput, ContextOverflow):
                note_answer(self.engine)  # if not with what was asked
                raise
            except EngineRejected as error:
                note_refusal(self.engine, error)
                raise

    def _complete(
        self, messages: list[ChatMessage], schema: JsonSchema, schema_name: str, max_tokens: int
    ) -> Reply:
        """Ask, in the strictest way that the server has not refused."""
        import openai

        with _lock:
            capabilities = _capabilities.get((self.base_url, self.model), ServerCapabilities())
        digest = hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()
        while True:
            form = (self.base_url, self.model, capabilities, digest)
            parameters = capabilities.build_parameters(
                messages, schema=schema, schema_name=schema_name, max_tokens=max_tokens
            )
            try:
                answer = self._client.chat.completions.create(
                    model=self.model,
                    **parameters,
                    timeout=httpx2.Timeout(seconds_left(self.timeout_s), connect=CONNECT_S),
                )
            except openai.APIStatusError as error:
                refusal = read_refusal(error)
                if refusals.is_context_overflow(error):
                    raise ContextOverflow(refusal.said) from error
                is_final = refusals.find_trouble(refusal) not in refusals.MAY_BE_FORMAT
                # Each further form costs a request, in vain where what the request holds is refused.
                is_content = form in _answered_forms or refusals.is_of_call(refusal)
                is_content = is_content and not refusals.names_form(error)
                lower = None if is_final or is_content else capabilities.lowered_by(error)
                if lower is None:
                    raise self._to_error(refusal) from error
                capabilities = lower
                continue
            except openai.APITimeoutError as error:
                raise self._to_timeout_error(error) from error
            except openai.APIConnectionError as error:
                raise self._to_connection_error(error) from error
            except (openai.OpenAIError, ValueError, RecursionError) as error:
                raise EngineUnavailable(Message("llm_not_json", host=self.host)) from error
            if isinstance(answer, str):  # what a gateway says in place of the engine, such as HTML
                raise EngineUnavailable(Message("llm_not_json", host=self.host))
            with _lock:  # only what worked is remembered
                _capabilities[self.base_url, self.model] = capabilities
                _answered_forms[form] = None
                if len(_answered_forms) > MAX_FORMS:
                    del _answered_forms[next(iter(_answered_forms))]
            reply = self._read_reply(answer)
            note_answer(self.engine)
            return reply

    def _to_error(self, refusal: Refusal) -> EngineUnavailable | EngineRejected:
        address, setting = self.engine.address, self.key_setting
        return refusals.to_engine_error(refusal, self.host, address, key_setting=setting)

    def _to_timeout_error(self, error: Exception) -> EngineUnavailable:
        is_unreached = isinstance(error.__cause__, httpx2.ConnectTimeout)
        code, trouble = ("llm_unreachable", Trouble.UNREACHABLE) if is_unreached else ("llm_slow", None)
        return EngineUnavailable(Message(code, host=self.host), trouble=trouble)

    def _to_connection_error(self, error: Exception) -> EngineUnavailable:
        raise_if_guarded(error, self.host)
        if isinstance(error.__cause__, AnswerTooLarge):
            return EngineUnavailable(Message("engine_broke_off", host=self.host, value=str(error.__cause__)))
        is_unreached = isinstance(error.__cause__, httpx2.ConnectError)
        trouble = Trouble.UNREACHABLE if is_unreached else None
        return EngineUnavailable(Message("llm_unreachable", host=self.host), trouble=trouble)

    def models(self) -> list[str]:
        """Return the models that the server lists. Raises EngineUnavailable or EngineRejected."""
        import openai

        try:
            return [m.id for m in self._client.models.list(timeout=CONNECT_S)]
        except openai.APIStatusError as error:
            refusal = read_refusal(error)
            raise self._to_error(refusal) from error
        except openai.OpenAIError as error:
            raise_if_guarded(error, self.host)
            raise EngineUnavailable(Message("llm_unreachable", host=self.host)) from error

    def _read_reply(self, answer: Any) -> Reply:
        """Return the reply, with the cost that the server states or the settings know."""
        document = answer if isinstance(answer, list | dict) else getattr(answer, "model_extra", None)
        refusal = find_refusal(document, key=self._client.api_key)
        if refusal is not None:
            if refusals.says_overflow(refusal):
                raise ContextOverflow(refusal.said)
            raise self._to_error(refusal)
        # The library does not check types: some gateways send a number or an object here.
        usage = getattr(answer, "usage", None)
        if "choices" not in getattr(answer, "model_fields_set", ()) and usage is None:
            # Nothing in it is of this call, so every other one may be answered in the same way.
            raise EngineRejected(Message("llm_no_message", host=self.host), is_of_call=False)
        choices = getattr(answer, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(choice, "message", None)
        content = getattr(message, "content", None)
        text = content if isinstance(content, str) else ""
        input_tokens, output_tokens = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        cost_micros = _stated_cost_micros(usage)
        if cost_micros is None:
            cost_micros = self.pricing(input_tokens, output_tokens)
        model = str(getattr(answer, "model", "") or self.model)
        reply = Reply(text, input_tokens, output_tokens, cost_micros, model)
        if choice is None or message is None:
            raise BadOutput(Message("llm_no_message", host=self.host), reply=reply, is_mishap=True)
        if choice.finish_reason == "length":
            raise BadOutput(Message("llm_cut_off", host=self.host), reply=reply)
        if choice.finish_reason == "content_filter" or getattr(message, "refusal", None):
            raise BadOutput(Message("llm_declined", host=self.host), reply=reply)
        if not text.strip():
            raise BadOutput(Message("llm_empty", host=self.host), reply=reply, is_mishap=True)
        return reply


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value >= 0 else 0


def _stated_cost_micros(usage: Any) -> int | None:
    """Return the cost that some servers state (in the currency unit), as millionths."""
    value = (getattr(usage, "model_extra", None) or {}).get("cost")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        return None
    return round(value * 1_000_000)
