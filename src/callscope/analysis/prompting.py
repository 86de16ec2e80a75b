"""Write the prompt for a call, and the schema of the answer.

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

from callscope.analysis import findings
from callscope.analysis.conversation import Conversation
from callscope.analysis.evidence import time_prefix
from callscope.analysis.scoring import allowed_answers
from callscope.analysis.sentences import sentence
from callscope.projects.configuration import Configuration, Criterion

VERSION = "analysis-1"
LANGUAGE_NAMES = {"en": "English", "es": "Spanish"}
SENTIMENTS = ("positive", "neutral", "negative", "unknown")
GOALS = ("reached", "not_reached", "unknown")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the model is asked about one call."""

    config: Configuration
    types: tuple[str, ...]  # analysis types
    language: str  # of the results: "en" or "es"
    is_scored: bool = True  # False: the criteria are left out

    @property
    def criteria(self) -> list[Criterion]:
        is_asked = findings.COPC in self.types and self.is_scored
        return [c for _, c in self.config.rubric.criteria()] if is_asked else []

    @property
    def asks_prompts(self) -> bool:
        return findings.NO_PROTOCOL in self.types and bool(self.config.no_protocol.prompts)

    @property
    def asks_mistakes(self) -> bool:
        return findings.NO_PROTOCOL in self.types and bool(self.config.no_protocol.mistakes)

    @property
    def questions(self) -> list[str]:
        return self.config.custom_questions if findings.CUSTOM_QUESTIONS in self.types else []

    @property
    def asks_insights(self) -> bool:
        return findings.INSIGHTS in self.types

    @property
    def codes(self) -> list[str]:
        reasons = self.config.contact_reasons
        return [c.code for c in reasons.codes] if self.asks_insights and reasons.mode == "predefined" else []


def instructions(asked: Asked) -> str:
    """Return the first message: what to do and the checklist. It does not depend on the call."""
    language = LANGUAGE_NAMES[asked.language]
    goal = json.dumps(asked.config.goal.description, ensure_ascii=False)
    parts = [
        (asked.asks_prompts, "part_prompts"),
        (asked.asks_mistakes, "part_mistakes"),
        (bool(asked.questions), "part_questions"),
        (asked.asks_insights, "part_insights"),
        (bool(asked.codes), "part_reasons"),
    ]
    filled = "".join(
        _text(name).format(
            language=language, goal=goal, not_determined=sentence("not_determined", asked.language)
        )
        for is_asked, name in parts
        if is_asked
    )
    return _text("instructions").format(
        language=language, parts=filled, checklist="\n".join(_checklist(asked))
    )


def transcript_message(conversation: Conversation, *, portion: tuple[int, int] | None = None) -> str:
    """Return the last message: the transcript of one call, or one portion of it, as (number, count)."""
    who = {"": "unknown"}
    lines = "\n".join(
        f"{time_prefix(s.start_s)} {who.get(s.speaker, s.speaker)}: {' '.join(s.text.split())}"
        for s in conversation.segments
        if s.words
    )
    part = _text("portion").format(number=portion[0], count=portion[1]) if portion else ""
    return _text("transcript").format(reference=reference(conversation), portion=part, lines=lines)


def reference(conversation: Conversation) -> str:
    """Return a word that only this transcript has: an answer with another one is about another call."""
    told = json.dumps([(s.start_s, s.speaker, s.text) for s in conversation.segments])
    return "call-" + hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def repair_message(problems: list[str]) -> str:
    """Return the message that asks for the answer again."""
    return _text("repair").format(problems="\n".join(f"- {p}" for p in problems[:20]))


def schema(asked: Asked) -> dict[str, Any]:
    """Return the JSON schema of the answer, fit for strict modes: every key required, none besides."""
    parts: dict[str, Any] = {"call": {"type": "string"}}
    quote = {"type": "string"}
    if asked.criteria:
        answers = sorted({a for c in asked.criteria for a in allowed_answers(c)})
        parts["criteria"] = _list_of(
            criterion_id=_one_of([c.id for c in asked.criteria]),
            applies={"type": "boolean"},
            answer=_one_of(answers),
            justification={"type": "string"},
            quote=quote,
        )
    if asked.asks_prompts:
        ids = [p.id for p in asked.config.no_protocol.prompts]
        parts["prompts"] = _list_of(id=_one_of(ids), said={"type": "boolean"}, quote=quote)
    if asked.asks_mistakes:
        parts["mistakes"] = _list_of(
            id=_one_of([m.id for m in asked.config.no_protocol.mistakes]), quote=quote
        )
    if asked.questions:
        parts["questions"] = _list_of(
            number={"type": "integer"}, answer={"type": "string"}, quotes={"type": "array", "items": quote}
        )
    if asked.asks_insights:
        insights = {
            "sentiment": _one_of(SENTIMENTS),
            "topic": {"type": "string"},
            "goal": _one_of(GOALS),
            "goal_quote": quote,
            "agent_name": {"type": "string"},
        }
        if asked.codes:
            insights["contact_reason"] = _one_of([*asked.codes, ""])
        parts["insights"] = _object(insights)
    return _object(parts)


def _checklist(asked: Asked) -> list[str]:
    """Return the checklist, one JSON object a line: no wording of a rubric can break out of its line."""
    lines = []
    if asked.criteria:
        lines += ["Criteria:", *(_line(_criterion(c)) for c in asked.criteria)]
    if asked.asks_prompts:
        prompts = asked.config.no_protocol.prompts
        lines += [
            "Prompts:",
            *(_line({"id": p.id, "prompt": p.text, "such_as": p.any_of[:5]}) for p in prompts),
        ]
    if asked.asks_mistakes:
        mistakes = asked.config.no_protocol.mistakes
        lines += ["Mistakes:"]
        lines += [
            _line({"id": m.id, "mistake": m.text, "by": m.speaker, "such_as": m.any_of[:5]}) for m in mistakes
        ]
    if asked.questions:
        lines += [
            "Questions:",
            *(_line({"number": i, "question": q}) for i, q in enumerate(asked.questions, 1)),
        ]
    if asked.codes:
        codes = asked.config.contact_reasons.codes
        lines += ["Contact reasons:", *(_line({"code": c.code, "means": c.description}) for c in codes)]
    return lines


def _criterion(criterion: Criterion) -> dict[str, Any]:
    told: dict[str, Any] = {"id": criterion.id, "criterion": criterion.name}
    if criterion.guideline:
        told["guideline"] = criterion.guideline
    elif criterion.rule and criterion.rule.any_of:
        told["such_as"] = criterion.rule.any_of[:5]
    if criterion.applies_when:
        told["applies_when"] = criterion.applies_when
    told["answers"] = list(allowed_answers(criterion))
    return told


def _line(value: dict[str, Any]) -> str:
    return json.dumps({k: v for k, v in value.items() if v not in ("", [])}, ensure_ascii=False)


def _one_of(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _list_of(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": _object(properties)}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@lru_cache(maxsize=16)
def _text(name: str) -> str:
    folder = resources.files(__package__).joinpath("prompts", VERSION)
    return folder.joinpath(f"{name}.txt").read_text(encoding="utf-8")
