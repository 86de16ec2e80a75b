"""The analyzer with a language model: one question for everything, answers checked, quotes verified.

Rules: docs/analysis.md, "With a language model". The model answers out of
closed sets and quotes; points, times and what may be shown are ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.llm import portions, prompting, response, verification
from callscope.analysis.llm.hostile_words import hide_hostile_words
from callscope.analysis.llm.masking import mask_agent
from callscope.analysis.llm.prompting import AnalysisRequest
from callscope.analysis.llm.response import Answers
from callscope.analysis.results.findings import EngineUse, Findings
from callscope.analysis.scoring import explain_unscored
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.engines.llm import reading
from callscope.engines.llm.capabilities import ChatMessage
from callscope.engines.llm.client import ChatClient, ContextOverflow, Reply
from callscope.messages.message import Message
from callscope.processes import crash_points
from callscope.projects.configuration import Configuration

MAX_REPAIRS = 2  # times that a wrong answer is asked again
MAX_PORTIONS = 8  # into which a call is cut that is longer than the model can read


def analyze_with_llm(
    conversation: Conversation,
    config: Configuration,
    client: ChatClient,
    *,
    types: Sequence[str],
    known_names: Sequence[str] = (),
    rubric_version: int | None,
) -> Findings:
    """Return the enabled analyses of one conversation that holds words.

    `known_names` of the agent are hidden from the model, and so is what is said to it.
    An analysis whose answer stays wrong fails alone, with a sentence in `errors`. Raises EngineUnavailable,
    with the usage until then, when a later try may succeed.
    """
    unscored_reason = explain_unscored(config, conversation)
    request = AnalysisRequest(config, tuple(types), conversation.language, is_scored=not unscored_reason)
    masked = hide_hostile_words(mask_agent(conversation, known_names=known_names))
    dialog = _Dialog(client, request)
    try:
        answers = dialog.ask(masked)
    except EngineUnavailable as error:
        error.usage = dialog.usage
        raise
    except (BadOutput, EngineRejected) as error:
        answers = Answers(problems={kind: [str(error)] for kind in types})
    result = verification.finalize(
        answers,
        request,
        conversation,
        masked,
        unscored_reason=unscored_reason,
        rubric_version=rubric_version,
    )
    result.usage = dialog.usage
    total = dialog.total()
    result.provenance = {
        "engine": total.engine,
        "model": total.model,
        "prompt_version": prompting.VERSION,
        "rubric_version": rubric_version,
        "input_tokens": total.input_tokens,
        "output_tokens": total.output_tokens,
        "cost_micros": total.cost_micros,
        "hosts": [client.host],
    }
    return result


@dataclass
class _Dialog:
    """The questions about one call, and the replies that they have cost so far."""

    client: ChatClient
    request: AnalysisRequest
    replies: list[Reply] = field(default_factory=list)

    @property
    def usage(self) -> list[EngineUse]:
        return [self.total()] if self.replies else []

    def total(self) -> EngineUse:
        costs = [r.cost_micros for r in self.replies]
        return EngineUse(
            engine=self.client.name,
            model=self.replies[-1].model if self.replies else self.client.model,
            input_tokens=sum(r.input_tokens for r in self.replies),
            output_tokens=sum(r.output_tokens for r in self.replies),
            cost_micros=None if None in costs or not costs else sum(c for c in costs if c is not None),
        )

    def ask(self, conversation: Conversation) -> Answers:
        """Ask about the whole call; where it does not fit, about halves, quarters and eighths."""
        try:
            return self.ask_once(conversation)
        except ContextOverflow:
            pass
        count = 2
        while count <= MAX_PORTIONS:
            try:
                parts = portions.split_conversation(conversation, count)
                answers = [self.ask_once(part, portion=(i, len(parts))) for i, part in enumerate(parts, 1)]
                return portions.merge_answers(answers, self.request, conversation)
            except ContextOverflow:
                count *= 2
        raise EngineRejected(Message("transcript_too_long", model=self.client.model))

    def ask_once(self, conversation: Conversation, *, portion: tuple[int, int] | None = None) -> Answers:
        """Return the best answer after at most MAX_REPAIRS further tries.

        A part that was right once is kept, whatever becomes of it in a later try.
        Quotes that fail are asked again once; finalize() drops those that fail again.
        """
        first: list[ChatMessage] = [
            {"role": "system", "content": prompting.build_instructions(self.request)},
            {"role": "user", "content": prompting.build_transcript_message(conversation, portion=portion)},
        ]
        messages, best, is_answered = first, Answers(), False
        for attempt in range(MAX_REPAIRS + 1):
            try:
                text = self.complete(messages)
            except (BadOutput, ContextOverflow) as error:
                if isinstance(error, BadOutput) and error.is_mishap and attempt < MAX_REPAIRS:
                    continue  # nothing came that could be corrected: the same question again
                if not is_answered:
                    raise
                return best
            best = best.merged_with(self.parse(text, conversation), self.request)
            problems = list(dict.fromkeys(p for listed in best.problems.values() for p in listed))
            doubted = best.refused
            if not is_answered:
                failed = verification.find_failed_quotes(best, self.request, conversation)
                problems += [quote.problem for quote in failed]
                doubted |= {quote.criterion_id for quote in failed if quote.criterion_id}
            is_answered = True
            if not problems or attempt == MAX_REPAIRS:
                break
            best.asked_again |= doubted
            messages = [
                *first,
                {"role": "assistant", "content": text},
                {"role": "user", "content": prompting.build_repair_message(problems)},
            ]
        return best

    def complete(self, messages: list[ChatMessage]) -> str:
        """Return the model's reply and count its cost, that of an unusable one too."""
        try:
            reply = self.client.complete(
                messages,
                schema=prompting.build_schema(self.request),
                schema_name="call_analysis",
                max_tokens=self.request.max_answer_tokens,
            )
        except BadOutput as error:
            if error.reply:
                self.replies.append(error.reply)
            raise
        self.replies.append(reply)
        return reply.text

    def parse(self, text: str, conversation: Conversation) -> Answers:
        crash_points.reach_point("parse")
        try:
            document = reading.read_object(text)
        except reading.NotJson as error:
            return Answers(problems={kind: [f"Not readable: {error}."] for kind in self.request.types})
        return response.parse_answers(
            document, self.request, reference=prompting.call_reference(conversation)
        )
