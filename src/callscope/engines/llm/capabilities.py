"""How one server wants to be asked for JSON, as far as we have found out.

Servers differ in how they can be held to a schema, and in the parameters that
they know. We ask for the strictest way and step down after each refusal:
json_schema → json_object → the schema in the prompt.
"""

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from callscope.engines.llm import refusals

if TYPE_CHECKING:
    import openai

STRICT, OBJECT, PROMPTED = "json_schema", "json_object", "schema in the prompt"
LADDER = (STRICT, OBJECT, PROMPTED)
SEED = 7  # repeated runs answer alike where the server honors it

ChatMessage = dict[str, str]  # role and content
JsonSchema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """What one server and model can do; the defaults are the most that any can."""

    rung: int = 0  # of LADDER
    limit_parameter: str = "max_tokens"
    without: frozenset[str] = frozenset()  # parameters that it refuses

    def build_parameters(
        self, messages: list[ChatMessage], *, schema: JsonSchema, schema_name: str, max_tokens: int
    ) -> dict[str, Any]:
        """Return the parameters of a chat completion, without the model."""
        parameters: dict[str, Any] = {"temperature": 0, "seed": SEED, self.limit_parameter: max_tokens}
        rung = LADDER[self.rung]
        if rung == STRICT:
            form = {"name": schema_name, "strict": True, "schema": schema}
            parameters["response_format"] = {"type": "json_schema", "json_schema": form}
        else:
            # At the end of the first message the schema stays part of the prefix that providers cache.
            rule = "Answer with one JSON object and nothing else. It follows this JSON schema:\n"
            content = f"{messages[0]['content']}\n\n{rule}{json.dumps(schema)}"
            messages = [{**messages[0], "content": content}, *messages[1:]]
        if rung == OBJECT:
            parameters["response_format"] = {"type": "json_object"}
        known = {name: value for name, value in parameters.items() if name not in self.without}
        return {"messages": messages, **known}

    def lowered_by(self, error: "openai.APIStatusError") -> "ServerCapabilities | None":
        """Return what is left after a refusal, None where asking for less cannot help."""
        if refusals.rejects_parameter(error, "max_tokens") and self.limit_parameter == "max_tokens":
            return replace(self, limit_parameter="max_completion_tokens")
        for parameter in ("temperature", "seed"):
            if refusals.rejects_parameter(error, parameter) and parameter not in self.without:
                return replace(self, without=self.without | {parameter})
        if refusals.rejects_format(error) and self.rung + 1 < len(LADDER):
            return replace(self, rung=self.rung + 1)
        return None
