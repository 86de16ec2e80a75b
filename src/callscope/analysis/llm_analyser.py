"""The analyser with a language model: one question for everything, answers checked, evidence verified.

Rules: docs/analysis.md, "With a language model". The model answers out of
closed sets and quotes; points, times and what may be shown are ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from callscope.analysis import answers as checked
from callscope.analysis import gate, portions, prompting
from callscope.analysis.answers import Answers
from callscope.analysis.conversation import Conversation
from callscope.analysis.findings import EngineUse, Findings
from callscope.analysis.masking import without_agent
from callscope.analysis.prompting import Asked
from callscope.analysis.rules_analyser import why_not_scored
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.engines.llm import reading
from callscope.engines.llm.client import ChatClient, ContextOverflow, Message, Reply
from callscope.projects.configuration import Configuration

MAX_REPAIRS = 2  # times that a wrong answer is asked again
MAX_PORTIONS = 8  # into which a call is cut that is longer than the model can read
TOKENS_AN_ANSWER = 220  # room for one justification with its quote
TOKENS_BESIDES = 1200
MAX_ANSWER_TOKENS = 32_000


@dataclass
class _Spent:
    """What the questions about one call have cost so far."""

    replies: list[Reply] = field(default_factory=list)

    def use(self, client: ChatClient) -> EngineUse:
        costs = [r.cost_micros for r in self.replies]
        return EngineUse(
            engine=client.name,
            model=self.replies[-1].model if self.replies else client.model,
            input_tokens=sum(r.input_tokens for r in self.replies),
            output_tokens=sum(r.output_tokens for r in self.replies),
            cost_micros=None if None in costs or not costs else sum(c for c in costs if c is not None),
        )


def analyze(
    conversation: Conversation,
    config: Configuration,
    client: ChatClient,
    *,
    types: Sequence[str],
    known_names: Sequence[str] = (),
    rubric_version: int | None,
) -> Findings:
    """Return the enabled analyses of one conversation that holds words.

    An analysis whose answer stays wrong fails alone, with a sentence in
    `errors`. Raises EngineUnavailable, with the usage until then, when a later try may succeed.
    """
    refused = why_not_scored(config, conversation)
    asked = Asked(config, tuple(types), conversation.language, is_scored=not refused)
    spent = _Spent()
    masked = without_agent(conversation, known_names=known_names)
    try:
        answers = _ask(masked, asked, client, spent)
    except EngineUnavailable as error:
        error.usage = [spent.use(client)] if spent.replies else []
        raise
    except (BadOutput, EngineRejected) as error:
        answers = Answers(problems={name: [str(error)] for name in types})
    result = gate.settle(
        answers, asked, conversation, masked, why_not_scored=refused, rubric_version=rubric_version
    )
    use = spent.use(client)
    result.usage = [use] if spent.replies else []
    result.provenance = _provenance(use, client, rubric_version)
    return result


def _provenance(use: EngineUse, client: ChatClient, rubric_version: int | None) -> dict[str, Any]:
    return {
        "engine": use.engine,
        "model": use.model,
        "prompt_version": prompting.VERSION,
        "rubric_version": rubric_version,
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "cost_micros": use.cost_micros,
        "hosts": [client.host],
    }


def _ask(conversation: Conversation, asked: Asked, client: ChatClient, spent: _Spent) -> Answers:
    """Ask about the whole call; where it does not fit, about halves, quarters and so on."""
    try:
        return _ask_once(conversation, asked, client, spent)
    except ContextOverflow:
        pass
    count = 2
    while count <= MAX_PORTIONS:
        try:
            parts = portions.cut(conversation, count)
            found = [
                _ask_once(part, asked, client, spent, portion=(i, len(parts)))
                for i, part in enumerate(parts, 1)
            ]
            return portions.merge(found, asked, conversation)
        except ContextOverflow:
            count *= 2
    raise EngineRejected(f"The transcript does not fit into the context of the model {client.model}.")


def _ask_once(
    conversation: Conversation,
    asked: Asked,
    client: ChatClient,
    spent: _Spent,
    *,
    portion: tuple[int, int] | None = None,
) -> Answers:
    """Return the best answer after at most MAX_REPAIRS further tries.

    A part that was right once is kept, whatever becomes of it in a later try.
    Quotes that fail are asked again once; the gate decides about them at last.
    """
    reference = prompting.reference(conversation)
    messages: list[Message] = [
        {"role": "system", "content": prompting.instructions(asked)},
        {"role": "user", "content": prompting.transcript_message(conversation, portion=portion)},
    ]
    best = Answers()
    for attempt in range(MAX_REPAIRS + 1):
        try:
            reply = client.complete(
                messages, schema=prompting.schema(asked), schema_name="call_analysis", max_tokens=_room(asked)
            )
        except (BadOutput, ContextOverflow) as error:
            if isinstance(error, BadOutput) and error.reply:
                spent.replies.append(error.reply)
            if attempt == 0:
                raise
            return best
        spent.replies.append(reply)
        best = best.amended_by(_read(reply.text, asked, reference), asked)
        problems = list(dict.fromkeys(p for told in best.problems.values() for p in told))
        doubts = gate.doubts(best, asked, conversation) if attempt == 0 else []
        if not problems and not doubts:
            return best
        messages = [
            *messages[:2],
            {"role": "assistant", "content": reply.text},
            {"role": "user", "content": prompting.repair_message([*problems, *doubts])},
        ]
    return best


def _read(text: str, asked: Asked, reference: str) -> Answers:
    try:
        document = reading.read_object(text)
    except reading.NotJson as error:
        return Answers(problems={name: [f"Not readable: {error}."] for name in asked.types})
    return checked.check(document, asked, reference=reference)


def _room(asked: Asked) -> int:
    entries = len(asked.criteria) + len(asked.config.no_protocol.prompts) + 2 * len(asked.questions)
    return min(TOKENS_BESIDES + TOKENS_AN_ANSWER * entries, MAX_ANSWER_TOKENS)
