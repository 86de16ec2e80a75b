"""Check what a model answered, part by part, against what it was asked.

Nothing is filled in: an unknown, missing or repeated id, an answer outside the
closed set or about another call makes that part a problem, told in a sentence
that the model is shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from callscope.analysis import findings
from callscope.analysis.findings import Answer
from callscope.analysis.prompting import GOALS, SENTIMENTS, Asked
from callscope.analysis.scoring import allowed_answers
from callscope.projects.configuration import Criterion

MAX_TEXT = 1200  # characters of a justification or an answer; more is not read by anybody
MAX_TOPIC = 80
POINT_KEYS = frozenset(("score", "points", "max_points", "weight", "total", "percentage"))


class WrongPart(Exception):
    """A part of the answer breaks its rules; `problems` are sentences for the model."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = list(problems)


@dataclass(frozen=True, slots=True)
class CriterionAnswer:
    criterion_id: str
    answer: Answer
    justification: str
    quote: str


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    id: str
    said: bool
    quote: str


@dataclass(frozen=True, slots=True)
class MistakeAnswer:
    id: str
    quote: str


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    question: str
    answer: str
    quotes: list[str]


@dataclass(frozen=True, slots=True)
class InsightAnswer:
    sentiment: str
    topic: str
    goal: str
    goal_quote: str
    agent_name: str
    contact_reason: str


@dataclass(slots=True)
class Answers:
    """The parts that were right, by analysis type, and the problems of those that were not."""

    criteria: list[CriterionAnswer] | None = None
    prompts: list[PromptAnswer] | None = None
    mistakes: list[MistakeAnswer] | None = None
    questions: list[QuestionAnswer] | None = None
    insights: InsightAnswer | None = None
    problems: dict[str, list[str]] = field(default_factory=dict)  # analysis type → sentences

    def lacking(self, asked: Asked) -> list[str]:
        """Return the analysis types of which an asked part is not there."""
        no_protocol = (asked.asks_prompts and self.prompts is None) or (
            asked.asks_mistakes and self.mistakes is None
        )
        missing = {
            findings.COPC: bool(asked.criteria) and self.criteria is None,
            findings.NO_PROTOCOL: no_protocol,
            findings.CUSTOM_QUESTIONS: bool(asked.questions) and self.questions is None,
            findings.INSIGHTS: asked.asks_insights and self.insights is None,
        }
        return [name for name, is_missing in missing.items() if is_missing]

    def amended_by(self, latest: "Answers", asked: Asked) -> "Answers":
        """Return the latest right version of every part, and the problems of those that were never right."""
        parts = ("criteria", "prompts", "mistakes", "questions", "insights")
        chosen = {p: getattr(self, p) if getattr(latest, p) is None else getattr(latest, p) for p in parts}
        result = Answers(**chosen)
        told = {
            name: latest.problems.get(name) or self.problems.get(name, []) for name in result.lacking(asked)
        }
        return replace(result, problems=told)


def check(document: dict[str, Any], asked: Asked, *, reference: str) -> Answers:
    """Return the parts of an answer that can be used, and what is wrong with the others."""
    result = Answers()
    if document.get("call") != reference:
        problem = f'"call" is {_shown(document.get("call"))}; this call is "{reference}".'
        result.problems = {name: [problem] for name in asked.types}
        return result

    def part(name: str, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except WrongPart as wrong:
            result.problems.setdefault(name, []).extend(wrong.problems)
            return None

    if asked.criteria:
        result.criteria = part(findings.COPC, lambda: _criteria(document.get("criteria"), asked.criteria))
    if asked.asks_prompts:
        result.prompts = part(findings.NO_PROTOCOL, lambda: _prompts(document.get("prompts"), asked))
    if asked.asks_mistakes:
        result.mistakes = part(findings.NO_PROTOCOL, lambda: _mistakes(document.get("mistakes"), asked))
    if asked.questions:
        questions = asked.questions
        result.questions = part(
            findings.CUSTOM_QUESTIONS, lambda: _questions(document.get("questions"), questions)
        )
    if asked.asks_insights:
        result.insights = part(findings.INSIGHTS, lambda: _insights(document.get("insights"), asked.codes))
    return result


def _criteria(found: Any, criteria: Sequence[Criterion]) -> list[CriterionAnswer]:
    rows = _rows(found, "criteria")
    by_id = _by_id(rows, "criteria", "criterion_id", [c.id for c in criteria], all_of_them=True)
    answers, problems = [], []
    for criterion in criteria:
        try:
            answers.append(_criterion(by_id[criterion.id], criterion))
        except WrongPart as wrong:
            problems += wrong.problems
    if problems:
        raise WrongPart(*problems)
    return answers


def _criterion(row: dict[str, Any], criterion: Criterion) -> CriterionAnswer:
    where = f'criteria, id "{criterion.id}"'
    answer, applies, allowed = row.get("answer"), row.get("applies"), allowed_answers(criterion)
    if answer not in allowed:
        raise WrongPart(f"{where}: the answer is {_shown(answer)}. Allowed: {', '.join(allowed)}.")
    if not isinstance(applies, bool) or applies == (answer == "not_applicable"):
        raise WrongPart(f'{where}: "applies" is {_shown(applies)} and the answer is "{answer}".')
    return CriterionAnswer(
        criterion.id,
        answer,
        _text(row, "justification", where),
        _text(row, "quote", where),
    )


def _prompts(found: Any, asked: Asked) -> list[PromptAnswer]:
    ids = [p.id for p in asked.config.no_protocol.prompts]
    by_id = _by_id(_rows(found, "prompts"), "prompts", "id", ids, all_of_them=True)
    for name, row in by_id.items():
        if not isinstance(row.get("said"), bool):
            raise WrongPart(
                f'prompts, id "{name}": "said" is {_shown(row.get("said"))}; it is true or false.'
            )
    return [PromptAnswer(i, by_id[i]["said"], _text(by_id[i], "quote", f'prompts, id "{i}"')) for i in ids]


def _mistakes(found: Any, asked: Asked) -> list[MistakeAnswer]:
    ids = [m.id for m in asked.config.no_protocol.mistakes]
    by_id = _by_id(_rows(found, "mistakes"), "mistakes", "id", ids, all_of_them=False)
    return [MistakeAnswer(i, _text(by_id[i], "quote", f'mistakes, id "{i}"')) for i in ids if i in by_id]


def _questions(found: Any, questions: Sequence[str]) -> list[QuestionAnswer]:
    numbers = [str(i) for i in range(1, len(questions) + 1)]
    rows = [{**r, "number": _number(r.get("number"))} for r in _rows(found, "questions")]
    by_number = _by_id(rows, "questions", "number", numbers, all_of_them=True)
    answers = []
    for number, question in zip(numbers, questions, strict=True):
        row, where = by_number[number], f"questions, number {number}"
        quotes = row.get("quotes", [])
        if not isinstance(quotes, list) or not all(isinstance(q, str) for q in quotes):
            raise WrongPart(f'{where}: "quotes" is a list of texts.')
        text = _text(row, "answer", where)
        if not text:
            raise WrongPart(f'{where}: the "answer" is empty.')
        answers.append(QuestionAnswer(question, text, quotes[:5]))
    return answers


def _insights(found: Any, codes: Sequence[str]) -> InsightAnswer:
    if not isinstance(found, dict):
        raise WrongPart('"insights" is missing or no object.')
    where = "insights"
    sentiment, goal = found.get("sentiment"), found.get("goal")
    if sentiment not in SENTIMENTS:
        raise WrongPart(f"{where}: the sentiment is {_shown(sentiment)}. Allowed: {', '.join(SENTIMENTS)}.")
    if goal not in GOALS:
        raise WrongPart(f"{where}: the goal is {_shown(goal)}. Allowed: {', '.join(GOALS)}.")
    reason = _text(found, "contact_reason", where) if codes else ""
    if reason and reason not in codes:
        raise WrongPart(
            f"{where}: the contact_reason is {_shown(reason)}. Allowed: {', '.join(codes)} or empty."
        )
    return InsightAnswer(
        sentiment=sentiment,
        topic=_text(found, "topic", where)[:MAX_TOPIC],
        goal=goal,
        goal_quote=_text(found, "goal_quote", where),
        agent_name=_text(found, "agent_name", where),
        contact_reason=reason,
    )


def _rows(found: Any, part: str) -> list[dict[str, Any]]:
    if not isinstance(found, list):
        raise WrongPart(f'"{part}" is missing or no list.')
    for row in found:
        if not isinstance(row, dict):
            raise WrongPart(f'"{part}" holds {_shown(row)}; every entry is an object.')
        given = sorted(POINT_KEYS & row.keys())
        if given:
            raise WrongPart(f'"{part}" gives "{given[0]}"; points are not asked for.')
    return found


def _by_id(
    rows: list[dict[str, Any]], part: str, key: str, known: Sequence[str], *, all_of_them: bool
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    problems = []
    for row in rows:
        name = row.get(key)
        if not isinstance(name, str) or name not in known:
            problems.append(f'"{part}" names {_shown(name)}, which is not in the checklist.')
        elif name in found:
            problems.append(f'"{part}" names "{name}" twice.')
        else:
            found[name] = row
    missing = [name for name in known if name not in found] if all_of_them else []
    problems += [f'"{part}" leaves out "{name}".' for name in missing[:20]]
    if problems:
        raise WrongPart(*problems)
    return found


def _text(row: dict[str, Any], key: str, where: str) -> str:
    value = row.get(key, "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise WrongPart(f'{where}: "{key}" is {_shown(value)}; it is a text.')
    return " ".join(value.replace("\x00", " ").split())[:MAX_TEXT]


def _number(value: Any) -> str:
    return str(value) if isinstance(value, int | str) and not isinstance(value, bool) else _shown(value)


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= 80 else text[:79] + "…"
