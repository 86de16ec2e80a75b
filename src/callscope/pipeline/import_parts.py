"""Check the results in an imported line and bring them into the shape in which analyses are stored.

Format: docs/api.md, "Import and export". Fields that the format does not name
are kept where they are plain values, so that what an export carries comes back.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

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
# Criterion id → what the project's rubric marks it with, for rows that do not say: critical, critical_class.
Marks = Mapping[str, Mapping[str, Any]]


class WrongLine(Exception):
    """A line that cannot be imported; `reason` has no full stop, `file_name` is "" where it is not known."""

    def __init__(self, reason: str, *, file_name: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.file_name = file_name


def copc(value: Any, on_critical_error: str, marks: Marks) -> dict[str, Any] | None:
    """Return the stored copc result with its totals; None stays None. Raises WrongLine."""
    if value is None:
        return None
    entries = _entries(_object(value, "copc").get("criterion_scores"), "copc.criterion_scores", MAX_CRITERIA)
    if entries is None:
        raise WrongLine("copc.criterion_scores is missing; copc requires it")
    scores: list[dict[str, Any]] = []
    seen: set[str] = set()
    earned = possible = 0
    has_critical_error = False
    for number, entry in enumerate(entries):
        place = f"copc.criterion_scores[{number}]"
        fields = _object(entry, place)
        try:
            row, points, max_points = _criterion(fields)
        except WrongLine as error:
            raise WrongLine(f"{place}.{error.reason}") from None
        for name, mark in marks.get(row["criterion_id"], {}).items():
            row.setdefault(name, mark)
        if row["criterion_id"] in seen:
            raise WrongLine(f'{place}.criterion_id "{row["criterion_id"]}" appears twice')
        seen.add(row["criterion_id"])
        earned += points
        possible += max_points
        has_critical_error = has_critical_error or row["is_critical_error"]
        scores.append(row)
    rule = rule_of(value.get("on_critical_error"), on_critical_error)
    return with_totals(scores, value.get("not_evaluated"), earned, possible, has_critical_error, rule)


def rule_of(value: Any, on_critical_error: str) -> str:
    """Return what a critical error does to the score: as the line says, else as the project does."""
    return choice(value, "copc.on_critical_error", ON_CRITICAL_ERROR) or on_critical_error


def with_totals(
    scores: Sequence[Any], not_evaluated: Any, earned: int, possible: int, has_critical_error: bool, rule: str
) -> dict[str, Any]:
    """Return the stored copc result with these rows; points are in millionths. Raises WrongLine."""
    zeroed = has_critical_error and rule == "zero_score"
    return {
        "criterion_scores": scores,
        "not_evaluated": _not_evaluated(not_evaluated),
        "total_points": number(earned) if scores else None,
        "max_possible_points": number(possible) if scores else None,
        "score_percentage": None if not scores else 0 if zeroed else _percentage(earned, possible),
        "has_critical_error": has_critical_error,
        "rubric_version": None,
        "on_critical_error": rule,
    }


def _criterion(entry: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
    """Return (stored row, points, maximum), both in millionths; a reason starts with the field."""
    get = entry.get
    criterion_id = text(get("criterion_id", ""), "criterion_id", MAX_ID)
    if not criterion_id.strip():
        raise WrongLine("criterion_id is missing or blank; it is required")
    max_points = points_of(get("max_points"), "max_points", MAX_POINTS * MILLION)
    if max_points == 0:
        refuse("max_points", get("max_points"), f"a number above 0, up to {MAX_POINTS}")
    points = points_of(get("score"), "score", max_points)
    applicability = get("applicability")
    if applicability is not None and applicability not in APPLICABILITIES:
        refuse("applicability", applicability, "evaluated, not_applicable or null")
    if applicability == "not_applicable" and points != max_points:
        raise WrongLine(
            f"score is {get('score')}, but a criterion that is not_applicable earns its max_points"
        )
    critical = get("is_critical_error")
    if critical is not None and not isinstance(critical, bool):
        refuse("is_critical_error", critical, "true or false")
    row = {
        "criterion_id": criterion_id,
        "name": text(get("name", ""), "name", MAX_NAME) or criterion_id,
        "section": text(get("section", ""), "section", MAX_NAME),
        "score": number(points),
        "max_points": number(max_points),
        "applicability": applicability,
        "is_critical_error": bool(critical),
        "justification": text(get("justification", ""), "justification", MAX_TEXT),
        "quote": text(get("quote", ""), "quote", MAX_TEXT),
    }
    if entry.keys() - CRITERION_FIELDS:
        row |= _criterion_extras(entry)
    return row, points, max_points


def _criterion_extras(entry: dict[str, Any]) -> dict[str, Any]:
    extras = _extras(entry, CRITERION_FIELDS)
    for field, allowed in (("critical_class", CRITICAL_CLASSES), ("answer", ANSWERS)):
        if extras.get(field) is not None and extras[field] not in allowed:
            refuse(field, extras[field], ", ".join(allowed))
    for field in ("critical", "verified"):
        if extras.get(field) is not None and not isinstance(extras[field], bool):
            refuse(field, extras[field], "true or false")
    _check_quote_start(extras)
    return extras


def _check_quote_start(extras: dict[str, Any]) -> None:
    start = extras.get("quote_start")
    if start is not None and (isinstance(start, bool) or not isinstance(start, int | float) or start < 0):
        refuse("quote_start", start, "seconds from 0, or null")


def _not_evaluated(value: Any) -> list[dict[str, Any]]:
    path = "copc.not_evaluated"
    rows = []
    for entry in _entries(value, path, MAX_CRITERIA) or []:
        fields = _object(entry, path)
        row = {name: text(fields.get(name, ""), f"{path}.{name}", MAX_NAME) for name in ("name", "section")}
        criterion_id = text(fields.get("criterion_id", ""), f"{path}.criterion_id", MAX_ID)
        rows.append(
            {
                "criterion_id": criterion_id,
                **row,
                "reason": text(fields.get("reason", ""), f"{path}.reason", MAX_TEXT),
            }
        )
    return rows


def no_protocol(value: Any) -> dict[str, Any] | None:
    """Return the stored no-protocol result; None stays None. Raises WrongLine."""
    if value is None:
        return None
    fields = _object(value, "no_protocol")
    result = {
        "mistakes": _findings(fields.get("mistakes"), "no_protocol.mistakes"),
        "missing_prompts": _findings(fields.get("missing_prompts"), "no_protocol.missing_prompts"),
    }
    if fields.get("prompts") is not None:
        result["prompts"] = _findings(fields["prompts"], "no_protocol.prompts")
    return result


def _findings(value: Any, path: str) -> list[dict[str, Any]]:
    rows = []
    for number, entry in enumerate(_entries(value, path, MAX_ENTRIES) or []):
        place = f"{path}[{number}]"
        fields = _object(entry, place)
        row: dict[str, Any] = {
            "id": text(fields.get("id", ""), f"{place}.id", MAX_ID),
            "description": text(fields.get("description", ""), f"{place}.description", MAX_TEXT),
        }
        if not row["id"].strip() and not row["description"].strip():
            raise WrongLine(f"{place} has neither an id nor a description")
        if "quote" in fields:
            row["quote"] = text(fields["quote"], f"{place}.quote", MAX_TEXT)
        extras = _extras(fields, frozenset(("id", "description", "quote")))
        _check_quote_start(extras)
        rows.append(row | extras)
    return rows


def custom_questions(value: Any) -> dict[str, Any] | None:
    """Return the stored answers; None stays None. Raises WrongLine."""
    if value is None:
        return None
    answers = _object(_object(value, "custom_questions").get("answers", {}), "custom_questions.answers")
    if len(answers) > MAX_ENTRIES:
        raise WrongLine(
            f"custom_questions.answers has {len(answers)} entries; at most {MAX_ENTRIES} are allowed"
        )
    checked = {}
    for question, entry in answers.items():
        place = f'custom_questions.answers["{question[:SHOWN]}"]'
        if not question.strip() or len(question) > MAX_TEXT:
            raise WrongLine(f"{place}: a question has 1 to {MAX_TEXT} characters")
        fields = _object(entry, place)
        quotes = _entries(fields.get("quotes"), f"{place}.quotes", MAX_ENTRIES) or []
        checked[question] = {
            "answer": text(fields.get("answer", ""), f"{place}.answer", MAX_TEXT),
            "quotes": [text(quote, f"{place}.quotes", MAX_TEXT) for quote in quotes],
        } | _extras(fields, frozenset(("answer", "quotes")))
    return {"answers": checked}


def insights(document: dict[str, Any]) -> dict[str, Any] | None:
    """Return the stored insights, or None when the line gives no sentiment, topic or outcome.

    A line may carry `insights` for what else that analysis found; an export
    does, so that an analysis that found nothing still counts as having run.
    """
    sentiment = choice(document.get("sentiment"), "sentiment", SENTIMENTS) or None
    topic = text(document.get("topic", ""), "topic", MAX_TOPIC).strip()
    goal_reached = document.get("goal_reached")
    if goal_reached is not None and not isinstance(goal_reached, bool):
        refuse("goal_reached", goal_reached, "true, false or null")
    more = document.get("insights")
    if more is None and sentiment is None and not topic and goal_reached is None:
        return None
    extras = {} if more is None else _extras(_object(more, "insights"), frozenset(INSIGHT_FIELDS))
    return {"sentiment": sentiment, "topic": topic, "goal_reached": goal_reached} | extras


def text(value: Any, field: str, longest: int) -> str:
    """Return a text within its length; null is blank. Raises WrongLine."""
    if value is None:
        return ""
    if not isinstance(value, str):
        refuse(field, value, "a text")
    if len(value) > longest:
        raise WrongLine(f"{field} has {len(value)} characters; at most {longest} are allowed")
    return value


def choice(value: Any, field: str, allowed: tuple[str, ...]) -> str:
    """Return one of the allowed words, or "" for null and blank. Raises WrongLine."""
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or value not in allowed:
        refuse(field, value, ", ".join(allowed))
    return value


def refuse(field: str, value: Any, allowed: str) -> NoReturn:
    raise WrongLine(f"{field} is{shown(value)}; allowed: {allowed}")


def shown(value: Any) -> str:
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


def points_of(value: Any, field: str, most: int) -> int:
    """Return points in millionths, 0 to `most`; more decimals are rounded half-even."""
    if type(value) is int:
        points = value * MILLION if abs(value) <= MAX_POINTS else -1
    elif type(value) is float:
        points = round(value * MILLION) if -1 < value <= MAX_POINTS else -1
    else:
        points = -1
    if not 0 <= points <= most or value < 0:
        refuse(field, value, f"a number from 0 to {number(most)}")
    return points


def number(millionths: int) -> int | float:
    """Return points as they are stored: whole ones as int."""
    whole, rest = divmod(millionths, MILLION)
    return whole if not rest else millionths / MILLION


def _percentage(earned: int, possible: int) -> int | float:
    """Return the percentage rounded half-even to two decimals, exactly."""
    quotient, rest = divmod(earned * 10_000, possible)
    if rest * 2 > possible or (rest * 2 == possible and quotient % 2):
        quotient += 1
    return quotient // 100 if quotient % 100 == 0 else quotient / 100


def _object(value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        refuse(path, value, "an object")
    return value


def _entries(value: Any, path: str, most: int) -> list[Any] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        refuse(path, value, "a list")
    if len(value) > most:
        raise WrongLine(f"{path} has {len(value)} entries; at most {most} are allowed")
    return value


def _extras(fields: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
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
