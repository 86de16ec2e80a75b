"""Check the results in an imported line and bring them into the shape in which analyses are stored.

Format: docs/api.md, "Import and export". Fields that the format does not name
are kept where they are plain values, so that what an export carries comes back.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import NoReturn, cast

from callscope.analysis.figures import round_half_even
from callscope.calls.moments import FIRST_YEAR, LAST_YEAR
from callscope.pipeline.transfer.schema import (
    JsonObject,
    Marks,
    Plain,
    StoredAnswers,
    StoredCopc,
    StoredNoProtocol,
)

MAX_POINTS = 1_000_000
MILLION = 1_000_000
MAX_CRITERIA = 500
MAX_ENTRIES = 1_000  # mistakes, prompts or questions of one call
MAX_ID = 64
MAX_NAME = 255
MAX_TOPIC = 1_000
MAX_TEXT = 10_000  # characters of a justification, a quote or an answer
SHOWN = 80

SENTIMENTS = ("positive", "neutral", "negative")
APPLICABILITIES = ("evaluated", "not_applicable")
CRITICAL_CLASSES = ("customer", "business", "compliance")
ANSWERS = ("met", "partly", "not_met", "not_applicable")
SPEAKERS = ("agent", "customer")
ON_CRITICAL_ERROR = ("flag", "zero_score")
INSIGHT_FIELDS = ("sentiment", "topic", "goal_reached")
CRITERION_FIELDS = frozenset(
    (
        "criterion_id",
        "name",
        "section",
        "score",
        "max_points",
        "applicability",
        "is_critical_error",
        "justification",
        "quote",
    )
)


class InvalidLine(Exception):
    """A line that cannot be imported; `reason` has no full stop, `file_name` is "" where it is not known."""

    def __init__(self, reason: str, *, file_name: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.file_name = file_name


def check_copc(value: object, on_critical_error: str, marks: Marks, field: str = "copc") -> StoredCopc | None:
    """Return the stored copc result with its totals; None stays None. Raises InvalidLine."""
    if value is None:
        return None
    copc = check_object(value, field)
    entries = check_list(copc.get("criterion_scores"), f"{field}.criterion_scores", MAX_CRITERIA)
    if entries is None:
        raise InvalidLine(f"{field}.criterion_scores is missing; {field} requires it")
    rows: list[dict[str, Plain]] = []
    seen: set[Plain] = set()
    earned = possible = 0
    for number, entry in enumerate(entries):
        path = f"{field}.criterion_scores[{number}]"
        fields = check_object(entry, path)
        try:
            row, points, max_points = _check_criterion(fields)
        except InvalidLine as error:
            raise InvalidLine(f"{path}.{error.reason}") from None
        marked = marks.get(str(row["criterion_id"]))
        if marked and marked.critical:
            row.setdefault("critical", True)
        if marked and marked.critical_class:
            row.setdefault("critical_class", marked.critical_class)
        if row["criterion_id"] in seen:
            raise InvalidLine(f'{path}.criterion_id "{row["criterion_id"]}" appears twice')
        seen.add(row["criterion_id"])
        earned += points
        possible += max_points
        rows.append(row)
    has_critical_error = any(row["is_critical_error"] for row in rows)
    rule = check_critical_rule(copc.get("on_critical_error"), on_critical_error)
    return build_copc(rows, copc.get("not_evaluated"), earned, possible, has_critical_error, rule)


def check_critical_rule(value: object, on_critical_error: str) -> str:
    """Return what a critical error does to the score: as the line says, else as the project does."""
    return check_choice(value, "copc.on_critical_error", ON_CRITICAL_ERROR) or on_critical_error


def build_copc(
    rows: Sequence[object],
    not_evaluated: object,
    earned: int,
    possible: int,
    has_critical_error: bool,
    rule: str,
) -> StoredCopc:
    """Return the stored copc result with these rows; points are in millionths. Raises InvalidLine."""
    score: int | float | None = None
    if rows:
        zeroed = has_critical_error and rule == "zero_score"
        basis_points = 0 if zeroed else round_half_even(earned * 10_000, possible)
        score = basis_points / 100 if basis_points % 100 else basis_points // 100
    return {
        "criterion_scores": rows,
        "not_evaluated": _check_not_evaluated(not_evaluated),
        "total_points": to_points(earned) if rows else None,
        "max_possible_points": to_points(possible) if rows else None,
        "score_percentage": score,
        "has_critical_error": has_critical_error,
        "rubric_version": None,
        "on_critical_error": rule,
    }


def _check_criterion(entry: JsonObject) -> tuple[dict[str, Plain], int, int]:
    """Return (stored row, points, maximum), both in millionths; a reason starts with the field."""
    get = entry.get
    criterion_id = check_text(get("criterion_id", ""), "criterion_id", MAX_ID)
    if not criterion_id.strip():
        raise InvalidLine("criterion_id is missing or blank; it is required")
    max_points = check_points(get("max_points"), "max_points", MAX_POINTS * MILLION)
    if max_points == 0:
        refuse("max_points", get("max_points"), f"a number above 0, up to {MAX_POINTS}")
    points = check_points(get("score"), "score", max_points)
    applicability = get("applicability")
    if applicability is not None and applicability not in APPLICABILITIES:
        refuse("applicability", applicability, "evaluated, not_applicable or null")
    if applicability == "not_applicable" and points != max_points:
        raise InvalidLine(
            f"score is {get('score')}, but a criterion that is not_applicable earns its max_points"
        )
    critical = get("is_critical_error")
    if critical is not None and not isinstance(critical, bool):
        refuse("is_critical_error", critical, "true or false")
    row: dict[str, Plain] = {
        "criterion_id": criterion_id,
        "name": check_text(get("name", ""), "name", MAX_NAME) or criterion_id,
        "section": check_text(get("section", ""), "section", MAX_NAME),
        "score": to_points(points),
        "max_points": to_points(max_points),
        "applicability": applicability,
        "is_critical_error": bool(critical),
        "justification": check_text(get("justification", ""), "justification", MAX_TEXT),
        "quote": check_text(get("quote", ""), "quote", MAX_TEXT),
    }
    if entry.keys() - CRITERION_FIELDS:
        row |= cast(dict[str, Plain], _criterion_extras(entry))
    return row, points, max_points


def _criterion_extras(entry: JsonObject) -> JsonObject:
    extras: JsonObject = dict(plain_extras(entry, CRITERION_FIELDS))
    for field, allowed in (("critical_class", CRITICAL_CLASSES), ("answer", ANSWERS)):
        if extras.get(field) is not None and extras[field] not in allowed:
            refuse(field, extras[field], ", ".join(allowed))
    for field in ("critical", "verified", "asked_again"):
        if extras.get(field) is not None and not isinstance(extras[field], bool):
            refuse(field, extras[field], "true or false")
    _check_quote_start(extras)
    margin = extras.get("margin")
    if margin is not None and (type(margin) not in (int, float) or not 0 <= cast(float, margin) <= 1):
        refuse("margin", margin, "a number from 0 to 1, or null")
    if entry.get("quotes") is not None:
        extras["quotes"] = check_quotes(entry["quotes"], "quotes")
    return extras


def check_quotes(value: object, path: str) -> list[dict[str, Plain]]:
    """Return the quotes of a rule's parts, or of a tracker."""
    rows: list[dict[str, Plain]] = []
    for number, entry in enumerate(check_list(value, path, MAX_ENTRIES) or []):
        fields = check_object(entry, f"{path}[{number}]")
        group, start = fields.get("group"), fields.get("start")
        if group is not None and (type(group) is not int or not 0 <= group < MAX_ENTRIES):
            refuse(f"{path}[{number}].group", group, "a number from 0, or null")
        if start is not None and (type(start) not in (int, float) or not 0 <= cast(float, start) < 10**15):
            refuse(f"{path}[{number}].start", start, "seconds from 0, or null")
        text = check_text(fields.get("text", ""), f"{path}[{number}].text", MAX_TEXT)
        speaker = check_choice(fields.get("speaker"), f"{path}[{number}].speaker", SPEAKERS) or None
        rows.append(
            {"group": cast(Plain, group), "text": text, "speaker": speaker, "start": cast(Plain, start)}
        )
    return rows


def _check_quote_start(extras: Mapping[str, object]) -> None:
    start = extras.get("quote_start")
    if start is not None and (isinstance(start, bool) or not isinstance(start, int | float) or start < 0):
        refuse("quote_start", start, "seconds from 0, or null")


def _check_not_evaluated(value: object) -> list[dict[str, str]]:
    path = "copc.not_evaluated"
    rows = []
    for entry in check_list(value, path, MAX_CRITERIA) or []:
        fields = check_object(entry, path)
        row = {
            name: check_text(fields.get(name, ""), f"{path}.{name}", MAX_NAME) for name in ("name", "section")
        }
        criterion_id = check_text(fields.get("criterion_id", ""), f"{path}.criterion_id", MAX_ID)
        rows.append(
            {
                "criterion_id": criterion_id,
                **row,
                "reason": check_text(fields.get("reason", ""), f"{path}.reason", MAX_TEXT),
            }
        )
    return rows


def check_no_protocol(value: object, *, field: str = "no_protocol") -> StoredNoProtocol | None:
    """Return the stored no-protocol result; None stays None. Raises InvalidLine."""
    if value is None:
        return None
    fields = check_object(value, field)
    result: StoredNoProtocol = {
        "mistakes": _check_findings(fields.get("mistakes"), f"{field}.mistakes"),
        "missing_prompts": _check_findings(fields.get("missing_prompts"), f"{field}.missing_prompts"),
    }
    if fields.get("prompts") is not None:
        result["prompts"] = _check_findings(fields["prompts"], f"{field}.prompts")
    return result


def _check_findings(value: object, path: str) -> list[dict[str, Plain]]:
    rows = []
    for number, entry in enumerate(check_list(value, path, MAX_ENTRIES) or []):
        entry_path = f"{path}[{number}]"
        fields = check_object(entry, entry_path)
        finding_id = check_text(fields.get("id", ""), f"{entry_path}.id", MAX_ID)
        description = check_text(fields.get("description", ""), f"{entry_path}.description", MAX_TEXT)
        if not finding_id.strip() and not description.strip():
            raise InvalidLine(f"{entry_path} has neither an id nor a description")
        row: dict[str, Plain] = {"id": finding_id, "description": description}
        if "quote" in fields:
            row["quote"] = check_text(fields["quote"], f"{entry_path}.quote", MAX_TEXT)
        extras = plain_extras(fields, frozenset(("id", "description", "quote")))
        _check_quote_start(extras)
        rows.append(row | extras)
    return rows


def check_custom_questions(value: object) -> StoredAnswers | None:
    """Return the stored answers; None stays None. Raises InvalidLine."""
    if value is None:
        return None
    answers = check_object(
        check_object(value, "custom_questions").get("answers", {}), "custom_questions.answers"
    )
    if len(answers) > MAX_ENTRIES:
        raise InvalidLine(
            f"custom_questions.answers has {len(answers)} entries; at most {MAX_ENTRIES} are allowed"
        )
    checked: dict[str, JsonObject] = {}
    for question, entry in answers.items():
        path = f'custom_questions.answers["{question[:SHOWN]}"]'
        if not question.strip() or len(question) > MAX_TEXT:
            raise InvalidLine(f"{path}: a question has 1 to {MAX_TEXT} characters")
        fields = check_object(entry, path)
        quotes = check_list(fields.get("quotes"), f"{path}.quotes", MAX_ENTRIES) or []
        checked[question] = {
            "answer": check_text(fields.get("answer", ""), f"{path}.answer", MAX_TEXT),
            "quotes": [check_text(quote, f"{path}.quotes", MAX_TEXT) for quote in quotes],
            **plain_extras(fields, frozenset(("answer", "quotes"))),
        }
    return {"answers": checked}


def read_moment(value: object, field: str, zone: dt.tzinfo) -> dt.datetime | None:
    """Return the moment in UTC. Without an offset it is the server's time; a skipped hour moves forward."""
    if value is None or value == "":
        return None
    try:
        if not isinstance(value, str) or len(value) < len("2026-01-05"):
            raise ValueError
        moment = dt.datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone)
        if not FIRST_YEAR <= moment.year <= LAST_YEAR:
            raise ValueError
        return moment.astimezone(dt.UTC)
    except ValueError:
        years = f"from {FIRST_YEAR} to {LAST_YEAR}"
        refuse(field, value, f"an ISO 8601 time such as 2026-01-05T10:00:00+00:00, {years}")


def check_text(value: object, field: str, longest: int) -> str:
    """Return a text within its length; null is blank. Raises InvalidLine."""
    if value is None:
        return ""
    if not isinstance(value, str):
        refuse(field, value, "a text")
    if len(value) > longest:
        raise InvalidLine(f"{field} has {len(value)} characters; at most {longest} are allowed")
    return value


def check_choice(value: object, field: str, allowed: tuple[str, ...]) -> str:
    """Return one of the allowed words, or "" for null and blank. Raises InvalidLine."""
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or value not in allowed:
        refuse(field, value, ", ".join(allowed))
    return value


def refuse(field: str, value: object, allowed: str) -> NoReturn:
    raise InvalidLine(f"{field} is{describe_value(value)}; allowed: {allowed}")


def describe_value(value: object) -> str:
    """Return the value for a message: a short one as it is, others by their kind."""
    if isinstance(value, str):
        return f' "{value[:SHOWN]}"'
    if isinstance(value, bool) or value is None:
        return {True: " true", False: " false", None: " null"}[value]
    if isinstance(value, int):
        return f" {value}" if abs(value) < 10**18 else " a very large number"
    if isinstance(value, float):
        return f" {value}"
    return " a list" if isinstance(value, list) else " an object"


def check_points(value: object, field: str, most: int) -> int:
    """Return points in millionths, 0 to `most`; more decimals are rounded half-even. Raises InvalidLine."""
    points = -1
    if type(value) is int and 0 <= value <= MAX_POINTS:
        points = value * MILLION
    elif type(value) is float and 0 <= value <= MAX_POINTS:
        points = round(value * MILLION)
    if not 0 <= points <= most:
        refuse(field, value, f"a number from 0 to {to_points(most)}")
    return points


def to_points(millionths: int) -> int | float:
    """Return points as they are stored: whole ones as int."""
    whole, rest = divmod(millionths, MILLION)
    return whole if not rest else millionths / MILLION


def check_object(value: object, path: str) -> JsonObject:
    if not isinstance(value, dict):
        refuse(path, value, "an object")
    return value


def check_list(value: object, path: str, most: int) -> list[object] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        refuse(path, value, "a list")
    if len(value) > most:
        raise InvalidLine(f"{path} has {len(value)} entries; at most {most} are allowed")
    return value


def plain_extras(fields: JsonObject, known: frozenset[str]) -> dict[str, Plain]:
    """Return the fields that the format does not name, as far as they are plain values."""
    extras = {}
    for name, value in fields.items():
        if name in known or len(name) > MAX_ID:
            continue
        if (
            value is None
            or isinstance(value, bool | str)
            or (isinstance(value, int | float) and abs(value) < 10**15)
        ):
            extras[name] = value[:MAX_TEXT] if isinstance(value, str) else value
    return extras
