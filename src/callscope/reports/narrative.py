"""The executive summary: what a manager would say of the figures, and nothing else.

Without a language model it is written from templates. With one, the model sees
figures, criterion names and codified contact reasons only (no transcript, no
caller's words, no agent's name), and each sentence that holds a number which is
not in the report is dropped. A model that fails or is slow leaves a note.
"""

import concurrent.futures
import datetime as dt
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Protocol

from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.engines.llm.client import ChatClient, ContextOverflow, Reply
from callscope.reports.numbers_told import Figures, sentences_of
from callscope.reports.paper.layout import Summary
from callscope.reports.paper.words import Words
from callscope.reports.plain_summary import plain_summary
from callscope.reports.report import Report, report_json

LIMIT_S = 20.0  # from contract and issue alike: a reader waits for the PDF
MAX_TOKENS = 900
MAX_PARAGRAPHS = 4
MAX_CHARACTERS = 2500
PROMPT_VERSION = "narrative-1"
LANGUAGE_NAMES = {"en": "English", "es": "Spanish"}
SCHEMA = {
    "type": "object",
    "properties": {"paragraphs": {"type": "array", "items": {"type": "string"}}},
    "required": ["paragraphs"],
    "additionalProperties": False,
}

logger = logging.getLogger(__name__)
_pool = concurrent.futures.ThreadPoolExecutor(max_workers=4, thread_name_prefix="narrative")


class Model(Protocol):
    """The part of ChatClient that a narrative needs."""

    name: str
    model: str

    def complete(
        self, messages: list[dict[str, str]], *, schema: dict[str, Any], schema_name: str, max_tokens: int
    ) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Narrative:
    """A summary, and what the model cost; `reply` is None when no model answered."""

    summary: Summary
    reply: Reply | None = None
    dropped: list[str] = field(default_factory=list)  # sentences whose numbers are not in the report


def write_narrative(
    report: Report, *, reasons: frozenset[str], words: Words, model: Model | None, limit_s: float = LIMIT_S
) -> Narrative:
    """Return the executive summary in the language of `words`; never raises for an engine's sake.

    `reasons` are the codified contact reasons; other topics are callers' words and are kept from the model.
    """
    if model is None:
        return Narrative(Summary(plain_summary(report, words)))
    messages = _messages(report, reasons, words)
    asked = _pool.submit(
        model.complete, messages, schema=SCHEMA, schema_name="executive_summary", max_tokens=MAX_TOKENS
    )
    try:
        reply = asked.result(timeout=limit_s)
        paragraphs = _paragraphs(reply.text)
    except concurrent.futures.TimeoutError:
        asked.cancel()
        return _failed(f"no answer within {limit_s:g} s", words)
    except (EngineUnavailable, EngineRejected, BadOutput, ContextOverflow) as error:
        return _failed(str(error), words)
    checked, dropped = _checked(paragraphs, Figures(report, words.language))
    for sentence in dropped:
        logger.warning("Dropped from the narrative, its numbers are not in the report: %s", sentence[:300])
    if not checked:
        return Narrative(_failed("no sentence could be kept", words).summary, reply, dropped)
    return Narrative(Summary(checked, words("narrative_by_model")), reply, dropped)


def configured_model(address: Any, *, operator_run: bool = False) -> ChatClient | None:
    """Return the client for CALLSCOPE_LLM_… or CALLSCOPE_PRIVATE_LLM_…, None where it is not configured."""
    if not address.address:
        return None
    return ChatClient(
        address.address,
        api_key=address.api_key,
        model=address.model,
        timeout_s=LIMIT_S,
        operator_run=operator_run,
        pricing=address.tokens_cost_micros,
    )


def figures_for_model(report: Report, reasons: frozenset[str]) -> dict[str, Any]:
    """Return the figures without agents, and without topics that are callers' words."""
    document = report_json(report)
    del document["agents"]
    document["contact_reasons"] = [
        row for row in document["contact_reasons"] if row["topic"] in reasons or not row["topic"]
    ]
    if report.previous_headline:
        before = report.previous_headline
        document["previous_headline"] = {name: getattr(before, name) for name in before.__slots__}
    return document


def _messages(report: Report, reasons: frozenset[str], words: Words) -> list[dict[str, str]]:
    instructions = (resources.files("callscope.reports") / "narrative_prompt.txt").read_text("utf-8")
    figures = json.dumps(figures_for_model(report, reasons), ensure_ascii=False, default=_iso)
    return [
        {"role": "system", "content": instructions.replace("{language}", LANGUAGE_NAMES[words.language])},
        {"role": "user", "content": f"<figures>\n{figures}\n</figures>"},
    ]


def _iso(value: Any) -> str:
    if isinstance(value, dt.date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not JSON")


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of the answer. Raises BadOutput."""
    start, end = text.find("{"), text.rfind("}")
    try:
        document = json.loads(text[start : end + 1], strict=False)
        found = document["paragraphs"]
    except (ValueError, KeyError, TypeError):
        raise BadOutput("The narrative is not the JSON that was asked for.") from None
    if not isinstance(found, list) or not all(isinstance(p, str) for p in found):
        raise BadOutput("The narrative is not a list of texts.")
    return [p[:MAX_CHARACTERS] for p in found if p.strip()][:MAX_PARAGRAPHS]


def _checked(paragraphs: Sequence[str], figures: Figures) -> tuple[list[str], list[str]]:
    kept_paragraphs: list[str] = []
    dropped: list[str] = []
    for paragraph in paragraphs:
        kept: list[str] = []
        for sentence in sentences_of(paragraph):
            (kept if figures.hold_all_of(sentence) else dropped).append(sentence)
        if kept:
            kept_paragraphs.append(" ".join(kept))
    return kept_paragraphs, dropped


def _failed(reason: str, words: Words) -> Narrative:
    logger.warning("The narrative failed: %s", reason)
    return Narrative(Summary([], words("narrative_failed")))
