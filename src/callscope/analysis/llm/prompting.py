"""Write the prompt for a call, and the JSON schema of the answer.

The texts lie in `prompts/<version>/`. Instructions and checklist come first and
are the same for all calls of a project, so that a provider can cache them; the
transcript comes last, marked off, one line a segment.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import format_time
from callscope.analysis.results import findings
from callscope.analysis.results.messages import sentence
from callscope.analysis.scoring import allowed_answers
from callscope.projects.configuration import Configuration, Criterion
from callscope.projects.configuration_rules import list_texts

VERSION = "analysis-1"
LANGUAGE_NAMES = {"en": "English", "es": "Spanish"}
SENTIMENTS = ("positive", "neutral", "negative", "unknown")
GOALS = ("reached", "not_reached", "unknown")
TOKENS_PER_ANSWER = 220  # room for one justification with its quote
BASE_TOKENS = 1200
MAX_ANSWER_TOKENS = 32_000

Json = dict[str, Any]  # an object of the prompt or of its schema


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """What the model is asked about one call."""

    config: Configuration
    types: tuple[str, ...]  # analysis types
    language: str  # of the results: "en" or "es"
    is_scored: bool = True  # False: the criteria are left out

    @property
    def parts(self) -> dict[str, str]:
        """Return the parts of the answer that are asked for, each with its analysis type."""
        no_protocol = self.config.no_protocol
        asked = {
            "criteria": (findings.COPC, self.criteria),
            "prompts": (findings.NO_PROTOCOL, no_protocol.prompts),
            "mistakes": (findings.NO_PROTOCOL, no_protocol.mistakes),
            "questions": (findings.CUSTOM_QUESTIONS, self.questions),
            "insights": (findings.INSIGHTS, True),
        }
        return {part: kind for part, (kind, items) in asked.items() if kind in self.types and items}

    @property
    def criteria(self) -> list[Criterion]:
        is_asked = findings.COPC in self.types and self.is_scored
        return [c for _, c in self.config.rubric.criteria()] if is_asked else []

    @property
    def questions(self) -> list[str]:
        return self.config.custom_questions if findings.CUSTOM_QUESTIONS in self.types else []

    @property
    def codes(self) -> list[str]:
        reasons = self.config.contact_reasons
        is_asked = findings.INSIGHTS in self.types and reasons.mode == "predefined"
        return [c.code for c in reasons.codes] if is_asked else []

    @property
    def max_answer_tokens(self) -> int:
        answers = len(self.criteria) + len(self.config.no_protocol.prompts) + 2 * len(self.questions)
        return min(BASE_TOKENS + TOKENS_PER_ANSWER * answers, MAX_ANSWER_TOKENS)


def build_instructions(request: AnalysisRequest) -> str:
    """Return the first message: what to do and the checklist. It does not depend on the call."""
    language = LANGUAGE_NAMES[request.language]
    goal = json.dumps(request.config.goal.description, ensure_ascii=False)
    texts = [f"part_{part}" for part in request.parts if part != "criteria"]
    if request.codes:
        texts.append("part_reasons")
    not_determined = sentence("not_determined", request.language)
    parts = "".join(
        _read_text(name).format(language=language, goal=goal, not_determined=not_determined) for name in texts
    )
    return _read_text("instructions").format(
        language=language, parts=parts, checklist="\n".join(_checklist(request))
    )


def build_transcript_message(conversation: Conversation, *, portion: tuple[int, int] | None = None) -> str:
    """Return the last message: the transcript of one call, or one portion of it, as (number, count)."""
    lines = "\n".join(
        f"{format_time(s.start_s)} {s.speaker or 'unknown'}: {' '.join(s.text.split())}"
        for s in conversation.segments
        if s.words or s.spoken != s.text
    )
    part = _read_text("portion").format(number=portion[0], count=portion[1]) if portion else ""
    return _read_text("transcript").format(reference=call_reference(conversation), portion=part, lines=lines)


def call_reference(conversation: Conversation) -> str:
    """Return a word that only this transcript has: an answer with another one is about another call."""
    spoken = json.dumps([(s.start_s, s.speaker, s.text) for s in conversation.segments])
    return "call-" + hashlib.sha256(spoken.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def build_repair_message(problems: list[str]) -> str:
    """Return the message that asks for the answer again."""
    return _read_text("repair").format(problems="\n".join(f"- {p}" for p in problems[:20]))


def build_schema(request: AnalysisRequest) -> Json:
    """Return the JSON schema of the answer, fit for strict modes: every key required, no other allowed."""
    parts: Json = {"call": {"type": "string"}}
    quote = {"type": "string"}
    if request.criteria:
        answers = sorted({a for c in request.criteria for a in allowed_answers(c)})
        parts["criteria"] = _list_of(
            criterion_id=_one_of([c.id for c in request.criteria]),
            applies={"type": "boolean"},
            answer=_one_of(answers),
            justification={"type": "string"},
            quote=quote,
        )
    if "prompts" in request.parts:
        ids = [p.id for p in request.config.no_protocol.prompts]
        parts["prompts"] = _list_of(id=_one_of(ids), said={"type": "boolean"}, quote=quote)
    if "mistakes" in request.parts:
        parts["mistakes"] = _list_of(
            id=_one_of([m.id for m in request.config.no_protocol.mistakes]), quote=quote
        )
    if request.questions:
        parts["questions"] = _list_of(
            number={"type": "integer"}, answer={"type": "string"}, quotes={"type": "array", "items": quote}
        )
    if "insights" in request.parts:
        insights = {
            "sentiment": _one_of(SENTIMENTS),
            "topic": {"type": "string"},
            "goal": _one_of(GOALS),
            "goal_quote": quote,
            "agent_name": {"type": "string"},
        }
        if request.codes:
            insights["contact_reason"] = _one_of([*request.codes, ""])
        parts["insights"] = _object(insights)
    return _object(parts)


def _checklist(request: AnalysisRequest) -> list[str]:
    """Return the checklist, one JSON object a line: no wording of a rubric can break out of its line."""
    parts, no_protocol = request.parts, request.config.no_protocol
    sections: dict[str, list[Json]] = {
        "Criteria:": [
            {
                "id": c.id,
                "criterion": c.name,
                "guideline": c.guideline,
                # Phrases are for the rules; a guideline says better what is meant.
                "such_as": list_texts(c.rule.decisive_phrases())[:5] if c.rule and not c.guideline else [],
                "applies_when": c.applies_when or "",
                "answers": list(allowed_answers(c)),
            }
            for c in request.criteria
        ],
        "Prompts:": [
            {"id": p.id, "prompt": p.text, "such_as": list_texts(p.any_of)[:5]}
            for p in no_protocol.prompts
            if "prompts" in parts
        ],
        "Mistakes:": [
            {"id": m.id, "mistake": m.text, "by": m.speaker, "such_as": list_texts(m.any_of)[:5]}
            for m in no_protocol.mistakes
            if "mistakes" in parts
        ],
        "Questions:": [{"number": i, "question": q} for i, q in enumerate(request.questions, 1)],
        "Contact reasons:": [
            {"code": c.code, "means": c.description, "such_as": list_texts(c.phrases)[:5]}
            for c in request.config.contact_reasons.codes
            if c.code in request.codes
        ],
    }
    lines = []
    for title, items in sections.items():
        filled = [{k: v for k, v in item.items() if v not in ("", [])} for item in items]
        lines += [title, *(json.dumps(item, ensure_ascii=False) for item in filled)] if items else []
    return lines


def _one_of(values: Sequence[str]) -> Json:
    return {"type": "string", "enum": list(values)}


def _list_of(**properties: Any) -> Json:
    return {"type": "array", "items": _object(properties)}


def _object(properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@lru_cache(maxsize=16)
def _read_text(name: str) -> str:
    folder = resources.files(__package__).joinpath("prompts", VERSION)
    return folder.joinpath(f"{name}.txt").read_text(encoding="utf-8")
