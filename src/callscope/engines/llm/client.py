"""Chat with any OpenAI-compatible server, and get JSON back.

Servers differ in how they can be held to a schema. We ask for the strictest way
and step down, remembered per server and model: json_schema → json_object → the
schema in the prompt. How freely an answer is read is the same on every rung:
see reading.py. The same goes for parameters that a server does not know.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from callscope.engines.errors import BadOutput, EngineUnavailable
from callscope.engines.llm import refusals

TIMEOUT_S = 180.0
CONNECT_S = 10.0
SEED = 7  # repeated runs answer alike where the server heeds it

STRICT, OBJECT, PROMPTED = "json_schema", "json_object", "schema in the prompt"
LADDER = (STRICT, OBJECT, PROMPTED)

Message = dict[str, str]  # role and content


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


@dataclass(frozen=True, slots=True)
class _Manners:
    """How one server and model want to be asked, as far as we have found out."""

    rung: int = 0
    limit_parameter: str = "max_tokens"
    without: frozenset[str] = frozenset()  # parameters that it refuses


_manners: dict[tuple[str, str], _Manners] = {}
_lock = threading.Lock()
Pricing = Callable[[int, int], int | None]  # input tokens, output tokens → cost in millionths


def _not_priced(_input_tokens: int, _output_tokens: int) -> int | None:
    return None


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
        pricing: Pricing = _not_priced,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """`operator_run`: the server is the operator's own, and no proxy of the environment stands between.

        `pricing` tells the cost where the server does not.
        """
        address = urlsplit(base_url)
        self.base_url = base_url.rstrip("/") + ("/v1" if address.path in ("", "/") else "")
        self.host = address.hostname or base_url
        self.model = model
        self.name = f"OpenAI-compatible ({self.host})"
        self.pricing = pricing
        self._client = openai.OpenAI(
            base_url=self.base_url,
            api_key=api_key or "none",
            max_retries=0,  # the job waits and tries again, with what the server asked for
            timeout=httpx2.Timeout(timeout_s, connect=CONNECT_S),
            http_client=httpx2.Client(
                transport=transport, follow_redirects=False, trust_env=not operator_run
            ),
        )

    def complete(
        self, messages: list[Message], *, schema: dict[str, Any], schema_name: str, max_tokens: int
    ) -> Reply:
        """Return the model's answer, asked to follow the JSON schema as strictly as the server can.

        Raises ContextOverflow, EngineUnavailable (try later), EngineRejected
        (final) or BadOutput (cut off at max_tokens, empty, or refused).
        """
        with _lock:
            manners = _manners.get((self.base_url, self.model), _Manners())
        while True:
            request = self._request(messages, schema, schema_name, max_tokens, manners)
            try:
                answer = self._client.chat.completions.create(**request)
            except openai.APIStatusError as error:
                manners = self._learn(error, manners)
                continue
            except openai.APITimeoutError as error:
                raise EngineUnavailable(
                    f"The language model at {self.host} did not answer in time."
                ) from error
            except openai.APIConnectionError as error:
                raise EngineUnavailable(f"The language model at {self.host} cannot be reached.") from error
            except (openai.OpenAIError, ValueError) as error:
                raise BadOutput(
                    f"The language model at {self.host} sent an answer that is not JSON."
                ) from error
            with _lock:  # only what worked is remembered
                _manners[self.base_url, self.model] = manners
            return self._reply(answer)

    def models(self) -> list[str]:
        """Return the models that the server lists. Raises EngineUnavailable or EngineRejected."""
        try:
            return [m.id for m in self._client.models.list(timeout=CONNECT_S)]
        except openai.APIStatusError as error:
            raise refusals.as_engine_error(error, self.host) from error
        except openai.OpenAIError as error:
            raise EngineUnavailable(f"The language model at {self.host} cannot be reached.") from error

    def _request(
        self,
        messages: list[Message],
        schema: dict[str, Any],
        schema_name: str,
        max_tokens: int,
        manners: _Manners,
    ) -> dict[str, Any]:
        rung = LADDER[manners.rung]
        if rung != STRICT:
            messages = _with_schema(messages, schema)
        request: dict[str, Any] = {"model": self.model, "messages": messages, "temperature": 0, "seed": SEED}
        request[manners.limit_parameter] = max_tokens
        if rung == STRICT:
            form = {"name": schema_name, "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": form}
        elif rung == OBJECT:
            request["response_format"] = {"type": "json_object"}
        return {name: value for name, value in request.items() if name not in manners.without}

    def _learn(self, error: openai.APIStatusError, manners: _Manners) -> _Manners:
        """Return another way to ask this server, or raise what its refusal means."""
        if refusals.is_overflow(error):
            raise ContextOverflow(refusals.told(error)) from error
        if refusals.names(error, "max_tokens") and manners.limit_parameter == "max_tokens":
            return replace(manners, limit_parameter="max_completion_tokens")
        for parameter in ("temperature", "seed"):
            if refusals.names(error, parameter) and parameter not in manners.without:
                return replace(manners, without=manners.without | {parameter})
        if refusals.is_about_format(error) and manners.rung + 1 < len(LADDER):
            return replace(manners, rung=manners.rung + 1)
        raise refusals.as_engine_error(error, self.host) from error

    def _reply(self, answer: Any) -> Reply:
        refusals.raise_for_hidden_error(answer, self.host)
        choice = next(iter(getattr(answer, "choices", None) or []), None)
        if choice is None or getattr(choice, "message", None) is None:
            raise BadOutput(f"The language model at {self.host} sent an answer without a message.")
        text = choice.message.content
        reply = self._counted(answer, text if isinstance(text, str) else "")
        if choice.finish_reason == "length":
            raise BadOutput(
                f"The language model at {self.host} was cut off before its answer was complete.", reply=reply
            )
        if choice.finish_reason == "content_filter" or getattr(choice.message, "refusal", None):
            raise BadOutput(f"The language model at {self.host} refused to answer.", reply=reply)
        if not reply.text.strip():
            raise BadOutput(f"The language model at {self.host} sent an empty answer.", reply=reply)
        return reply

    def _counted(self, answer: Any, text: str) -> Reply:
        usage = getattr(answer, "usage", None)
        input_tokens, output_tokens = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        stated = _cost(usage)
        return Reply(
            text=text,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_micros=self.pricing(input_tokens, output_tokens) if stated is None else stated,
            model=str(getattr(answer, "model", "") or self.model),
        )


def _with_schema(messages: list[Message], schema: dict[str, Any]) -> list[Message]:
    """Put the schema at the end of the first message, where it stays part of the cached prefix."""
    rule = "Answer with one JSON object and nothing else. It follows this JSON schema:\n" + json.dumps(schema)
    first = {**messages[0], "content": f"{messages[0]['content']}\n\n{rule}"}
    return [first, *messages[1:]]


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value >= 0 else 0


def _cost(usage: Any) -> int | None:
    """Return the cost that some servers state (in the currency unit), as millionths."""
    value = (getattr(usage, "model_extra", None) or {}).get("cost")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        return None
    return round(value * 1_000_000)
