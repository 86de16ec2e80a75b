"""Check what a line of the import format says that people decided. No Django here, as in line_parser.py."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypedDict, TypeVar, cast, get_args

from callscope.analysis.results.schema import Answer
from callscope.pipeline.transfer import result_validation
from callscope.pipeline.transfer.place_lines import (
    AgentPlaceLine,
    ReasonPlaceLine,
    check_agent,
    check_flag,
    check_reason,
)
from callscope.pipeline.transfer.result_validation import (
    ANSWERS,
    CRITICAL_CLASSES,
    MAX_CRITERIA,
    MAX_ENTRIES,
    MAX_ID,
    MAX_NAME,
    MAX_POINTS,
    MAX_TEXT,
    MILLION,
    ON_CRITICAL_ERROR,
    SPEAKERS,
    InvalidLine,
    check_choice,
    check_list,
    check_object,
    check_text,
    refuse,
)
from callscope.pipeline.transfer.schema import CriticalClass, JsonObject

FIELDS = ("reviews", "appeals", "agent_users", "notes")
MAX_EMAIL = 254
MAX_ENGINE = 255  # as reviews.models has it
MAX_SECOND = 1_000_000  # as reviews.notes has it
DIGEST_CHARACTERS = 64
REVIEW_STATES = ("draft", "submitted", "withdrawn")
# Kind of finding → its answers, as reviews.findings has them.
FINDINGS = {
    "mistake": ("made", "not_made"),
    "prompt": ("said", "missed"),
    "goal": ("reached", "not_reached", "unknown"),
    "sentiment": ("positive", "neutral", "negative", "unknown"),
}
APPEAL_STATES = ("open", "accepted", "refused", "withdrawn")
Entry = TypeVar("Entry")


class CriterionLine(TypedDict):
    """One criterion of a review as the call carried it, with what a person said."""

    criterion_id: str
    name: str
    section: str
    max_points: int | float
    critical: bool
    critical_class: CriticalClass | None
    allowed: list[Answer]
    machine_answer: Answer | None  # None: not evaluated
    answer: Answer | None  # None: not answered
    comment: str
    quote: str
    quote_start: float | None  # seconds
    speaker: str


class FindingLine(TypedDict):
    """What a person said about a mistake, a prompt, the goal or the sentiment."""

    kind: str
    id: str
    description: str
    answer: str
    comment: str
    quote: str
    quote_start: float | None  # seconds
    speaker: str
    machine_answer: str
    is_outdated: bool


class AcknowledgementLine(TypedDict):
    user: str  # e-mail
    at: dt.datetime


class ReviewLine(TypedDict):
    """One revision; people are e-mails, "" where nobody knows who."""

    revision: int
    reviewer: str
    state: str
    blind: bool
    comment: str
    created_at: dt.datetime
    changed_at: dt.datetime
    submitted_at: dt.datetime | None
    withdrawn_at: dt.datetime | None
    withdrawn_by: str
    on_critical_error: str
    transcript_digest: str
    engine: str
    outdated_criteria: list[str]
    criteria: list[CriterionLine]
    findings: list[FindingLine]
    agent: AgentPlaceLine | None
    contact_reason: ReasonPlaceLine | None
    acknowledgements: list[AcknowledgementLine]


class AppealLine(TypedDict):
    """One appeal; people are e-mails, "" where nobody knows who, and reviews are revisions."""

    criterion_id: str
    name: str
    answer: str
    reason: str
    state: str
    appellant: str
    created_at: dt.datetime
    judged_at: dt.datetime
    decided_at: dt.datetime | None
    decided_by: str
    decision_reason: str
    new_answer: str
    review: int | None
    new_review: int | None


class NoteLine(TypedDict):
    """A note at a second of the call; the author is an e-mail, "" where nobody knows who."""

    at: float
    text: str
    is_shared: bool
    author: str
    created_at: dt.datetime
    changed_at: dt.datetime
    closed_at: dt.datetime | None


class Decisions(NamedTuple):
    """The decisions in one line. Source: docs/api.md, "Import and export"."""

    reviews: list[ReviewLine]  # by revision
    appeals: list[AppealLine]
    agent_users: list[str]  # e-mails
    notes: list[NoteLine]


def check_decisions(document: Mapping[str, object], zone: dt.tzinfo) -> Decisions | None:
    """Return the decisions in a line, None where it holds none. Raises InvalidLine."""
    given = [check_list(document.get(name), name, MAX_ENTRIES) or [] for name in FIELDS]
    if not any(given):
        return None
    reviews, appeals, users, notes = given
    checked = [
        _check_entry(entry, f"reviews[{number}]", _check_review, zone) for number, entry in enumerate(reviews)
    ]
    if len({review["revision"] for review in checked}) < len(checked):
        raise InvalidLine("two reviews have the same revision")
    if len({review["created_at"] for review in checked}) < len(checked):
        raise InvalidLine("two reviews have the same created_at")
    if users and not (document.get("agent_id") or document.get("agent_name")):
        raise InvalidLine("agent_users needs agent_id or agent_name")
    return Decisions(
        sorted(checked, key=lambda review: review["revision"]),
        [_check_entry(entry, f"appeals[{n}]", _check_appeal, zone) for n, entry in enumerate(appeals)],
        [_check_email(user, "agent_users", is_required=True) for user in users],
        [_check_entry(entry, f"notes[{n}]", _check_note, zone) for n, entry in enumerate(notes)],
    )


def _check_entry(
    entry: object, path: str, check: Callable[[JsonObject, dt.tzinfo], Entry], zone: dt.tzinfo
) -> Entry:
    fields = check_object(entry, path)
    try:
        return check(fields, zone)
    except InvalidLine as error:
        raise InvalidLine(f"{path}.{error.reason}") from None


def _check_review(fields: JsonObject, zone: dt.tzinfo) -> ReviewLine:
    get = fields.get
    state = check_choice(get("state"), "state", REVIEW_STATES) or "submitted"
    created = _check_moment(fields, "created_at", zone)
    review: ReviewLine = {
        "revision": _check_revision(get("revision"), "revision"),
        "reviewer": _check_email(get("reviewer"), "reviewer"),
        "state": state,
        "blind": check_flag(get("blind"), "blind"),
        "comment": check_text(get("comment"), "comment", MAX_TEXT),
        "created_at": created,
        "changed_at": result_validation.read_moment(get("changed_at"), "changed_at", zone) or created,
        "submitted_at": result_validation.read_moment(get("submitted_at"), "submitted_at", zone),
        "withdrawn_at": result_validation.read_moment(get("withdrawn_at"), "withdrawn_at", zone),
        "withdrawn_by": _check_email(get("withdrawn_by"), "withdrawn_by"),
        "on_critical_error": check_choice(get("on_critical_error"), "on_critical_error", ON_CRITICAL_ERROR)
        or "flag",
        "transcript_digest": check_text(get("transcript_digest"), "transcript_digest", DIGEST_CHARACTERS),
        "engine": check_text(get("engine"), "engine", MAX_ENGINE),
        "outdated_criteria": _check_ids(get("outdated_criteria"), "outdated_criteria"),
        "criteria": _check_criteria(get("criteria")),
        "findings": [
            _check_entry(entry, f"findings[{number}]", _check_finding, zone)
            for number, entry in enumerate(check_list(get("findings"), "findings", MAX_ENTRIES) or [])
        ],
        "agent": None if get("agent") is None else _check_entry(get("agent"), "agent", check_agent, zone),
        "contact_reason": None
        if get("contact_reason") is None
        else _check_entry(get("contact_reason"), "contact_reason", check_reason, zone),
        "acknowledgements": [
            _check_entry(entry, f"acknowledgements[{number}]", _check_acknowledgement, zone)
            for number, entry in enumerate(
                check_list(get("acknowledgements"), "acknowledgements", MAX_ENTRIES) or []
            )
        ],
    }
    if len({(row["kind"], row["id"]) for row in review["findings"]}) < len(review["findings"]):
        raise InvalidLine("findings holds one finding twice")
    if state == "submitted" and review["submitted_at"] is None:
        raise InvalidLine("submitted_at is missing; a submitted review has one")
    if state == "withdrawn" and review["withdrawn_at"] is None:
        raise InvalidLine("withdrawn_at is missing; a withdrawn review has one")
    return review


def _check_criteria(value: object) -> list[CriterionLine]:
    rows: list[CriterionLine] = []
    for number, entry in enumerate(check_list(value, "criteria", MAX_CRITERIA) or []):
        fields = check_object(entry, f"criteria[{number}]")
        try:
            rows.append(_check_criterion(fields))
        except InvalidLine as error:
            raise InvalidLine(f"criteria[{number}].{error.reason}") from None
    if not rows:
        raise InvalidLine("criteria is missing or empty; a review is about some")
    if len({row["criterion_id"] for row in rows}) < len(rows):
        raise InvalidLine("criteria holds one criterion_id twice")
    return rows


def _check_criterion(fields: JsonObject) -> CriterionLine:
    get = fields.get
    criterion_id = _check_id(get("criterion_id"), "criterion_id")
    points = result_validation.check_points(get("max_points"), "max_points", MAX_POINTS * MILLION)
    if points == 0:
        refuse("max_points", get("max_points"), f"a number above 0, up to {MAX_POINTS}")
    answer = _check_answer(get("answer"), "answer")
    machine = _check_answer(get("machine_answer"), "machine_answer")
    allowed = check_list(get("allowed"), "allowed", len(ANSWERS)) or []
    named = {_check_answer(each, "allowed") for each in allowed} | {"met", "not_met", answer, machine}
    return {
        "criterion_id": criterion_id,
        "name": check_text(get("name"), "name", MAX_NAME) or criterion_id,
        "section": check_text(get("section"), "section", MAX_NAME),
        "max_points": result_validation.to_points(points),
        "critical": check_flag(get("critical"), "critical"),
        "critical_class": cast(
            CriticalClass | None,
            check_choice(get("critical_class"), "critical_class", CRITICAL_CLASSES) or None,
        ),
        "allowed": [each for each in get_args(Answer) if each in named],
        "machine_answer": machine,
        "answer": answer,
        "comment": check_text(get("comment"), "comment", MAX_TEXT),
        "quote": check_text(get("quote"), "quote", MAX_TEXT),
        "quote_start": _check_second(get("quote_start"), "quote_start"),
        "speaker": check_choice(get("speaker"), "speaker", SPEAKERS),
    }


def _check_finding(fields: JsonObject, _zone: dt.tzinfo) -> FindingLine:
    get = fields.get
    kind = check_choice(get("kind"), "kind", tuple(FINDINGS))
    if not kind:
        raise InvalidLine(f"kind is missing; allowed: {', '.join(FINDINGS)}")
    answers = {}
    for name in ("answer", "machine_answer"):
        answers[name] = check_choice(get(name), name, FINDINGS[kind])
        could_not_tell = name == "machine_answer" and name in fields
        if not answers[name] and not could_not_tell:
            raise InvalidLine(f"{name} is missing; allowed: {', '.join(FINDINGS[kind])}")
    item_id = check_text(get("id"), "id", MAX_ID)
    if bool(item_id.strip()) != (kind in ("mistake", "prompt")):
        raise InvalidLine("id belongs to a mistake or prompt, and to no other finding")
    return {
        "kind": kind,
        "id": item_id,
        "description": check_text(get("description"), "description", MAX_TEXT),
        "answer": answers["answer"],
        "comment": check_text(get("comment"), "comment", MAX_TEXT),
        "quote": check_text(get("quote"), "quote", MAX_TEXT),
        "quote_start": _check_second(get("quote_start"), "quote_start"),
        "speaker": check_choice(get("speaker"), "speaker", SPEAKERS),
        "machine_answer": answers["machine_answer"],
        "is_outdated": check_flag(get("is_outdated"), "is_outdated"),
    }


def _check_acknowledgement(fields: JsonObject, zone: dt.tzinfo) -> AcknowledgementLine:
    return {
        "user": _check_email(fields.get("user"), "user", is_required=True),
        "at": _check_moment(fields, "at", zone),
    }


def _check_appeal(fields: JsonObject, zone: dt.tzinfo) -> AppealLine:
    get = fields.get
    state = check_choice(get("state"), "state", APPEAL_STATES) or "open"
    decided_at = result_validation.read_moment(get("decided_at"), "decided_at", zone)
    if (decided_at is None) != (state == "open"):
        raise InvalidLine(
            "decided_at belongs to an appeal that is accepted, refused or withdrawn, and to no open one"
        )
    criterion_id = _check_id(get("criterion_id"), "criterion_id")
    return {
        "criterion_id": criterion_id,
        "name": check_text(get("name"), "name", MAX_NAME) or criterion_id,
        "answer": check_choice(get("answer"), "answer", ANSWERS),
        "reason": check_text(get("reason"), "reason", MAX_TEXT),
        "state": state,
        "appellant": _check_email(get("appellant"), "appellant"),
        "created_at": _check_moment(fields, "created_at", zone),
        "judged_at": _check_moment(fields, "judged_at", zone),
        "decided_at": decided_at,
        "decided_by": _check_email(get("decided_by"), "decided_by"),
        "decision_reason": check_text(get("decision_reason"), "decision_reason", MAX_TEXT),
        "new_answer": check_choice(get("new_answer"), "new_answer", ANSWERS),
        "review": None if get("review") is None else _check_revision(get("review"), "review"),
        "new_review": None if get("new_review") is None else _check_revision(get("new_review"), "new_review"),
    }


def _check_note(fields: JsonObject, zone: dt.tzinfo) -> NoteLine:
    get = fields.get
    at, created = get("at", 0), _check_moment(fields, "created_at", zone)
    if type(at) not in (int, float) or not 0 <= cast(float, at) <= MAX_SECOND:
        refuse("at", at, f"seconds, 0 to {MAX_SECOND}")
    return {
        "at": float(cast(float, at)),
        "text": check_text(get("text"), "text", MAX_TEXT),
        "is_shared": check_flag(get("is_shared"), "is_shared"),
        "author": _check_email(get("author"), "author"),
        "created_at": created,
        "changed_at": result_validation.read_moment(get("changed_at"), "changed_at", zone) or created,
        "closed_at": result_validation.read_moment(get("closed_at"), "closed_at", zone),
    }


def _check_moment(fields: JsonObject, name: str, zone: dt.tzinfo) -> dt.datetime:
    moment = result_validation.read_moment(fields.get(name), name, zone)
    if moment is None:
        raise InvalidLine(f"{name} is missing; it is required")
    return moment


def _check_second(value: object, field: str) -> float | None:
    if value is not None and (type(value) not in (int, float) or not 0 <= cast(float, value) < 10**9):
        refuse(field, value, "seconds from 0, or null")
    return cast(float | None, value)


def _check_revision(value: object, field: str) -> int:
    if type(value) is not int or not 1 <= value <= MAX_POINTS:
        refuse(field, value, f"a revision, a number from 1 to {MAX_POINTS}")
    return value


def _check_answer(value: object, field: str) -> Answer | None:
    return cast(Answer | None, check_choice(value, field, ANSWERS) or None)


def _check_ids(value: object, field: str) -> list[str]:
    return [_check_id(each, field) for each in check_list(value, field, MAX_CRITERIA) or []]


def _check_id(value: object, field: str) -> str:
    checked = check_text(value, field, MAX_ID)
    if not checked.strip():
        raise InvalidLine(f"{field} is missing or blank; it is required")
    return checked


def _check_email(value: object, field: str, *, is_required: bool = False) -> str:
    """Return an e-mail as accounts store it; "" for a person who is not known. Raises InvalidLine."""
    email = check_text(value, field, MAX_EMAIL).strip().lower()
    if (email or is_required) and ("@" not in email or " " in email):
        refuse(field, value, "an e-mail")
    return email
