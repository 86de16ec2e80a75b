"""Check what a model answered, part by part, against what it was asked.

Nothing is filled in: an unknown, missing or repeated id, an answer outside the
closed set or about another call makes that part a problem, in a sentence that
the model is shown when it is asked again.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

import pydantic
from pydantic import BeforeValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from callscope.analysis.llm.prompting import GOALS, SENTIMENTS, AnalysisRequest
from callscope.analysis.results.schema import Answer
from callscope.analysis.scoring import allowed_answers

MAX_TEXT = 1200  # characters of a justification or an answer; more is not read by anybody
MAX_TOPIC = 80
MAX_QUOTES = 5  # of one question
MAX_MISSING = 20  # ids that one repair message names
POINT_KEYS = frozenset(("score", "points", "max_points", "weight", "total", "percentage"))

Document = dict[str, Any]  # a JSON object, not yet checked
ClosedSets = Mapping[str, Sequence[str]]  # field → the values that it may have


class InvalidPart(Exception):
    """A part of the answer breaks its rules; `problems` are sentences for the model, `ids` whose they are."""

    def __init__(self, *problems: str, ids: Collection[str] = ()) -> None:
        super().__init__(" ".join(problems))
        self.problems = list(problems)
        self.ids = frozenset(ids)


def _invalid(problem: str) -> PydanticCustomError:
    return PydanticCustomError("invalid", "{problem}", {"problem": problem})


def _show(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _clean_text(value: object, info: ValidationInfo) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _invalid(f'"{info.field_name}" is {_show(value)}; it is a text.')
    return " ".join(value.replace("\x00", " ").split())[:MAX_TEXT]


def _check_closed_set(value: object, info: ValidationInfo) -> object:
    allowed: Sequence[str] = (info.context or {})[info.field_name]
    if value not in allowed:
        raise _invalid(f"the {info.field_name} is {_show(value)}. Allowed: {', '.join(allowed)}.")
    return value


def _check_quotes(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(quote, str) for quote in value):
        raise _invalid('"quotes" is a list of texts.')
    return value[:MAX_QUOTES]


Text = Annotated[str, BeforeValidator(_clean_text)]


class _Entry(pydantic.BaseModel):
    """One object of the answer. Other keys are ignored, and a missing one is read as null."""

    model_config = pydantic.ConfigDict(frozen=True)


class CriterionAnswer(_Entry):
    criterion_id: str
    answer: Annotated[Answer, BeforeValidator(_check_closed_set)]
    applies: bool
    justification: Text
    quote: Text

    @pydantic.field_validator("applies", mode="before")
    @classmethod
    def _check_applies(cls, value: object, info: ValidationInfo) -> bool:
        answer = info.data.get("answer")
        if not isinstance(value, bool) or value == (answer == "not_applicable"):
            raise _invalid(f'"applies" is {_show(value)} and the answer is "{answer}".')
        return value


class PromptAnswer(_Entry):
    id: str
    said: bool
    quote: Text

    @pydantic.field_validator("said", mode="before")
    @classmethod
    def _check_said(cls, value: object) -> bool:
        if not isinstance(value, bool):
            raise _invalid(f'"said" is {_show(value)}; it is true or false.')
        return value


class MistakeAnswer(_Entry):
    id: str
    quote: Text


class QuestionAnswer(_Entry):
    quotes: Annotated[list[str], BeforeValidator(_check_quotes)] = []
    answer: Text

    @pydantic.field_validator("answer")
    @classmethod
    def _check_answer(cls, value: str) -> str:
        if not value:
            raise _invalid('the "answer" is empty.')
        return value


class InsightAnswer(_Entry):
    sentiment: Annotated[str, BeforeValidator(_check_closed_set)]
    goal: Annotated[str, BeforeValidator(_check_closed_set)]
    contact_reason: str  # "" too where the project has no list of them
    topic: Annotated[Text, pydantic.AfterValidator(lambda text: text[:MAX_TOPIC])]
    goal_quote: Text
    agent_name: Text

    @pydantic.field_validator("contact_reason", mode="before")
    @classmethod
    def _check_reason(cls, value: object, info: ValidationInfo) -> str:
        codes: Sequence[str] = (info.context or {})["contact_reason"]
        reason = _clean_text(value, info) if codes else ""
        if reason and reason not in codes:
            allowed = ", ".join(codes)
            raise _invalid(f"the contact_reason is {_show(reason)}. Allowed: {allowed} or empty.")
        return reason


@dataclass(slots=True)
class Answers:
    """The parts that were right, None where one was not, and the problems by analysis type."""

    criteria: list[CriterionAnswer] | None = None
    prompts: list[PromptAnswer] | None = None
    mistakes: list[MistakeAnswer] | None = None
    questions: list[QuestionAnswer] | None = None  # in the order of the questions
    insights: InsightAnswer | None = None
    problems: dict[str, list[str]] = field(default_factory=dict)  # analysis type → sentences
    refused: frozenset[str] = frozenset()  # criteria of which no answer could be used
    asked_again: frozenset[str] = frozenset()  # criteria that the model was asked for more than once

    def missing_parts(self, request: AnalysisRequest) -> list[str]:
        """Return the analysis types of which a part that was asked for is not there."""
        return list(
            dict.fromkeys(kind for part, kind in request.parts.items() if getattr(self, part) is None)
        )

    def merged_with(self, latest: "Answers", request: AnalysisRequest) -> "Answers":
        """Return the latest right version of every part, and the problems of those that were never right."""
        merged = Answers(asked_again=self.asked_again | latest.asked_again)
        for part in request.parts:
            newer = getattr(latest, part)
            setattr(merged, part, getattr(self, part) if newer is None else newer)
        for kind in merged.missing_parts(request):
            merged.problems[kind] = latest.problems.get(kind) or self.problems.get(kind, [])
        if merged.criteria is None:
            merged.refused = latest.refused
        return merged


def parse_answers(document: Document, request: AnalysisRequest, *, reference: str) -> Answers:
    """Return the parts of an answer that can be used, and what is wrong with the others."""
    if document.get("call") != reference:
        problem = f'"call" is {_show(document.get("call"))}; this call is "{reference}".'
        return Answers(problems={kind: [problem] for kind in request.types})
    answers = Answers()
    for part, kind in request.parts.items():
        try:
            setattr(answers, part, _parse_part(part, document.get(part), request))
        except InvalidPart as invalid:
            answers.problems.setdefault(kind, []).extend(invalid.problems)
            if part == "criteria":
                answers.refused = invalid.ids
    return answers


def _parse_part(part: str, value: Any, request: AnalysisRequest) -> object:
    no_protocol = request.config.no_protocol
    match part:
        case "criteria":
            allowed = {c.id: {"answer": allowed_answers(c)} for c in request.criteria}
            return _parse_rows(CriterionAnswer, part, value, allowed, key="criterion_id")
        case "prompts":
            return _parse_rows(PromptAnswer, part, value, {p.id: {} for p in no_protocol.prompts})
        case "mistakes":
            ids: dict[str, ClosedSets] = {m.id: {} for m in no_protocol.mistakes}
            return _parse_rows(MistakeAnswer, part, value, ids, is_complete=False)
        case "questions":
            numbers: dict[str, ClosedSets] = {str(i): {} for i in range(1, len(request.questions) + 1)}
            return _parse_rows(QuestionAnswer, part, value, numbers, key="number")
    if not isinstance(value, dict):
        raise InvalidPart('"insights" is missing or no object.')
    closed_sets = {"sentiment": SENTIMENTS, "goal": GOALS, "contact_reason": request.codes}
    return _parse_entry(InsightAnswer, value, closed_sets, where=part)


Entry = TypeVar("Entry", bound=_Entry)


def _parse_rows(
    model: type[Entry],
    part: str,
    value: Any,
    checklist: Mapping[str, ClosedSets],
    *,
    key: str = "id",
    is_complete: bool = True,
) -> list[Entry]:
    """Return one entry an id of the checklist, in its order. Raises InvalidPart with all problems.

    `checklist` has the closed sets of each id's entry; only where `is_complete` each has to have one.
    """
    entries, problems, ids = [], [], set()
    rows = _rows_by_id(part, value, checklist, key=key, is_complete=is_complete)
    for name, row in rows.items():
        try:
            where = f"{part}, number {name}" if key == "number" else f'{part}, id "{name}"'
            entries.append(_parse_entry(model, row, checklist[name], where=where))
        except InvalidPart as invalid:
            problems += invalid.problems
            ids.add(name)
    if problems:
        raise InvalidPart(*problems, ids=ids)
    return entries


def _rows_by_id(
    part: str, value: Any, checklist: Mapping[str, ClosedSets], *, key: str, is_complete: bool
) -> dict[str, Document]:
    if not isinstance(value, list):
        raise InvalidPart(f'"{part}" is missing or no list.')
    rows: dict[str, Document] = {}
    problems, twice = [], []
    for row in value:
        if not isinstance(row, dict):
            raise InvalidPart(f'"{part}" holds {_show(row)}; every entry is an object.')
        points = sorted(POINT_KEYS & row.keys())
        if points:
            raise InvalidPart(f'"{part}" gives "{points[0]}"; points are not asked for.')
        # Models write the number of a question as a number or as a text.
        name = str(row.get(key)) if key == "number" else row.get(key)
        if not isinstance(name, str) or name not in checklist:
            problems.append(f'"{part}" names {_show(name)}, which is not in the checklist.')
        elif name in rows:
            problems.append(f'"{part}" names "{name}" twice.')
            twice.append(name)
        else:
            rows[name] = row
    missing = [name for name in checklist if name not in rows] if is_complete else []
    problems += [f'"{part}" leaves out "{name}".' for name in missing[:MAX_MISSING]]
    if problems:
        raise InvalidPart(*problems, ids={*missing, *twice})
    return {name: rows[name] for name in checklist if name in rows}


def _parse_entry(model: type[Entry], row: Document, closed_sets: ClosedSets, *, where: str) -> Entry:
    missing = {name: None for name, field in model.model_fields.items() if field.is_required()}
    try:
        return model.model_validate({**missing, **row}, context=closed_sets)
    except pydantic.ValidationError as error:
        # One problem an entry: what follows the first is often its consequence.
        raise InvalidPart(f"{where}: {error.errors()[0]['msg']}") from None
